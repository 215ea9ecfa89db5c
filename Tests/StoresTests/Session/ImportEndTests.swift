import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Page: Model {
    let id = Field<Int>()
    let text = Field<String>()

    convenience init(_ text: String) {
        self.init()
        self.text.value = text
    }
}

/// Records in memory that do something at the end of a transaction, when nothing of it can be taken back.
private final class EndingRecords: RecordStore {
    let memory = MemoryRecordStore()
    let end = Guarded<(@Sendable () -> Void)?>(nil)

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { memory.perform(writes) }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        memory.fetch(query, of: schema)
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        memory.record(identifier, of: schema)
    }

    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        memory.transaction { [self] transaction in
            let result = try body(transaction)
            end.withLock { $0 }?()
            return result
        }
    }
}

private struct EndingStore: RecordModelStore {
    let ending = EndingRecords()
    let session = StoreSession()

    var records: any RecordStore { ending }
}

@Suite struct ImportEndTests {
    @Test func `an import that is cancelled while it is committed is there, and says so`()
        async throws
    {
        let store = EndingStore()
        let (pages, continuation) = AsyncStream.makeStream(of: Page.self)
        let task = Task { try await store.importModels(pages).createdCount }
        store.ending.end.withLock { $0 = { task.cancel() } }
        for text in ["a", "b", "c"] { continuation.yield(Page(text)) }
        continuation.finish()
        let count = try await task.value
        expect(count, equals: 3)
        let stored = try await store.count(Page.self)
        expect(stored, equals: 3)
    }

    @Test func `an import that is cancelled before leaves nothing`() async throws {
        let store = EndingStore()
        let (pages, continuation) = AsyncStream.makeStream(of: Page.self)
        let task = Task { try await store.importModels(pages).createdCount }
        for text in ["a", "b"] { continuation.yield(Page(text)) }
        task.cancel()
        continuation.finish()
        await #expect(throws: CancellationError.self) { try await task.value }
        let stored = try await store.count(Page.self)
        expect(stored, equals: 0)
    }
}
