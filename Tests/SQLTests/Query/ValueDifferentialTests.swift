import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

/// Values and queries by chance, from few values, so that they meet.
extension SplitMix {
    fileprivate static let decimals = [
        "0", "1", "-1", "1.5", "-1.5", "-1.55", "0.1", "-0.1", "0.10000000000000001", "2", "9",
        "10",
        "-9", "-10", "100", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "-9223372036854775809", "100000000000000000000", "12345678901234567890123456789012345678",
        "-0.000000000000000000000000000001",
    ]
    fileprivate static let wides: [UInt64] = [
        0, 1, 2, 9, 10, 9_007_199_254_740_993, UInt64(Int64.max), UInt64(Int64.max) + 1,
        9_999_999_999_999_999_999, 10_000_000_000_000_000_000, .max,
    ]
    fileprivate static let ints: [Int64] = [
        .min, -10, -1, 0, 1, 2, 9, 10, 9_007_199_254_740_992, 9_007_199_254_740_993, .max,
    ]
    fileprivate static let doubles: [Double] = [
        -0x1p63, -1.5, -1, -0.5, -0.0, 0, 0.1, 0.5, 1, 1.5, 2, 10, 9_007_199_254_740_992, 0x1p63,
        0x1p64, 1e19, 1e20, 5e300, .leastNonzeroMagnitude, -.greatestFiniteMagnitude,
    ]
    fileprivate static let texts = [
        "", "A", "a", "Ab", "A\u{0}", "A\u{0}b", "\u{e9}", "e\u{301}", "😀", "\u{ffff}", "1",
        "10", "9", "1.5", "%", "it's",
    ]
    fileprivate static let blobs = [[], [0], [0, 1], [1], [0xFF]].map { Data($0 as [UInt8]) }
    fileprivate static let dates = [0, 0.000_001, -0.000_001, -978_307_200, 800_000_000.5]
        .map { Date(timeIntervalSinceReferenceDate: $0) }
    fileprivate static let keys: [FieldKey] = [
        "id", "price", "price", "price", "wide", "wide", "level", "count", "weight", "flag", "text",
        "blob", "date", "colour", "account",
    ]
    fileprivate static let accounts = ["P", "p", "A\u{0}", "\u{e9}", "e\u{301}", "nobody"]

    fileprivate mutating func wide() -> AttributeValue { pick(Self.wides).attributeValue }

    fileprivate mutating func value(_ name: String) -> AttributeValue {
        switch name {
        case "price", "balance": .string(pick(Self.decimals))
        case "wide": wide()
        case "level": pick(Level.allCases).attributeValue
        case "count": .int(pick(Self.ints))
        case "weight": .double(pick(Self.doubles))
        case "flag": .bool(pick([true, false]))
        case "blob": .data(pick(Self.blobs))
        case "date": .date(pick(Self.dates))
        case "colour": pick(Colour.allCases).attributeValue
        case "tags": .array((0..<pick([0, 1, 2])).map { _ in .string(pick(Self.texts)) })
        case "prices": .array((0..<pick([0, 1, 2])).map { _ in .string(pick(Self.decimals)) })
        case "account": .string(pick(Self.accounts))
        case "accounts": .array((0..<pick([0, 1, 2])).map { _ in .string(pick(Self.accounts)) })
        case "home": .dictionary(["balance": value("balance"), "wide": pick([.null, wide()])])
        default: .string(pick(Self.texts))
        }
    }

    fileprivate mutating func values(of schema: ModelSchema) -> [FieldKey: AttributeValue] {
        var values: [FieldKey: AttributeValue] = [:]
        for entry in schema.fields where entry.name != "id" {
            switch Int.random(in: 0..<6, using: &self) {
            case 0: continue
            case 1: values[entry.key] = .null
            default: values[entry.key] = value(entry.name)
            }
        }
        return values
    }

    /// Mostly of the kind of the key's values.
    fileprivate mutating func operand(_ key: FieldKey) -> AttributeValue {
        switch Int.random(in: 0..<12, using: &self) {
        case 0: .null
        case 1: .double(pick([.nan, .infinity, -.infinity] + Self.doubles))
        case 2: .int(pick(Self.ints))
        case 3: .string(pick(Self.texts + Self.decimals + ["1.50", "-0", "007", "1e5", "1."]))
        case 4: value(pick(["flag", "blob", "date", "text", "wide"]))
        default: value(key.names[0])
        }
    }

    fileprivate mutating func comparison() -> RecordFilter.Comparison {
        pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
    }

    fileprivate mutating func ofAccount() -> RecordFilter {
        let key: FieldKey = pick(["balance", "balance", "wide", "name"])
        return pick([.compare(key, comparison(), operand(key)), .isNull(key)])
    }

    fileprivate mutating func filter(depth: Int) -> RecordFilter {
        let key = pick(Self.keys)
        switch Int.random(in: 0..<(depth > 0 ? 17 : 12), using: &self) {
        case 0...4: return .compare(key, comparison(), operand(key))
        case 5: return .isNull(key)
        case 6: return .isIn(key, (0..<pick([0, 1, 2, 5, 12])).map { _ in operand(key) })
        case 7:
            return pick([
                .contains("tags", .string(pick(Self.texts))),
                .contains("prices", .string(pick(Self.decimals))),
                .contains("accounts", .string(pick(Self.accounts))),
                .or((0..<3).map { _ in .contains("accounts", .string(pick(Self.accounts))) }),
            ])
        case 8:
            let (key, part) = (pick(["text", "text", key]), pick(Self.texts))
            return pick([.hasPrefix(key, part), .hasSuffix(key, part), .hasSubstring(key, part)])
        case 9: return .has("account", Purse.schema, ofAccount())
        case 10: return .has("home", Purse.schema, ofAccount())
        case 11: return .hasAny("accounts", Purse.schema, ofAccount())
        case 12, 13: return .not(filter(depth: depth - 1))
        case 14, 15:
            return .and((0..<pick([0, 1, 2, 3])).map { _ in filter(depth: depth - 1) })
        default: return .or((0..<pick([0, 1, 2, 3])).map { _ in filter(depth: depth - 1) })
        }
    }

    fileprivate mutating func query() -> RecordQuery {
        RecordQuery(
            filter: pick([nil, .some(filter(depth: pick([0, 1, 2, 3]))), .some(filter(depth: 1))]),
            order: (0..<pick([0, 1, 1, 2, 3])).map { _ in
                RecordQuery.Order(pick(Self.keys), isDescending: pick([true, false]))
            },
            limit: pick([nil, nil, 0, 1, 3, 1_000])
        )
    }
}

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
        var chance = SplitMix(seed: seed)
        let directory = try TemporaryDirectory()
        let stores: [any RecordStore] = [
            MemoryRecordStore(),
            try ArchiveModelStore(directory: directory.file("archive")).records,
            try SQLiteModelStore(path: directory.file("values.db")).records,
        ]
        let accounts = SplitMix.accounts.dropLast().map { ($0, chance.values(of: Purse.schema)) }
        let rows = (0..<60).map { index in
            (
                chance.pick(["", "", "9-", "10-"] + SplitMix.texts) + "-\(index)",
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
