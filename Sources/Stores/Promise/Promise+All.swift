public import Synchronization

extension Promise {
    /// A promise of all values, in the order of `promises`; of `[]` at once if there are none.
    ///
    /// It fails with the error of the first that fails. Then, and when it is cancelled, it stops
    /// waiting for the others: those that nobody else waits for are cancelled.
    ///
    /// ```swift
    /// Promise.all(people.map { store.create($0) }).map { print($0.count) }
    /// ```
    @inlinable
    public static func all(_ promises: [Promise]) -> Promise<[Value]> {
        if promises.isEmpty { return .value([]) }
        let whole = Promise<[Value]>()
        let parts = PromiseParts(promises, of: whole)
        let slots = parts.slots
        whole.link = parts
        var ready = 0
        for (promise, slot) in zip(promises, slots) {
            if promise.isSettled, promise.error == nil {
                ready += 1
            } else {
                promise.attach(slot)
            }
        }
        parts.arrived(ready, nil)
        // It may have failed while slots were still being attached.
        if whole.isSettled {
            for (promise, slot) in zip(promises, slots) { promise.leave(slot) }
        }
        return whole
    }
}

/// What the promise made by `all` waits for.
// Sendable by hand: `slots` is read and emptied only by the one who settled `whole`.
@usableFromInline
final class PromiseParts<Value: Sendable>: PromiseNode, @unchecked Sendable {
    @usableFromInline let promises: [Promise<Value>]
    @usableFromInline let whole: Promise<[Value]>
    @usableFromInline let missing: Atomic<Int>
    @exclusivity(unchecked) @usableFromInline var slots: [PromiseSlot] = []

    @inlinable
    init(_ promises: [Promise<Value>], of whole: Promise<[Value]>) {
        self.promises = promises
        self.whole = whole
        missing = Atomic(promises.count)
        super.init { _, _, _ in }
        slots = promises.map { _ in
            PromiseSlot(self) { node, source, queue in
                let parts = node.as(PromiseSlot.self).parts.as(PromiseParts.self)
                if let error = source.error {
                    parts.failed(error, queue)
                } else {
                    parts.arrived(1, queue)
                }
            }
        }
    }

    @inlinable
    func arrived(_ count: Int, _ queue: DrainQueue.Pointer?) {
        let left = missing.subtract(count, ordering: .acquiringAndReleasing).newValue
        if left == 0, whole.settle(value: promises.map(\.settledValue), queue) { slots = [] }
    }

    @inlinable
    func failed(_ error: any Error, _ queue: DrainQueue.Pointer?) {
        guard whole.settle(error: error, queue) else { return }
        var unwanted: [PromiseCore] = []
        consumerLeft(whole, &unwanted)
        for core in unwanted { core.cancel(onlyIfUnwanted: true) }
    }

    /// The whole was settled before its parts: those that nobody else waits for are unwanted.
    @usableFromInline
    override func consumerLeft(_ node: PromiseNode, _ unwanted: inout [PromiseCore]) {
        let slots = self.slots
        self.slots = []
        for (promise, slot) in zip(promises, slots) { promise.consumerLeft(slot, &unwanted) }
    }
}

/// Waits for one of many promises.
@usableFromInline
final class PromiseSlot: PromiseNode, @unchecked Sendable {
    @usableFromInline let parts: PromiseNode

    @inlinable
    init(_ parts: PromiseNode, _ fire: @escaping Fire) {
        self.parts = parts
        super.init(fire)
    }
}
