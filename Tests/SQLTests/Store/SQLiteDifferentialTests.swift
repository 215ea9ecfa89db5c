import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

private final class Sample: Model {
    let id = Field<String>()
    let flag = Field<Bool>()
    let number = Field<Int>()
    let weight = Field<Double>()
    let text = Field<String>()
    let blob = Field<Data>()
    let date = Field<Date>()
    let list = Field<AttributeValue>()*
    let anything = Field<AttributeValue>()
    let nested = Field<String>(key: ["a", "b"])
    let partner = ModelField<Partner>(foreignKey: true)
    let partners = ModelField<Partner>(foreignKey: true)*
    let home = ModelField<Partner>()
    let boss = ModelField<Sample>(foreignKey: true)
}

/// The same with indexes, also of the elements of `partners`.
private final class Indexed: Model {
    let id = Field<String>()
    let flag = Field<Bool>().indexed()
    let number = Field<Int>().indexed()
    let weight = Field<Double>().indexed()
    let text = Field<String>().indexed()
    let blob = Field<Data>().indexed()
    let date = Field<Date>().indexed()
    let list = Field<AttributeValue>()*
    let anything = Field<AttributeValue>().indexed()
    let nested = Field<String>(key: ["a", "b"]).indexed()
    let partner = ModelField<Partner>(foreignKey: true)
    let partners = ModelField<Partner>(foreignKey: true)*
    let home = ModelField<Partner>()
    let boss = ModelField<Indexed>(foreignKey: true)

    init() { linkFields() }
}

private final class Partner: Model {
    let id = Field<String>()
    let text = Field<String>()
    let number = Field<Int>().indexed()
    let partner = ModelField<Partner>(foreignKey: true)
    let indexed = ModelField<Indexed>(inverse: \.partners)*

    init() { linkFields() }
}

/// Records and queries by chance, from few values, so that they meet.
extension SplitMix {
    fileprivate static let ints: [Int64] = [
        .min, -1, 0, 1, 2, 9_007_199_254_740_992, 9_007_199_254_740_993, .max,
    ]
    fileprivate static let doubles: [Double] = [
        -0x1p63, -1, -0.5, -0.0, 0, 0.1, 0.5, 1, 2, 9_007_199_254_740_992, 0x1p63, 5e300,
        .leastNonzeroMagnitude,
    ]
    fileprivate static let texts = [
        "", "A", "a", "Ab", "A\u{0}", "A\u{0}b", "\u{e9}", "e\u{301}", "😀", "\u{ffff}", "1",
        "%",
        "it's", "\"", "$date",
    ]
    fileprivate static let blobs = [
        [], [0], [0, 1], [1], [0xFF], [3, 0], [0x80, 0, 0, 0, 0, 0, 0, 0],
    ]
    .map { Data($0 as [UInt8]) }
    fileprivate static let dates = [0, 0.000_001, -0.000_001, -978_307_200, 800_000_000.5, 1e10]
        .map { Date(timeIntervalSinceReferenceDate: $0) }
    fileprivate static let keys: [FieldKey] = [
        "id", "flag", "number", "weight", "text", "blob", "date", "list", "anything", ["a", "b"],
        "partner", "boss",
    ]
    fileprivate static let partners = ["P", "p", "", "A\u{0}", "\u{e9}", "e\u{301}"]

    fileprivate mutating func scalar(_ kind: AttributeKind) -> AttributeValue {
        switch kind {
        case .bool: .bool(pick([true, false]))
        case .int: .int(pick(Self.ints))
        case .double: .double(pick(Self.doubles))
        case .string: .string(pick(Self.texts))
        case .data: .data(pick(Self.blobs))
        case .date: .date(pick(Self.dates))
        default: .null
        }
    }

    fileprivate mutating func value(_ kind: AttributeKind) -> AttributeValue {
        switch kind {
        case .any:
            value(pick([.bool, .int, .double, .string, .data, .date, .array, .dictionary]))
        case .array: .array((0..<pick([0, 1, 2, 3])).map { _ in value(.any) })
        case .dictionary: .dictionary([pick(Self.texts): value(.any), "k": scalar(.date)])
        default: scalar(kind)
        }
    }

    fileprivate mutating func values() -> [FieldKey: AttributeValue] {
        var values: [FieldKey: AttributeValue] = [:]
        for entry in Sample.schema.fields where entry.name != "id" {
            switch (Int.random(in: 0..<6, using: &self), entry.name) {
            case (0, _): continue
            case (1, _): values[entry.key] = .null
            case (2...4, "partner"): values[entry.key] = .string(pick(Self.partners))
            case (_, "partner"): values[entry.key] = scalar(pick([.int, .double, .date]))
            case (_, "boss"): values[entry.key] = .string(pick(["0-0", "0-1", "nobody"]))
            case (_, "partners"):
                values[entry.key] = .array((0..<pick([0, 1, 2, 3])).map { _ in element() })
            case (_, "home"): values[entry.key] = .dictionary(partnerValues())
            default: values[entry.key] = value(entry.kind)
            }
        }
        return values
    }

    /// Mostly an identifier.
    fileprivate mutating func element() -> AttributeValue {
        switch Int.random(in: 0..<8, using: &self) {
        case 0: .int(pick(Self.ints))
        case 1: .double(pick([-1, 0, 1, 0.1, 0x1p63]))
        case 2: pick([true, .null, .dictionary(["a": "P"]), .array(["P"])])
        default: .string(pick(Self.partners))
        }
    }

    fileprivate mutating func partnerValues() -> AttributeDictionary {
        var values: AttributeDictionary = [:]
        if pick([true, false]) { values["text"] = pick([.null, scalar(.string)]) }
        if pick([true, false]) { values["number"] = scalar(.int) }
        if pick([true, false]) { values["partner"] = .string(pick(Self.partners)) }
        return values
    }

    fileprivate mutating func partnerFilter() -> RecordFilter {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: .isNull("text")
        case 1: .compare("text", pick([.equal, .less, .greaterOrEqual]), scalar(.string))
        case 2: .compare("number", pick([.notEqual, .less, .equal]), scalar(.int))
        case 3: .has("partner", Partner.schema, .compare("number", .less, 1))
        case 4: .not(.has("partner", Partner.schema, .compare("text", .less, scalar(.string))))
        default: .compare("id", .equal, .string(pick(Self.partners)))
        }
    }

    fileprivate mutating func relation() -> RecordFilter {
        switch Int.random(in: 0..<6, using: &self) {
        case 0, 1: .has("partner", Partner.schema, partnerFilter())
        case 2: .has("home", Partner.schema, partnerFilter())
        case 3: .hasAny("partners", Partner.schema, partnerFilter())
        case 4:
            .has("boss", Sample.schema, filter(depth: 0))
        default:
            .has(pick(["list", "anything", "flag"]), Partner.schema, partnerFilter())
        }
    }

    /// Mostly of the kind of the key's values.
    fileprivate mutating func operand(_ key: FieldKey) -> AttributeValue {
        let kind = Sample.schema.fields.first { $0.key == key }?.kind ?? .any
        switch Int.random(in: 0..<10, using: &self) {
        case 0: return .null
        case 1: return value(.any)
        case 2: return .double(pick([.nan, .infinity, -.infinity] + Self.doubles))
        case 3: return scalar(.int)
        default: return value(kind)
        }
    }

    fileprivate mutating func filter(depth: Int) -> RecordFilter {
        let key = pick(Self.keys)
        switch Int.random(in: 0..<(depth > 0 ? 15 : 10), using: &self) {
        case 0, 1, 2:
            return .compare(
                key,
                pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]),
                operand(key)
            )
        case 3: return .isNull(key)
        case 4: return .isIn(key, (0..<pick([0, 1, 2, 5, 12])).map { _ in operand(key) })
        case 5:
            let elements = (0..<pick([1, 1, 2, 3, 12])).map { _ in element() }
            return pick([
                .contains(pick(["list", "list", "anything", key]), value(.any)),
                .contains("partners", elements[0]),
                .or(elements.map { .contains("partners", $0) }),
            ])
        case 6: return .hasPrefix(pick(["text", "anything", key]), pick(Self.texts))
        case 7: return .hasSuffix(pick(["text", "anything", key]), pick(Self.texts))
        case 8: return .hasSubstring(pick(["text", "anything", key]), pick(Self.texts))
        case 9: return relation()
        case 10, 11: return .not(filter(depth: depth - 1))
        case 12, 13:
            return .and((0..<pick([0, 1, 2, 3])).map { _ in filter(depth: depth - 1) })
        default: return .or((0..<pick([0, 1, 2, 3])).map { _ in filter(depth: depth - 1) })
        }
    }

    fileprivate mutating func query() -> RecordQuery {
        RecordQuery(
            filter: pick([nil, .some(filter(depth: pick([0, 1, 2, 3, 20])))]),
            order: (0..<pick([0, 0, 1, 2])).map { _ in
                RecordQuery.Order(pick(Self.keys), isDescending: pick([true, false]))
            },
            limit: pick([nil, nil, 0, 1, 3, 1_000])
        )
    }
}

@Suite struct SQLiteDifferentialTests {
    @Test func `SQLite and memory answer every query alike, with indexes and without`()
        async throws
    {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SplitMix(seed: seed)
        let memory = MemoryRecordStore()
        let sqlite = try SQLiteModelStore(path: ":memory:").records
        let stores: [any RecordStore] = [memory, sqlite]
        try await fill(stores, &chance)
        for round in 0..<5 {
            let rows = (0..<20).map { index in
                (
                    chance.pick(["0", "0", "0"] + SplitMix.texts) + "\(round)-\(index)",
                    chance.values()
                )
            }
            for schema in [Sample.schema, Indexed.schema] {
                let writes = rows.map { identifier, values in
                    RecordWrite(.create(.string(identifier), values), of: schema)
                }
                for store in stores { _ = try await store.perform(writes).value }
            }
            // The values of one record after the other, without any index, show what is right.
            let all = try await memory.fetch(RecordQuery(), of: Sample.schema).value
            let partners = try await memory.fetch(RecordQuery(), of: Partner.schema).value
            let known = Dictionary(uniqueKeysWithValues: all.map { ($0.identifier, $0) })
            let knownPartners = Dictionary(
                uniqueKeysWithValues: partners.map { ($0.identifier, $0) }
            )
            for _ in 0..<1_000 {
                var query = chance.query()
                let last = chance.pick([nil, nil, all.randomElement(using: &chance)])
                query.after = last.map { PageCursor(after: $0, in: query, of: Sample.schema) }
                let right = query.answer(from: all) {
                    $1 == Partner.schema ? knownPartners[$0] : known[$0]
                }
                for schema in [Sample.schema, Indexed.schema] {
                    query.filter = query.filter?.naming(schema)
                    query.after = last.map { PageCursor(after: $0, in: query, of: schema) }
                    for store in stores {
                        let found = try await store.fetch(query, of: schema).value
                        expect(
                            found.map(\.identifier),
                            equals: right.map(\.identifier),
                            "seed: \(seed), \(type(of: store)), \(schema.name), query: \(query)"
                        )
                        if found.map(\.identifier) != right.map(\.identifier) { return }
                        for (found, right) in zip(found, right) where found != right {
                            expect(
                                found.comparable,
                                equals: right.comparable,
                                "seed: \(seed), query: \(query)"
                            )
                        }
                    }
                }
            }
        }
    }

    private func fill(_ stores: [any RecordStore], _ chance: inout SplitMix) async throws {
        let writes = SplitMix.partners.dropLast().map { identifier in
            var values: [FieldKey: AttributeValue] = [:]
            for (key, value) in chance.partnerValues() { values[FieldKey(key)] = value }
            return RecordWrite(.create(.string(identifier), values), of: Partner.schema)
        }
        for store in stores { _ = try await store.perform(writes).value }
    }

    @Test func `pages of SQLite and memory are parts of the whole answer`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SplitMix(seed: seed)
        let memory = MemoryRecordStore()
        let sqlite = try SQLiteModelStore(path: ":memory:").records
        let writes = (0..<60).map { index in
            let identifier = chance.pick(SplitMix.texts) + "-\(index)"
            return RecordWrite(.create(.string(identifier), chance.values()), of: Sample.schema)
        }
        _ = try await memory.perform(writes).value
        _ = try await sqlite.perform(writes).value
        for _ in 0..<300 {
            var query = chance.query()
            query.limit = nil
            let all = try await memory.fetch(query, of: Sample.schema).value.map(\.identifier)
            let size = chance.pick([1, 2, 5, 20])
            for store in [memory as any RecordStore, sqlite] {
                var found: [Identifier] = []
                query.after = nil
                query.limit = size
                while true {
                    let page = try await store.fetch(query, of: Sample.schema).value
                    found += page.map(\.identifier)
                    guard let last = page.last, found.count <= all.count else { break }
                    query.after = PageCursor(after: last, in: query, of: Sample.schema)
                }
                expect(found, equals: all, "seed: \(seed), query: \(query), \(type(of: store))")
            }
        }
    }

    @Test func `SQLite and memory take and refuse the same writes`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SplitMix(seed: seed)
        let memory = MemoryRecordStore()
        let sqlite = try SQLiteModelStore(path: ":memory:").records
        for _ in 0..<500 {
            let writes = (0..<chance.pick([1, 1, 2, 4])).map { _ -> RecordWrite in
                let identifier: Identifier = .string(
                    chance.pick(["a", "b", "A", "\u{e9}", "e\u{301}"])
                )
                let revision = chance.pick([nil, nil, 1, 2, 3])
                var values = chance.values()
                if chance.pick([false, false, false, true]) {
                    let key = chance.pick(SplitMix.keys + ["nobody"])
                    values[key] = chance.operand(key)
                }
                let action: RecordWrite.Action =
                    switch chance.pick([0, 0, 1, 1, 2]) {
                    case 0: .create(chance.pick([identifier, identifier, 7, nil]), values)
                    case 1: .update(identifier, values, revision: revision.map(Int64.init))
                    default: .delete(identifier, revision: revision.map(Int64.init))
                    }
                return RecordWrite(action, of: Sample.schema)
            }
            let right = await outcome(of: memory.perform(writes))
            let found = await outcome(of: sqlite.perform(writes))
            expect(found, equals: right, "seed: \(seed), writes: \(writes.map(\.action))")
            let expected = try await memory.fetch(RecordQuery(), of: Sample.schema).value
            let all = try await sqlite.fetch(RecordQuery(), of: Sample.schema).value
            expect(
                all.map(\.comparable),
                equals: expected.map(\.comparable),
                "seed: \(seed), writes: \(writes.map(\.action))"
            )
        }
    }

    private func outcome(of promise: Promise<[RecordReceipt]>) async -> String {
        do {
            return "\(try await promise.value)"
        } catch StoreError.conflict(let conflict) {
            return "conflict \(conflict.identifier) \(conflict.base) \(conflict.theirs.comparable)"
        } catch {
            return "\(error)"
        }
    }
}

extension RecordFilter {
    /// The same with another type in the place of that of the rows.
    fileprivate func naming(_ schema: ModelSchema) -> RecordFilter {
        switch self {
        case .has("boss", _, let filter): .has("boss", schema, filter.naming(schema))
        case .not(let filter): .not(filter.naming(schema))
        case .and(let filters): .and(filters.map { $0.naming(schema) })
        case .or(let filters): .or(filters.map { $0.naming(schema) })
        default: self
        }
    }
}

extension Record {
    /// Its dates as microseconds, and doubles with their sign.
    fileprivate var comparable: String {
        let values = values.map { "\($0.key): \($0.value.comparable)" }.sorted()
        return "\(identifier) \(revision) \(values)"
    }
}

extension AttributeValue {
    fileprivate var comparable: String {
        switch self {
        case .date(let date): "date \(Timestamp.microseconds(of: date))"
        case .array(let values): "\(values.map(\.comparable))"
        case .dictionary(let values):
            "\(values.map { "\($0.key.debugDescription): \($0.value.comparable)" }.sorted())"
        case .string(let text): "\(Array(text.utf8))"
        case .data(let data): "data \(Array(data))"
        default: "\(self)"
        }
    }
}
