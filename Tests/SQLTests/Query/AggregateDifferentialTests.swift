import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

/// Numbers of every kind, with and without indexes, and what they are grouped by.
private final class Sale: Model {
    let id = Field<Int>()
    let amount = Field<Decimal>()
    let price = Field<Decimal>().indexed()
    let count = Field<Int>()
    let stock = Field<Int>().indexed()
    let wide = Field<UInt64>()
    let weight = Field<Double>()
    let text = Field<String>()
    let day = Field<Date>()
    let shop = ModelField<Shop>(foreignKey: true)
    let tags = Field<String>()*
    let mixed = Field<AttributeValue>()
}

private final class Shop: Model {
    let id = Field<Int>()
    let city = Field<String>()
}

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

extension SplitMix {
    fileprivate static let decimals = [
        "0", "1", "-1", "0.1", "-0.1", "0.2", "19.99", "-19.99", "1000000000000000000",
        "0.000000000000000001", "-0.0000000000000000001", "999999999999999999.999999999999999999",
        "12345678901234567890123456789012345678", "-12345678901234567890123456789012345678",
        "-0.000000000000000000000000000001", "1234567890123456789.1", "-9.87654321",
    ]
    fileprivate static let ints: [Int64] = [
        .min, .min + 1, -1_000_000, -1, 0, 1, 7, 1 << 40, .max - 1, .max,
    ]
    fileprivate static let wides: [AttributeValue] = [
        0, 1, 9, .int(.max), "9223372036854775808", "18446744073709551615",
    ]
    fileprivate static let doubles: [Double] = [
        -1e16, -1.5, -0.1, -0.0, 0, 0.1, 0.3, 1, 1e16, 5e300, .leastNonzeroMagnitude,
    ]
    fileprivate static let keys: [FieldKey] = [
        "amount", "price", "count", "stock", "wide", "weight", "text", "day", "shop", "mixed",
    ]

    fileprivate mutating func value(_ key: FieldKey) -> AttributeValue {
        switch key {
        case "amount", "price": .string(pick(Self.decimals))
        case "count", "stock": .int(pick(Self.ints))
        case "wide": pick(Self.wides)
        case "weight": .double(pick(Self.doubles))
        case "day": .date(Date(timeIntervalSince1970: pick([0, 0.000_000_2, 1, 86_400])))
        case "shop": pick([1, 2, 3, "x"])
        case "tags": .array((0..<pick([0, 1, 2])).map { _ in pick(["a", "b"]) })
        case "mixed": pick([1, 1.0, 2.5, "1", true, .data(Data([1])), [1, 2]])
        default: .string(pick(["", "a", "b", "\u{e9}", "e\u{301}", "a\u{0}"]))
        }
    }

    fileprivate mutating func values() -> [FieldKey: AttributeValue] {
        var values: [FieldKey: AttributeValue] = [:]
        for key in Self.keys + ["tags"] where Int.random(in: 0..<5, using: &self) > 0 {
            values[key] = value(key)
        }
        return values
    }

    fileprivate mutating func aggregate() -> RecordAggregate {
        let key = pick(Self.keys)
        let number = pick(["amount", "price", "count", "stock", "wide", "weight"] as [FieldKey])
        let function: RecordAggregate.Function = pick([
            .count, .sum(number), .sum(number), .average(number), .minimum(key), .maximum(key),
        ])
        let group = pick([nil, nil, pick(Self.keys), "tags", "text"])
        let other = pick(Self.keys)
        let filter: RecordFilter? = pick([
            nil, nil, .isNull(other), .not(.isNull(other)),
            .compare("count", .less, .int(pick(Self.ints))),
            .compare("amount", .greater, .string(pick(Self.decimals))),
            .isIn("stock", Self.ints.prefix(4).map { .int($0) }),
            .has("shop", Shop.schema, .compare("city", .equal, "Rome")),
            // Not for SQLite alone.
            .contains("tags", "a"), .compare("mixed", .equal, 1),
            .or([.contains("tags", "b"), .compare("id", .less, 10)]), .compare("id", .less, -1),
        ])
        return RecordAggregate(function, by: group, filter: filter)
    }
}

@Suite struct AggregateDifferentialTests {
    private static let setting = ProcessInfo.processInfo.environment

    @Test func `every store makes the same of random records as a naive one`() async throws {
        let seed =
            Self.setting["MODELKIT_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        let count = Self.setting["MODELKIT_QUERIES"].flatMap { Int($0) } ?? 2_000
        var chance = SplitMix(seed: seed)
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
            let expected = Naive(aggregate).answer(found)
            for store in stores {
                let answer = await answer(aggregate, store)
                guard Naive.fits(answer, expected) else {
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
    private func answer(_ aggregate: RecordAggregate, _ store: any RecordStore) async -> Answer? {
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

private typealias Answer = [AttributeValue: AttributeValue]

/// The same said once more, digit by digit.
private struct Naive {
    let aggregate: RecordAggregate

    init(_ aggregate: RecordAggregate) { self.aggregate = aggregate }

    func answer(_ records: [Record]) -> [AttributeValue: Expected]? {
        var groups: [AttributeValue: [Record]] = [:]
        if aggregate.groupKey == nil { groups[.null] = [] }
        for record in records {
            let group = aggregate.groupKey.flatMap { record[$0] } ?? .null
            groups[rounded(group), default: []].append(record)
        }
        var answer: [AttributeValue: Expected] = [:]
        for (group, records) in groups {
            guard let value = expected(records) else { return nil }
            answer[group] = value
        }
        return answer
    }

    /// Dates to the microsecond.
    private func rounded(_ value: AttributeValue) -> AttributeValue {
        guard case .date(let date) = value else { return value }
        let microseconds = (date.timeIntervalSince1970 * 1e6).rounded()
        return .date(Date(timeIntervalSince1970: microseconds / 1e6))
    }

    private func expected(_ records: [Record]) -> Expected? {
        switch aggregate.function {
        case .count: return .exactly(.int(Int64(records.count)))
        case .minimum(let key), .maximum(let key):
            let isLeast = aggregate.function == .minimum(key)
            var query = RecordQuery(order: [.init(key, isDescending: !isLeast)], limit: 1)
            query.filter = .not(.isNull(key))
            let first = query.answer(from: records, of: Sale.schema).first.flatMap { $0[key] }
            return .exactly(first.map(rounded) ?? .null)
        case .sum(let key), .average(let key):
            let values = records.compactMap { $0[key] }.filter { $0 != .null }
            let isMean = aggregate.function == .average(key)
            if isMean && values.isEmpty { return .exactly(.null) }
            if key == "weight" {
                let numbers = values.map { value -> Double in
                    if case .double(let number) = value { number } else { .nan }
                }
                return .near(numbers, dividedBy: isMean ? Double(values.count) : 1)
            }
            let sum = Self.sum(values)
            if key == "amount" || key == "price" {
                return isMean ? .mean(values) : .exactly(.string(sum))
            }
            if isMean {
                return .exactly(.double((Double(sum) ?? .nan) / Double(values.count)))
            }
            if let number = Int64(sum) { return .exactly(.int(number)) }
            return key == "wide" ? .exactly(.string(sum)) : nil
        }
    }

    /// By columns of digits.
    static func sum(_ values: [AttributeValue]) -> String {
        let places = 140
        var columns = Array(repeating: 0, count: 200)
        for value in values {
            var text = ""
            if case .string(let digits) = value { text = digits }
            if case .int(let number) = value { text = "\(number)" }
            let sign = text.hasPrefix("-") ? -1 : 1
            let parts = text.drop { $0 == "-" }.split(separator: ".").map {
                $0.map { $0.wholeNumberValue ?? 0 }
            }
            for (index, digit) in parts[0].reversed().enumerated() {
                columns[places + index] += sign * digit
            }
            for (index, digit) in (parts.count > 1 ? parts[1] : []).enumerated() {
                columns[places - 1 - index] += sign * digit
            }
        }
        let isNegative = isBelowZero(columns)
        if isNegative { columns = columns.map { -$0 } }
        for index in 0..<columns.count - 1 {
            let carry = Int((Double(columns[index]) / 10).rounded(.down))
            columns[index] -= carry * 10
            columns[index + 1] += carry
        }
        let text = columns.reversed().map { "\($0)" }.joined()
        let whole = text.dropLast(places).drop { $0 == "0" }
        var fraction = text.suffix(places)
        while fraction.last == "0" { fraction.removeLast() }
        if whole.isEmpty && fraction.isEmpty { return "0" }
        return (isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole)
            + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// Whether columns, of which each may be more than a digit, are together less than 0.
    private static func isBelowZero(_ columns: [Int]) -> Bool {
        var columns = columns
        for index in 0..<columns.count - 1 {
            let carry = Int((Double(columns[index]) / 10).rounded(.down))
            columns[index] -= carry * 10
            columns[index + 1] += carry
        }
        return columns[columns.count - 1] < 0
    }

    static func fits(_ answer: Answer?, _ expected: [AttributeValue: Expected]?) -> Bool {
        guard let answer, let expected else { return answer == nil && expected == nil }
        return Set(answer.keys) == Set(expected.keys)
            && answer.allSatisfy { group, value in expected[group]?.isFitting(value) ?? false }
    }
}

/// What is right as an answer.
private enum Expected {
    case exactly(AttributeValue)
    /// The sum of doubles, but for what is lost of it where it is added with compensation.
    case near([Double], dividedBy: Double)
    /// The mean of decimals, to 38 digits.
    case mean([AttributeValue])

    func isFitting(_ value: AttributeValue) -> Bool {
        switch (self, value) {
        // Equal, and in any order.
        case (.exactly(.double(let one)), .int(let other)),
            (.exactly(.int(let other)), .double(let one)):
            return one == Double(other)
        case (.exactly(let expected), _): return value == expected
        case (.near(let numbers, let count), .double(let answer)):
            let sum = Self.sum(numbers)
            let magnitude = numbers.reduce(0) { $0 + $1.magnitude }
            let lost = magnitude * 0x1p-104 * Double(numbers.count * numbers.count)
            return (answer - sum / count).magnitude <= lost + 2 * (sum / count).ulp
        case (.mean(let numbers), .string(let mean)):
            // So many times the mean is the sum, but for half of its last digit.
            let negated = mean.hasPrefix("-") ? String(mean.dropFirst()) : "-" + mean
            let means = Array(repeating: AttributeValue.string(negated), count: numbers.count)
            guard let rest = Double(Naive.sum(numbers + means)), let mean = Double(mean)
            else { return false }
            if rest == 0 { return true }
            let last = pow(10, log10(mean.magnitude).rounded(.down) - 37)
            return rest.magnitude <= Double(numbers.count) * last * 0.500001
        default: return false
        }
    }

    /// By parts that have no digits in common (Shewchuk, 1997).
    private static func sum(_ numbers: [Double]) -> Double {
        var parts: [Double] = []
        for number in numbers {
            var high = number
            var lower: [Double] = []
            for part in parts {
                let (large, small) =
                    high.magnitude < part.magnitude ? (part, high) : (high, part)
                high = large + small
                let low = small - (high - large)
                if low != 0 { lower.append(low) }
            }
            parts = lower + [high]
        }
        return parts.reduce(0, +)
    }
}
