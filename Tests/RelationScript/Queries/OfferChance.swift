import Foundation
import ModelKitFields
package import ModelKitModels
package import ModelKitStores
import TestSupport

/// Values and queries of offers by chance, from few values, so that they meet.
package struct OfferChance: RandomNumberGenerator {
    private var base: SplitMix

    package init(seed: UInt64) { base = SplitMix(seed: seed) }

    package mutating func next() -> UInt64 { base.next() }

    private static let decimals = [
        "0", "1", "-1", "1.5", "-1.5", "-1.55", "0.1", "-0.1", "0.10000000000000001", "2", "9",
        "10",
        "-9", "-10", "100", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "-9223372036854775809", "100000000000000000000", "12345678901234567890123456789012345678",
        "-0.000000000000000000000000000001",
    ]
    private static let wides: [UInt64] = [
        0, 1, 2, 9, 10, 9_007_199_254_740_993, UInt64(Int64.max), UInt64(Int64.max) + 1,
        9_999_999_999_999_999_999, 10_000_000_000_000_000_000, .max,
    ]
    private static let ints: [Int64] = [
        .min, -10, -1, 0, 1, 2, 9, 10, 9_007_199_254_740_992, 9_007_199_254_740_993, .max,
    ]
    private static let doubles: [Double] = [
        -0x1p63, -1.5, -1, -0.5, -0.0, 0, 0.1, 0.5, 1, 1.5, 2, 10, 9_007_199_254_740_992, 0x1p63,
        0x1p64, 1e19, 1e20, 5e300, .leastNonzeroMagnitude, -.greatestFiniteMagnitude,
    ]
    package static let texts = [
        "", "A", "a", "Ab", "A\u{0}", "A\u{0}b", "\u{e9}", "e\u{301}", "😀", "\u{ffff}", "1",
        "10", "9", "1.5", "%", "it's",
    ]
    private static let blobs = [[], [0], [0, 1], [1], [0xFF]].map { Data($0 as [UInt8]) }
    private static let dates = [0, 0.000_001, -0.000_001, -978_307_200, 800_000_000.5]
        .map { Date(timeIntervalSinceReferenceDate: $0) }
    private static let keys: [FieldKey] = [
        "id", "price", "price", "price", "wide", "wide", "level", "count", "weight", "flag", "text",
        "blob", "date", "colour", "account",
    ]
    package static let accounts = ["P", "p", "A\u{0}", "\u{e9}", "e\u{301}", "nobody"]

    private mutating func wide() -> AttributeValue { pick(Self.wides).attributeValue }

    private mutating func value(_ name: String) -> AttributeValue {
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

    package mutating func values(of schema: ModelSchema) -> [FieldKey: AttributeValue] {
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
    private mutating func operand(_ key: FieldKey) -> AttributeValue {
        switch Int.random(in: 0..<12, using: &self) {
        case 0: .null
        case 1: .double(pick([.nan, .infinity, -.infinity] + Self.doubles))
        case 2: .int(pick(Self.ints))
        case 3: .string(pick(Self.texts + Self.decimals + ["1.50", "-0", "007", "1e5", "1."]))
        case 4: value(pick(["flag", "blob", "date", "text", "wide"]))
        default: value(key.names[0])
        }
    }

    private mutating func comparison() -> RecordFilter.Comparison {
        pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
    }

    private mutating func ofAccount() -> RecordFilter {
        let key: FieldKey = pick(["balance", "balance", "wide", "name"])
        return pick([.compare(key, comparison(), operand(key)), .isNull(key)])
    }

    package mutating func filter(depth: Int) -> RecordFilter {
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

    package mutating func query() -> RecordQuery {
        RecordQuery(
            filter: pick([nil, .some(filter(depth: pick([0, 1, 2, 3]))), .some(filter(depth: 1))]),
            order: (0..<pick([0, 1, 1, 2, 3])).map { _ in
                RecordQuery.Order(pick(Self.keys), isDescending: pick([true, false]))
            },
            limit: pick([nil, nil, 0, 1, 3, 1_000])
        )
    }
}
