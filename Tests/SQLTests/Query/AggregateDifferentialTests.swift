import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

/// A store of a user's own, which only finds records.
private struct PlainRecords: RecordStore {
    let records: any RecordStore

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { records.perform(writes) }
    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        records.fetch(query, of: schema)
    }
    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        records.record(identifier, of: schema)
    }
}

@Suite struct AggregateDifferentialTests {
    private static let setting = ProcessInfo.processInfo.environment

    @Test func `every store makes the same of random records as a naive one`() async throws {
        let seed =
            Self.setting["MODELKIT_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        let count = Self.setting["MODELKIT_QUERIES"].flatMap { Int($0) } ?? 2_000
        var chance = SaleChance(seed: seed)
        let directory = try TemporaryDirectory()
        let memory = MemoryModelStore().records
        let stores: [any RecordStore] = [
            memory, PlainRecords(records: memory),
            try ArchiveModelStore(directory: directory.file("archive")).records,
            try SQLiteModelStore(path: directory.file("sales.db")).records,
        ]
        let rows = (1...80).map { id in
            chance.values().merging(["id": .int(Int64(id))]) { $1 }
        }
        let shops: [[FieldKey: AttributeValue]] = [
            ["id": 1, "city": "Rome"], ["id": 2, "city": "Oslo"],
        ]
        for store in stores where !(store is PlainRecords) {
            for (rows, schema) in [(rows, Sale.schema), (shops, Shop.schema)] {
                let writes = rows.map { RecordWrite(.create(nil, $0), of: schema) }
                for write in writes { _ = try await store.perform([write]).value }
            }
        }
        var failures = 0
        for number in 0..<count {
            let aggregate = chance.aggregate()
            let query = RecordQuery(filter: aggregate.filter)
            let found = try await memory.fetch(query, of: Sale.schema).value
            let expected = NaiveTotals(aggregate).answer(found)
            for store in stores {
                let answer = await answer(aggregate, store)
                guard NaiveTotals.fits(answer, expected) else {
                    Issue.record(
                        """
                        seed \(seed), number \(number): \(aggregate) where \
                        \(aggregate.filter.map { "\($0)" } ?? "all") in \(type(of: store)) is \
                        \(String(describing: answer)), not \(String(describing: expected))
                        """
                    )
                    return
                }
            }
            if expected == nil { failures += 1 }
        }
        print("seed \(seed): \(count) aggregates alike, \(failures) of them out of range")
        expect(failures > count / 100 && failures < count / 3)
    }

    /// Nil of one that is out of range.
    private func answer(_ aggregate: RecordAggregate, _ store: any RecordStore) async -> NaiveTotals
        .Answer?
    {
        do {
            let totals = try await store.totals(aggregate, of: Sale.schema).value
            if aggregate.groupKey == nil { return [.null: try totals.value()] }
            return try totals.valuesByGroup()
        } catch {
            expect((error as? StoreError)?.code == "unsupported", "\(error)")
            return nil
        }
    }
}
