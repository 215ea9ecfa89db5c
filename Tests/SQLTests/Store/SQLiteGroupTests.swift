import Dispatch
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

private final class Person: Model {
    let id = Field<String>()
    let name = Field<String>().unique()

    convenience init(_ id: String, _ name: String? = nil) {
        self.init()
        (self.id.value, self.name.value) = (id, name)
    }
}

private final class Counted: Model {
    let id = Field<Int>()
}

private final class Ticket: Model {
    let id = Field<Int>()
    let name = Field<String>().unique()

    convenience init(_ name: String, _ id: Int? = nil) {
        self.init()
        (self.id.value, self.name.value) = (id, name)
    }
}

@Suite struct SQLiteGroupTests {
    /// Asks for writes while the store is held, so that they wait beside each other.
    private func holding<Writes>(
        _ store: SQLiteModelStore,
        _ ask: () -> Writes
    ) async throws -> Writes {
        let (isHeld, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let held = store.transaction { _ in
            isHeld.signal()
            release.wait()
        }
        await Task.detached { isHeld.waitBriefly() }.value
        let writes = ask()
        release.signal()
        try await held.value
        return writes
    }

    /// Asks for writes while the store is held, and gives how each has ended, and how many rows another connection
    /// saw when the first was fulfilled.
    private func outcomes(
        of people: [Person],
        _ store: SQLiteModelStore,
        _ path: String,
        cancelling cancelled: Int? = nil
    ) async throws -> (outcomes: [String], seen: Int64?) {
        let seen = Promise<Int64>.withResolvers()
        let promises = try await holding(store) {
            let promises: [Promise<Person>] = people.map { person in
                let promise: Promise<Person> = store.create(person)
                return promise.tap { _ in
                    let count = Result {
                        let sql = "SELECT count(*) FROM Person"
                        return try SQLiteConnection(path: path).withStatement(sql) {
                            _ = try $0.step()
                            return $0.int64(at: 0)
                        }
                    }
                    seen.resolver.resolve(count)
                }
            }
            if let cancelled { promises[cancelled].cancel() }
            return promises
        }
        var outcomes: [String] = []
        for promise in promises {
            do {
                outcomes.append(try await promise.value.id.value ?? "")
            } catch let error as StoreError {
                outcomes.append(error.code)
            } catch {
                outcomes.append("\(type(of: error))")
            }
        }
        return (outcomes, try? seen.promise.result?.get())
    }

    @Test func `writes that wait are committed together, and fail alone`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let store = try SQLiteModelStore(path: path)
        try await store.create(Person("taken"))
        let people = [
            Person("a"), Person("taken"), Person("b", "x"), Person("c", "x"), Person("d"),
        ]
        let (outcomes, seen) = try await outcomes(of: people, store, path)
        expect(outcomes, equals: ["a", "alreadyExists", "b", "alreadyExists", "d"])
        expect(seen, equals: 4)
    }

    @Test func `one that is cancelled before its turn is taken out`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let store = try SQLiteModelStore(path: path)
        try await store.create(Person("first"))
        let people = [Person("a"), Person("b"), Person("c")]
        let outcomes = try await outcomes(of: people, store, path, cancelling: 1).outcomes
        expect([outcomes[0], outcomes[2]], equals: ["a", "c"])
        let found = try await store.list(Person.self)
        expect(found.map(\.id.value), equals: ["first", "a", "c"])
    }

    @Test(arguments: ["BEFORE INSERT", "AFTER INSERT"], ["ROLLBACK", "FAIL", "ABORT"])
    func `a write that a trigger refuses, which undoes more or less, fails alone`(
        time: String,
        way: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let store = try SQLiteModelStore(path: path)
        try await store.create(Person("first"))
        try SQLiteConnection(path: path).execute(
            """
            CREATE TRIGGER stop \(time) ON Person WHEN new.id = 'stop'
            BEGIN SELECT RAISE(\(way), 'stopped'); END
            """
        )
        let people = [Person("a"), Person("stop"), Person("b")]
        let (outcomes, _) = try await outcomes(of: people, store, path)
        expect(outcomes, equals: ["a", "schema", "b"])
        let found = try await store.list(Person.self)
        expect(found.map(\.id.value), equals: ["first", "a", "b"])
    }

    @Test func `what a constraint refuses at the commit takes no other write with it`() async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let store = try SQLiteModelStore(path: path)
        try await store.create(Person("first"))
        try SQLiteConnection(path: path).execute(
            """
            CREATE TABLE known (id TEXT PRIMARY KEY);
            CREATE TABLE seen (id TEXT REFERENCES known (id) DEFERRABLE INITIALLY DEFERRED);
            CREATE TRIGGER note AFTER INSERT ON Person WHEN new.id = 'stranger'
            BEGIN INSERT INTO seen VALUES (new.id); END
            """
        )
        let people = [Person("a"), Person("stranger"), Person("b")]
        let (outcomes, _) = try await outcomes(of: people, store, path)
        expect(outcomes, equals: ["a", "schema", "b"])
        let found = try await store.list(Person.self)
        expect(found.map(\.id.value), equals: ["first", "a", "b"])
    }

    @Test func `what a write has held that a constraint refuses at the commit is free for others`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let store = try SQLiteModelStore(path: path)
        try await store.create(Person("first"))
        try SQLiteConnection(path: path).execute(
            """
            CREATE TABLE known (id TEXT PRIMARY KEY);
            CREATE TABLE seen (id TEXT REFERENCES known (id) DEFERRABLE INITIALLY DEFERRED);
            CREATE TRIGGER note AFTER INSERT ON Person WHEN 'stranger' IN (new.id, new.name)
            BEGIN INSERT INTO seen VALUES (new.id); END
            """
        )
        let people = [
            Person("stranger", "x"), Person("a", "x"), Person("b", "stranger"), Person("b"),
        ]
        let (outcomes, _) = try await outcomes(of: people, store, path)
        expect(outcomes, equals: ["schema", "a", "schema", "b"])
        let found = try await store.list(Person.self)
        expect(found.map(\.name.value), equals: [nil, "x", nil])
    }

    @Test func `numbers go on in a transaction, and what is taken back uses up none`() async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let store = try SQLiteModelStore(path: path)
        let numbers = try await store.transaction { transaction in
            func number(_ name: String, _ id: Int? = nil) throws -> Int? {
                let ticket = Ticket(name, id)
                try transaction.create(ticket)
                return ticket.id.value
            }
            var numbers = [try number("a")]
            #expect(throws: StoreError.self) { try number("a") }
            #expect(throws: CancellationError.self) {
                try transaction.savepoint {
                    numbers.append(try number("taken back"))
                    numbers.append(try number("as well"))
                    throw CancellationError()
                }
            }
            numbers.append(try number("b"))
            numbers.append(try number("c", 7))
            numbers.append(try number("d"))
            return numbers
        }.value
        expect(numbers, equals: [1, 2, 3, 2, 7, 8])
        try await store.close()
        let again = try SQLiteModelStore(path: path)
        try await expect(again.create(Ticket("e")).id.value, equals: 9)
        try await again.close()
    }

    @Test func `numbers go on from write to write, and what is refused uses up none`() async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let store = try SQLiteModelStore(path: path)
        let (made, refused, deleted) = try await holding(store) {
            let first: Promise<Ticket> = store.create(Ticket("a"))
            let again: Promise<Ticket> = store.create(Ticket("a"))
            let batch: Promise<[Ticket]> = store.create([Ticket("b"), Ticket("a", 50)])
            let second: Promise<Ticket> = store.create(Ticket("c"))
            let given: Promise<Ticket> = store.create(Ticket("d", 7))
            let next: Promise<Ticket> = store.create(Ticket("e"))
            let deleted: Promise<Void> = store.delete(Ticket.self, identifier: 8)
            let last: Promise<Ticket> = store.create(Ticket("f"))
            return ([first, second, given, next, last], [again.map { [$0] }, batch], deleted)
        }
        var numbers: [Int?] = []
        for promise in made { numbers.append(try await promise.value.id.value) }
        expect(numbers, equals: [1, 2, 7, 8, 9])
        for promise in refused {
            let error = await #expect(throws: StoreError.self) { try await promise.value }
            expect(error?.code, equals: "alreadyExists")
        }
        try await deleted.value
        try await store.close()
        let opened = try SQLiteModelStore(path: path)
        try await expect(opened.create(Ticket("g")).id.value, equals: 10)
        try await expect(
            opened.list(Ticket.self).map(\.name.value),
            equals: ["a", "c", "d", "f", "g"]
        )
    }

    @Test func `ten thousand that are asked for at once are all there`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteModelStore(path: directory.file())
        let made: [Promise<Counted>] = (0..<10_000).map { _ in store.create(Counted()) }
        var numbers: [Int] = []
        for promise in made { numbers.append(try await promise.value.id.value ?? 0) }
        expect(numbers, equals: Array(1...10_000))
        let count = try await store.list(Counted.self).count
        expect(count, equals: 10_000)
    }
}

extension DispatchSemaphore {
    /// Waits for a minute at most.
    fileprivate func waitBriefly() { _ = wait(timeout: .now() + 60) }
}
