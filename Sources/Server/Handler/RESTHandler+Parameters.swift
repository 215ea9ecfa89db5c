import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores

extension RESTHandler {
    /// The parameters of a request.
    func parameters(of request: HTTPRequest) throws -> QueryParameters {
        let query = request.query
        return query.isEmpty ? QueryParameters([]) : try parameters(of: query)
    }

    func parameters(of query: String) throws -> QueryParameters {
        try ParameterDecoder(count: limits.parameters, length: limits.target).parameters(of: query)
    }

    /// The query that the parameters of a collection say.
    func query(_ parameters: QueryParameters, of type: ServedType) throws -> RecordQuery {
        var query = RecordQuery()
        var filters: [RecordFilter] = []
        var seen: Set<String> = []
        for parameter in parameters {
            guard seen.insert(parameter.name).inserted else {
                throw WireFailure(parameter.name, "comes several times")
            }
            switch parameter.name {
            case "filter":
                filters.append(try types.queries.filter(parameter.value, of: type.schema))
            case "sort":
                query.order = try types.queries.order(parameter.value, of: type.schema)
                if query.order.count > limits.sortKeys {
                    throw WireFailure("sort", "may have \(limits.sortKeys) keys")
                }
            case "limit":
                guard let limit = Int(parameter.value), limit >= 0 else {
                    throw WireFailure("limit", "must be a number from 0 on")
                }
                query.limit = limit
            case "after":
                guard let cursor = PageCursor(parameter.value) else {
                    throw WireFailure("after", "is no cursor")
                }
                query.after = cursor
            case "subclasses", "_count": break
            default:
                filters.append(try filter(parameter, of: type.schema))
            }
        }
        if filters.count == 1 { query.filter = filters[0] }
        if filters.count > 1 { query.filter = .and(filters) }
        if let filter = query.filter { try check(filter, of: type.schema) }
        return query
    }

    private func check(_ filter: RecordFilter, of schema: ModelSchema) throws(WireFailure) {
        let (count, relations) = filter.size
        if count > limits.conditions {
            throw WireFailure("filter", "may have \(limits.conditions) conditions")
        }
        if relations > limits.relations {
            throw WireFailure("filter", "may look through \(limits.relations) relations")
        }
        for partner in filter.partners(of: schema) where !types.serves(partner) {
            let name = partner.name
            throw WireFailure("filter", "asks about a \(name), of which there are none here")
        }
    }

    /// A condition as people write it: `city=Rome`, `age[ge]=18`, `city[in]=Rome,Oslo`, `name[null]=true`.
    private func filter(
        _ parameter: QueryParameters.Parameter,
        of schema: ModelSchema
    ) throws(WireFailure) -> RecordFilter {
        let name = parameter.name
        let start = name.firstIndex(of: "[") ?? name.endIndex
        var test = ""
        if start < name.endIndex {
            guard name.hasSuffix("]") else { throw WireFailure(name, "has no ] at its end") }
            test = String(name[name.index(after: start)...].dropLast())
            if test.isEmpty { throw WireFailure(name, "says nothing in its brackets") }
        }
        let field = String(name[..<start])
        let names = field.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let keys = schema.keys(in: types.context)
        guard
            let slot = keys.firstIndex(where: { $0.names == [field] })
                ?? keys.firstIndex(where: { $0.names == names })
        else { throw WireFailure(name, "\(schema.name) has no field \(field)") }
        let entry = schema.fields[slot]
        let isArray = entry.kind == .array
        if test.isEmpty { test = isArray ? "contains" : "eq" }
        var value: AttributeValue?
        switch test {
        case "null":
            switch parameter.value {
            case "true": return .isNull(entry.key)
            case "false": return .not(.isNull(entry.key))
            default: throw WireFailure(name, "must be true or false")
            }
        case "in" where !isArray:
            let values = try parameter.value.parts(at: ",").map { text throws(WireFailure) in
                try self.value(text, of: entry, schema, name)
            }
            value = .array(values)
        case "prefix", "suffix", "substring":
            let isText = entry.kind.withoutUUIDs == .string || entry.kind == .decimal
            if isText { value = .string(parameter.value) }
        case "contains" where isArray,
            _ where !isArray && RecordFilter.Comparison(rawValue: test) != nil:
            value = try self.value(parameter.value, of: entry, schema, name)
        default: break
        }
        guard let value, let filter = RecordFilter(test: test, entry.key, value) else {
            throw WireFailure(name, "\(test.debugDescription) is no test of such a field")
        }
        return filter
    }

    /// The value that a text is for a field, or for the elements of an array.
    private func value(
        _ text: String,
        of entry: ModelSchema.Entry,
        _ schema: ModelSchema,
        _ name: String
    ) throws(WireFailure) -> AttributeValue {
        let field = entry.field(in: schema.prototype)
        if let partner = entry.partnerSchema {
            guard entry.isForeignKey, let identity = partner.identifier else {
                throw WireFailure(name, "is a model; only a filter can ask about it")
            }
            return try value(text, identity.kind, identity.field(in: partner.prototype), name)
        }
        let element = field.elementField
        return try value(text, element?.attributeKind ?? entry.kind, element ?? field, name)
    }

    private func value(
        _ text: String,
        _ kind: AttributeKind,
        _ field: AnyField,
        _ name: String
    ) throws(WireFailure) -> AttributeValue {
        let number = Int64(text).map { AttributeValue.int($0) }
        let finite = Double(text).flatMap { $0.isFinite ? $0 : nil }
        let form = field.form(in: types.context.registry)
        let plain = field.form(in: nil)
        guard form.kind == plain.kind, form.showsValue == plain.showsValue else {
            // The field knows what the context makes of its values.
            for candidate in [number, finite.map { .double($0) }, .string(text)].compactMap({ $0 })
            {
                var scope = ImportScope(in: types.context.registry)
                if let value = field.form(of: candidate, at: [], in: &scope),
                    scope.issues.isEmpty
                {
                    return value
                }
            }
            throw WireFailure(name, "is no value of this field")
        }
        switch kind {
        case .string, .uuid: return .string(text)
        case .int: if let number { return number }
        case .double: if let finite { return .double(finite) }
        case .bool:
            if text == "true" { return true }
            if text == "false" { return false }
        case .date: if let date = Timestamp.date(from: text) { return .date(date) }
        case .any: return number ?? .string(text)
        case .decimal, .unsigned:
            if let value = AttributeValue.string(text).numberForm(of: kind) { return value }
        case .data, .array, .dictionary: throw WireFailure(name, "is of a kind only a filter asks")
        }
        throw WireFailure(name, "must be \(kind.words), not \(text.debugDescription)")
    }
}

extension RecordFilter {
    /// How many filters it is made of, and through how many relations one of them looks.
    fileprivate var size: (count: Int, relations: Int) {
        if let inner = relation?.filter.size { return (1 + inner.count, 1 + inner.relations) }
        return parts.map(\.size).reduce((1, 0)) { sum, size in
            (sum.0 + size.count, max(sum.1, size.relations))
        }
    }
}

extension QueryParameters {
    /// Throws for a parameter that is not one of some.
    func check(only names: Set<String>) throws(WireFailure) {
        for parameter in self where !names.contains(parameter.name) {
            throw WireFailure(parameter.name, "is no parameter here")
        }
    }

    /// The value of a parameter that is true or false; nil without it.
    func flag(_ name: String) throws(WireFailure) -> Bool? {
        switch self[name] {
        case nil: nil
        case "true": true
        case "false": false
        default: throw WireFailure(name, "must be true or false")
        }
    }
}

extension AttributeKind {
    fileprivate var words: String {
        switch self {
        case .int: "an integer"
        case .double, .decimal: "a number"
        case .unsigned: "an integer that is not negative"
        case .bool: "true or false"
        case .date: "a date such as 2026-01-31T12:00:00Z"
        default: "another value"
        }
    }
}
