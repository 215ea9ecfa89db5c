import ModelKitFields
import ModelKitModels
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

/// What a schema tells to those who read it.
@Suite struct SchemaReadingTests {
    @Test func `a schema tells keys, order, kinds, rules and relations`() throws {
        let schema = Agency.schema
        #expect(
            schema.fields.map(\.name) == [
                "name", "id", "size", "tags", "desks", "owner", "checked",
            ]
        )
        #expect(schema.entry(named: "name")?.title == "Name")
        #expect(schema.entry(named: "id")?.valueType == Int.self)
        #expect(
            schema.entry(named: "name")?.constraint
                == .all([.notBlank, .minLength(2), .maxLength(9)])
        )
        #expect(schema.entry(named: "size")?.constraint == .all([.minimum(0), .maximum(500)]))
        #expect(schema.entry(named: "id")?.constraint == .all([]))
        let desks = try #require(schema.relation(of: "desks"))
        #expect(desks.type == Place.self && desks.isArray && desks.cascades && !desks.isForeignKey)
        #expect(desks.inverse?.name == "firm")
        let firm = try #require(Place.schema.relation(of: "firm"))
        #expect(firm.type == Agency.self && !firm.isArray && !firm.cascades)
        #expect(firm.inverse?.name == "desks")
        #expect(schema.relation(of: "owner")?.isForeignKey == true)
        #expect(schema.relation(of: "owner")?.inverse == nil)
        #expect(schema.relation(of: "name") == nil)
    }

    @Test func `its description says all of that, and has an end where types refer to each other`()
    {
        #expect(
            Agency.schema.description
                == "Agency: name (string) [notBlank, minLength 2, maxLength 9], "
                + "id (int, identifier), size (int) [minimum 0, maximum 500], "
                + "tags (array) [items: (minLength 1, maxLength 5)], "
                + "desks (array of Place, inverse firm, cascade) [items: valid], "
                + "owner (Agency, foreign key), checked (string) [a rule in code]"
        )
        #expect(Place.schema.description == "Place: firm (Agency, inverse desks)")
    }
}
