import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private final class Agency: Model {
    let name = Field<String>(name: "Name", priority: 1).require(.notBlank).require(.length(2...9))
    let id = Field<Int>()
    let size = Field<Int>().constrain(to: 0...500)
    let tags = Field<String>().require(.length(1...5))*
    let desks = ModelField<Place>(inverse: \.firm, cascadeDelete: true).requireValid()*
    let owner = ModelField<Agency>(foreignKey: true)
    let checked = Field<String>().require { $0 != "x" }

    init() { linkFields() }
}

private final class Place: Model {
    let firm = ModelField<Agency>()
    init() { linkFields() }
}

/// What a schema describes to those who read it.
@Suite struct SchemaReadingTests {
    @Test func `a schema describes keys, order, kinds, rules and relations`() throws {
        let schema = Agency.schema
        expect(
            schema.fields.map(\.name),
            equals: [
                "name", "id", "size", "tags", "desks", "owner", "checked",
            ]
        )
        expect(schema.entry(named: "name")?.title, equals: "Name")
        expect(schema.entry(named: "id")?.valueType == Int.self)
        expect(
            schema.entry(named: "name")?.constraint,
            equals: .all([.notBlank, .minLength(2), .maxLength(9)])
        )
        expect(schema.entry(named: "size")?.constraint, equals: .all([.minimum(0), .maximum(500)]))
        expect(schema.entry(named: "id")?.constraint, equals: .all([]))
        let desks = try #require(schema.relation(of: "desks"))
        expect(desks.type == Place.self && desks.isArray && desks.cascades && !desks.isForeignKey)
        expect(desks.inverse?.name, equals: "firm")
        let firm = try #require(Place.schema.relation(of: "firm"))
        expect(firm.type == Agency.self && !firm.isArray && !firm.cascades)
        expect(firm.inverse?.name, equals: "desks")
        expect(schema.relation(of: "owner")?.isForeignKey, equals: true)
        expect(schema.relation(of: "owner")?.inverse == nil)
        expect(schema.relation(of: "name") == nil)
    }

    @Test func `its description says all of that, and has an end where types refer to each other`()
    {
        expect(
            Agency.schema.description,
            equals: "Agency: name (string) [notBlank, minLength 2, maxLength 9], "
                + "id (int, identifier), size (int) [minimum 0, maximum 500], "
                + "tags (array) [items: (minLength 1, maxLength 5)], "
                + "desks (array of Place, inverse firm, cascade) [items: valid], "
                + "owner (Agency, foreign key), checked (string) [a rule in code]"
        )
        expect(Place.schema.description, equals: "Place: firm (Agency, inverse desks)")
    }
}
