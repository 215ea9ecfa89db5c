/// The runs of an effect.
///
/// A signal is touched when something is another that the last run has read; its one observer runs the effect, so
/// that the field sees to it that there is one run at a time, and on which thread. The observer holds this
/// weakly: it is held by the effect, or, if that has an owner, by the list of those.
final class EffectWork: Sendable {
    private struct State {
        var observation: Observation?
        /// How many runs in a row were followed by another one that they have caused themselves.
        var returns = 0
    }

    private let state = Guarded(State())
    private let signal = Field<Bool>(name: "effect")
    private let follower: ReadFollower
    private let scope: ObservationScope
    private weak let owner: (any AnyObject & Sendable)?
    private let hasOwner: Bool

    init(_ owner: (any AnyObject & Sendable)? = nil) {
        let follower = ReadFollower(signal)
        self.follower = follower
        scope = ObservationScope { follower.isBehind }
        self.owner = owner
        hasOwner = owner != nil
        if hasOwner { OwnedEffects.add(self) }
    }

    var isOrphaned: Bool { hasOwner && owner == nil }

    var isEnded: Bool { scope.isEnded || isOrphaned }

    /// Runs it for the first time, by adding the observer.
    func start(in place: Place?, _ body: @escaping @Sendable () -> Void) {
        // It belongs to no other: what runs now has this one.
        let made = ObservationScope.with(nil) {
            ObserverList(signal, in: place).observe { [weak self] in self?.run(body) }
        }
        state.withLock { $0.observation = made }
        if scope.isEnded { made.cancel() }
    }

    private func run(_ body: () -> Void) {
        if isOrphaned { return end() }
        // It is about to be ended by the one that has made it, and what that made sure of may hold no more.
        if scope.isToEnd { return }
        // What it sets is delivered when it is through.
        DeliveryLoop.withCurrent { _ in
            scope.run { follower.follow(body) }
            if !scope.isEnded { follower.catchUp() }
            noteEnd()
        }
    }

    /// Ends it if it makes itself run again and again.
    ///
    /// The field that runs it counts no runs that are posted to another thread.
    private func noteEnd() {
        let (isBehind, hasSetAlone) = (follower.isBehind, follower.hasSetAlone)
        let isEndless = state.withLock { state in
            state.returns = isBehind && hasSetAlone ? state.returns + 1 : 0
            return state.returns == 100
        }
        if !isEndless || scope.isEnded { return }
        end()
        signal.report(
            .endlessDelivery,
            "an effect sets what it reads again and again; it was ended"
        )
    }

    func end() {
        scope.end()
        state.withLock { $0.observation.take() }?.cancel()
        follower.end()
        if hasOwner { OwnedEffects.remove(self) }
    }
}

/// The effects that have an owner.
private enum OwnedEffects {
    private struct State {
        var effects: [ObjectIdentifier: EffectWork] = [:]
        /// When there are so many, those are looked for whose owner is gone.
        var limit = 64
    }

    private static let state = Guarded(State())

    static func add(_ work: EffectWork) {
        let all = state.withLock { state -> [EffectWork] in
            state.effects[ObjectIdentifier(work)] = work
            if state.effects.count < state.limit { return [] }
            state.limit *= 2
            return Array(state.effects.values)
        }
        if all.isEmpty { return }
        // Not under the lock: to look at an owner may be what ends its life.
        for work in all where work.isOrphaned { work.end() }
        state.withLock { $0.limit = max(64, 2 * $0.effects.count) }
    }

    static func remove(_ work: EffectWork) {
        let removed = state.withLock { $0.effects.removeValue(forKey: ObjectIdentifier(work)) }
        withExtendedLifetime(removed) {}
    }
}
