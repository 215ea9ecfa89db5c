import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

private final class Note: Model {
    let id = Field<String>()
    let title = Field<String>()
    let text = Field<String>()
    let version = Field<Int>()

    convenience init(_ id: String?, title: String) {
        self.init()
        if let id { self.id.value = id }
        self.title.value = title
    }
}

@Suite struct ReceiptRecordTests {
    @Test func `what the store has made of the values arrives in the model`() async throws {
        let store = StampingStore()
        let note = Note("n1", title: "milk")
        _ = try await store.create(note).value
        expect(note.title.value, equals: "MILK")
        expect(note.version.value, equals: 1)
        note.text.value = "2 litres"
        _ = try await store.update(note).value
        expect(note.version.value, equals: 2)
        // It is no edit: there is nothing to send.
        let writes = store.stamping.count
        _ = try await store.update(note).value
        expect(store.stamping.count, equals: writes)
        expect(note.text.loadState, equals: .loaded)
    }

    @Test func `a model has the values of the store before it is notified that it was created`()
        async throws
    {
        final class Created: Model {
            let id = Field<String>()
            let version = Field<Int>()
            let seen = Field<Int>()
            func afterCreate() { seen.value = version.value }
        }
        let model = Created()
        model.id.value = "t1"
        _ = try await StampingStore().create(model).value
        expect(model.seen.value, equals: 1)
    }

    @Test func `fields that were edited since the write was asked for stay, and are sent next`()
        async throws
    {
        let store = StampingStore()
        let note = Note("n1", title: "milk")
        store.stamping.isHeld = true
        let creation: Promise = store.create(note)
        note.title.value = "bread"
        store.stamping.release()
        _ = try await creation.value
        expect(note.title.value, equals: "bread")
        expect(note.version.value, equals: 1)
        store.stamping.isHeld = false
        _ = try await store.update(note).value
        expect(note.title.value, equals: "BREAD")
        let record = try await store.records.record("n1", of: Note.schema).value
        expect(record?.values["title"], equals: "BREAD")
    }

    @Test func `an answer that a later one has overtaken changes nothing`() async throws {
        let store = StampingStore()
        let note = Note("n1", title: "milk")
        _ = try await store.create(note).value
        store.stamping.isHeld = true
        note.text.value = "mine"
        let update: Promise = store.update(note)
        store.stamping.write()
        let theirs: [FieldKey: AttributeValue] = ["title": "THEIRS", "version": 9]
        let write = RecordWrite(.update("n1", theirs, revision: nil), of: Note.schema)
        try store.stamping.memory.apply([write])
        _ = try await store.lookup(Note.self, identifier: "n1").value
        expect(note.version.value, equals: 9)
        store.stamping.answer()
        _ = try await update.value
        expect(note.title.value, equals: "THEIRS")
        expect(note.version.value, equals: 9)
        expect(note.text.value, equals: "mine")
    }

    @Test func `a record that does not fit leaves the write made`() async throws {
        let store = StampingStore()
        store.stamping.stamp = "many"
        let note = Note("n1", title: "milk")
        _ = try await store.create(note).value
        expect(note.title.value, equals: "MILK")
        expect(note.version.value, equals: nil)
    }

    @Test func `who asks and what may be done are errors of their own`() {
        let errors: [StoreError] = [
            .unauthorized("the token has expired"), .forbidden("read only"),
        ]
        expect(errors.map(\.code), equals: ["unauthorized", "forbidden"])
        expect(errors.map(\.description), equals: ["the token has expired", "read only"])
        expect(errors.allSatisfy { $0.outcome == .notApplied && $0.issues.isEmpty })
    }
}

/// A store that writes titles in capitals and counts versions, and answers with what it has written.
private final class StampingStore: RecordModelStore {
    let stamping = StampingRecords()
    let session = StoreSession()

    var records: any RecordStore { stamping }
}

// Safe: the variables are guarded by the lock, or set by one test from one task.
private final class StampingRecords: RecordStore, @unchecked Sendable {
    let memory = MemoryRecordStore()
    var isHeld = false
    var stamp: AttributeValue?

    private let lock = Lock()
    private var writing: [@Sendable () -> Void] = []
    private var answers: [@Sendable () -> Void] = []
    private var writes = 0

    var count: Int { lock.withLock { writes } }

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        lock.withLock { self.writes += writes.count }
        let (promise, resolver) = Promise<[RecordReceipt]>.withResolvers()
        let write = { @Sendable [self] in
            let result = Result<[RecordReceipt], any Error> { try writes.map(make) }
            lock.withLock { answers.append { resolver.resolve(result) } }
        }
        lock.withLock { writing.append(write) }
        if !isHeld { release() }
        return promise
    }

    /// Makes the writes that wait, without answering.
    func write() {
        for write in lock.withLock({ take(&writing) }) { write() }
    }

    /// Answers for the writes that were made.
    func answer() {
        for answer in lock.withLock({ take(&answers) }) { answer() }
    }

    func release() {
        write()
        answer()
    }

    private func take(_ list: inout [@Sendable () -> Void]) -> [@Sendable () -> Void] {
        defer { list = [] }
        return list
    }

    private func make(_ write: RecordWrite) throws -> RecordReceipt {
        let receipt = try memory.apply([stamped(write)])[0]
        guard var record = try memory.record(receipt.identifier, of: write.schema).result?.get()
        else { return receipt }
        if let stamp { record.values["version"] = stamp }
        return RecordReceipt(
            identifier: receipt.identifier,
            revision: receipt.revision,
            record: record,
            isNew: receipt.isNew
        )
    }

    private func stamped(_ write: RecordWrite) throws -> RecordWrite {
        func stamped(
            _ values: [FieldKey: AttributeValue],
            _ version: Int64
        ) -> [FieldKey: AttributeValue] {
            var values = values
            values["version"] = .int(version)
            if case .string(let title)? = values["title"] {
                values["title"] = .string(title.uppercased())
            }
            return values
        }
        switch write.action {
        case .create(let identifier, let values):
            return RecordWrite(.create(identifier, stamped(values, 1)), of: write.schema)
        case .update(let identifier, let changes, let revision):
            let known = try memory.record(identifier, of: write.schema).result?.get()?.revision
            let changes = stamped(changes, (known ?? 0) + 1)
            let action = RecordWrite.Action.update(identifier, changes, revision: revision)
            return RecordWrite(action, of: write.schema)
        case .save, .delete: return write
        }
    }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        memory.fetch(query, of: schema)
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        memory.record(identifier, of: schema)
    }
}
