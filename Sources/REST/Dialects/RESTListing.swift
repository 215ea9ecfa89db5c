public import ModelKitFields
public import ModelKitModels
public import ModelKitStores

/// A list that a server is asked for.
///
/// ```swift
/// var dialect = RESTDialect(name: "the shop")
/// dialect.query = { listing in
///     [.init(name: "q", value: try listing.conditions().map(\.text).joined(separator: " "))]
/// }
/// ```
public struct RESTListing: Sendable {
    /// The type of the models.
    public let schema: ModelSchema
    /// What is asked for.
    public let query: RecordQuery
    /// How models are written.
    public let context: ValueTransformerContext
    /// The name of the dialect.
    let dialect: String

    /// An error for what the dialect cannot say.
    public func refusal(of what: String) -> StoreError {
        .unsupported("\(dialect) cannot be asked for \(what)")
    }

    /// The conditions that all have to hold, in the words of the server.
    ///
    /// - Throws: `.unsupported` for a filter that is no such list: one with `or`, a negation that is no
    ///   comparison, or several conditions of one of several related models.
    public func conditions() throws(StoreError) -> [RESTCondition] {
        guard let filter = query.filter else { return [] }
        return try conditions(of: filter, schema, [])
    }

    /// What the models are sorted by, in the words of the server, the first one first.
    public func orders() throws(StoreError) -> [RESTOrder] {
        try query.order.map { order throws(StoreError) in
            RESTOrder(names: try names(of: order.key, schema), isDescending: order.isDescending)
        }
    }

    private func conditions(
        of filter: RecordFilter,
        _ schema: ModelSchema,
        _ outer: [String]
    ) throws(StoreError) -> [RESTCondition] {
        func one(
            _ key: FieldKey,
            _ comparison: RESTCondition.Comparison,
            _ values: [AttributeValue]
        ) throws(StoreError) -> [RESTCondition] {
            let names = outer + (try names(of: key, schema))
            // A comparison with null is unknown, which no parameter says.
            guard !values.contains(where: \.isNull) else {
                throw refusal(of: "a comparison of \(names.joined(separator: ".")) with null")
            }
            let isRelated = !outer.isEmpty
            let isPart = [.isNull, .contains, .hasPrefix, .hasSuffix, .hasSubstring]
                .contains(comparison)
            let values = isPart ? values : written(values, of: key, schema)
            return [
                .init(names: names, isRelated: isRelated, comparison: comparison, values: values)
            ]
        }
        switch filter {
        case .compare(let key, let comparison, let value):
            return try one(key, comparison.inWords.own, [value])
        case .isNull(let key): return try one(key, .isNull, [true])
        case .isIn(let key, let values): return try one(key, .isIn, values)
        case .contains(let key, let value): return try one(key, .contains, [value])
        case .hasPrefix(let key, let text): return try one(key, .hasPrefix, [.string(text)])
        case .hasSuffix(let key, let text): return try one(key, .hasSuffix, [.string(text)])
        case .hasSubstring(let key, let text): return try one(key, .hasSubstring, [.string(text)])
        case .has(let key, let partner, let filter):
            return try conditions(of: filter, partner, outer + names(of: key, schema))
        case .hasAny(let key, let partner, let filter):
            let found = try conditions(of: filter, partner, outer + names(of: key, schema))
            guard found.count == 1 else {
                throw refusal(of: "several conditions of one of the models in \(key)")
            }
            return found
        case .and(let filters):
            var found: [RESTCondition] = []
            for filter in filters { found += try conditions(of: filter, schema, outer) }
            return found
        case .not(.isNull(let key)): return try one(key, .isNull, [false])
        // What is unknown stays so, whatever is said of it.
        case .not(.compare(let key, let comparison, let value)):
            return try one(key, comparison.inWords.opposite, [value])
        case .not(.not(let filter)): return try conditions(of: filter, schema, outer)
        case .or: throw refusal(of: "one of several conditions")
        case .not: throw refusal(of: "the contrary of a condition")
        }
    }

    private func names(of key: FieldKey, _ schema: ModelSchema) throws(StoreError) -> [String] {
        try schema.wireKey(of: key, in: context).names
    }

    /// The values as the context writes those of the field.
    private func written(
        _ values: [AttributeValue],
        of key: FieldKey,
        _ schema: ModelSchema
    ) -> [AttributeValue] {
        // Without a context records have what is sent.
        guard context.registry != nil, let wireKey = try? schema.wireKey(of: key, in: context)
        else { return values }
        let coder = RecordCoder(schema, in: context)
        return values.map { value in
            (try? coder.object(of: [key: value], writesNull: false))?.value(atKey: wireKey) ?? value
        }
    }
}

/// What a model is to fulfil, in the words of the server.
///
/// ```swift
/// condition.description   // "age at least 18"
/// ```
public struct RESTCondition: Hashable, Sendable {
    /// How a value is compared.
    ///
    /// ```swift
    /// let suffixes: [RESTCondition.Comparison: String] = [.equal: "", .less: "__lt"]
    /// ```
    public enum Comparison: String, Hashable, Sendable, CaseIterable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
        /// Whether there is no value: `true`, or, where there has to be one, `false`.
        case isNull
        /// One of several.
        case isIn
        /// An array has it.
        case contains
        case hasPrefix, hasSuffix, hasSubstring
    }

    /// The names of the field, those of the relations that lead to it first.
    public let names: [String]
    /// Whether the field is that of a related model, which may not be there.
    public let isRelated: Bool
    public let comparison: Comparison
    /// The values, as models are written: one, but for `.isIn`.
    public let values: [AttributeValue]

    /// The value, as a parameter has it; those of several with commas between them.
    public var text: String { texts.joined(separator: ",") }

    /// The values, as parameters have them.
    public var texts: [String] { values.map(\.parameterText) }

    /// The value as JSON, for servers to which `36` and `"36"` differ; a list where there are several.
    public var jsonText: String {
        let value = comparison == .isIn ? .array(values) : values.first ?? .null
        return (try? value.jsonData()).map { String(decoding: $0, as: UTF8.self) } ?? text
    }
}

extension RESTCondition: CustomStringConvertible {
    public var description: String {
        let name = names.joined(separator: ".")
        let words =
            switch comparison {
            case .equal: "equal to"
            case .notEqual: "not equal to"
            case .less: "less than"
            case .lessOrEqual: "at most"
            case .greater: "greater than"
            case .greaterOrEqual: "at least"
            case .isNull: "null:"
            case .isIn: "one of"
            case .contains: "containing"
            case .hasPrefix: "beginning with"
            case .hasSuffix: "ending with"
            case .hasSubstring: "with the text"
            }
        return "\(name) \(words) \(text)"
    }
}

/// A field that models are sorted by, in the words of the server.
///
/// ```swift
/// let sort = orders.map { ($0.isDescending ? "-" : "") + $0.names.joined(separator: ".") }
/// ```
public struct RESTOrder: Hashable, Sendable {
    /// The names of the field.
    public let names: [String]
    public let isDescending: Bool
}

extension RecordFilter.Comparison {
    /// What it is in the words of dialects, and what its opposite is.
    fileprivate var inWords: (own: RESTCondition.Comparison, opposite: RESTCondition.Comparison) {
        switch self {
        case .equal: (.equal, .notEqual)
        case .notEqual: (.notEqual, .equal)
        case .less: (.less, .greaterOrEqual)
        case .lessOrEqual: (.lessOrEqual, .greater)
        case .greater: (.greater, .lessOrEqual)
        case .greaterOrEqual: (.greaterOrEqual, .less)
        }
    }
}

extension AttributeValue {
    /// The value as people write it in a parameter.
    fileprivate var parameterText: String {
        plainText ?? (try? jsonData()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
