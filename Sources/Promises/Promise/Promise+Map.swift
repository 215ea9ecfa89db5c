import ModelKitValues
import Synchronization

extension Promise {
    /// A promise of what `transform` promises for each item, in the order of the items, with never
    /// more than `limit` of them, at least one, pending at a time.
    ///
    /// Items are taken as they are needed, and `transform` is called for one after the other: for the
    /// first ones at once, later on the threads that settle earlier ones. The promise fails with the
    /// first error. Then, and when it is cancelled, no more items are taken, and the promises that
    /// nobody else waits for are cancelled.
    ///
    /// ```swift
    /// let pages = Promise.map([url, mirror, url], limit: 2) { url in download(url) }
    /// ```
    public static func map<Items: Sequence>(
        _ items: sending Items,
        limit: Int,
        _ transform: @escaping @Sendable (Items.Element) throws -> Promise
    ) -> Promise<[Value]> where Items.Iterator: SendableMetatype {
        var items = items.makeIterator()
        let window = PromiseWindow<Value>(limit) {
            // Not by `map`, which would allocate.
            guard let item = items.next() else { return nil }
            return try transform(item)
        }
        let whole = window.whole
        whole.link = window
        window.start(window.limit)
        return whole
    }
}

/// What the promise made by `map(_:limit:_:)` waits for.
///
/// Every free lane is a turn to start an item. Whoever makes the first turn takes all of them, those
/// that are added meanwhile, too: so items are taken by one thread at a time, without recursion.
// Safe: `lanes` and `idle` belong to the lock; the other variables to whoever takes turns,
// `started` afterwards to the one who ended the last.
private final class PromiseWindow<Value: Sendable>: PromiseNode, @unchecked Sendable {
    let whole = Promise<[Value]>()
    private let lock = Lock()
    private var lanes: [PromiseSlot] = []
    private var idle: [PromiseSlot] = []
    private var take: (() throws -> Promise<Value>?)?
    private var started: [Promise<Value>] = []
    private let turns = Atomic(0)
    /// The items that have been started and not ended, and one while there may be more.
    private let missing = Atomic(1)
    let limit: Int

    init(_ limit: Int, _ take: sending @escaping () throws -> Promise<Value>?) {
        // Sums of turns do not overflow.
        self.limit = min(max(1, limit), 1 << 30)
        self.take = take
        super.init { _, _, _ in }
    }

    /// Starts items, unless another call is about it; at first, as many as the limit allows.
    func start(_ count: Int) {
        guard turns.add(count, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
        repeat {
            // The other turns are left, so that nobody takes any again.
            guard startNext() else { return }
        } while turns.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
    }

    /// Starts items up to one that has to be waited for; false if no more are there, or wanted.
    private func startNext() -> Bool {
        while !whole.isSettled, let take {
            let promise: Promise<Value>
            do {
                guard let some = try take() else {
                    self.take = nil
                    ended(nil)
                    return false
                }
                promise = some
                if some.isSettled, let error = some.error {
                    some.markHandled()
                    throw error
                }
            } catch {
                self.take = nil
                failed(error, nil)
                return false
            }
            started.append(promise)
            if promise.isSettled, promise.error == nil { continue }
            missing.add(1, ordering: .relaxed)
            guard let lane = enter(promise) else {
                promise.cancel(onlyIfUnwanted: true)
                return false
            }
            promise.attach(lane)
            // It may have failed before the lane was attached.
            if whole.isSettled { promise.leave(lane) }
            return true
        }
        return false
    }

    /// The lane that waits for the promise; nil if nobody does any more.
    private func enter(_ promise: PromiseCore) -> PromiseSlot? {
        lock.withLock {
            if whole.isSettled { return nil }
            if let lane = idle.popLast() {
                lane.part = promise
                return lane
            }
            let lane = PromiseSlot(promise, of: self) { node, source, queue in
                let lane = node.as(PromiseSlot.self)
                lane.parts.as(PromiseWindow.self).left(lane, source, queue)
            }
            lanes.append(lane)
            return lane
        }
    }

    private func left(_ lane: PromiseSlot, _ part: PromiseCore, _ queue: DrainQueue.Pointer) {
        // Else the lanes are gone, or about to.
        lock.withLock { if !whole.isSettled { idle.append(lane) } }
        if let error = part.error { return failed(error, queue) }
        start(1)
        ended(queue)
    }

    /// One item, or the items have.
    private func ended(_ queue: DrainQueue.Pointer?) {
        guard missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        if whole.settle(value: started.map(\.settledValue), queue) { _ = removeLanes() }
    }

    private func failed(_ error: any Error, _ queue: DrainQueue.Pointer?) {
        guard whole.settle(error: error, queue) else { return }
        var unwanted: [PromiseCore] = []
        consumerLeft(whole, &unwanted)
        for core in unwanted { core.cancel(onlyIfUnwanted: true) }
    }

    /// The whole was settled before its parts: those that nobody else waits for are unwanted.
    override func consumerLeft(_ node: PromiseNode, _ unwanted: inout [PromiseCore]) {
        for (lane, part) in removeLanes() { part.consumerLeft(lane, &unwanted) }
    }

    private func removeLanes() -> [(PromiseSlot, PromiseCore)] {
        lock.withLock {
            let old = lanes.map { ($0, $0.part) }
            lanes = []
            idle = []
            return old
        }
    }
}
