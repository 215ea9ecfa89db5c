import ModelKitFields

/// A model that is observed, at a place of the pattern.
// Safe: the variables are guarded by the lock of the watch.
final class WatchNode: @unchecked Sendable {
    /// What is known of one of the fields.
    struct Slot {
        /// Who observes the field, of several that may have tried at once.
        var ticket: UInt64?
        var hook: Observation?
        var targets: [ObjectIdentifier: Target] = [:]
    }

    /// A model in a field.
    struct Target {
        /// How often it is there.
        var count: Int
        /// What leads to it; nil where the pattern ends with it.
        var edge: WatchEdge?
    }

    let place: WatchPlace
    weak let model: (any Model)?
    let items: [WatchItem]
    var slots: [Slot]
    /// What leads here, by number.
    var incoming: [UInt64: WatchEdge] = [:]
    /// The one by which it is known that a way from the root leads here; nil of the root.
    var support: WatchEdge?
    /// Whether all fields are observed.
    var isComplete = false
    /// Whether nothing leads here any more.
    var isGone = false

    init(_ model: any Model, at position: Int, _ items: [WatchItem]) {
        place = WatchPlace(ObjectIdentifier(model), position)
        self.model = model
        self.items = items
        slots = Array(repeating: Slot(), count: items.count)
    }

    var outgoing: [WatchEdge] { slots.flatMap { $0.targets.values.compactMap(\.edge) } }
}

/// A field of a model has another model.
// Safe: as for `WatchNode`, which both ends are kept by as long as there is an edge.
final class WatchEdge: @unchecked Sendable {
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
}
