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

    /// The field whose observers run, and the change they are given.
    @usableFromInline var delivering: ObjectIdentifier?
    @usableFromInline var cause = Cause()
    /// How many batches are open on this thread, one in the other.
    @usableFromInline var batchDepth = 0
    /// Whether computed fields are brought up to date now.
    var isFlushing = false
    /// Those whose observers are to be notified now; nil where there are none, which costs a set nothing.
    @usableFromInline var ready: [Entry]?
    /// What is put off; made when there is something.
    ///
    /// Kept apart, so that a set without it pays for one pointer.
    @usableFromInline var madeBacklog: Backlog?

    /// The thread whose `run` made it.
    ///
    /// What goes on on another stack has this loop, but another state: only `deliver`, which `run` alone
    /// leads to, may use this.
    @usableFromInline let thread: ThreadState.Pointer

    @inlinable
    init(on thread: ThreadState.Pointer) { self.thread = thread }

    /// The loop of this thread, while its outermost set runs.
    @inlinable @inline(__always)
    static var current: UnsafeMutablePointer<DeliveryLoop>? { ThreadState.known?.pointee.loop }

    /// Has observers notified when what runs now is through.
    mutating func owe(_ entries: [Entry]) {
        if ready == nil { ready = entries } else { ready? += entries }
    }

    /// What is put off.
    var backlog: Backlog { mutating get { madeBacklog.orMade(Backlog()) } }

    /// Adds the computations that were put off to a list.
    func moveDirtied(to list: inout [ComputedNode]) {
        if let madeBacklog { list += madeBacklog.pending.takeNodes() }
    }

    /// Runs a closure with a new loop of this thread, then every delivery it left.
    ///
    /// The thread must be this one, and there must be no current loop.
    @inlinable
    static func run<Result, Failure: Error>(
        on thread: ThreadState.Pointer = ThreadState.current,
        _ body: (UnsafeMutablePointer<DeliveryLoop>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var loop = DeliveryLoop(on: thread)
        return try withUnsafeMutablePointer(to: &loop) { pointer throws(Failure) in
            thread.pointee.rawLoop = UnsafeMutableRawPointer(pointer)
            defer {
                if pointer.pointee.ready != nil { drainReady(pointer) }
                thread.pointee.rawLoop = nil
            }
            return try body(pointer)
        }
    }

    /// Runs a closure with the loop of this thread, or with a new one if there is none.
    @inlinable
    static func withCurrent<Result, Failure: Error>(
        on thread: ThreadState.Pointer = ThreadState.current,
        _ body: (UnsafeMutablePointer<DeliveryLoop>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if let loop = thread.pointee.loop { return try body(loop) }
        return try run(on: thread, body)
    }

    /// Runs a closure whose sets no observer has caused.
    static func withoutCause(_ body: () -> Void) {
        guard let loop = current else { return body() }
        let outer = (loop.pointee.delivering, loop.pointee.cause)
        (loop.pointee.delivering, loop.pointee.cause) = (nil, Cause())
        body()
        (loop.pointee.delivering, loop.pointee.cause) = outer
    }

    @usableFromInline @inline(never)
    static func drainReady(_ loop: UnsafeMutablePointer<DeliveryLoop>) {
        // Taken out whole: where a field dies with its entry, code of the user may add others.
        while let entries = loop.pointee.ready.take() {
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

/// What is still to be done about sets, once all that is bound has its value.
@usableFromInline
struct Pending {
    /// The fields whose observers are to be notified.
    @usableFromInline var deliveries: [DeliveryLoop.Entry] = []
    /// The computations that have read what was set.
    @usableFromInline var nodes: [ComputedNode] = []

    @inlinable
    init() {}

    mutating func takeNodes() -> [ComputedNode] {
        if nodes.isEmpty { return [] }
        defer { nodes = [] }
        return nodes
    }

    mutating func takeDeliveries() -> [DeliveryLoop.Entry] {
        defer { deliveries = [] }
        return deliveries
    }

    static func += (pending: inout Pending, other: Pending) {
        pending.deliveries += other.deliveries
        pending.nodes += other.nodes
    }
}

extension ThreadState {
    @inlinable
    var loop: UnsafeMutablePointer<DeliveryLoop>? {
        rawLoop?.assumingMemoryBound(to: DeliveryLoop.self)
    }
}

/// What a thread puts off until its batch, its flush of computed fields or its evaluation ends.
@usableFromInline
final class Backlog {
    /// With the fields that were set in a batch.
    @exclusivity(unchecked) var pending = Pending()
    private var limit = 64
    /// Whether others go on from what this thread has set, as it has not notified the computations.
    @exclusivity(unchecked) private var isForwarder = false

    deinit { endCarrying() }

    /// Adds computations, which a flush of this thread, if one runs, is to come to.
    func add(_ nodes: [ComputedNode], inFlush: Bool = false) {
        if !isForwarder, !inFlush, !nodes.isEmpty {
            isForwarder = true
            Forwarders.enter()
        }
        pending.nodes += nodes
        guard pending.nodes.count > limit else { return }
        // A long batch that sets one field again and again names the same ones.
        var known: Set<ObjectIdentifier> = []
        pending.nodes = pending.nodes.filter { known.insert(ObjectIdentifier($0)).inserted }
        limit = max(64, pending.nodes.count * 2)
    }

    /// Leaves it to a flush.
    func endCarrying() {
        if isForwarder { Forwarders.leave() }
        isForwarder = false
    }
}
