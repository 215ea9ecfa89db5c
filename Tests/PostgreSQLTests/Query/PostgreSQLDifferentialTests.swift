import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLDifferentialTests {
    private static let setting = ProcessInfo.processInfo.environment
    private static let queries = setting["MODELKIT_QUERIES"].flatMap { Int($0) } ?? 400
    private let seed = setting["MODELKIT_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)

    /// Makes records in memory, and those that it has then in PostgreSQL.
    private func fill(
        _ memory: MemoryRecordStore,
        _ database: QueryDatabase,
        _ rows: [(String, [FieldKey: AttributeValue])],
        of schema: ModelSchema
    ) async throws {
        let writes = rows.map { identifier, values in
            RecordWrite(
                .create(.string(identifier.withoutZeros), values.keepable(of: schema)),
                of: schema
            )
        }
        try await fill(memory, database, writes, of: schema)
    }

    private func fill(
        _ memory: MemoryRecordStore,
        _ database: QueryDatabase,
        _ writes: [RecordWrite],
        of schema: ModelSchema
    ) async throws {
        _ = try await memory.perform(writes).value
        try database.insert(await memory.fetch(RecordQuery(), of: schema).value, of: schema)
    }

    @Test func `PostgreSQL and memory answer every query of numbers alike, page by page`()
        async throws
    {
        var chance = OfferChance(seed: seed)
        let (memory, database) = (MemoryRecordStore(), try QueryDatabase())
        let accounts = OfferChance.accounts.dropLast().map { ($0, chance.values(of: Purse.schema)) }
        let rows = (0..<60).map { index in
            (
                chance.pick(["", "", "9-", "10-"] + OfferChance.texts) + "-\(index)",
                chance.values(of: Offer.schema)
            )
        }
        try await fill(memory, database, accounts, of: Purse.schema)
        for schema in [Offer.schema, IndexedOffer.schema] {
            try await fill(memory, database, rows, of: schema)
        }
        var (found, pages) = (0, 0)
        for number in 0..<Self.queries {
            let query = chance.query()
            for schema in [Offer.schema, IndexedOffer.schema] {
                let right = try await memory.fetch(query, of: schema).value
                try compare(database.fetch(query, of: schema), right, query, schema)
                found += right.count
                guard number % 5 == 0, query.limit == nil else { continue }
                pages += try walk(database, query, chance.pick([1, 2, 7, 20]), right, schema)
            }
        }
        print("seed \(seed): \(Self.queries) queries, \(found) records, \(pages) pages alike")
        expect(found > Self.queries && pages > Self.queries / 2)
    }

    @Test func `PostgreSQL and memory answer every query of samples alike`() async throws {
        var chance = SampleChance(seed: seed)
        let (memory, database) = (MemoryRecordStore(), try QueryDatabase())
        let partners = SampleChance.partners.dropLast().map { identifier in
            let values = chance.partnerValues().map { (FieldKey($0), $1) }
            return (identifier, [FieldKey: AttributeValue](values) { $1 })
        }
        try await fill(memory, database, partners, of: Partner.schema)
        try await fill(memory, database, SampleChance.tickets, of: Ticket.schema)
        let rows = (0..<80).map { index in
            (
                chance.pick(["0", "0", "0"] + SampleChance.texts) + "\(index % 5)-\(index / 5)",
                chance.values()
            )
        }
        for schema in [Sample.schema, Indexed.schema] {
            try await fill(memory, database, rows, of: schema)
        }
        let all = try await memory.fetch(RecordQuery(), of: Sample.schema).value
        var (found, pages) = (0, 0)
        for number in 0..<Self.queries {
            var query = chance.query()
            let last = chance.pick([nil, nil, all.randomElement(using: &chance)])
            for schema in [Sample.schema, Indexed.schema] {
                query.filter = query.filter?.naming(schema)
                query.after = last.map { PageCursor(after: $0, in: query, of: schema) }
                let right = try await memory.fetch(query, of: schema).value
                try compare(database.fetch(query, of: schema), right, query, schema)
                found += right.count
                guard number % 5 == 0, query.limit == nil else { continue }
                pages += try walk(database, query, chance.pick([1, 2, 5, 20]), right, schema)
            }
        }
        print("seed \(seed): \(Self.queries) queries, \(found) records, \(pages) pages alike")
        expect(found > Self.queries && pages > Self.queries / 4)
    }

    private struct Difference: Error {}

    private func compare(
        _ found: [Record],
        _ right: [Record],
        _ query: RecordQuery,
        _ schema: ModelSchema
    ) throws {
        let isSame = found.map(\.comparable) == right.map(\.comparable)
        expect(
            isSame,
            """
            seed \(seed), \(query) of \(schema.name) is \(found.map(\.identifier)), \
            not \(right.map(\.identifier))
            """
        )
        if !isSame { throw Difference() }
    }

    /// Asks for the pages, each after the text of the cursor before, and gives how many they are.
    private func walk(
        _ database: QueryDatabase,
        _ query: RecordQuery,
        _ size: Int,
        _ right: [Record],
        _ schema: ModelSchema
    ) throws -> Int {
        var query = query
        query.limit = size
        var (found, pages) = ([Record](), 0)
        while pages < 200 {
            let page = try database.fetch(query, of: schema)
            found += page
            pages += 1
            guard let last = page.last else { break }
            let cursor = PageCursor(after: last, in: query, of: schema)
            let next = try #require(PageCursor(cursor.description))
            query.after = next
        }
        try compare(found, right, query, schema)
        return pages
    }

    @Test func `pages without some records at their begin are parts of the whole answer`()
        async throws
    {
        var chance = OfferChance(seed: seed)
        let (memory, database) = (MemoryRecordStore(), try QueryDatabase())
        let rows = (0..<40).map { ("\($0)", chance.values(of: IndexedOffer.schema)) }
        try await fill(memory, database, [] as [RecordWrite], of: Purse.schema)
        try await fill(memory, database, rows, of: IndexedOffer.schema)
        for _ in 0..<Self.queries / 4 {
            var query = chance.query()
            query.limit = nil
            let all = try await memory.fetch(query, of: IndexedOffer.schema).value
            query.offset = chance.pick([0, 1, 5, 39, 100, .max])
            query.limit = chance.pick([nil, 1, 10, .max])
            let right = all.dropFirst(query.offset).prefix(query.limit ?? .max)
            let found = try database.fetch(query, of: IndexedOffer.schema)
            try compare(found, Array(right), query, IndexedOffer.schema)
        }
    }

    @Test func `PostgreSQL makes the same of random records as a naive one`() async throws {
        var chance = SaleChance(seed: seed)
        let (memory, database) = (MemoryRecordStore(), try QueryDatabase())
        let rows = (1...80).map { id in
            chance.values().merging(["id": .int(id)]) { $1 }.keepable(of: Sale.schema)
        }
        let shops: [[FieldKey: AttributeValue]] = [
            ["id": 1, "city": "Rome"], ["id": 2, "city": "Oslo"],
        ]
        for (rows, schema) in [(rows, Sale.schema), (shops, Shop.schema)] {
            _ = try await memory.perform(rows.map { RecordWrite(.create(nil, $0), of: schema) })
                .value
            try database.insert(await memory.fetch(RecordQuery(), of: schema).value, of: schema)
        }
        var failures = 0
        for number in 0..<Self.queries * 3 {
            let aggregate = chance.aggregate()
            let query = RecordQuery(filter: aggregate.filter)
            let found = try await memory.fetch(query, of: Sale.schema).value
            let expected = NaiveTotals(aggregate).answer(found)
            let totals = try database.totals(aggregate, of: Sale.schema)
            let answer = try Self.answer(totals, isGrouped: aggregate.groupKey != nil)
            if answer == nil { failures += 1 }
            let isFitting = NaiveTotals.fits(answer, expected)
            expect(
                isFitting,
                """
                seed \(seed), number \(number): \(aggregate) where \
                \(aggregate.filter.map { "\($0)" } ?? "all") is \(String(describing: answer)), \
                not \(String(describing: expected))
                """
            )
            if !isFitting { return }
        }
        print("seed \(seed): \(Self.queries * 3) aggregates alike, \(failures) out of range")
        expect(failures > 0 && failures < Self.queries)
    }

    @Test func `the least and the greatest of every kind are those of memory, by every kind`()
        async throws
    {
        var chance = SampleChance(seed: seed)
        let (memory, database) = (MemoryRecordStore(), try QueryDatabase())
        try await fill(memory, database, [] as [RecordWrite], of: Partner.schema)
        let rows = (0..<40).map { ("\($0)", chance.values()) }
        for schema in [Sample.schema, Indexed.schema] {
            try await fill(memory, database, rows, of: schema)
            // Dates inside of others are not rounded in memory, and any two arrays are alike.
            let fields = schema.fields.filter { entry in
                entry.kind != .array && entry.kind != .dictionary && entry.key != "anything"
            }
            let groups = [nil] + fields.map { Optional($0.key) }
            for entry in fields {
                for function in [RecordAggregate.Function.minimum(entry.key), .maximum(entry.key)] {
                    for group in groups {
                        let aggregate = RecordAggregate(function, by: group)
                        let right = try await memory.totals(aggregate, of: schema).value
                        let found = try database.totals(aggregate, of: schema)
                        let isSame =
                            try group == nil
                            ? found.value() == right.value()
                            : found.valuesByGroup() == right.valuesByGroup()
                        expect(isSame, "seed \(seed): \(aggregate) of \(schema.name)")
                    }
                }
            }
        }
    }

    /// Nil of what is out of range.
    private static func answer(
        _ totals: RecordTotals,
        isGrouped: Bool
    ) throws -> NaiveTotals.Answer? {
        do {
            if isGrouped { return try totals.valuesByGroup() }
            return [.null: try totals.value()]
        } catch StoreError.unsupported {
            return nil
        }
    }
}
