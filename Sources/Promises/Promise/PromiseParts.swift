public import Synchronization

/// What a promise that is made of several others waits for.
// Safe: `slots` is read and emptied only by the one who settled `whole`.
@usableFromInline
final class PromiseParts<Whole: Sendable>: PromiseNode, @unchecked Sendable {
    /// The end of a part that is the end of the whole.
    @usableFromInline
    enum Decision: Sendable {
        case failure, success, either, neither

        @inlinable
        func isMade(by part: PromiseCore) -> Bool {
            switch self {
            case .failure: part.error != nil
            case .success: part.error == nil
            case .either: true
            case .neither: false
            }
        }
    }

    @usableFromInline let whole = Promise<Whole>()
    @usableFromInline let decision: Decision
    @usableFromInline let missing: Atomic<Int>
    /// What it comes to if no part decides.
    @usableFromInline let outcome: @Sendable () -> Result<Whole, any Error>
    @exclusivity(unchecked) @usableFromInline var slots: [PromiseSlot] = []

    /// The parts must be of the kind of the whole where a success decides.
    @inlinable
    init(
        _ parts: [some PromiseCore],
        decidedBy decision: Decision,
        else outcome: @escaping @Sendable () -> Result<Whole, any Error>
    ) {
        self.decision = decision
        self.outcome = outcome
        missing = Atomic(parts.count)
        super.init { _, _, _ in }
        slots = parts.map { part in
            PromiseSlot(part, of: self) { node, source, queue in
                let parts = node.as(PromiseSlot.self).parts.as(PromiseParts.self)
                if parts.decision.isMade(by: source) {
                    parts.decided(by: source, queue)
                } else {
                    parts.arrived(1, queue)
                }
            }
        }
    }

    /// Begins to wait, and gives the promise of all.
    @inlinable
    func start() -> Promise<Whole> {
        let slots = self.slots
        whole.link = self
        var ready = 0
        for slot in slots {
            guard slot.part.isSettled else {
                slot.part.attach(slot)
                continue
            }
            slot.part.markHandled()
            if decision.isMade(by: slot.part) {
                decided(by: slot.part, nil)
            } else {
                ready += 1
            }
        }
        arrived(ready, nil)
        // It may have been decided while slots were still being attached.
        if whole.isSettled {
            for slot in slots { slot.part.leave(slot) }
        }
        return whole
    }

    @inlinable
    func arrived(_ count: Int, _ queue: DrainQueue.Pointer?) {
        let left = missing.subtract(count, ordering: .acquiringAndReleasing).newValue
        guard left == 0 else { return }
        let isTaken =
            switch outcome() {
            case .success(let value): whole.settle(value: value, queue)
            case .failure(let error): whole.settle(error: error, queue)
            }
        if isTaken { slots = [] }
    }

    @inlinable
    func decided(by part: PromiseCore, _ queue: DrainQueue.Pointer?) {
        let isTaken =
            if let error = part.error {
                whole.settle(error: error, queue)
            } else {
                whole.settle(value: part.as(Promise<Whole>.self).settledValue, queue)
            }
        guard isTaken else { return }
        var unwanted: [PromiseCore] = []
        consumerLeft(whole, &unwanted)
        for core in unwanted { core.cancel(onlyIfUnwanted: true) }
    }

    /// The whole was settled before its parts: those that nobody else waits for are unwanted.
    @usableFromInline
    override func consumerLeft(_ node: PromiseNode, _ unwanted: inout [PromiseCore]) {
        let slots = self.slots
        self.slots = []
        for slot in slots { slot.part.consumerLeft(slot, &unwanted) }
    }
}

/// Waits for one of many promises, or for one after the other.
// Safe: as its base is; what it adds is constant, but for `part` of one that waits for several: that belongs to
// the lock of the window.
@usableFromInline
final class PromiseSlot: PromiseNode, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline final var part: PromiseCore
    @usableFromInline let parts: PromiseNode

    @inlinable
    init(_ part: PromiseCore, of parts: PromiseNode, _ fire: @escaping Fire) {
        self.part = part
        self.parts = parts
        super.init(fire)
    }
}
