import ModelKitFields

extension AttributeDictionary {
    enum Lookup {
        case absent
        case found(AttributeValue)
        /// A value that is no dictionary stands in the way, behind so many names.
        case blocked(AttributeValue, depth: Int)
    }

    func value(at names: ArraySlice<String>, depth: Int = 1) -> Lookup {
        guard let name = names.first, let value = self[name] else { return .absent }
        if names.count == 1 { return .found(value) }
        switch value {
        case .dictionary(let inner): return inner.value(at: names.dropFirst(), depth: depth + 1)
        case .null: return .absent
        default: return .blocked(value, depth: depth)
        }
    }

    package mutating func set(_ value: AttributeValue, at names: ArraySlice<String>) {
        guard let name = names.first else { return }
        if names.count == 1 {
            self[name] = value
            return
        }
        var inner: AttributeDictionary = [:]
        if case .dictionary(let existing)? = self[name] { inner = existing }
        // Otherwise setting the inner dictionary would copy it.
        self[name] = nil
        inner.set(value, at: names.dropFirst())
        self[name] = .dictionary(inner)
    }
}
