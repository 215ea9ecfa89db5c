public import ModelKitFields

extension Model {
    /// The fields' values by their keys.
    ///
    /// Default values are included, and nil that was set is `.null`; only a nil that was never set is
    /// absent. Of models that contain each other each is written once, and as its identifier where it
    /// comes again.
    public func dictionaryValue() -> AttributeDictionary {
        var traversal = Traversal()
        return dictionaryValue(in: &traversal) ?? [:]
    }

    /// Makes a model of a dictionary.
    ///
    /// Keys that no field has are ignored.
    ///
    /// - Parameter dictionaryValue: The fields' values by their keys.
    /// - Throws: An `ImportError` with every value that does not fit its field.
    public init(dictionaryValue: AttributeDictionary) throws(ImportError) {
        self.init()
        try read(dictionaryValue: dictionaryValue)
        if let importing = IdentityMap.importing, importing.isDeep { importing.map.insert(self) }
    }

    /// Sets the fields whose keys a dictionary has; the others keep their values.
    ///
    /// - Throws: An `ImportError` with every value that does not fit its field. Those fields keep
    ///   their values; the others are set.
    public func read(dictionaryValue: AttributeDictionary) throws(ImportError) {
        var issues: [Issue] = []
        read(dictionaryValue, at: [], into: &issues)
        if !issues.isEmpty { throw ImportError(issues: issues) }
    }

    /// The dictionary; nil inside of the model itself.
    func dictionaryValue(in traversal: inout Traversal) -> AttributeDictionary? {
        traversal.visit(self, hasName: identifier != nil) { traversal in
            var dictionary: AttributeDictionary = [:]
            for entry in entries {
                if let value = entry.field(in: self).attributeValue(in: &traversal) {
                    dictionary.set(value, at: entry.key.names[...])
                }
            }
            return dictionary
        }
    }

    func read(_ dictionary: AttributeDictionary, at path: FieldPath, into issues: inout [Issue]) {
        if ownSchema.hasForeignKeys, IdentityMap.importing == nil {
            // So that those of one identifier are one object.
            IdentityMap().useForForeignKeys { read(dictionary, at: path, into: &issues) }
            return
        }
        for entry in entries {
            let keyPath = path.isEmpty ? entry.path : path.appending(entry.path)
            switch dictionary.value(at: entry.key.names[...]) {
            case .absent: continue
            case .found(let value):
                entry.field(in: self).read(value, at: keyPath, revision: nil, into: &issues)
            case .blocked(let value, let depth):
                // Two fields below one key would report it twice.
                let issue = Issue.wrongType(
                    value,
                    expected: "a dictionary",
                    at: FieldPath(Array(keyPath.components.prefix(path.components.count + depth)))
                )
                if !issues.contains(issue) { issues.append(issue) }
            }
        }
    }
}

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

    mutating func set(_ value: AttributeValue, at names: ArraySlice<String>) {
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
