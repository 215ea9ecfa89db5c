import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Person: Model {
    let id = Field<String>()
    let name = Field<String>()
    let weight = Field<Double>()
    let home = ModelField<Address>()
    let past = ModelField<Address>()*

    convenience init(_ id: String) {
        self.init()
        self.id.value = id
    }
}

private final class Address: Model {
    let street = Field<String>()
    let height = Field<Double>()

    convenience init(_ street: String) {
        self.init()
        self.street.value = street
    }
}

@Suite struct AgreementTests {
    private let store = HeldStore()

    private func record(_ identifier: Identifier) async throws -> Record {
        try #require(try await store.records.record(identifier, of: Person.schema).value)
    }

    private func write(_ values: [FieldKey: AttributeValue], to identifier: Identifier) throws {
        try store.held.memory.apply([
            RecordWrite(.update(identifier, values, revision: nil), of: Person.schema)
        ])
    }

    private func done<Value>(_ promise: Promise<Value>) async throws {
        store.release()
        _ = try await promise.value
    }

    @Test func `an edit inside of a model is written though only the bytes differ`() async throws {
        let person = Person("p1")
        let home = Address("\u{e9}")
        home.height.value = 0.0
        person.home.value = home
        try await done(store.create(person))
        home.street.value = "e\u{301}"
        try await done(store.update(person))
        guard case .dictionary(let first)? = try await record("p1").values["home"],
            case .string(let street)? = first["street"]
        else { return expect(Bool(false), "no street") }
        expect(Array(street.utf8), equals: Array("e\u{301}".utf8))
        home.height.value = -0.0
        try await done(store.update(person))
        guard case .dictionary(let second)? = try await record("p1").values["home"],
            case .double(let height)? = second["height"]
        else { return expect(Bool(false), "no height") }
        expect(height.sign, equals: .minus)
    }

    @Test func `a lookup takes values of which only the bytes differ`() async throws {
        let person = Person("p1")
        person.name.value = "\u{e9}"
        person.weight.value = 0.0
        person.past.value = [Address("\u{e9}")]
        try await done(store.create(person))
        try write(
            ["name": "e\u{301}", "weight": -0.0, "past": [["street": "e\u{301}"]]],
            to: "p1"
        )
        _ = try await store.lookup(Person.self, identifier: "p1").value
        let expected = Array("e\u{301}".utf8)
        expect(person.name.value.map { Array($0.utf8) }, equals: expected)
        expect(person.weight.value?.sign, equals: .minus)
        expect(person.past.value?.first?.street.value.map { Array($0.utf8) }, equals: expected)
    }

    @Test func `an update that waits writes nothing back that a lookup has replaced`() async throws
    {
        let person = Person("p1")
        person.home.value = Address("old")
        try await done(store.create(person))
        person.name.value = "Ada"
        let first: Promise = store.update(person)
        person.name.value = "Bob"
        let second: Promise = store.update(person)
        try write(["home": ["street": "theirs"]], to: "p1")
        _ = try await store.lookup(Person.self, identifier: "p1").value
        expect(person.home.value?.street.value, equals: "theirs")
        store.release()
        await #expect(throws: StoreError.self, "it is a conflict") { try await first.value }
        try await done(second)
        let record = try await record("p1")
        expect(record.values["home"], equals: ["street": "theirs"])
        expect(record.values["name"], equals: "Bob")
        let third: Promise = store.update(person)
        store.release()
        _ = try await third.value
        try await expect(self.record("p1").revision, equals: record.revision, "nothing is left")
    }

    @Test func `what an observer edits in models that a lookup gives is written`() async throws {
        let person = Person("p1")
        try await done(store.create(person))
        let observation =
            person.home --> { home in
                guard let street = home?.street.value else { return }
                home?.street.value = street.uppercased()
            }
        try write(["home": ["street": "x"]], to: "p1")
        _ = try await store.lookup(Person.self, identifier: "p1").value
        try await done(store.update(person))
        try await expect(record("p1").values["home"], equals: ["street": "X"])
        observation.cancel()
    }
}
