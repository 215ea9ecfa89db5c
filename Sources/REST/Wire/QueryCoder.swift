package import ModelKitFields
package import ModelKitModels
package import ModelKitStores
import ModelKitEssentials

/// Turns queries into the parameters of the plain dialect and back, exactly:
/// `filter={"ge":["age",18]}&sort=name,-age&limit=50&after=…`.
///
/// The names of a nested key are joined by dots in `sort`; a `\` stands before each `\`, `.` and `,` of a
/// name and before a `-` that it begins with.
package struct QueryCoder: Sendable {
    let context: ValueTransformerContext
    /// Those that a filter may name.
    let types: [String: ModelSchema]

    /// - Parameters:
    ///   - context: How keys are written.
    ///   - types: The types that a filter may name.
    package init(in context: ValueTransformerContext, types: [ModelSchema] = []) {
        self.context = context
        self.types = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The parameters of a query, by their names.
    ///
    /// - Throws: `.schema` for a key that no field has, `.unsupported` for what JSON cannot say.
    package func parameters(
        of query: RecordQuery,
        of schema: ModelSchema
    ) throws(StoreError) -> QueryParameters {
        var parameters: [QueryParameters.Parameter] = []
        if let after = query.after { parameters.append(.init(name: "after", value: "\(after)")) }
        if let filter = query.filter {
            let json = try json(of: filter, of: schema)
            guard let text = try? json.jsonData() else {
                throw .unsupported("the filter is nested too deep to be sent")
            }
            let value = String(decoding: text, as: UTF8.self)
            parameters.append(.init(name: "filter", value: value))
        }
        if let limit = query.limit { parameters.append(.init(name: "limit", value: "\(limit)")) }
        if query.order.isEmpty { return QueryParameters(parameters) }
        let parts = try query.order.map { order throws(StoreError) in
            let key = try schema.wireKey(of: order.key, in: context)
            return (order.isDescending ? "-" : "") + Self.sortText(of: key)
        }
        parameters.append(.init(name: "sort", value: parts.joined(separator: ",")))
        return QueryParameters(parameters)
    }

    /// The filter of a `filter` parameter.
    package func filter(
        _ text: String,
        of schema: ModelSchema
    ) throws(WireFailure) -> RecordFilter {
        let json: AttributeValue
        do {
            json = try AttributeValue(json: Data(text.utf8))
        } catch {
            throw WireFailure("filter", "is no JSON: \(error.issues[0].message)")
        }
        return try filter(json, of: schema)
    }

    /// The order of a `sort` parameter.
    package func order(
        _ text: String,
        of schema: ModelSchema
    ) throws(WireFailure) -> [RecordQuery.Order] {
        if text.isEmpty { return [] }
        let keys = schema.keys(in: context)
        return try text.parts(at: ",", unescaping: false).map { part throws(WireFailure) in
            let isDescending = part.utf8.first == UInt8(ascii: "-")
            // A character may be the minus and what stands above it.
            let name = isDescending ? String(part.unicodeScalars.dropFirst()) : part
            let key = FieldKey(name.parts(at: "."))
            guard let index = keys.firstIndex(of: key) else {
                throw WireFailure("sort", "\(schema.name) has no field \(key)")
            }
            return RecordQuery.Order(schema.fields[index].key, isDescending: isDescending)
        }
    }

    private static func sortText(of key: FieldKey) -> String {
        let names = key.names.map { name in
            var text = ""
            for scalar in name.unicodeScalars {
                if scalar == "\\" || scalar == "." || scalar == "," { text += "\\" }
                text.unicodeScalars.append(scalar)
            }
            return text
        }
        let text = names.joined(separator: ".")
        return text.utf8.first == UInt8(ascii: "-") ? "\\" + text : text
    }
}

extension String {
    /// The parts between separators, of which one behind a backslash is none.
    package func parts(at separator: Unicode.Scalar, unescaping: Bool = true) -> [String] {
        var parts: [String] = []
        var part = String.UnicodeScalarView()
        var scalars = unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            if scalar == separator {
                parts.append(String(part))
                part = String.UnicodeScalarView()
            } else if scalar == "\\", let next = scalars.next() {
                if !unescaping { part.append(scalar) }
                part.append(next)
            } else {
                part.append(scalar)
            }
        }
        return parts + [String(part)]
    }
}
