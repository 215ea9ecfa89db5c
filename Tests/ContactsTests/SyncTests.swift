import ModelKit
import ModelKitREST
import ModelKitServer
import TestSupport
import Testing

@testable import contacts

@Suite struct SyncTests {
    private static let keys: [FieldKey] = ["a", "b"]

    /// What is to be done, of three contents.
    private func step(
        _ base: AttributeDictionary?,
        _ here: AttributeDictionary?,
        _ there: AttributeDictionary?,
        _ winner: Side? = nil
    ) -> SyncStep {
        SyncStep(Self.keys, base: base, here: here, there: there, winner: winner)
    }

    @Test func `what is new on one side is made on the other`() {
        expect(step(nil, ["a": 1], nil), equals: .create(.there))
        expect(step(nil, nil, ["a": 1]), equals: .create(.here))
        expect(step(nil, ["a": 1], ["a": 1]), equals: .nothing)
        expect(step(nil, ["a": 1], ["b": 1]), equals: .change(here: ["b": 1], there: ["a": 1]))
    }

    @Test func `what was deleted on one side is deleted on the other, unless that changed it`() {
        expect(step(["a": 1], ["a": 1], nil), equals: .delete(.here))
        expect(step(["a": 1], nil, ["a": 1]), equals: .delete(.there))
        expect(step(["a": 1], ["a": 1], nil, .here), equals: .delete(.here))
        expect(step(["a": 1], nil, nil), equals: .nothing)
        let changed = step(["a": 1], ["a": 2], nil)
        expect(changed, equals: .conflict([SyncConflict(here: ["a": 2])]))
        expect(step(["a": 1], ["a": 2], nil, .here), equals: .create(.there))
        expect(step(["a": 1], ["a": 2], nil, .there), equals: .delete(.here))
        let other = step(["a": 1], nil, ["a": 2])
        expect(other, equals: .conflict([SyncConflict(there: ["a": 2])]))
        expect(step(["a": 1], nil, ["a": 2], .here), equals: .delete(.there))
        expect(step(["a": 1], nil, ["a": 2], .there), equals: .create(.here))
    }

    @Test func `each field goes to the side that has not changed it`() {
        let base: AttributeDictionary = ["a": 1, "b": 1]
        expect(step(base, ["a": 2, "b": 1], base), equals: .change(here: [:], there: ["a": 2]))
        expect(step(base, base, ["b": 1]), equals: .change(here: ["a": .null], there: [:]))
        expect(
            step(base, ["a": 2, "b": 1], ["a": 1, "b": 2]),
            equals: .change(here: ["b": 2], there: ["a": 2])
        )
        expect(step(base, ["a": 2, "b": 1], ["a": 2, "b": 1]), equals: .nothing)
    }

    @Test func `a field that both have changed is a conflict, or its winner's`() {
        let base: AttributeDictionary = ["a": 1, "b": 1]
        let here: AttributeDictionary = ["a": 2, "b": 5],
            there: AttributeDictionary = ["a": 3, "b": 1]
        let conflict = SyncConflict(key: "a", here: 2, there: 3)
        expect(step(base, here, there), equals: .conflict([conflict]))
        expect(conflict.description, equals: "a is 2 here, 3 there")
        expect(step(base, here, there, .here), equals: .change(here: [:], there: ["a": 2, "b": 5]))
        expect(step(base, here, there, .there), equals: .change(here: ["a": 3], there: ["b": 5]))
    }

    private func person(_ identifier: String) -> Person {
        let person = Person()
        person.bioguide.value = identifier
        person.first.value = "Ada"
        person.last.value = "Lovelace"
        person.terms.value = []
        return person
    }

    @Test func `two databases have the same after each was synced with one server`() async throws {
        let server = MemoryModelStore(), one = MemoryModelStore(), two = MemoryModelStore()
        func sync(_ store: MemoryModelStore, _ winner: Side? = nil) async throws -> Int32 {
            try await SyncCommand(store, with: server, at: "s", winner: winner).run()
        }
        let ada = try await one.create(person("A")).value
        let bob = try await two.create(person("B")).value
        try await expect(sync(one), equals: 0)
        try await expect(sync(two), equals: 0)
        try await expect(sync(one), equals: 0)
        for store in [one, two, server] {
            try await expect(store.list(Person.self).value.count, equals: 2)
        }
        ada.nickname.value = "Countess"
        _ = try await one.update(ada).value
        _ = try await two.delete(bob).value
        try await expect(sync(one), equals: 0)
        try await expect(sync(two), equals: 0)
        try await expect(sync(one), equals: 0)
        for store in [one, two, server] {
            let people = try await store.list(Person.self).value
            expect(people.map(\.nickname.value), equals: ["Countess"])
        }
        let same = try await two.lookup(Person.self, identifier: "A").value
        same.nickname.value = "Lady"
        _ = try await two.update(same).value
        ada.nickname.value = "Baroness"
        _ = try await one.update(ada).value
        try await expect(sync(one), equals: 0)
        try await expect(sync(two), equals: 1)
        try await expect(sync(two, .there), equals: 0)
        expect(same.nickname.value, equals: "Baroness")
    }

    @Test func `an office of a person who is gone is reported, and not made on the other side`()
        async throws
    {
        let server = MemoryModelStore(), one = MemoryModelStore(), two = MemoryModelStore()
        func sync(_ store: MemoryModelStore) async throws -> Int32 {
            try await SyncCommand(store, with: server, at: "s", winner: nil).run()
        }
        let ada = try await one.create(person("A")).value
        try await expect(sync(one), equals: 0)
        try await expect(sync(two), equals: 0)
        let office = Office()
        try office.read(dictionaryValue: [
            "id": "A-rome", "person": "A", "city": "Rome", "state": "OH",
        ])
        _ = try await two.create(office).value
        _ = try await one.delete(ada).value
        try await expect(sync(one), equals: 0)
        try await expect(sync(two), equals: 1)
        try await expect(server.list(Office.self).value.isEmpty)
        _ = try await two.delete(office).value
        try await expect(sync(two), equals: 0)
    }

    @Test func `what the server does not take does not keep others from it`() async throws {
        let stored = MemoryModelStore(), one = MemoryModelStore()
        var handler = try RESTHandler(stored, [Person.self, Office.self])
        handler.limits.body = 2_000
        let server = Served(handler)
        let long = person("A")
        long.nickname.value = String(repeating: "x", count: 3_000)
        _ = try await one.create([long, person("B")]).value
        let status = try await SyncCommand(one, with: server, at: "s", winner: nil).run()
        expect(status, equals: 1)
        try await expect(stored.list(Person.self).value.map(\.identifier), equals: ["B"])
    }

    private final class Served: RemoteModelStore {
        let origin = "http://localhost"
        let session = StoreSession()
        let limits = HTTPLimits(deadline: nil)
        let transport: any HTTPTransport
        init(_ handler: RESTHandler) { transport = handler }
    }
}
