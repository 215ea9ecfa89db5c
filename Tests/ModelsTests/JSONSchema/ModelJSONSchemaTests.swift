import Foundation
import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
import Testing

private enum Paint: String, CaseIterable { case red, blue }
private enum Size: Int, CaseIterable, AttributeConvertible { case small = 1, large }

private final class Company: Model {
    let name = Field<String>().require(.notEmpty)
    let staff = ModelField<Worker>()*
}

private final class Worker: Model {
    let id = Field<UUID>()
    let first = Field<String>(name: "First name", key: ["name", "first"]).require(.notEmpty)
    let last = Field<String>(key: ["name", "last"])
    let age = Field<Int>(value: 18).require(.required).constrain(to: 0...150)
    let color = EnumField<Paint>()
    let sizes = Field<Size>()*
    let tags = Field<String>(name: "Tags").require(.digits)*
    let employer = ModelField<Company>()
    let owner = ModelField<Company>().requireValid().require(.required)
    let boss = ModelField<Worker>().requireValid()
}

private final class Coded: Model {
    let hex = Field<Int>().require(.required && .min(3)).transform(
        with: FieldTransformer(
            kind: .string,
            export: { .string(String($0, radix: 16)) },
            import: { value throws(ModelKitFields.Issue) in
                guard case .string(let text) = value, let number = Int(text, radix: 16) else {
                    throw Issue(code: "type", message: "must be a hexadecimal number")
                }
                return number
            }
        )
    )
    let count = Field<Int>(value: 0).require(.positive)

    func check(_ report: inout ModelReport) {
        report.require(count, "must be even") { (count.value ?? 0) % 2 == 0 }
    }
}

private final class Account: Model {
    private static let free = AsyncRule<String>("is taken") { _ in true }

    let name = Field<String>().require(Account.free)
    let aliases = Field<String>().require(Account.free)*
    let owner = ModelField<Holder>()
}

private final class Holder: Model {
    let email = Field<String>().require(AsyncRule("is taken") { _ in true })
}

private final class Guest: Model {
    let id = Field<Int>().require(.required)
    let fullName = Field<String>()
}

private final class Visit: Model {
    let guest = ModelField<Guest>().requireValid().transform(with: .fields(\.fullName))
    let guests = ModelField<Guest>().transform(with: .fields(\.fullName))*
    let host = ModelField<Guest>()
}

struct ModelJSONSchemaTests {
    @Test func `of models that are written in part not the whole is demanded`() {
        guard case .dictionary(let root) = JSONSchema(Visit.self).document,
            case .dictionary(let properties)? = root["properties"],
            case .dictionary(let definitions)? = root["$defs"]
        else {
            Testing.Issue.record("\(JSONSchema(Visit.self))")
            return
        }
        expect(properties["guest"], equals: ["type": ["object", "null"]])
        expect(
            properties["guests"],
            equals: [
                "type": ["array", "null"], "items": ["type": "object"], "default": [],
            ]
        )
        expect(
            properties["host"],
            equals: ["anyOf": [["type": "null"], ["$ref": "#/$defs/Guest"]]]
        )
        expect(Set(definitions.keys), equals: ["Guest"])
    }

    @Test func `rules that take time are reported, where what is valid is said`() {
        expect(
            JSONSchema(Account.self).notRepresented.map(\.description),
            equals: [
                "name has a rule that only its code knows",
                "aliases has a rule that only its code knows",
            ]
        )
    }

    @Test func `fields are properties, nested keys nested objects, models definitions`() throws {
        let schema = JSONSchema(Worker.self)
        guard case .dictionary(let root) = schema.document,
            case .dictionary(let properties)? = root["properties"],
            case .dictionary(let definitions)? = root["$defs"]
        else {
            Testing.Issue.record("\(schema)")
            return
        }
        expect(root["title"], equals: "Worker")
        expect(root["type"], equals: "object")
        expect(
            Set(root["required"]?.strings ?? []),
            equals: ["name", "owner"],
            "age has a default value"
        )
        expect(properties["id"], equals: ["type": ["string", "null"], "format": "uuid"])
        expect(
            properties["name"],
            equals: [
                "type": "object", "required": ["first"],
                "properties": [
                    "first": ["type": "string", "title": "First name", "minLength": 1],
                    "last": ["type": ["string", "null"]],
                ],
            ]
        )
        expect(
            properties["age"],
            equals: ["type": "integer", "minimum": 0, "maximum": 150, "default": 18]
        )
        expect(
            properties["color"],
            equals: ["type": ["string", "null"], "enum": ["red", "blue", nil]]
        )
        expect(
            properties["sizes"],
            equals: [
                "type": ["array", "null"], "items": ["type": "integer", "enum": [1, 2]],
                "default": [],
            ]
        )
        expect(
            properties["tags"],
            equals: [
                "type": ["array", "null"], "title": "Tags", "default": [],
                "items": ["type": "string", "pattern": "^[0-9]*$"],
            ]
        )
        expect(
            properties["employer"],
            equals: ["anyOf": [["type": "null"], ["$ref": "#/$defs/Company"]]]
        )
        expect(properties["owner"], equals: ["$ref": "#/$defs/ValidCompany"])
        expect(properties["boss"], equals: ["anyOf": [["type": "null"], ["$ref": "#"]]])
        expect(Set(definitions.keys), equals: ["Company", "ValidCompany", "Worker"])
        expect(
            definitions["ValidCompany"],
            equals: [
                "type": "object", "required": ["name"],
                "properties": [
                    "name": ["type": "string", "minLength": 1],
                    "staff": [
                        "type": ["array", "null"], "items": ["$ref": "#/$defs/Worker"],
                        "default": [],
                    ],
                ],
            ]
        )
        expect(
            definitions["Company"],
            equals: [
                "type": "object",
                "properties": [
                    "name": ["type": ["string", "null"]],
                    "staff": [
                        "type": ["array", "null"], "items": ["$ref": "#/$defs/Worker"],
                        "default": [],
                    ],
                ],
            ]
        )
        expect(schema.notRepresented, equals: [])
    }

    @Test func `a form made by code, and a check between fields, are reported`() {
        let schema = JSONSchema(Coded.self)
        expect(
            schema.document,
            equals: [
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "title": "Coded", "type": "object", "required": ["hex", "count"],
                "properties": [
                    "hex": ["type": "string"],
                    "count": [
                        "type": ["integer", "null"], "exclusiveMinimum": 0, "default": 0,
                    ],
                ],
            ]
        )
        expect(
            schema.notRepresented.map(\.description),
            equals: [
                "hex has a form that only its code knows",
                "hex has a rule for what its form is made of",
                "has checks of its fields that only its code knows",
            ]
        )
    }
}

extension AttributeValue {
    fileprivate var strings: [String] {
        guard case .array(let values) = self else { return [] }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}
