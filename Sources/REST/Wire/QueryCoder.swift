package import ModelKitFields
package import ModelKitModels
package import ModelKitStores

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Turns queries into the parameters of the plain dialect and back, exactly:
/// `filter={"ge":["age",18]}&sort=name,-age&limit=50&after=…`.
///
/// The names of a nested key are joined by dots in `sort`; a `\` stands before each `\`, `.` and `,` of a
/// name and before a `-` that it begins with.
package struct QueryCoder: Sendable {
    private let context: ValueTransformerContext
    package let filters: FilterCoder

    /// - Parameters:
    ///   - context: How keys are written.
    ///   - types: The types that a filter may name.
    package init(in context: ValueTransformerContext, types: [ModelSchema] = []) {
        self.context = context
        filters = FilterCoder(in: context, types: types)
    }

    /// The parameters of a query, all of them texts.
    ///
    /// - Throws: `.schema` for a key that no field has, `.unsupported` for what JSON cannot say.
    package func parameters(
        of query: RecordQuery,
        of schema: ModelSchema
    ) throws(StoreError) -> AttributeDictionary {
        var parameters: AttributeDictionary = [:]
        if let filter = query.filter {
            let json = try filters.json(of: filter, of: schema)
            guard let text = try? json.jsonData() else {
                throw .unsupported("the filter is nested too deep to be sent")
            }
            parameters["filter"] = .string(String(decoding: text, as: UTF8.self))
        }
        if !query.order.isEmpty {
            var parts: [String] = []
            for order in query.order {
                guard let key = schema.wireKey(of: order.key, in: context) else {
                    throw .schema("\(schema.name) has no field \(order.key)")
                }
                parts.append((order.isDescending ? "-" : "") + Self.sortText(of: key))
            }
            parameters["sort"] = .string(parts.joined(separator: ","))
        }
        if let limit = query.limit { parameters["limit"] = .string(String(limit)) }
        if let after = query.after { parameters["after"] = .string(after.description) }
        return parameters
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
        return try filters.filter(json, of: schema)
    }

    /// The order of a `sort` parameter.
    package func order(
        _ text: String,
        of schema: ModelSchema
    ) throws(WireFailure) -> [RecordQuery.Order] {
        if text.isEmpty { return [] }
        let keys = schema.keys(in: context)
        var orders: [RecordQuery.Order] = []
        for (names, isDescending) in try Self.sortKeys(of: text) {
            guard let index = keys.firstIndex(of: FieldKey(names)) else {
                throw WireFailure("sort", "\(schema.name) has no field \(FieldKey(names))")
            }
            orders.append(RecordQuery.Order(schema.fields[index].key, isDescending: isDescending))
        }
        return orders
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

    private static func sortKeys(
        of text: String
    ) throws(WireFailure) -> [(names: [String], isDescending: Bool)] {
        var keys: [(names: [String], isDescending: Bool)] = []
        var (name, names, isDescending, isStart) = ("", [] as [String], false, true)
        var scalars = text.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch scalar {
            case "-" where isStart: isDescending = true
            case ".":
                names.append(name)
                name = ""
            case ",":
                keys.append((names + [name], isDescending))
                (name, names, isDescending, isStart) = ("", [], false, true)
                continue
            case "\\":
                guard let next = scalars.next() else {
                    throw WireFailure("sort", "ends with a backslash")
                }
                name.unicodeScalars.append(next)
            default: name.unicodeScalars.append(scalar)
            }
            isStart = false
        }
        keys.append((names + [name], isDescending))
        return keys
    }
}
