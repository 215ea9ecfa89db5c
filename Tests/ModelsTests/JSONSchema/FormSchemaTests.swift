import ModelKitFields
import ModelKitForms
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
import Testing

struct FormSchemaTests {
    private struct User: PartialInitializable {
        var name = "", password = "", confirm = ""
        var age: Int?
        var tags: [String] = []

        init(from partial: Partial<User>) {}
    }

    @Test func `checks with names are properties`() {
        let schema = JSONSchema(
            Partial<User>.Validation(
                .required(\.name, "name"),
                .value(\.name, "name", .length(3...20, in: .scalars)),
                .value(\.age, "age", .min(18)),
                .value(\.tags, "tags", Rule.digits.each()),
                .required(\.password, "password")
            )
        )
        expect(
            schema.document,
            equals: [
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object", "required": ["name", "password"],
                "properties": [
                    "name": ["type": "string", "minLength": 3, "maxLength": 20],
                    "password": ["type": "string"],
                    "age": ["type": ["integer", "null"], "minimum": 18],
                    "tags": [
                        "type": ["array", "null"],
                        "items": ["type": "string", "pattern": "^[0-9]*$"],
                    ],
                ],
            ]
        )
        expect(schema.notRepresented, equals: [])
    }

    @Test func `what has no name or only code is reported`() {
        let schema = JSONSchema(
            Partial<User>.Validation(
                .required(\.name),
                .valueValidation(keyPath: \.age) { $0 > 3 },
                .value(\.age, "age", Rule("is odd") { $0 % 2 == 0 }),
                .together(\.password, \.confirm, report: "confirm", "doesn't match") { $0 == $1 }
            )
        )
        expect(
            schema.notRepresented.map(\.description),
            equals: [
                "has a check without a name", "age has a rule that only its code knows",
                "confirm has a rule that only its code knows",
            ]
        )
        expect(schema.notRepresented.allSatisfy { $0.severity == .warning })
        expect(
            JSONSchema(Partial<User>.Validation(requiredKeyPaths: \.name)).notRepresented.count,
            equals: 1
        )
    }
}
