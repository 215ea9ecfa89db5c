import ModelKitEssentials

/// The settled promises whose waiters this thread has still to call, oldest first.
///
/// It stands on the stack of the outermost call that settles something; a slot of the thread points
/// at it. Whatever is settled inside a handler is only queued, so handlers never nest and a chain of
/// any length needs one stack frame. The list runs through `PromiseCore.link`.
@usableFromInline
package struct DrainQueue {
    @usableFromInline package typealias Pointer = UnsafeMutablePointer<DrainQueue>

    private var first: PromiseCore?
    private var last: Unmanaged<PromiseCore>?

    /// The queue that this thread is working through.
    static var current: Pointer? {
        pthread_getspecific(threadSlot)?.assumingMemoryBound(to: DrainQueue.self)
    }

    /// Calls `body`, then the waiters of everything it settled, unless an outer call will.
    package static func run(_ body: (Pointer) -> Void) {
        if let current { return body(current) }
        open(body)
    }

    /// The same, where it is known that there is no outer call.
    static func open(_ body: (Pointer) -> Void) {
        var queue = DrainQueue()
        withUnsafeMutablePointer(to: &queue) { pointer in
            pthread_setspecific(threadSlot, pointer)
            body(pointer)
            while let core = pointer.pointee.pop() { core.drain(pointer) }
            pthread_setspecific(threadSlot, nil)
        }
    }

    /// Appends a promise in the phase `draining` or `late`, which nobody else queues.
    mutating func push(_ core: PromiseCore) {
        if let last {
            last._withUnsafeGuaranteedRef { $0.link = core }
        } else {
            first = core
        }
        last = .passUnretained(core)
    }

    private mutating func pop() -> PromiseCore? {
        guard let core = first else { return nil }
        // What follows a promise in the queue was put there by `push`.
        first = core.link.map { unsafeDowncast($0, to: PromiseCore.self) }
        core.link = nil
        if first == nil { last = nil }
        return core
    }
}

private let threadSlot: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
}()
