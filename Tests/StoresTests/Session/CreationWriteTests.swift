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

@Suite struct CreationWriteTests {
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
