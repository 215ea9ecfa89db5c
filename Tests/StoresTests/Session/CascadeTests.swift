import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// Deletions of models with others of which a store knows more than they do.
@Suite struct CascadeTests {
    final class Folder: Model {
        let id = Field<String>()
        let name = Field<String>()
        let parent = ModelField<Folder>(foreignKey: true)
        let folders = ModelField<Folder>(foreignKey: true, cascadeDelete: true)*
        let cover = ModelField<Picture>(cascadeDelete: true)
        let log = Log<String>()
        init() { linkFields() }
        func afterDelete() { log.add("deleted") }
    }

    final class Picture: Model {
        let id = Field<String>()
        let title = Field<String>()
    }

    private let store = MemoryModelStore()

    /// a has b and c, b has d, d has e.
    init() throws {
        func folder(_ id: Identifier, _ parent: AttributeValue, _ folders: [AttributeValue])
            -> RecordWrite
        {
            RecordWrite(
                .create(id, ["parent": parent, "folders": .array(folders), "name": "n"]),
                of: Folder.schema
            )
        }
        _ = try store.records.perform([
            folder("a", .null, ["b", "c", "gone"]), folder("b", "a", ["d"]), folder("c", "a", []),
            folder("d", "b", ["e"]), folder("e", "d", []), folder("x", .null, []),
        ]).wait()
    }

    private func left() async throws -> [AttributeValue] {
        try await store.records.fetch(RecordQuery(), of: Folder.schema).value
            .map(\.identifier.attributeValue)
    }

    @Test func `a hook cannot block for a deletion that comes after its own write`() async throws {
        final class Bell: Model {
            @TaskLocal static var ring: (@Sendable () throws -> Void)?
            let id = Field<String>()
            let failures = Log<String>()
            func afterCreate() {
                do { try Self.ring?() } catch { failures.add("\(error)") }
            }
        }
        let folder = try await store.lookup(Folder.self, identifier: "d").value
        let deletion = Log<Promise<Folder>>()
        let bell = Bell()
        bell.id.value = "1"
        try await Bell.$ring.withValue({ [store] in
            deletion.add(store.delete(folder))
            _ = try deletion.entries[0].wait(timeout: .seconds(60))
        }) {
            _ = try await store.create(bell).value
        }
        expect(bell.failures.entries, equals: [PromiseError.waitInHandler.description])
        _ = try await deletion.entries[0].value
        try await expect(left(), equals: ["a", "b", "c", "x"])
    }

    @Test func `what is only a foreign key is deleted, and what goes with it`() async throws {
        let folder = try await store.lookup(Folder.self, identifier: "a").value
        let shells = try #require(folder.folders.value)
        expect(shells.allSatisfy { $0.loadState == .incomplete })
        _ = try await store.delete(folder).value
        try await expect(left(), equals: ["x"])
        expect(shells.map(\.log.entries), equals: [["deleted"], ["deleted"], []])
        // Nothing stands for them any more.
        try expect(store.lookupImmediately(Folder.self, identifier: "b"), equals: nil)
        _ = try await store.create(shells[0]).value
        try await expect(left(), equals: ["x", "b"])
    }

    @Test func `so it is where the deleted model itself is only a foreign key`() async throws {
        let folder = try await store.lookup(Folder.self, identifier: "c").value
        let shell = try #require(folder.parent.value)
        expect(shell.loadState, equals: .incomplete)
        _ = try await store.delete(shell).value
        try await expect(left(), equals: ["x"])
    }

    @Test func `so it is in a transaction, and all is there if it throws`() async throws {
        struct Failure: Error {}
        let folder = try await store.lookup(Folder.self, identifier: "b").value
        await #expect(throws: Failure.self) {
            try await store.transaction { transaction in
                try transaction.delete(folder)
                try expect(transaction.list(Folder.self).map(\.id.value), equals: ["a", "c", "x"])
                throw Failure()
            }.value
        }
        try await expect(left(), equals: ["a", "b", "c", "d", "e", "x"])
        try await store.transaction { try $0.delete(folder) }.value
        try await expect(left(), equals: ["a", "c", "x"])
        try expect(store.lookupImmediately(Folder.self, identifier: "e"), equals: nil)
    }

    @Test func `models of another store's session are looked for by their identifiers`()
        async throws
    {
        let (folder, inner) = (Folder(), Folder())
        (folder.id.value, inner.id.value) = ("y", "z")
        folder.folders.value = [inner]
        _ = try await MemoryModelStore().create([folder, inner]).value
        // Kept in the folder itself, so that nobody looks for it.
        let picture = Picture()
        picture.id.value = "p"
        folder.cover.value = picture
        _ = try await store.records.perform([
            RecordWrite(.create("y", ["folders": ["z"]]), of: Folder.schema),
            RecordWrite(.create("z", [:]), of: Folder.schema),
            RecordWrite(.create("p", ["title": "other"]), of: Picture.schema),
        ]).value
        _ = try await store.delete(folder).value
        try await expect(left(), equals: ["a", "b", "c", "d", "e", "x"])
        try await expect(store.list(Picture.self).value.count, equals: 1)
        folder.unlink()
    }

    @Test func `what goes with several is deleted once`() async throws {
        let b = try await store.lookup(Folder.self, identifier: "b").value
        let a = try await store.lookup(Folder.self, identifier: "a").value
        let x = try await store.lookup(Folder.self, identifier: "x").value
        _ = try await store.delete([b, x, a]).value
        try await expect(left(), equals: [])
    }

    @Test(arguments: [false, true])
    func `so it is where other objects stand for that`(_ inTransaction: Bool) async throws {
        let a = try await store.lookup(Folder.self, identifier: "a").value
        let other = Folder()
        other.id.value = "d"
        let writes: [ModelWrite] = [.delete(other), .delete(a)]
        if inTransaction {
            try await store.transaction { try $0.perform(writes) }.value
        } else {
            try await store.perform(writes).value
        }
        try await expect(left(), equals: ["x"])
    }

    @Test(arguments: ["b", "d", "e"])
    func `what goes with a deleted model is not written beside it`(_ id: String) async throws {
        let a = try await store.lookup(Folder.self, identifier: "a").value
        let inner = try await store.lookup(Folder.self, identifier: id).value
        inner.name.value = "new"
        await #expect {
            try await store.perform([.update(inner), .delete(a)]).value
        } throws: { error in
            (error as? StoreError)?.code == "unsupported"
        }
        try await expect(left(), equals: ["a", "b", "c", "d", "e", "x"])
        _ = try await store.update(inner).value
        _ = try await store.delete(a).value
        try await expect(left(), equals: ["x"])
    }

    /// A store in memory whose reads wait.
    private final class Slow: RecordModelStore {
        let records: any RecordStore
        let session = StoreSession(events: nil, ordersReads: true)

        init(_ records: any RecordStore) { self.records = records }
    }

    // Safe: the variable is guarded by the lock.
    private final class SlowRecords: RecordStore, @unchecked Sendable {
        let memory: any RecordStore
        private let lock = Lock()
        private var gate = Promise<Void>.value(())

        init(_ memory: any RecordStore) { self.memory = memory }

        func hold(until gate: Promise<Void>) { lock.withLock { self.gate = gate } }

        func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
            memory.perform(writes)
        }

        func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
            memory.fetch(query, of: schema)
        }

        func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
            lock.withLock { gate }.then { [memory] in memory.record(identifier, of: schema) }
        }
    }

    @Test func `a deletion that is cancelled while it reads deletes nothing`() async throws {
        let records = SlowRecords(store.records)
        let slow = Slow(records)
        let folder = try await slow.lookup(Folder.self, identifier: "a").value
        let (gate, resolver) = Promise<Void>.withResolvers()
        records.hold(until: gate)
        let deletion: Promise = slow.delete(folder)
        expect(!deletion.isSettled)
        deletion.cancel()
        resolver.fulfill()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await deletion.value }
        try await expect(left(), equals: ["a", "b", "c", "d", "e", "x"])
        _ = try await slow.delete(folder).value
        try await expect(left(), equals: ["x"])
    }

    @Test func `a deletion that reads is made before what is asked for later`() async throws {
        let records = SlowRecords(store.records)
        let slow = Slow(records)
        let folder = try await slow.lookup(Folder.self, identifier: "c").value
        let shell = try #require(folder.parent.value)
        let (gate, resolver) = Promise<Void>.withResolvers()
        records.hold(until: gate)
        let deletion: Promise = slow.delete(shell)
        let new = Folder()
        new.id.value = "a"
        let save: Promise = slow.save(new, onConflict: .replace)
        expect(!save.isSettled)
        resolver.fulfill()
        _ = try await deletion.value
        _ = try await save.value
        try await expect(left(), equals: ["x", "a"])
    }

    @Test(arguments: [false, true])
    func `reads wait for a deletion that reads until the store is asked for it, or it is cancelled`(
        _ isCancelled: Bool
    ) async throws {
        let records = SlowRecords(store.records)
        let slow = Slow(records)
        let folder = try await slow.lookup(Folder.self, identifier: "a").value
        let (gate, resolver) = Promise<Void>.withResolvers()
        records.hold(until: gate)
        let deletion: Promise = slow.delete(folder)
        let list: Promise = slow.list(Folder.self)
        expect(!list.isSettled)
        if isCancelled { deletion.cancel() } else { resolver.fulfill() }
        try await expect(list.value.count, equals: (isCancelled ? 6 : 1))
        _ = try? await deletion.value
        resolver.fulfill()
    }

    @Test func `what is found is deleted after its writes that are under way`() async throws {
        let held = HeldStore()
        // Which do not say what they are in.
        try held.held.memory.apply([
            RecordWrite(.create("a", ["folders": ["b"]]), of: Folder.schema),
            RecordWrite(.create("b", ["folders": ["d"]]), of: Folder.schema),
            RecordWrite(.create("d", ["name": "old"]), of: Folder.schema),
        ])
        let a = try await held.lookup(Folder.self, identifier: "a").value
        let d = try await held.lookup(Folder.self, identifier: "d").value
        d.name.value = "new"
        let update: Promise = held.update(d), deletion: Promise = held.delete(a)
        held.release()
        held.release()
        _ = try await update.value
        _ = try await deletion.value
        try await expect(held.list(Folder.self).value.isEmpty)
    }

    @Test func `what is to go with a model that is deleted by another write may be there anew`()
        async throws
    {
        let held = HeldStore()
        try held.held.memory.apply([
            RecordWrite(.create("a", ["folders": ["b"]]), of: Folder.schema),
            RecordWrite(.create("b", [:]), of: Folder.schema),
        ])
        let a = try await held.lookup(Folder.self, identifier: "a").value
        let b = try await held.lookup(Folder.self, identifier: "b").value
        let new = Folder()
        new.id.value = "b"
        let deletions: (Promise, Promise) = (held.delete(b), held.delete(a))
        let creation: Promise = held.create(new)
        expect(held.held.count, equals: 1, "all of them wait for the first one")
        for _ in 0..<3 { held.release() }
        _ = try await (deletions.0.value, deletions.1.value, creation.value)
        try await expect(held.list(Folder.self).value, equals: [new])
    }

    @Test func `writes with sessions of their own delete what goes with them, once`() async throws {
        let records = store.records
        var writes: [(write: ModelWrite, session: StoreSession)] = []
        for id in ["a", "b", "x"] as [Identifier] {
            let session = StoreSession()
            let record = try await records.record(id, of: Folder.schema).value
            let model = try session.model(
                of: FoundRecord(schema: Folder.schema, record: #require(record))
            )
            writes.append((.delete(model), session))
        }
        let made = try await records.perform(writes, isBatch: true)
        expect(made, equals: [nil, nil, nil])
        try await expect(left(), equals: [])
    }
}
