import Foundation
import ModelKitFields
package import ModelKitModels
package import ModelKitStores
import TestSupport

/// Records of sales and what is asked of them together, by chance.
package struct SaleChance: RandomNumberGenerator {
    private var base: SplitMix

    package init(seed: UInt64) { base = SplitMix(seed: seed) }

    package mutating func next() -> UInt64 { base.next() }

    private static let decimals = [
        "0", "1", "-1", "0.1", "-0.1", "0.2", "19.99", "-19.99", "1000000000000000000",
        "0.000000000000000001", "-0.0000000000000000001", "999999999999999999.999999999999999999",
        "12345678901234567890123456789012345678", "-12345678901234567890123456789012345678",
        "-0.000000000000000000000000000001", "1234567890123456789.1", "-9.87654321",
    ]
    private static let ints: [Int64] = [
        .min, .min + 1, -1_000_000, -1, 0, 1, 7, 1 << 40, .max - 1, .max,
    ]
    private static let wides: [AttributeValue] = [
        0, 1, 9, .int(.max), "9223372036854775808", "18446744073709551615",
    ]
    private static let doubles: [Double] = [
        -1e16, -1.5, -0.1, -0.0, 0, 0.1, 0.3, 1, 1e16, 5e300, .leastNonzeroMagnitude,
    ]
    private static let keys: [FieldKey] = [
        "amount", "price", "count", "stock", "wide", "weight", "text", "day", "shop", "mixed",
    ]

    private mutating func value(_ key: FieldKey) -> AttributeValue {
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

    package mutating func values() -> [FieldKey: AttributeValue] {
        var values: [FieldKey: AttributeValue] = [:]
        for key in Self.keys + ["tags"] where Int.random(in: 0..<5, using: &self) > 0 {
            values[key] = value(key)
        }
        return values
    }

    package mutating func aggregate() -> RecordAggregate {
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
