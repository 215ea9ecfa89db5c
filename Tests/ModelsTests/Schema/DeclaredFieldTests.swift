import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// A group of fields, which is no model.
private struct Address: Sendable {
    let street = Field<String>()
    let city = Field<String>(key: "town").require(.required)
}

private final class Tenant: Model {
    let id = Field<Int>()
    let name = Field<String>()
    let address = Address()
    let secret = Field<String>(value: "x")
    let home = ModelField<House>()

    init() { linkFields() }

    static var declaredFields: [FieldDeclaration]? {
        [
            FieldDeclaration("name", \Tenant.name),
            FieldDeclaration("id", \Tenant.id),
            FieldDeclaration("city", \Tenant.address.city),
            FieldDeclaration("street") { (tenant: Tenant) in tenant.address.street },
            FieldDeclaration("home") { (tenant: Tenant) in tenant.home },
        ]
    }
}

private final class House: Model {
    let tenants = ModelField<Tenant>(inverse: \.home)*
    init() { linkFields() }
}

/// Types that list their fields themselves.
@Suite struct DeclaredFieldTests {
    @Test func `the fields are those of the list, in its order`() throws {
        expect(Tenant.schema.fields.map(\.name), equals: ["name", "id", "city", "street", "home"])
        expect(Tenant.schema.fields.map(\.key), equals: ["name", "id", "town", "street", "home"])
        let tenant = Tenant()
        tenant.id.value = 1
        tenant.address.city.value = "Rome"
        expect(tenant.identifier, equals: 1)
        expect(tenant.dictionaryValue(), equals: ["id": 1, "town": "Rome"])
        for copy in [
            try Tenant(dictionaryValue: tenant.dictionaryValue()),
            try Tenant(json: tenant.jsonData()), tenant.copy(),
            try JSONDecoder().decode(Tenant.self, from: try JSONEncoder().encode(tenant)),
        ] {
            expect(copy.address.city.value, equals: "Rome")
            expect(copy.secret.value, equals: "x")
        }
        #expect(throws: ImportError.self) { try Tenant(json: Data(#"{"town": 1}"#.utf8)) }
        expect(tenant["town"] as? String, equals: "Rome")
        var names: [String] = []
        tenant.visitAllFields(recursive: false) { names.append($0.valueDescription ?? "-") }
        expect(names, equals: ["-", "1", "Rome", "-", "-"])
        expect(Tenant().validate(), equals: .invalid(["town is required"]))
    }

    @Test func `they are observed and related as others`() {
        let (house, tenant) = (House(), Tenant())
        let log = Collector<String>()
        house.observe("tenants.*.town") { change in log.add(change.path.description) }
        tenant.home.value = house
        expect(house.tenants.value, equals: [tenant])
        tenant.address.city.value = "Oslo"
        expect(log.values, equals: ["tenants", "tenants[0].town"])
        house.tenants.removeAll()
        expect(tenant.home.value, equals: nil)
    }

    private static let shared = Field<Int>()

    final class Wrong: Model {
        let a = Field<Int>()
        let b = Field<Int>()
        let c = Field<Int>(key: "a")
        static var declaredFields: [FieldDeclaration]? {
            [
                FieldDeclaration("a", \Wrong.a), FieldDeclaration("again", \Wrong.a),
                FieldDeclaration("a", \Wrong.b), FieldDeclaration("c", \Wrong.c),
                FieldDeclaration("new") { (_: Wrong) in Field<Int>() },
                FieldDeclaration("shared") { (_: Wrong) in DeclaredFieldTests.shared },
                FieldDeclaration("other") { (tenant: Tenant) in tenant.name },
            ]
        }
    }

    @Test func `what is wrong in a list is a diagnostic, and left out`() {
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            expect(Wrong.schema.fields.map(\.name), equals: ["a"])
        }
        expect(messages.values.map(\.field), equals: ["again", "a", "new", "shared", "other", "c"])
        expect(messages.values.allSatisfy { $0.code == .modelDeclaration })
        let wrong = Wrong()
        wrong.a.value = 1
        expect(wrong.dictionaryValue(), equals: ["a": 1])
    }

    class Base: ModelObject, @unchecked Sendable {
        let a = Field<Int>()
        override class var declaredFields: [FieldDeclaration]? {
            [FieldDeclaration("a", \Base.a)]
        }
    }

    final class Full: Base, @unchecked Sendable {
        let b = Field<Int>()
        override class var declaredFields: [FieldDeclaration]? {
            (super.declaredFields ?? []) + [FieldDeclaration("b", \Full.b)]
        }
    }

    final class Forgetful: Base, @unchecked Sendable {
        let b = Field<Int>()
    }

    @Test func `a subclass adds to the list of its base, or is reported if it does not`() throws {
        let full = try Full.make(of: ["a": 1, "b": 2])
        full << Field<Int>(value: 3, key: "c")
        expect(full.dictionaryValue(), equals: ["a": 1, "b": 2, "c": 3])
        expect(full.copy().dictionaryValue(), equals: full.dictionaryValue())
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            expect(Forgetful.schema.fields.map(\.name), equals: ["a"])
        }
        expect(messages.values.map(\.field), equals: ["b"])
    }

    class Reflected: ModelObject, @unchecked Sendable {
        let a = Field<Int>()
    }

    class Listing: Reflected, @unchecked Sendable {
        let b = Field<Int>()
        override class var declaredFields: [FieldDeclaration]? {
            (super.declaredFields ?? []) + [FieldDeclaration("b", \Listing.b)]
        }
    }

    final class Last: Listing, @unchecked Sendable {
        let c = Field<Int>()
        override class var declaredFields: [FieldDeclaration]? {
            (super.declaredFields ?? []) + [FieldDeclaration("c", \Last.c)]
        }
    }

    @Test func `fields of a base without a list that the list of a subclass misses are reported`() {
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            expect(Listing.schema.fields.map(\.name), equals: ["b"])
            expect(Last.schema.fields.map(\.name), equals: ["b", "c"])
        }
        expect(messages.values.map(\.field), equals: ["a", "a"])
        expect(messages.values.allSatisfy { $0.message.contains("Reflected") })
    }
}

extension AnyField {
    fileprivate var valueDescription: String? { anyValue.map { "\($0)" } }
}
