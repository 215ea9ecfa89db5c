import Foundation
import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
import Testing

private final class Town: Model {
    let name = Field<String>().require(.notEmpty)
    let streets = ModelField<Street>().requireValid()*
    let mayor = ModelField<Citizen>().requireValid()
    let twin = ModelField<Town>()
    let depot = ModelField<Pair<Street, Citizen>>()
}

private final class Street: Model {
    let town = ModelField<Town>()
    let crossings = ModelField<Street>(key: ["map", "crossings"]).requireValid()*
    let homes = ModelField<Citizen>()*
}

private final class Citizen: Model {
    static var modelName: String { "citizen/of ~1%41 \u{e9}" }
    let id = Field<String>()
    let street = ModelField<Street>()
    let partner = ModelField<Citizen>().requireValid()
    let others = ModelField<Namesake.Citizen>()*
}

private enum Namesake {
    final class Citizen: Model {
        static var modelName: String { "citizen/of ~1%41 \u{e9}" }
        let town = ModelField<Town>().requireValid()
    }
}

private final class Pair<First: Model, Second: Model>: Model {
    let first = ModelField<First>().requireValid()
    let second = ModelField<Second>()
    let next = ModelField<Pair<Second, First>>()
}

struct SchemaReferencesTests {
    /// All values of `$ref` in a schema, and the schema that each leads to.
    private struct Resolver {
        let root: AttributeValue
        private(set) var found: [String: AttributeValue] = [:]
        private(set) var missing: [String] = []

        init(_ root: AttributeValue) {
            self.root = root
            collect(root)
        }

        private mutating func collect(_ value: AttributeValue) {
            switch value {
            case .array(let elements): for element in elements { collect(element) }
            case .dictionary(let members):
                if case .string(let reference)? = members["$ref"] {
                    found[reference] = resolve(reference)
                    if found[reference] == nil { missing.append(reference) }
                }
                for member in members.values { collect(member) }
            default: break
            }
        }

        /// What a fragment leads to (RFC 6901, section 6); nil if that is nothing.
        private func resolve(_ reference: String) -> AttributeValue? {
            guard reference.first == "#",
                let pointer = String(reference.dropFirst()).removingPercentEncoding
            else { return nil }
            if pointer.isEmpty { return root }
            guard pointer.first == "/" else { return nil }
            var value = root
            for token in pointer.dropFirst().components(separatedBy: "/") {
                let name = token.replacing("~1", with: "/").replacing("~0", with: "~")
                guard case .dictionary(let members) = value, let member = members[name] else {
                    return nil
                }
                value = member
            }
            return value
        }
    }

    @Test(
        arguments: [
            JSONSchema(Town.self), JSONSchema(Street.self), JSONSchema(Citizen.self),
            JSONSchema(Namesake.Citizen.self), JSONSchema(Pair<Street, Pair<Town, Citizen>>.self),
        ]
    )
    func `every reference leads to a schema of its own inside of the document`(
        schema: JSONSchema
    ) throws {
        // As it is read by others.
        let document = try AttributeValue(json: schema.document.jsonData())
        let resolver = Resolver(document)
        expect(resolver.found.count > 3)
        expect(resolver.missing, equals: [])
        for (reference, value) in resolver.found {
            guard case .dictionary(let found) = value, found["type"] == "object" else {
                Testing.Issue.record("\(reference) leads to \(value)")
                continue
            }
        }
        guard case .dictionary(let root) = document,
            case .dictionary(let definitions)? = root["$defs"]
        else {
            Testing.Issue.record("no definitions")
            return
        }
        let names = definitions.keys.map { "#/$defs/" + $0 }
        expect(Set(names).isSubset(of: resolver.found.keys), "each is referred to")
    }
}
