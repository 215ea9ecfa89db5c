import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// Records that do not fit, read into models that others have.
@Suite struct FailedRecordTests {
    final class Cart: Model {
        let id = Field<String>()
        let box = ModelField<Box>()
        let spare = ModelField<Box>()
        let size = Field<Int>()
    }

    final class Box: Model {
        let id = Field<String>()
        let things = ModelField<Thing>(inverse: \.box)*
        init() { linkFields() }
    }

    final class Thing: Model {
        @TaskLocal static var last: Collected?
        let id = Field<String>()
        let box = ModelField<Box>()
        init() {
            linkFields()
            Self.last?.add(self)
        }
    }

    /// The things that a task has made.
    // Safe: the list is guarded by the lock.
    final class Collected: @unchecked Sendable {
        private struct Weak { weak let thing: Thing? }
        private let lock = Lock()
        private var things: [Weak] = []

        func add(_ thing: Thing) { lock.withLock { things.append(Weak(thing: thing)) } }
        var made: Int { lock.withLock { things.count } }
        var count: Int { lock.withLock { things }.filter { $0.thing != nil }.count }
    }

    private let store = OneStore(
        records: OneRecord(
            record: Record(
                identifier: "c",
                revision: 1,
                values: [
                    "id": "c", "box": ["id": "1", "things": [["id": "2"]]],
                    "spare": ["id": "3", "things": [["id": "4"], ["id": 5]]], "size": "x",
                ]
            )
        )
    )

    init() throws { _ = try Cart(dictionaryValue: ["box": ["things": [["id": "1"]]]]) }

    @Test func `a shell keeps what fits of a record, linked, and nothing of the rest`() async throws
    {
        let shell = store.session.identities.canonical(Cart.self, identifier: "c")
        let things = Collected()
        await #expect(throws: StoreError.self) {
            try await Thing.$last.withValue(things) {
                try await store.lookup(Cart.self, identifier: "c").value
            }
        }
        let box = try #require(shell.box.value)
        expect(box.things.count, equals: 1)
        expect(box.things[0]?.box.value === box)
        expect(shell.spare.value, equals: nil)
        expect(things.made, equals: 3)
        expect(things.count, equals: 1)
        box.unlink()
    }

    @Test func `of a record that does not fit a new model nothing is left`() async throws {
        let things = Collected()
        await #expect(throws: StoreError.self) {
            try await Thing.$last.withValue(things) {
                try await store.lookup(Cart.self, identifier: "c").value
            }
        }
        expect(things.made >= 2)
        expect(things.count, equals: 0)
        let cart: Cart? = store.session.identities.model(Cart.self, identifier: "c")
        expect(cart, equals: nil)
    }

    final class Clerk: Model {
        let id = Field<String>()
        let name = Field<String>()
        let manager = ModelField<Clerk>(foreignKey: true)
    }

    @Test func `a record may have itself as a foreign key`() async throws {
        let store = OneStore(
            records: OneRecord(
                record: Record(
                    identifier: "a",
                    revision: 1,
                    values: ["id": "a", "name": "Ada", "manager": "a"]
                )
            )
        )
        let clerk = try await store.lookup(Clerk.self, identifier: "a").value
        expect(clerk.name.value, equals: "Ada")
        expect(clerk.manager.value === clerk)
        clerk.manager.value = nil
    }
}
