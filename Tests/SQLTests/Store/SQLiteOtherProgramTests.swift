import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

/// What other programs, and other stores, write to a file that is in use.
@Suite struct SQLiteOtherProgramTests {
    private final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
        let age = Field<Int>()
        let team = ModelField<Team>(foreignKey: true)

        init() { linkFields() }
    }

    private final class Team: Model {
        let id = Field<String>()
        let members = ModelField<Person>(inverse: \.team)*

        init() { linkFields() }
    }

    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    private func person(_ name: String) -> Person {
        let person = Person()
        person.id.value = name
        person.name.value = name
        return person
    }

    @Test func `what SQL writes counts where it raises the revision`() async throws {
        let store = try SQLiteModelStore(path: path)
        let ada = person("Ada")
        try await store.create(ada)
        _ = try await store.lookup(Person.self, identifier: "Ada")
        let other = try SQLiteConnection(path: path)
        try other.execute("UPDATE Person SET name = 'silent'")
        let same = try await store.lookup(Person.self, identifier: "Ada")
        expect(same === ada)
        expect(ada.name.value, equals: "Ada", "nobody knows that it was written")
        ada.name.value = "mine"
        try await store.update(ada)
        try other.execute(#"UPDATE Person SET name = 'Eve', "_revision" = "_revision" + 1"#)
        ada.age.value = 36
        await #expect {
            try await store.update(ada)
        } throws: { error in
            if case StoreError.conflict = error { true } else { false }
        }
        _ = try await store.lookup(Person.self, identifier: "Ada")
        expect(ada.name.value, equals: "Eve")

        let error = #expect(throws: SQLiteError.self) {
            try other.execute("INSERT INTO Person (id, name) VALUES ('b', 'Bob')")
        }
        expect(error?.kind, equals: .constraint(.notNull))
        try other.execute(
            #"INSERT INTO Person (id, name, "_revision") VALUES ('b', 'Bob', 1)"#
        )
        let bob = try await store.lookup(Person.self, identifier: "b")
        expect(bob.name.value, equals: "Bob")
        bob.age.value = 20
        try await store.update(bob)
    }

    @Test func `a live list has its objects follow another store, and nothing else does`()
        async throws
    {
        let store = try SQLiteModelStore(path: path, sharing: .severalProcesses)
        let other = try SQLiteModelStore(path: path, sharing: .severalProcesses)
        let team = Team()
        team.id.value = "t"
        try await store.create(team)
        let ada = person("Ada")
        ada.team.value = team
        try await store.create(ada)
        try await store.load(team, \.members)

        let theirs = try await other.lookup(Person.self, identifier: "Ada")
        theirs.name.value = "A"
        try await other.update(theirs)
        let bob = person("Bob")
        bob.team.value = try await other.lookup(Team.self, identifier: "t")
        try await other.create(bob)
        try await Task.sleep(for: .milliseconds(200))
        expect(ada.name.value, equals: "Ada")
        expect(team.members.value?.map(\.id.value), equals: ["Ada"])
        try await store.load(team, \.members)
        expect(team.members.value?.count, equals: 2)

        let results = store.observe(Person.self, limit: 1).makeAsyncIterator()
        try await expect(results.next()?.models.map(\.name.value), equals: ["A"])
        theirs.name.value = "B"
        try await other.update(theirs)
        let next = try #require(try await results.next())
        expect(next.updated.map(\.name.value), equals: ["B"])
        expect(next.total, equals: 1)
        expect(ada.name.value, equals: "B")
    }

    @Test func `an observer that is still held when a store closes is given an error`() async throws
    {
        let store = try SQLiteModelStore(path: path)
        let (texts, feed) = AsyncStream.makeStream(of: String.self)
        func observe(_ name: String) -> LiveObservation {
            store.observe(Person.self).observe { result in
                switch result {
                case .success(let result): feed.yield("\(name) \(result.models.count)")
                case .failure(let error): feed.yield("\(name) \(error)")
                }
            }
        }
        var log = texts.makeAsyncIterator()
        let cancelled = observe("first")
        await expect(log.next(), equals: "first 0")
        cancelled.cancel()
        let held = observe("second")
        await expect(log.next(), equals: "second 0")
        try await store.close()
        let last = try #require(await log.next())
        expect(last.hasPrefix("second ") && last.contains("it is closed"), last)
        withExtendedLifetime(held) {}
    }
}
