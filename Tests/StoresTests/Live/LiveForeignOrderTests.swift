import ModelKitFields
import ModelKitModels
import ModelKitPromises
import ModelKitStores
import TestSupport
import Testing

private final class Name: Model {
    let id = Field<Int>()
    let name = Field<String>()

    convenience init(_ id: Int, _ name: String) {
        self.init()
        (self.id.value, self.name.value) = (id, name)
    }
}

/// Records in an order that only their store knows, as a server may have: capitals beside small letters.
private struct CaselessOrder: RecordStore {
    let base: any RecordStore

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { base.perform(writes) }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        var all = query
        all.limit = nil
        return base.fetch(all, of: schema).map { records in
            let sorted = records.sorted { Self.name(of: $0) < Self.name(of: $1) }
            return query.limit.map { Array(sorted.prefix($0)) } ?? sorted
        }
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        base.record(identifier, of: schema)
    }

    func observeChanges(
        _ handler: @escaping @Sendable (RecordChanges) -> Void
    ) -> RecordObservation? {
        base.observeChanges(handler)
    }

    private static func name(of record: Record) -> String {
        guard case .string(let name)? = record["name"] else { return "" }
        return name.lowercased()
    }
}

private final class CaselessStore: RecordModelStore {
    let records: any RecordStore
    let session = StoreSession()

    init(_ base: MemoryModelStore) { records = CaselessOrder(base: base.records) }
}

@Suite struct LiveForeignOrderTests {
    @Test(arguments: [59..<72, 80..<100, 60..<110, 75..<80, 0..<10, 190..<210])
    func `a window moves over rows in an order that only the store knows`(
        window: Range<Int>
    ) async throws {
        let store = CaselessStore(MemoryModelStore())
        let names = (0..<200).map { Name($0, ($0 % 2 == 0 ? "N" : "n") + String(1_000 + $0)) }
        _ = try await store.create(names).value
        let live = store.observe(Name.self, orderBy: .ascending(\.name), window: 70..<93)
        let results = live.makeAsyncIterator()
        let first = try #require(try await results.next())
        var mirror = Array(first.models)
        expect(mirror.map(\.id.value), equals: Array(70..<93))
        live.show(window)
        let next = try #require(try await results.next())
        for edit in next.edits { try edit.apply(to: &mirror) }
        expect(mirror.map(\.id.value), equals: Array(window.clamped(to: 0..<200)))
        expect(next.models.map(\.id.value), equals: mirror.map(\.id.value))
    }
}
