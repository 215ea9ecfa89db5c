import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Person: Model {
    let id = Field<String>()
    let name = Field<String>()
    let age = Field<Int>()
    let home = ModelField<Address>()

    convenience init(_ id: String?, name: String? = nil, age: Int? = nil) {
        self.init()
        if let id { self.id.value = id }
        if let name { self.name.value = name }
        if let age { self.age.value = age }
    }
}

private final class Address: Model {
    let street = Field<String>()
}

@Suite struct WritesInFlightTests {
    private let store = HeldStore()

    private func stored() async throws -> [Record] {
        try await store.records.fetch(RecordQuery(), of: Person.schema).value
    }

    @Test func `a model that is created twice at once is stored once`() async throws {
        let person = Person(nil, name: "Ada")
        let first: Promise = store.create(person), second: Promise = store.create(person)
        store.release()
        store.release()
        _ = try await first.value
        let identifier = try #require(person.identifier)
        await #expect(
            throws: StoreError.alreadyExists(type: "Person", identifier: identifier)
        ) { try await second.value }
        try await expect(stored().map(\.identifier), equals: [identifier])
    }

    @Test func `a model that is twice in a batch is refused`() async throws {
        let person = Person(nil, name: "Ada")
        let creation: Promise = store.create([person, person])
        store.release()
        await #expect(throws: StoreError.self) { try await creation.value }
        try await expect(stored().isEmpty)
    }

    @Test func `update and delete wait for the identifier that a creation gives`() async throws {
        let person = Person(nil, name: "Ada")
        let creation: Promise = store.create(person)
        person.name.value = "Bob"
        let update: Promise = store.update(person)
        store.release()
        store.release()
        _ = try await creation.value
        _ = try await update.value
        try await expect(stored().map { $0.values["name"] }, equals: ["Bob"])
        let other = Person(nil, name: "Eve")
        let second: Promise = store.create(other)
        let deletion: Promise = store.delete(other)
        store.release()
        store.release()
        _ = try await second.value
        _ = try await deletion.value
        try await expect(stored().count, equals: 1)
    }

    @Test func `an edit that is taken back while its write is under way is written`() async throws {
        let person = Person("p1")
        let home = Address()
        home.street.value = "old"
        person.home.value = home
        let creation: Promise = store.create(person)
        store.release()
        _ = try await creation.value
        home.street.value = "new"
        let first: Promise = store.update(person)
        home.street.value = "old"
        let second: Promise = store.update(person)
        store.release()
        store.release()
        _ = try await first.value
        _ = try await second.value
        try await expect(stored().first?.values["home"], equals: ["street": "old"])
    }

    @Test func `an update of nothing during a deletion is not found`() async throws {
        let person = Person("p1")
        let creation: Promise = store.create(person)
        store.release()
        _ = try await creation.value
        let deletion: Promise = store.delete(person), update: Promise = store.update(person)
        store.release()
        store.release()
        _ = try await deletion.value
        await #expect(throws: StoreError.notFound(type: "Person", identifier: "p1")) {
            try await update.value
        }
    }

    @Test func `an identifier that is changed during the creation touches no other`() async throws {
        _ = try store.held.memory.apply([
            RecordWrite(.create("p2", ["name": "Eve"]), of: Person.schema)
        ])
        let person = Person("p1", name: "Ada")
        let creation: Promise = store.create(person)
        person.id.value = "p2"
        let update: Promise = store.update(person)
        store.release()
        store.release()
        _ = try await creation.value
        await #expect(throws: StoreError.self) { try await update.value }
        try await expect(stored().first?.values["name"], equals: "Eve")
    }

    @Test func `a write that nobody waits for any more is noted all the same`() async throws {
        let person = Person("p1", name: "Ada")
        let creation: Promise = store.create([person])
        store.release()
        _ = try await creation.value
        person.name.value = "Bob"
        let update: Promise = store.update(person)
        update.cancel()
        store.release()
        person.age.value = 3
        let last: Promise = store.update(person)
        store.release()
        _ = try await last.value
        try await expect(stored().first?.revision, equals: 3)
    }

    @Test func `another object of a record cannot hide an edit from the one in use`() async throws {
        let store = MemoryModelStore()
        let person = try await store.create(Person("p1", name: "Ada", age: 1)).value
        _ = try await store.update(Person("p1", name: "Bob", age: 2)).value
        person.age.value = 3
        await #expect(throws: StoreError.self) { try await store.update(person).value }
        let found = try await store.lookup(Person.self, identifier: "p1").value
        expect(found === person)
        _ = try await store.update(person).value
        try await expect(
            store.records.record("p1", of: Person.schema).value?.values["name"],
            equals: "Bob"
        )
    }

    @Test func `what another object has deleted is gone`() async throws {
        let store = MemoryModelStore()
        let person = try await store.create(Person("p1", name: "Ada")).value
        _ = try await store.delete(Person("p1")).value
        try expect(store.lookupImmediately(Person.self, identifier: "p1"), equals: nil)
        withExtendedLifetime(person) {}
    }

    @Test func `none of many objects that were deleted writes to a record that was made anew`()
        async throws
    {
        let store = MemoryModelStore()
        let people = (0..<200).map { Person("p\($0)", name: "Ada") }
        _ = try await store.create(people).value
        for person in people { _ = try await store.delete(person).value }
        _ = try await store.records.perform(
            people.map { RecordWrite(.create($0.identifier, ["name": "Eve"]), of: Person.schema) }
        ).value
        for person in people {
            person.age.value = 1
            await #expect(
                throws: StoreError.notFound(type: "Person", identifier: person.identifier ?? "")
            ) {
                try await store.update(person).value
            }
        }
    }

    @Test func `a record that was made anew is read anew`() async throws {
        let store = MemoryModelStore()
        let person = try await store.create(Person("p1", name: "Ada")).value
        person.age.value = 1
        _ = try await store.update(person).value
        let records = store.records
        _ = try await records.perform([
            RecordWrite(.delete("p1", revision: nil), of: Person.schema),
            RecordWrite(.create("p1", ["name": "Eve"]), of: Person.schema),
        ]).value
        let found = try await store.lookup(Person.self, identifier: "p1").value
        expect(found.name.value, equals: "Eve")
        found.age.value = 9
        _ = try await store.update(found).value
    }

    @Test func `a conflict with a record that was made anew is one`() async throws {
        let store = MemoryModelStore()
        let person = try await store.create(Person("p1", name: "Ada")).value
        person.age.value = 1
        _ = try await store.update(person).value
        _ = try await store.records.perform([
            RecordWrite(.delete("p1", revision: nil), of: Person.schema),
            RecordWrite(.create("p1", ["name": "Eve"]), of: Person.schema),
        ]).value
        _ = try await store.lookup(Person.self, identifier: "p1").value
        _ = try await store.records.perform([
            RecordWrite(.update("p1", ["name": "Zoe"], revision: nil), of: Person.schema)
        ]).value
        person.age.value = 9
        do {
            _ = try await store.update(person).value
            Issue.record("it was written over what others have")
        } catch StoreError.conflict(let conflict) {
            expect(conflict.base == 3 && conflict.theirs.revision == 4)
            expect(conflict.baseValues?["name"], equals: "Eve")
        }
    }

    @Test func `a lookup leaves models inside alone when nothing was written`() async throws {
        let store = MemoryModelStore()
        let records = store.records
        _ = try await records.perform([
            RecordWrite(.create("p1", ["home": ["street": "x", "unknown": 1]]), of: Person.schema)
        ]).value
        let person = try await store.lookup(Person.self, identifier: "p1").value
        let home = person.home.value
        _ = try await store.list(Person.self).value
        expect(person.home.value === home)
    }

    private enum Letter: String, AttributeConvertible { case a, b }

    private final class Lettered: Model {
        let id = Field<Letter>()
    }

    @Test func `an identifier that the field cannot have is not made`() async throws {
        let store = MemoryModelStore()
        await #expect(throws: StoreError.self) { try await store.create(Lettered()).value }
        try await expect(store.list(Lettered.self).value.isEmpty)
    }

    private struct Code: AttributeConvertible, Equatable {
        let text: String

        init(attributeValue: AttributeValue) throws(ModelKitFields.Issue) {
            text = try String(attributeValue: attributeValue).lowercased()
        }

        var attributeValue: AttributeValue { .string(text) }
        static var attributeKind: AttributeKind { .string }
    }

    private final class Coded: Model {
        let id = Field<Code>()
        let name = Field<String>()
    }

    @Test func `an identifier is made in the form that the field gives it`() async throws {
        let store = MemoryModelStore()
        let coded = try await store.create(Coded()).value
        coded.name.value = "Ada"
        _ = try await store.update(coded).value
        let identifier = try #require(coded.identifier)
        try await expect(store.lookup(Coded.self, identifier: identifier).value === coded)
    }

    @Test func `a failure that nobody looks at is reported`() async throws {
        let reported = Lock()
        // Safe: guarded by the lock.
        nonisolated(unsafe) var count = 0
        ModelKitDiagnostics.withHandler({ _ in reported.withLock { count += 1 } }) {
            _ = MemoryModelStore().update(Person("p1"))
        }
        expect(reported.withLock { count }, equals: 1)
    }
}
