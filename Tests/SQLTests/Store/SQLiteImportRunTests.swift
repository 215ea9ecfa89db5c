import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

/// How far an import reads ahead, what ends it, and what the triggers of its table may do.
// One after the other, as models and calls are counted.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SQLiteImportRunTests {
    private final class Person: Model {
        let id = Field<Int>()
        let text = Field<String>()
        let leaves = ModelField<Leaf>()*

        init() { Self.living.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        deinit { Self.living.withLock { $0.now -= 1 } }

        /// How many there are, and were at most.
        static let living = Guarded((now: 0, most: 0))

        /// How many large ones were checked.
        static let checked = Guarded(0)

        /// A large one takes longer to check than to read.
        func beforeSave() {
            if text.value == nil { return }
            Thread.sleep(forTimeInterval: 0.01)
            Self.checked.withLock { $0 += 1 }
        }
    }

    private final class Leaf: Model {
        let n = Field<Int>()
    }

    private final class Step: Model {
        let id = Field<Int>()
        let kind = Field<String>()

        /// Whose hooks were called.
        static let calls = Guarded<[Int]>([])

        func beforeSave() throws {
            Self.calls.withLock { $0.append(id.value ?? 0) }
            switch kind.value {
            case "slow": Thread.sleep(forTimeInterval: 0.005)
            case "fatal": throw Fatal()
            default: break
            }
        }
    }

    private struct Fatal: Error {}

    /// What a closure makes of 1, 2, and so on.
    private struct Source<M: Model>: AsyncSequence, AsyncIteratorProtocol {
        let make: @Sendable (Int) async throws -> M?
        var last = 0

        init(_ make: @escaping @Sendable (Int) async throws -> M?) { self.make = make }

        mutating func next() async throws -> M? {
            last += 1
            return try await make(last)
        }

        func makeAsyncIterator() -> Self { self }
    }

    private static func person(_ number: Int, leaves: Int = 0, text: String? = nil) -> Person {
        let person = Person()
        person.id.value = number
        person.text.value = text
        person.leaves.value = (0..<leaves).map { number in
            let leaf = Leaf()
            leaf.n.value = 10_000 + number
            return leaf
        }
        return person
    }

    private static func step(_ number: Int, _ kind: String? = nil) -> Step {
        let step = Step()
        (step.id.value, step.kind.value) = (number, kind)
        return step
    }

    private let store: SQLiteModelStore

    init() throws {
        store = try SQLiteModelStore(path: ":memory:")
        Person.living.withLock { $0.most = $0.now }
        Person.checked.withLock { $0 = 0 }
        Step.calls.withLock { $0 = [] }
    }

    @Test func `of models with many others in them there are few at once`() async throws {
        let people = Source<Person> { $0 > 30 ? nil : Self.person($0, leaves: 3_000) }
        try await expect(store.importModels(people).createdCount, equals: 30)
        let most = Person.living.withLock { $0.most }
        expect(most <= 8, "\(most)")
    }

    @Test func `of large models after small ones there are few at once`() async throws {
        let text = String(repeating: "x", count: 500_000)
        let people = Source<Person> { number in
            guard number > 1_000 else { return Self.person(number) }
            if number == 1_001 {
                try await Task.sleep(for: .milliseconds(50))
                Person.living.withLock { $0.most = $0.now }
            }
            // Whoever checks may have to wait for a thread.
            while number == 1_020, Person.checked.withLock({ $0 }) < 5 {
                try await Task.sleep(for: .milliseconds(3))
            }
            try await Task.sleep(for: .milliseconds(3))
            return number > 1_090 ? nil : Self.person(number, text: text)
        }
        try await expect(store.importModels(people).createdCount, equals: 1_090)
        let most = Person.living.withLock { $0.most }
        expect(most < 60, "\(most)")
    }

    @Test func `no more hooks are called once it is cancelled, though the sequence ends quietly`()
        async throws
    {
        let known = Guarded(0)
        let steps = Source<Step> { number in
            if number <= 200 { return Self.step(number, "slow") }
            withUnsafeCurrentTask { $0?.cancel() }
            known.withLock { $0 = Step.calls.withLock { $0.count } }
            return nil
        }
        let importing = Task { try await store.importModels(steps) }
        await #expect(throws: CancellationError.self) { try await importing.value }
        let late = Step.calls.withLock { $0.count } - known.withLock { $0 }
        // The one that runs, and one that begins meanwhile.
        expect(late <= 2, "\(late)")
        try await expect(store.list(Step.self).count, equals: 0)
    }

    @Test func `what ends it is noticed by the next element of a slow sequence`() async throws {
        let asked = Guarded(0)
        let steps = Source<Step> { number in
            asked.withLock { $0 = number }
            if number > 50 { return nil }
            while number > 1, Step.calls.withLock({ $0.isEmpty }) {
                try await Task.sleep(for: .milliseconds(1))
            }
            try await Task.sleep(for: .milliseconds(30))
            return Self.step(number, number == 1 ? "fatal" : nil)
        }
        await #expect(throws: Fatal.self) { try await store.importModels(steps) }
        let count = asked.withLock { $0 }
        expect(count <= 3, "\(count)")
    }

    @Test func `after the hook that fails no other is called`() async throws {
        let steps = Source<Step> { $0 > 400 ? nil : Self.step($0, $0 == 200 ? "fatal" : nil) }
        await #expect(throws: Fatal.self) { try await store.importModels(steps) }
        expect(Step.calls.withLock { $0 }, equals: Array(1...200))
        try await expect(store.list(Step.self).count, equals: 0)
    }

    @Test func `what a trigger ignores only once is kept with the models in it`() async throws {
        try await store.create(Self.person(1))
        let records = try #require(store.records as? SQLiteRecordStore)
        let (made, resolver) = Promise<Void>.withResolvers()
        try #require(records.pool.writer).run { connection in
            resolver.resolve(
                Result {
                    try connection.get().execute("CREATE TABLE seen (id)")
                    try connection.get().execute(
                        """
                        CREATE TRIGGER once BEFORE INSERT ON Person
                        WHEN NOT EXISTS (SELECT 1 FROM seen WHERE id = new.id)
                        BEGIN INSERT INTO seen VALUES (new.id); SELECT RAISE(IGNORE); END
                        """
                    )
                }
            )
        }
        try await made.value
        let people = Source<Person> { $0 > 2 ? nil : Self.person($0 + 1, leaves: $0) }
        try await expect(store.importModels(people).createdCount, equals: 2)
        let found = try await store.list(Person.self, orderBy: .ascending(\.id))
        expect(
            found.map { $0.leaves.value?.map(\.n.value) ?? [] },
            equals: [[], [10_000], [10_000, 10_001]]
        )
    }
}
