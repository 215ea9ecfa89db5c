import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// What is read of a creation between its commit and the end of its promise.
@Suite struct ReadWhileCreatingTests {
    private final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
        let age = Field<Int>(value: 1)

        convenience init(_ id: String, _ name: String) {
            self.init()
            (self.id.value, self.name.value) = (id, name)
        }
    }

    private final class Ticket: Model {
        let id = Field<Int>()
        let text = Field<String>()
    }

    /// What a store gives as soon as something is committed.
    private func firstSeen<M: Model>(
        _ type: M.Type,
        in store: MemoryModelStore,
        _ body: () async throws -> Void
    ) async throws -> M? {
        let seen = Log<M>()
        let observation = store.records.observeChanges { _ in
            for model in (try? store.listImmediately(type)) ?? [] { seen.add(model) }
        }
        try await body()
        observation?.end()
        return seen.entries.first
    }

    @Test(arguments: ["create", "save", "transaction", "transaction with an update", "batch"])
    func `is the object that is created`(_ kind: String) async throws {
        let store = MemoryModelStore()
        let person = Person("p", "Ada")
        let seen = try await firstSeen(Person.self, in: store) {
            switch kind {
            case "create": try await store.create(person)
            case "save": try await store.save(person)
            case "batch": try await store.create([Person("o", "Eve"), person])
            default:
                try await store.transaction { transaction in
                    try transaction.create(person)
                    if kind == "transaction" { return }
                    person.age.value = 7
                    try transaction.update(person)
                }.value
            }
        }
        if kind != "batch" { expect(seen === person) }
        try await expect(store.lookup(Person.self, identifier: "p") === person)
        person.age.value = 2
        try await store.update(person)
        person.name.value = "Bob"
        try await store.update(person)
        let record = try await store.records.record("p", of: Person.schema).value
        expect(record?["age"] == 2 && record?["name"] == "Bob")
    }

    @Test func `is gone with its record, whichever object that is deleted by`() async throws {
        for isFirst in [true, false] {
            let store = MemoryModelStore()
            let ticket = Ticket()
            let seen = try await firstSeen(Ticket.self, in: store) {
                try await store.create(ticket)
            }
            let both = [ticket, try #require(seen)]
            try await store.delete(both[isFirst ? 0 : 1])
            try await expect(store.list(Ticket.self).count, equals: 0)
            for ticket in both {
                try await store.save(ticket)
                try await expect(store.list(Ticket.self), equals: [ticket])
                try await store.delete(ticket)
            }
        }
    }

    @Test func `is another object where the store makes the identifier, which overwrites nothing`()
        async throws
    {
        let store = MemoryModelStore()
        let ticket = Ticket()
        let seen = try await firstSeen(Ticket.self, in: store) { try await store.create(ticket) }
        ticket.text.value = "mine"
        try await store.update(ticket)
        seen?.text.value = "theirs"
        if let seen, seen !== ticket {
            let error = await #expect(throws: StoreError.self) { try await store.update(seen) }
            expect(error?.code, equals: "conflict")
        }
        let record = try await store.records.record(1, of: Ticket.schema).value
        expect(record?["text"], equals: "mine")
    }

    @Test func `is no model whose creation fails as another one has its identifier`() async throws {
        let store = MemoryModelStore()
        _ = try await store.records.perform([
            RecordWrite(.create("p", ["name": "Eve", "age": 3]), of: Person.schema)
        ]).value
        let person = Person("p", "Ada")
        await #expect(throws: StoreError.self) { try await store.create(person) }
        let found = try await store.lookup(Person.self, identifier: "p")
        expect(found !== person)
        expect(found.name.value, equals: "Eve")
    }
}
