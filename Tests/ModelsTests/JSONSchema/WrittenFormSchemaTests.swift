import Foundation
import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
import Testing

/// A schema refuses nothing that a model accepts, or writes.
@Suite struct WrittenFormSchemaTests {
    final class Account: Model {
        let id = Field<UUID>(value: UUID())
        let number = Field<UInt64>().require(.min(5))
        let list = Field<UInt64>()*
        let lists = Field<[UInt]>()
        let chosen = Field<UInt64>().require(.oneOf([7, 8]))
        let price = Field<Decimal>()
        let prices = Field<Decimal>()*
        let fee = Field<Decimal>().require(.range(0.5..<1000)).require(
            .digits(integer: 3, fraction: 2)
        )
        let count = Field<Int>().constrain(to: 5...6).transform(with: .text)
        let counts = Field<Int>().transform(with: .text)*
        let hex = Field<Int>().transform(with: WrittenFormSchemaTests.hexadecimal)
        let open = Field<Openness>()
        let made = Field<Date>(value: Date())
        let kind = Field<String>(value: "plain")
        let part = ModelField<Part>(value: Part())
    }

    final class Part: Model {
        let token = Field<UUID>(value: UUID())
        let size = Field<Int>(value: 3)
    }

    static let hexadecimal = FieldTransformer<Int>(
        kind: .string,
        export: { .string(String($0, radix: 16)) },
        import: { value throws(ModelKitFields.Issue) in
            guard case .string(let text) = value, let number = Int(text, radix: 16) else {
                throw ModelKitFields.Issue(code: "type", message: "must be hexadecimal")
            }
            return number
        }
    )

    /// Is written as text, and also read from a boolean.
    struct Openness: AttributeConvertible, Equatable {
        var isOpen: Bool
        init(attributeValue: AttributeValue) throws(ModelKitFields.Issue) {
            switch attributeValue {
            case .bool(let value): isOpen = value
            case .string(let text): isOpen = text == "open"
            default: throw ModelKitFields.Issue(code: "type", message: "must be open or not")
            }
        }
        var attributeValue: AttributeValue { isOpen ? "open" : "closed" }
        static var attributeKind: AttributeKind { .string }
    }

    private static var properties: AttributeDictionary {
        guard case .dictionary(let root) = JSONSchema(Account.self).document,
            case .dictionary(let properties)? = root["properties"]
        else { return [:] }
        return properties
    }

    @Test func `types are all of those that are read`() {
        let properties = Self.properties
        let wide: AttributeDictionary = [
            "type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$",
        ]
        let nullable: AttributeDictionary = wide.merging(["type": ["integer", "string", "null"]]) {
            $1
        }
        let decimal: AttributeValue = ["type": ["string", "number"]]
        expect(
            properties["number"],
            equals: .dictionary(nullable.merging(["minimum": 5]) { $1 })
        )
        expect(
            properties["list"],
            equals: ["type": ["array", "null"], "items": .dictionary(wide), "default": []]
        )
        expect(
            properties["lists"],
            equals: ["type": ["array", "null"], "items": .dictionary(wide)]
        )
        expect(properties["chosen"], equals: .dictionary(nullable))
        expect(properties["price"], equals: ["type": ["string", "number", "null"]])
        expect(
            properties["fee"],
            equals: [
                "type": ["string", "number", "null"], "minimum": 0.5, "exclusiveMaximum": 1000,
                "exclusiveMinimum": -1000, "multipleOf": 0.01,
            ]
        )
        expect(
            properties["prices"],
            equals: ["type": ["array", "null"], "items": decimal, "default": []]
        )
        expect(properties["count"], equals: [:])
        expect(
            properties["counts"],
            equals: ["type": ["array", "null"], "default": []]
        )
        expect(properties["hex"], equals: ["type": ["string", "null"]])
        expect(properties["open"], equals: [:])
        let report = JSONSchema(Account.self).notRepresented.map(\.description)
        expect(report.contains("number may be text, which has no bounds in a schema"))
        expect(report.contains("fee may be text, which has no bounds in a schema"))
        expect(report.contains("chosen is compared to values that have several forms"))
        expect(report.contains("price has a form that only its code knows"))
        expect(!report.contains { $0.hasPrefix("list") })
    }

    @Test(
        arguments: [
            [
                "number": "18446744073709551615", "list": [1, "9223372036854775808"],
                "lists": ["1"],
            ],
            ["chosen": 7, "price": 12.5, "prices": ["0.1", 3]], ["chosen": "8", "price": "12.5"],
            ["count": "5", "counts": ["1"]], ["count": 6, "counts": [2, "3"]], ["hex": "ff"],
            ["open": true], ["open": "open"],
        ] as [AttributeDictionary]
    )
    func `what a model accepts, and what it writes then, is accepted`(
        dictionary: AttributeDictionary
    ) throws {
        let rule = try Rule(jsonSchema: JSONSchema(Account.self).document)
        let json = try AttributeValue.dictionary(dictionary).jsonData()
        let account = try Account(json: json)
        expect(account.validate().isValid)
        expect(rule.isValid(value: .dictionary(dictionary)))
        expect(rule.isValid(value: try AttributeValue(json: account.jsonData())))
    }

    @Test func `what is refused as before`() throws {
        let rule = try Rule(jsonSchema: JSONSchema(Account.self).document)
        for wrong in [
            ["number": 1], ["number": "x"], ["number": 6.5], ["list": [true]], ["price": true],
            ["hex": 5], ["prices": [[]]],
        ] as [AttributeDictionary] {
            expect(!rule.isValid(value: .dictionary(wrong)), "\(wrong)")
        }
    }

    @Test func `a default that each model has of its own is none`() {
        let properties = Self.properties
        func hasDefault(_ key: String) -> Bool {
            guard case .dictionary(let property)? = properties[key] else { return false }
            return property["default"] != nil
        }
        expect(!hasDefault("id"))
        expect(!hasDefault("made"))
        expect(!hasDefault("part"))
        expect(hasDefault("kind"))
        expect(JSONSchema(Account.self), equals: JSONSchema(Account.self))
    }

    final class Numbered: Model { let id = Field<Int>(value: 1) }

    @Test func `an identifier has no default`() {
        guard case .dictionary(let root) = JSONSchema(Numbered.self).document else { return }
        expect(root["properties"], equals: ["id": ["type": ["integer", "null"]]])
    }
}
