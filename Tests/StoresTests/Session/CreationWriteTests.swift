import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Parcel: Model {
    let id = Field<String>()
    let weight = Field<Double>()
    let label = Field<String>(key: ["sticker", "text"])
    let remark = Field<String>()
    let parts = ModelField<Part>()*
}

private final class Part: Model {
    let name = Field<String>()
}

/// Makes nothing of writes but to keep them.
// Safe: the list is guarded by the lock.
private final class KeptWrites: RecordStore, @unchecked Sendable {
    private let lock = Lock()
    private var writes: [RecordWrite] = []

    var all: [RecordWrite] { lock.withLock { writes } }

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        lock.withLock { self.writes += writes }
        return .value(writes.map { _ in RecordReceipt(identifier: "p", revision: 1) })
    }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> { .value([]) }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        .value(nil)
    }
}

private struct KeepingStore: RecordModelStore {
    let kept = KeptWrites()
    let session = StoreSession()

    var records: any RecordStore { kept }
}

/// Keeps what an import writes, without making anything of it.
private final class ImportedWrites: WaitingRecords {
    let writes = Guarded<[RecordWrite]>([])

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { .value([]) }
    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> { .value([]) }
    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        .value(nil)
    }

    func transaction<Result: Sendable>(
        fedBy feed: TransactionFeed,
        adding schemas: [ModelSchema],
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        let (promise, resolver) = Promise<Result>.withResolvers()
        Thread.detachNewThread { [self] in
            resolver.resolve(Swift.Result { try body(Transaction(store: self)) })
        }
        return promise
    }

    private final class Transaction: RecordTransaction {
        let store: ImportedWrites

        init(store: ImportedWrites) { self.store = store }

        func perform(_ writes: [RecordWrite]) throws(StoreError) -> [RecordReceipt] {
            store.writes.withLock { $0 += writes }
            return []
        }

        func fetch(_ query: RecordQuery, of schema: ModelSchema) throws(StoreError) -> [Record] {
            []
        }

        func record(_ identifier: Identifier, of schema: ModelSchema) throws(StoreError) -> Record?
        {
            nil
        }

        func savepoint<Result>(_ body: () throws -> Result) throws -> Result { try body() }
    }
}

private struct ImportedStore: RecordModelStore {
    let imported = ImportedWrites()
    let session = StoreSession()

    var records: any RecordStore { imported }
}

@Suite struct CreationWriteTests {
    @Test func `what an import writes has the models in it, of which a store has JSON`()
        async throws
    {
        let store = ImportedStore()
        let json = #"[{"id": "p", "parts": [{"name": "lid"}, {"name": null}]}]"#
        try await store.importModels(Parcel.stream(json: Data(json.utf8)))
        let write = try #require(store.imported.writes.withLock { $0.first })
        expect(write.texts, equals: [4: #"[{"name":"lid"},{"name":null}]"#])
        guard case .create(let identifier, let values) = write.action else {
            Issue.record("\(write.action)")
            return
        }
        expect(identifier, equals: "p")
        expect(values["parts"], equals: [["name": "lid"], ["name": .null]])
    }

    @Test(arguments: [false, true])
    func `a new model is written with null where it was set to nil, without what was never set`(
        _ isSaved: Bool
    ) async throws {
        let (store, parcel, part) = (KeepingStore(), Parcel(), Part())
        if isSaved { parcel.id.value = nil } else { parcel.id.value = "p" }
        parcel.label.value = "fragile"
        parcel.remark.value = nil
        part.name.value = "lid"
        parcel.parts.value = [part]
        _ = try await (isSaved ? store.save(parcel) : store.create(parcel)).value
        let write = try #require(store.kept.all.first)
        guard case .create(let identifier, var values) = write.action else {
            Issue.record("\(write.action)")
            return
        }
        expect(isSaved || identifier == "p")
        expect(values.removeValue(forKey: "id"), equals: (isSaved ? .null : "p"))
        expect(
            values,
            equals: [
                ["sticker", "text"]: "fragile", "remark": .null, "parts": [["name": "lid"]],
            ]
        )
        expect(parcel.identifier, equals: "p")
        // Nothing was edited since.
        _ = try await store.update(parcel).value
        expect(store.kept.all.count, equals: 1)
    }
}
