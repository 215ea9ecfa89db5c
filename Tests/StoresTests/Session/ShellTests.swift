import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// Objects that are foreign keys of others until they are looked up.
@Suite(.serialized) struct ShellTests {
    final class Parcel: Model {
        let id = Field<String>()
        let owner = ModelField<Owner>(foreignKey: true)
    }

    final class Owner: Model {
        // Read on a thread that the store brings.
        static let meeting = Meeting()
        let id = Field<String>()
        let name = Field<String>()
        let box = ModelField<Box>()
        let note = Field<String>().transform(
            with: FieldTransformer(
                export: { .string($0) },
                import: { value throws(ModelKitFields.Issue) in
                    Owner.meeting.pass()
                    return try String(attributeValue: value)
                }
            )
        )
        let age = Field<Int>(value: 3)
        let other = ModelField<Box>()
    }

    final class Box: Model { let size = Field<Int>() }

    /// Runs something where a field is read, once.
    // Safe: the closure is guarded by the lock.
    final class Meeting: @unchecked Sendable {
        private let lock = Lock()
        private var body: (@Sendable () -> Void)?

        func set(_ body: @escaping @Sendable () -> Void) { lock.withLock { self.body = body } }
        func pass() {
            let body = lock.withLock {
                defer { self.body = nil }
                return self.body
            }
            body?()
        }
    }

    struct Opened: RecordModelStore {
        let held = HeldRecords()
        let session = StoreSession()
        var records: any RecordStore { held }
    }

    private let store = Opened()

    init() async throws {
        let (parcel, owner, box) = (Parcel(), Owner(), Box())
        parcel.id.value = "p"
        parcel.owner.value = owner
        owner.id.value = "o"
        owner.name.value = "Ada"
        owner.note.value = "n"
        owner.box.value = box
        box.size.value = 1
        // Another session, so that this one knows nothing of them.
        let other = HeldStore()
        let creations = (other.create(owner).map { _ in }, other.create(parcel).map { _ in })
        other.release()
        other.release()
        _ = try await (creations.0.value, creations.1.value)
        for schema in [Owner.schema, Parcel.schema] {
            let found = try await other.held.fetch(RecordQuery(), of: schema).value
            let writes = found.map { RecordWrite(.create($0.identifier, $0.values), of: schema) }
            _ = try store.held.memory.apply(writes)
        }
    }

    @Test func `two lookups of one shell at once take nothing for an edit`() async throws {
        let parcel = try await store.lookup(Parcel.self, identifier: "p").value
        let shell = try #require(parcel.owner.value)
        expect(shell.loadState, equals: .incomplete)
        let found = Found()
        Owner.meeting.set { [store] in
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                found.set(try? store.lookup(Owner.self, identifier: "o").wait())
                done.signal()
            }
            done.wait()
        }
        let owner = try await store.lookup(Owner.self, identifier: "o").value
        expect(owner === shell)
        expect(found.owner === shell)
        expect(owner.loadState, equals: .loaded)
        expect(owner.age.loadState, equals: .loaded)
        expect(owner.name.value, equals: "Ada")
        expect(owner.note.value, equals: "n")
        expect(owner.box.value?.size.value, equals: 1)
        let update: Promise = store.update(owner)
        expect(store.held.count, equals: 0, "nothing is to be written")
        store.held.release()
        _ = try await update.value
        owner.name.value = "Eve"
        let other: Promise = store.update(owner)
        expect(store.held.count, equals: 1)
        store.held.release()
        _ = try await other.value
    }

    @Test func `what an observer edits in a model that a shell is given is written`() async throws {
        let parcel = try await store.lookup(Parcel.self, identifier: "p").value
        let shell = try #require(parcel.owner.value)
        shell.box.observe { box in box?.size.value = 9 }
        let owner = try await store.lookup(Owner.self, identifier: "o").value
        expect(owner === shell)
        expect(owner.box.value?.size.value, equals: 9)
        let update: Promise = store.update(owner)
        try #require(store.held.count == 1)
        store.held.release()
        _ = try await update.value
        let record = try await store.held.record("o", of: Owner.schema).value
        expect(record?.values["box"], equals: ["size": 9])
    }

    // Safe: the owner is guarded by the lock.
    final class Found: @unchecked Sendable {
        private let lock = Lock()
        private var found: Owner?

        var owner: Owner? { lock.withLock { found } }
        func set(_ owner: Owner?) { lock.withLock { found = owner } }
    }

    @Test func `without waiting, a shell is filled too, and one of nothing is nobody`() throws {
        let store = MemoryModelStore()
        _ = try store.records.perform([
            RecordWrite(.create("p", ["owner": "o"]), of: Parcel.schema),
            RecordWrite(.create("q", ["owner": "nobody"]), of: Parcel.schema),
            RecordWrite(.create("o", ["name": "Ada"]), of: Owner.schema),
        ]).wait()
        let found = try #require(try store.lookupImmediately(Parcel.self, identifier: "p"))
        let shell = try #require(found.owner.value)
        expect(shell.loadState, equals: .incomplete)
        let filled = try store.lookupImmediately(Owner.self, identifier: "o")
        expect(filled === shell && filled?.name.value == "Ada")
        let other = try store.lookupImmediately(Parcel.self, identifier: "q")
        expect(other?.owner.value?.id.value, equals: "nobody")
        try expect(store.lookupImmediately(Owner.self, identifier: "nobody"), equals: nil)
    }
}
