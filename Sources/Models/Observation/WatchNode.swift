import ModelKitFields

/// A model that is observed, at a place of the pattern.
final class WatchNode: Sendable {
    /// What is known of one of the fields.
    struct Slot: Sendable {
        let item: WatchItem
        /// Whether the model got the field when it was observed already.
        var isLate = false
        /// Who observes the field, of several that may have tried at once.
        var ticket: UInt64?
        var hook: Observation?
        var targets: [ObjectIdentifier: Target] = [:]
    }

    /// A model in a field.
    struct Target: Sendable {
        /// How often it is there.
        var count: Int
        /// What leads to it; nil where the pattern ends with it.
        var edge: WatchEdge?
    }

    struct State: Sendable {
        var slots: [Slot]
        /// The fields that the model alone has and that were looked at since; it loses none while it lives.
        fileprivate(set) var ownFields: Set<ObjectIdentifier>
        /// The hook that is called when the model gets fields.
        var additions: Observation?
        /// What leads here, by number.
        var incoming: [UInt64: WatchEdge] = [:]
        /// The one by which it is known that a way from the root leads here; nil of the root.
        var support: WatchEdge?
        /// Whether all fields are observed.
        var isComplete = false
        /// Whether nothing leads here any more.
        var isGone = false

        /// The hooks on the model.
        var hooks: [Observation] {
            slots.compactMap(\.hook) + (additions.map { [$0] } ?? [])
        }

        var outgoing: [WatchEdge] { slots.flatMap { $0.targets.values.compactMap(\.edge) } }
    }

    let place: WatchPlace
    weak let model: (any Model)?
    let isRoot: Bool
    /// Used under the lock of the watch, as most changes are of several nodes.
    private let state: Guarded<State>

    init(
        _ model: any Model,
        at state: PatternState,
        _ items: [WatchItem],
        isRoot: Bool = false
    ) {
        place = WatchPlace(object: ObjectIdentifier(model), state: state)
        self.model = model
        self.isRoot = isRoot
        self.state = Guarded(
            State(
                slots: items.map { Slot(item: $0) },
                ownFields: Set(items.compactMap(\.ownIdentity))
            )
        )
    }

    /// Reads or changes what is known of it; no other node may be looked at meanwhile.
    func edit<Result>(_ body: (inout State) -> Result) -> Result { state.withLock(body) }

    /// Takes in fields that the model has got, and what of them is observed, unless it is known.
    ///
    /// - Returns: Whether there is more to observe.
    func add(_ fields: [AnyField], _ items: [WatchItem]) -> Bool {
        edit { state in
            let entered = items.filter {
                $0.ownIdentity.map { !state.ownFields.contains($0) } ?? false
            }
            state.ownFields.formUnion(fields.map { ObjectIdentifier($0) })
            if entered.isEmpty { return false }
            state.slots += entered.map { Slot(item: $0, isLate: true) }
            state.isComplete = false
            return true
        }
    }
}

/// A field of a model has another model.
///
/// Both ends are kept by others as long as there is an edge.
final class WatchEdge: Sendable {
    unowned let source: WatchNode
    unowned let target: WatchNode
    /// Which of the source's fields it is.
    let slot: Int
    /// Later ones have greater numbers.
    let number: UInt64

    init(_ source: WatchNode, _ slot: Int, _ target: WatchNode, _ number: UInt64) {
        self.source = source
        self.slot = slot
        self.target = target
        self.number = number
    }

    /// Whether it is the one by which it is known that a way leads to its target.
    var isSupport: Bool { target.edit { $0.support === self } }
}
