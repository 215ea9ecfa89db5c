package import ModelKitFields
package import ModelKitModels
package import ModelKitStores

// Filters as the JSON of the plain dialect, and back, exactly, but for NaN, which becomes null.
//
// A filter is an object of one member:
//
// ```json
// {"and": [{"ge": ["age", 18]}, {"not": {"null": ["name"]}}, {"any": ["tags", {"eq": ["id", 1]}]}]}
// ```
//
// `eq`, `ne`, `lt`, `le`, `gt`, `ge`, `contains`, `prefix`, `suffix` and `substring` have a key and a value, `in` a key
// and an array, `null` a key, `has` (of one related model) and `any` (of several) a key and
// a filter, and the name of the related type where the field does not say it; `and` and `or` have an
// array of filters, `not` has one. A key is a name, or an array of
// names. Values are in the form that fields store, as `StoredJSON` writes them.

extension QueryCoder {
    /// The JSON of a filter.
    ///
    /// - Throws: `.schema` for a key that no field has, `.unsupported` for a value that JSON cannot say and
    ///   for what is nested too deep.
    package func json(
        of filter: RecordFilter,
        of schema: ModelSchema
    ) throws(StoreError) -> AttributeValue {
        if filter.isDeeper(than: RecordFilter.deepest) {
            throw .unsupported("the filter is nested more than \(RecordFilter.deepest) deep")
        }
        return try written(filter, schema)
    }

    private func written(
        _ filter: RecordFilter,
        _ schema: ModelSchema
    ) throws(StoreError) -> AttributeValue {
        func test(_ name: String, _ key: FieldKey, _ value: AttributeValue) throws(StoreError)
            -> AttributeValue
        {
            [name: [try written(key, schema), try written(value)]]
        }
        func all(_ filters: [RecordFilter]) throws(StoreError) -> AttributeValue {
            .array(try filters.map { filter throws(StoreError) in try written(filter, schema) })
        }
        switch filter {
        case .compare(let key, let comparison, let value):
            return try test(comparison.rawValue, key, value)
        case .isNull(let key): return ["null": [try written(key, schema)]]
        case .isIn(let key, let values):
            return try test("in", key, .array(values.map(\.withoutNaN)))
        case .contains(let key, let value): return try test("contains", key, value)
        case .hasPrefix(let key, let text): return try test("prefix", key, .string(text))
        case .hasSuffix(let key, let text): return try test("suffix", key, .string(text))
        case .hasSubstring(let key, let text): return try test("substring", key, .string(text))
        case .has(let key, let partner, let inner):
            return try related("has", key, partner, inner, schema)
        case .hasAny(let key, let partner, let inner):
            return try related("any", key, partner, inner, schema)
        case .and(let filters): return ["and": try all(filters)]
        case .or(let filters): return ["or": try all(filters)]
        case .not(let inner): return ["not": try written(inner, schema)]
        }
    }

    private func related(
        _ name: String,
        _ key: FieldKey,
        _ partner: ModelSchema,
        _ filter: RecordFilter,
        _ schema: ModelSchema
    ) throws(StoreError) -> AttributeValue {
        var parts = [try written(key, schema), try written(filter, partner)]
        if schema.partner(at: key) !== partner { parts.append(.string(partner.name)) }
        return [name: .array(parts)]
    }

    /// A value, with null for NaN, which no JSON says: whatever is compared with either is unknown.
    private func written(_ value: AttributeValue) throws(StoreError) -> AttributeValue {
        let value = value.withoutNaN
        if let reason = value.obstacle() {
            throw .unsupported("a value of the filter \(reason), which cannot be sent")
        }
        return StoredJSON.tagged(value)
    }

    private func written(
        _ key: FieldKey,
        _ schema: ModelSchema
    ) throws(StoreError) -> AttributeValue {
        let key = try schema.wireKey(of: key, in: context)
        return key.names.count == 1
            ? .string(key.names[0]) : .array(key.names.map { .string($0) })
    }

    /// The filter that JSON says.
    package func filter(
        _ json: AttributeValue,
        of schema: ModelSchema
    ) throws(WireFailure) -> RecordFilter {
        try filter(json, schema, depth: RecordFilter.deepest)
    }

    private func filter(
        _ json: AttributeValue,
        _ schema: ModelSchema,
        depth: Int
    ) throws(WireFailure) -> RecordFilter {
        if depth == 0 { throw .filter("is nested more than \(RecordFilter.deepest) deep") }
        guard case .dictionary(let members) = json, members.count == 1,
            let (name, content) = members.first
        else { throw .filter("must be an object of one member, not \(json.kind)") }
        switch name {
        case "and": return .and(try filters(content, name, schema, depth))
        case "or": return .or(try filters(content, name, schema, depth))
        case "not": return .not(try filter(content, schema, depth: depth - 1))
        default: break
        }
        guard case .array(let parts) = content, let first = parts.first else {
            throw .filter("\(name) must have an array with a key")
        }
        let key = try schema.field(of: first, in: context)
        if name == "null", parts.count == 1 { return .isNull(key) }
        if name == "has" || name == "any", parts.count == 2 || parts.count == 3 {
            let partner = try partner(at: key, parts.dropFirst(2).first, schema)
            let inner = try filter(parts[1], partner, depth: depth - 1)
            return name == "has" ? .has(key, partner, inner) : .hasAny(key, partner, inner)
        }
        guard parts.count == 2 else { throw .filter("\(name) has \(parts.count) parts") }
        let value = StoredJSON.untagged(parts[1])
        if let filter = RecordFilter(test: name, key, value) { return filter }
        switch name {
        case "in": throw .filter("in must have an array")
        case "prefix", "suffix", "substring": throw .filter("\(name) must have a text")
        default: throw .filter("\(name.debugDescription) is no filter")
        }
    }

    private func filters(
        _ json: AttributeValue,
        _ name: String,
        _ schema: ModelSchema,
        _ depth: Int
    ) throws(WireFailure) -> [RecordFilter] {
        guard case .array(let elements) = json else {
            throw .filter("\(name) must have an array of filters")
        }
        return try elements.map { element throws(WireFailure) in
            try filter(element, schema, depth: depth - 1)
        }
    }

    private func partner(
        at key: FieldKey,
        _ name: AttributeValue?,
        _ schema: ModelSchema
    ) throws(WireFailure) -> ModelSchema {
        if let name {
            guard case .string(let name) = name, let type = types[name] else {
                throw .filter("has a type that is not known here")
            }
            return type
        }
        guard let partner = schema.partner(at: key) else {
            throw .filter("\(key) has no models")
        }
        return partner
    }
}

extension WireFailure {
    fileprivate static func filter(_ message: String) -> WireFailure {
        WireFailure("filter", message)
    }
}

extension ModelSchema {
    /// The key that a field has in a context.
    ///
    /// - Throws: `.schema` for a key that no field has.
    package func wireKey(
        of key: FieldKey,
        in context: ValueTransformerContext
    ) throws(StoreError) -> FieldKey {
        guard let index = fields.firstIndex(where: { $0.key == key }) else {
            throw .schema("\(name) has no field \(key)")
        }
        return keys(in: context)[index]
    }

    /// The field that a key in a context names.
    func field(
        of json: AttributeValue,
        in context: ValueTransformerContext
    ) throws(WireFailure) -> FieldKey {
        var names: [String] = []
        switch json {
        case .string(let name): names = [name]
        case .array(let elements):
            for case .string(let name) in elements { names.append(name) }
            if names.count != elements.count || names.isEmpty { fallthrough }
        default: throw .filter("has a key that is no name")
        }
        let key = FieldKey(names)
        guard let index = keys(in: context).firstIndex(of: key) else {
            throw .filter("\(name) has no field \(key)")
        }
        return fields[index].key
    }

    /// The type of the models in the field of a key.
    func partner(at key: FieldKey) -> ModelSchema? {
        fields.first { $0.key == key }?.partnerSchema
    }
}

extension RecordFilter {
    /// A test of a field by what it is called over the wire; nil where there is none of such a value.
    package init?(test name: String, _ key: FieldKey, _ value: AttributeValue) {
        switch (name, value) {
        case ("in", .array(let values)): self = .isIn(key, values)
        case ("contains", _): self = .contains(key, value)
        case ("prefix", .string(let text)): self = .hasPrefix(key, text)
        case ("suffix", .string(let text)): self = .hasSuffix(key, text)
        case ("substring", .string(let text)): self = .hasSubstring(key, text)
        default:
            guard let comparison = Comparison(rawValue: name) else { return nil }
            self = .compare(key, comparison, value)
        }
    }
}

extension AttributeValue {
    fileprivate var withoutNaN: AttributeValue {
        if case .double(let number) = self, number.isNaN { .null } else { self }
    }
}
