import Foundation
import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
import Testing

/// Schemas of what is written in a context, and of classes that have others below them.
@Suite struct ContextSchemaTests {
    class Beast: ModelObject, @unchecked Sendable { let name = Field<String>().require(.required) }

    private final class Den: Model {
        let beasts = ModelField<Beast>().requireValid()*
        let first = ModelField<Beast>(foreignKey: true)
    }

    @Test func `a schema reports that an object may be of a subclass`() {
        let note = ModelKitFields.Issue(
            code: "partlyRepresented",
            path: [],
            message: "may be of a subclass, which only its code knows",
            severity: .warning
        )
        expect(JSONSchema(Beast.self).notRepresented, equals: [note])
        let found = JSONSchema(Den.self).notRepresented.map { ($0.path.description, $0.message) }
        expect(found.map(\.0), equals: ["beasts.*"])
        expect(found.map(\.1), equals: [note.message])
    }

    private final class Berth: Model {
        let shipName = Field<String>().require(.required)
        let lastVisit = Field<Date>()
        let firstDeck = ModelField<Deck>()
        let mooredAt = Field<URL>()
        let allVisits = Field<Date>()*
        let visitsByPort = Field<[String: Date]>()
    }

    private final class Deck: Model {
        let deckNumber = Field<Int>().require(.min(1))
    }

    @Test func `a schema is of the dictionaries of a context`() {
        var api = ValueTransformerContext(name: "api", keyCase: .snake)
        api.transform(Date.self, with: .epochSeconds)
        let schema = JSONSchema(Berth.self, in: api)
        guard case .dictionary(let root) = schema.document,
            case .dictionary(let properties)? = root["properties"],
            case .dictionary(let definitions)? = root["$defs"],
            case .dictionary(let deck)? = definitions["Deck"]
        else {
            Testing.Issue.record("\(schema)")
            return
        }
        let keys: Set = [
            "ship_name", "last_visit", "first_deck", "moored_at", "all_visits", "visits_by_port",
        ]
        expect(Set(properties.keys), equals: keys)
        expect(root["required"], equals: ["ship_name"])
        expect(properties["last_visit"], equals: ["type": ["number", "null"]])
        expect(
            properties["moored_at"],
            equals: ["type": ["string", "null"], "format": "uri-reference"]
        )
        expect(deck["properties"], equals: ["deck_number": ["type": ["integer", "null"]]])
        let made = ["last_visit", "all_visits.*", "visits_by_port.*"]
        expect(schema.notRepresented.map(\.path.description), equals: made)
        expect(JSONSchema(Berth.self, in: .default), equals: JSONSchema(Berth.self))
    }
}
