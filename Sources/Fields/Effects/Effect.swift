public import Dispatch

/// Code that runs now, and again whenever something that it has read is another.
///
/// ```swift
/// let heading = effect { title.text = "\(person.name.value ?? "") (\(todos.value?.count ?? 0))" }
/// ```
///
/// What it reads in one run is what it follows until the next: fields, computed fields, what is known of their
/// validity. Reads in ``untracked(_:)`` are left out. It runs once for each outermost batch or set, on the
/// thread that delivers it, with no lock held, when all computed fields are right. What it sets itself is
/// delivered after it. If that makes it run again a hundred times in a row, it is stopped, and a diagnostic of
/// the code `endlessDelivery` says so.
///
/// Observations and effects that are made in a run end before the next one, and with the effect. Bindings of
/// fields stay.
///
/// It ends when this object is released, or with its owner, if it has one, or by ``cancel()``.
public final class Effect: Sendable {
    private let work: EffectWork
    private let isOwned: Bool

    fileprivate init(in place: Place? = nil, _ body: @escaping @Sendable () -> Void) {
        work = EffectWork()
        isOwned = false
        begin(in: place, body)
    }

    fileprivate init<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        in place: Place? = nil,
        _ body: @escaping @Sendable (_ owner: Owner) -> Void
    ) {
        work = EffectWork(owner)
        isOwned = true
        begin(in: place) { [weak owner] in if let owner { body(owner) } }
    }

    private func begin(in place: Place?, _ body: @escaping @Sendable () -> Void) {
        work.start(in: place, body)
        ObservationScope.current?.add(cancel)
    }

    deinit { if !isOwned { work.end() } }

    /// Whether it will not run again: it was cancelled, or its owner is gone.
    public var isCancelled: Bool { work.isEnded }

    /// Ends it, and the observations and effects that its last run has made.
    ///
    /// On the thread that delivers (for `onMain`, on the main thread) it does not begin to run once this returns.
    /// Called inside of a run, it lets that come to its end.
    public func cancel() { work.end() }
}

/// Where an effect runs that is not to run on the thread that sets a field.
public enum EffectThread: Sendable {
    /// On the main thread: at once for what is set there, otherwise when it comes to it.
    case onMain
}

/// Runs a closure now, and again whenever something that it has read is another, until the result is released.
///
/// ```swift
/// let total = effect { print(items.value?.count ?? 0) }
/// ```
public func effect(_ body: @escaping @Sendable () -> Void) -> Effect {
    Effect(body)
}

/// The same with an owner, which is held weakly and handed in: it runs while the owner lives, whether the result
/// is kept or not.
///
/// It is let go of some time after the owner is gone, at the latest when its next run would be due. Until then it
/// keeps what its last run has read, which must not lead to the owner: an owner that its own effect keeps never goes.
@discardableResult
public func effect<Owner: AnyObject & Sendable>(
    _ owner: Owner,
    _ body: @escaping @Sendable (_ owner: Owner) -> Void
) -> Effect {
    Effect(owner, body)
}

/// The same on the main thread.
public func effect(
    _ thread: EffectThread,
    _ body: @escaping @MainActor @Sendable () -> Void
) -> Effect {
    Effect(in: .main) { MainActor.assumeIsolated { body() } }
}

/// The same on the main thread, with an owner.
@discardableResult
public func effect<Owner: AnyObject & Sendable>(
    _ owner: Owner,
    _ thread: EffectThread,
    _ body: @escaping @MainActor @Sendable (_ owner: Owner) -> Void
) -> Effect {
    Effect(owner, in: .main) { owner in MainActor.assumeIsolated { body(owner) } }
}

/// The same on a dispatch queue, one run at a time.
public func effect(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> Effect {
    Effect(in: .queue(queue), body)
}

/// The same on a dispatch queue, with an owner.
@discardableResult
public func effect<Owner: AnyObject & Sendable>(
    _ owner: Owner,
    on queue: DispatchQueue,
    _ body: @escaping @Sendable (_ owner: Owner) -> Void
) -> Effect {
    Effect(owner, in: .queue(queue), body)
}
