/// The deliveries that one thread owes: there is one loop for its outermost set, on that set's
/// stack.
@usableFromInline
struct DeliveryLoop {
    /// A field with waiting changes, and how to deliver them: a function that the compiler has
    /// specialised for the value type where the field was set.
    @usableFromInline
    struct Entry {
        @usableFromInline let field: AnyField
        @usableFromInline let drain: Drain

        @inlinable
        init(field: AnyField, drain: @escaping Drain) {
            self.field = field
            self.drain = drain
        }
    }

    @usableFromInline
    typealias Drain = (AnyField, UnsafeMutablePointer<DeliveryLoop>) -> Void

    @usableFromInline var ready: [Entry] = []
    /// The field whose observers run, and the change they are told.
    @usableFromInline var delivering: ObjectIdentifier?
    @usableFromInline var cause = Cause()
    /// How many batches are open on this thread, one in the other.
    @usableFromInline var batchDepth = 0
    /// Whether computed fields are brought up to date now.
    var isFlushing = false
    /// What is put off; made when there is something.
    ///
    /// Kept apart, so that a set without it pays for one pointer.
    @usableFromInline var madeBacklog: Backlog?

    @inlinable
    init() {}

    /// The loop of this thread, while its outermost set runs.
    @inlinable @inline(__always)
    static var current: UnsafeMutablePointer<DeliveryLoop>? { ThreadState.known?.pointee.loop }

    /// What is put off.
    var backlog: Backlog {
        mutating get {
            if let madeBacklog { return madeBacklog }
            let backlog = Backlog()
            madeBacklog = backlog
            return backlog
        }
    }

    /// Adds the computations that were put off to a list.
    func moveDirtied(to list: inout [ComputedNode]) {
        if let madeBacklog { list += madeBacklog.takeNodes() }
    }

    /// Runs a closure with a new loop of this thread, then every delivery it left.
    ///
    /// The thread must be this one, and there must be no current loop.
    @inlinable
    static func run<Result, Failure: Error>(
        on thread: UnsafeMutablePointer<ThreadState> = ThreadState.current,
        _ body: (UnsafeMutablePointer<DeliveryLoop>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var loop = DeliveryLoop()
        return try withUnsafeMutablePointer(to: &loop) { pointer throws(Failure) in
            thread.pointee.loop = pointer
            defer {
                if !pointer.pointee.ready.isEmpty { drainReady(pointer) }
                thread.pointee.loop = nil
            }
            return try body(pointer)
        }
    }

    /// Runs a closure with the loop of this thread, or with a new one if there is none.
    @inlinable
    static func withCurrent<Result, Failure: Error>(
        _ body: (UnsafeMutablePointer<DeliveryLoop>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if let current { return try body(current) }
        return try run(body)
    }

    /// Has the observers of fields notified, by the loop that runs or by a new one, once the computed
    /// fields that have read what was set are up to date.
    @inlinable
    static func deliver(_ owing: [Entry], updating dirtied: [ComputedNode] = []) {
        if owing.isEmpty, dirtied.isEmpty { return }
        withCurrent { loop in
            if loop.pointee.ready.isEmpty {
                loop.pointee.ready = owing
            } else {
                loop.pointee.ready += owing
            }
            if !dirtied.isEmpty { ComputedGraph.flush(dirtied, loop) }
        }
    }

    /// The same with what an evaluation has put off.
    @usableFromInline
    static func deliver(_ owing: [Entry], updating dirtied: Dirtied) {
        deliver(owing + dirtied.held, updating: dirtied.nodes)
    }

    @usableFromInline @inline(never)
    static func drainReady(_ loop: UnsafeMutablePointer<DeliveryLoop>) {
        while !loop.pointee.ready.isEmpty {
            // Taken out whole: where a field dies with its entry, code of the user may add others.
            let entries = loop.pointee.ready
            loop.pointee.ready = []
            // Not one copy of an entry after the other: each would be counted as a reference.
            entries.withUnsafeBufferPointer { entries in
                for index in entries.indices {
                    Unmanaged.passUnretained(entries[index].field)._withUnsafeGuaranteedRef {
                        entries[index].drain($0, loop)
                    }
                }
            }
        }
    }
}
