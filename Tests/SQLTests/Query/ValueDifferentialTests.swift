import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ModelKitTesting
import ScriptSupport
import TestSupport
import Testing

@Suite struct ValueDifferentialTests {
    /// All of them with `MODELKIT_QUERIES=20000`.
    private static let queries =
        ProcessInfo.processInfo.environment["MODELKIT_QUERIES"].flatMap { Int($0) } ?? 600

    @Test func `every store answers random queries as a naive one does, page by page`()
        async throws
    {
        let seed =
            ProcessInfo.processInfo.environment["MODELKIT_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 0 ... .max)
        var chance = OfferChance(seed: seed)
        let directory = try TemporaryDirectory()
        let stores: [any RecordStore] = [
            MemoryRecordStore(),
            try ArchiveModelStore(directory: directory.file("archive")).records,
            try SQLiteModelStore(path: directory.file("values.db")).records,
        ]
        let accounts = OfferChance.accounts.dropLast().map { ($0, chance.values(of: Purse.schema)) }
        let rows = (0..<60).map { index in
            (
                chance.pick(["", "", "9-", "10-"] + OfferChance.texts) + "-\(index)",
                chance.values(of: Offer.schema)
            )
        }
        for store in stores {
            _ = try await store.perform(
                accounts.map { RecordWrite(.create(.string($0), $1), of: Purse.schema) }
            )
            .value
            for schema in [Offer.schema, IndexedOffer.schema] {
                _ = try await store.perform(
                    rows.map { RecordWrite(.create(.string($0), $1), of: schema) }
                )
                .value
            }
        }
        let naive = NaiveQuery(
            accounts: Dictionary(uniqueKeysWithValues: accounts.map { (Array($0.utf8), $1) })
        )
        let known = rows.map { id, values in
            (id, values.merging(["id": .string(id)]) { $1 })
        }
        var (found, pages) = (0, 0)
        for number in 0..<Self.queries {
            let query = chance.query()
            let expected = naive.answer(query, from: known)
            for store in stores {
                for schema in [Offer.schema, IndexedOffer.schema] {
                    let answer = try await names(query, store, schema)
                    guard answer == expected else {
                        Issue.record(
                            """
                            seed \(seed), query \(number): \(query) of \(schema.name) in \
                            \(type(of: store)) is \(answer), not \(expected)
                            """
                        )
                        return
                    }
                    found += answer.count
                    guard number % 5 == 0, query.limit == nil else { continue }
                    let walked = try await walk(query, chance.pick([1, 2, 7, 20]), store, schema)
                    guard walked.names == expected else {
                        Issue.record(
                            """
                            seed \(seed), query \(number): pages of \(query) of \(schema.name) in \
                            \(type(of: store)) are \(walked.names), not \(expected)
                            """
                        )
                        return
                    }
                    pages += walked.pages
                }
            }
        }
        print("seed \(seed): \(Self.queries) queries, \(found) records, \(pages) pages alike")
        expect(found > Self.queries && pages > Self.queries)
    }

    private func names(
        _ query: RecordQuery,
        _ store: any RecordStore,
        _ schema: ModelSchema
    ) async throws -> [String] {
        try await store.fetch(query, of: schema).value.map { "\($0.identifier)" }
    }

    /// The pages, each after the text of the cursor before.
    private func walk(
        _ query: RecordQuery,
        _ size: Int,
        _ store: any RecordStore,
        _ schema: ModelSchema
    ) async throws -> (names: [String], pages: Int) {
        var query = query
        query.limit = size
        var (names, pages) = ([String](), 0)
        while pages < 100 {
            let page = try await store.fetch(query, of: schema).value
            names += page.map { "\($0.identifier)" }
            pages += 1
            guard let last = page.last else { break }
            let cursor = PageCursor(after: last, in: query, of: schema)
            let next = try #require(PageCursor(cursor.description))
            query.after = next
        }
        return (names, pages)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `what is no finite number is stored nowhere`(number: Double) async throws {
        let stores: [any RecordStore] = [
            MemoryRecordStore(), try SQLiteModelStore(path: ":memory:").records,
        ]
        for store in stores {
            let writes = ["weight", "price", "wide"].map { (key: FieldKey) in
                RecordWrite(.create("a", [key: .double(number)]), of: Offer.schema)
            }
            for write in writes {
                let error = await #expect(throws: StoreError.self) {
                    try await store.perform([write]).value
                }
                expect(error?.code == "unsupported" || error?.code == "schema")
            }
            try await expect(store.fetch(RecordQuery(), of: Offer.schema).value.isEmpty)
        }
    }
}
