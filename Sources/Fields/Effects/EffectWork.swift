import ModelKitValues

/// The runs of an effect.
///
/// A signal is touched when something is another that the last run has read; its one observer runs the effect, so
/// that the field sees to it that there is one run at a time, and on which thread. The observer holds this
/// weakly: it is held by the effect, or, if that has an owner, by the list of those.
final class EffectWork: Sendable {
    private let observation = Guarded<Observation?>(nil)
    private let scope = ObservationScope()
    private let signal = Field<Bool>(name: "effect")
    private let follower: ReadFollower

    init() { follower = ReadFollower(signal) }

    convenience init(_ owner: any AnyObject & Sendable) {
        self.init()
        OwnedEffects.add(self, owner)
    }

    var isEnded: Bool { scope.isEnded }

    /// Runs it for the first time, by adding the observer.
    func start(_ observe: (Field<Bool>) -> Observation) {
        // It belongs to no other: what runs now has this one.
        let made = ObservationScope.with(nil) { observe(signal) }
        observation.withLock { $0 = made }
        if isEnded { made.cancel() }
    }

    func run(_ body: () -> Void) {
        // What it sets is delivered when it is through.
        DeliveryLoop.withCurrent { _ in
            scope.run { follower.follow(body) }
            if !isEnded { follower.catchUp() }
        }
    }

    func end() {
        scope.end()
        observation.withLock { $0.take() }?.cancel()
        OwnedEffects.remove(self)
    }
}

/// The effects that have an owner.
private enum OwnedEffects {
    private struct Owned: Sendable {
        let work: EffectWork
        weak var owner: (any AnyObject & Sendable)?
    }

    private struct State {
        var effects: [ObjectIdentifier: Owned] = [:]
        /// When there are so many, those are looked for whose owner is gone.
        var limit = 64
    }

    private static let state = Guarded(State())

    static func add(_ work: EffectWork, _ owner: any AnyObject & Sendable) {
        let orphans = state.withLock { state -> [EffectWork] in
            state.effects[ObjectIdentifier(work)] = Owned(work: work, owner: owner)
            if state.effects.count < state.limit { return [] }
            let orphans = state.effects.values.filter { $0.owner == nil }.map(\.work)
            for orphan in orphans { state.effects[ObjectIdentifier(orphan)] = nil }
            state.limit = max(64, 2 * state.effects.count)
            return orphans
        }
        for orphan in orphans { orphan.end() }
    }

    static func remove(_ work: EffectWork) {
        let owned = state.withLock { $0.effects.removeValue(forKey: ObjectIdentifier(work)) }
        withExtendedLifetime(owned) {}
    }
}
