import ModelKitFields

/// The identity maps of the stores of the process, by which a model that is read from a dictionary finds the
/// objects that its keys mean.
enum StoreMaps {
    private struct Entry {
        weak var map: IdentityMap?
    }

    private static let state = Guarded<(entries: [Entry], limit: Int)>(([], 16))

    /// Adds the map of a store.
    static func add(_ map: IdentityMap) {
        // Maps that are found are released after the lock.
        let maps = state.withLock { state -> [IdentityMap] in
            state.entries.append(Entry(map: map))
            guard state.entries.count >= state.limit else { return [] }
            let maps = state.entries.compactMap(\.map)
            state.entries = maps.map { Entry(map: $0) }
            state.limit = max(16, maps.count * 2)
            return maps
        }
        withExtendedLifetime(maps) {}
    }

    /// The map of the store that knows a model; nil if none does.
    static func map(of model: AnyObject) -> IdentityMap? {
        let maps = state.withLock { $0.entries.compactMap(\.map) }
        return maps.first { $0.knows(model) }
    }
}

extension IdentityMap {
    /// Lets models that are read from dictionaries find this map, if it is of a store that knows them.
    package func becomeStoreMap() { StoreMaps.add(self) }

    fileprivate func knows(_ model: AnyObject) -> Bool {
        let object = lock.withLock { place(of: model)?.model }
        return object === model
    }
}

extension AnyField {
    /// Whether the models in it have the identifiers of a value, in their order: then it stays as it is, and
    /// is the more sure of it.
    func hasKey(_ value: AttributeValue, in registry: TransformerRegistry?) -> Bool {
        guard anyValue != nil, !value.isNull else { return false }
        var traversal = Traversal(in: registry)
        guard attributeValue(in: &traversal)?.isSameKey(as: value) == true else { return false }
        if loadState != .loaded { loadState = .loaded }
        return true
    }
}

extension AttributeValue {
    /// Whether it is the same identifier, or the same ones: of texts two spellings are two.
    fileprivate func isSameKey(as other: AttributeValue) -> Bool {
        switch (self, other) {
        case (.string(let own), .string(let other)): own.utf8.elementsEqual(other.utf8)
        case (.array(let own), .array(let other)):
            own.count == other.count && zip(own, other).allSatisfy { $0.isSameKey(as: $1) }
        default: self == other
        }
    }
}
