import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// Records that are read into models which have them already.
@Suite struct ReadAgainTests {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
        let age = Field<Int>()
    }

    final class Numbered: Model {
        let id = Field<Int>()
        let code = Field<String>().unique()
    }

    private func write(_ actions: RecordWrite.Action..., to store: MemoryModelStore) async throws {
        _ = try await store.records.perform(actions.map { RecordWrite($0, of: Person.schema) })
            .value
    }

    @Test func `a record that was made anew is another one`() async throws {
        let store = MemoryModelStore()
        try await write(.create("p", ["name": "Ada"]), to: store)
        let person = try await store.lookup(Person.self, identifier: "p").value
        expect(person.name.value, equals: "Ada")
        try await write(
            .delete("p", revision: nil),
            .create("p", ["name": "Eve"]),
            to: store
        )
        let again = try await store.lookup(Person.self, identifier: "p").value
        expect(again === person)
        expect(person.name.value, equals: "Eve")
    }

    @Test func `what others have written since is read`() async throws {
        let store = MemoryModelStore()
        try await write(.create("p", ["name": "Ada", "age": 1]), to: store)
        let person = try await store.lookup(Person.self, identifier: "p").value
        person.age.value = 5
        try await write(.update("p", ["name": "Eve", "age": 2], revision: nil), to: store)
        _ = try await store.list(Person.self).value
        expect(person.name.value, equals: "Eve")
        expect(person.age.value, equals: 5)
    }

    @Test func `what was unloaded is read again, also of a record that has not changed`()
        async throws
    {
        let store = MemoryModelStore()
        try await write(.create("p", ["name": "Ada"]), to: store)
        let person = try await store.lookup(Person.self, identifier: "p").value
        person.unload()
        _ = try await store.lookup(Person.self, identifier: "p").value
        expect(person.name.value, equals: "Ada")
        person.name.loadState = .notLoaded
        _ = try await store.lookup(Person.self, identifier: "p").value
        expect(person.name.loadState, equals: .loaded)
    }

    @Test func `a value that does not fit is reported each time`() async throws {
        let record = Record(
            identifier: "p",
            revision: 1,
            values: ["id": "p", "name": "Ada", "age": "old"],
            place: 1
        )
        let store = OneStore(records: OneRecord(record: record))
        let person = store.session.identities.canonical(Person.self, identifier: "p")
        for _ in 0..<3 {
            do {
                _ = try await store.lookup(Person.self, identifier: "p").value
                Issue.record("it was read")
            } catch StoreError.decoding(_, let identifier, let issues) {
                expect(identifier, equals: "p")
                expect(issues.map(\.path), equals: [["age"]])
            }
        }
        expect(person.name.value, equals: "Ada")
    }

    @Test func `records are equal however their values are kept`() async throws {
        let store = MemoryModelStore()
        try await write(.create("p", ["name": "Ada"]), to: store)
        var kept = try #require(try await store.records.record("p", of: Person.schema).value)
        let made = Record(
            identifier: "p",
            revision: 1,
            values: ["id": "p", "name": "Ada", "age": .null],
            place: kept.place
        )
        expect(kept, equals: made)
        expect(kept.hashValue, equals: made.hashValue)
        expect(kept["name"], equals: "Ada")
        expect(kept["age"], equals: .null)
        expect(kept["nobody"], equals: nil)
        kept.values["age"] = 7
        expect(kept != made)
        expect(kept["age"], equals: 7)
        expect(kept.values, equals: ["id": "p", "name": "Ada", "age": 7])
    }

    @Test func `each unique value is found, and none that is not there`() async throws {
        let store = MemoryModelStore()
        let writes = (0..<1000).map { number in
            RecordWrite(
                .create(.int(Int64(number)), ["code": .string("code \(number * 2)")]),
                of: Numbered.schema
            )
        }
        _ = try await store.records.perform(writes).value
        for number in 0..<2000 {
            let code = "code \(number)"
            let found = try store.listImmediately(Numbered.self, where: \.code == code)
            expect(found.map(\.id.value), equals: (number.isMultiple(of: 2) ? [number / 2] : []))
            let among = try store.listImmediately(
                Numbered.self,
                where: .isIn(\.code, [code, "code"])
            )
            expect(among.count, equals: found.count)
        }
    }
}
