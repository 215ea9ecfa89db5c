import Foundation
import ModelKitFields
package import ModelKitModels
package import ModelKitStores
import TestSupport

/// Records and queries of samples by chance, from few values, so that they meet.
package struct SampleChance: RandomNumberGenerator {
    private var base: SplitMix

    package init(seed: UInt64) { base = SplitMix(seed: seed) }

    package mutating func next() -> UInt64 { base.next() }

    private static let ints: [Int64] = [
        .min, -1, 0, 1, 2, 9_007_199_254_740_992, 9_007_199_254_740_993, .max,
    ]
    private static let doubles: [Double] = [
        -0x1p63, -1, -0.5, -0.0, 0, 0.1, 0.5, 1, 2, 9_007_199_254_740_992, 0x1p63, 5e300,
        .leastNonzeroMagnitude,
    ]
    package static let texts = [
        "", "A", "a", "Ab", "A\u{0}", "A\u{0}b", "\u{e9}", "e\u{301}", "😀", "\u{ffff}", "1",
        "%",
        "it's", "\"", "$date",
    ]
    private static let blobs = [
        [], [0], [0, 1], [1], [0xFF], [3, 0], [0x80, 0, 0, 0, 0, 0, 0, 0],
    ]
    .map { Data($0 as [UInt8]) }
    private static let dates = [0, 0.000_001, -0.000_001, -978_307_200, 800_000_000.5, 1e10]
        .map { Date(timeIntervalSinceReferenceDate: $0) }
    package static let keys: [FieldKey] = [
        "id", "flag", "number", "weight", "text", "blob", "date", "list", "anything", ["a", "b"],
        "partner", "boss", "token", "token", "ticket",
    ]
    package static let partners = ["P", "p", "", "A\u{0}", "\u{e9}", "e\u{301}"]

    package static let tokens = [
        "00000000-0000-0000-0000-000000000000", "4F2C9AE1-0B3D-4C5E-8F60-718293A4B5C6",
        "4F2C9AE1-0B3D-4C5E-8F60-718293A4B5C7", "4F2C9AE1-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
        "A0000000-0000-4000-8000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    ]
    /// What makes a ticket of all but the last.
    package static let tickets = zip(tokens.dropLast(), ["", "A", "a", "Ab", "A"]).map { id, text in
        RecordWrite(.create(.string(id), ["text": .string(text)]), of: Ticket.schema)
    }
    /// Texts beside these, and parts of them.
    private static let others = [
        "4", "4F2C9AE1", "4F2C9AE1-", "4f2c9ae1-0b3d-4c5e-8f60-718293a4b5c6", "G", "9ae1", "-",
        "4F2C9AE1.0B3D-4C5E-8F60-718293A4B5C6", "4F2C9AE1-0B3D-4C5E-8F60-718293A4B5C6-", "C6",
        "4F2C9AE1_0B3D-4C5E-8F60-718293A4B5C6", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFG", "0000\u{0}",
    ]

    private mutating func scalar(_ kind: AttributeKind) -> AttributeValue {
        switch kind {
        case .bool: .bool(pick([true, false]))
        case .int: .int(pick(Self.ints))
        case .double: .double(pick(Self.doubles))
        case .string: .string(pick(Self.texts))
        case .uuid: .string(pick(Self.tokens))
        case .data: .data(pick(Self.blobs))
        case .date: .date(pick(Self.dates))
        default: .null
        }
    }

    private mutating func value(_ kind: AttributeKind) -> AttributeValue {
        switch kind {
        case .any:
            value(pick([.bool, .int, .double, .string, .data, .date, .array, .dictionary]))
        case .array: .array((0..<pick([0, 1, 2, 3])).map { _ in value(.any) })
        case .dictionary: .dictionary([pick(Self.texts): value(.any), "k": scalar(.date)])
        default: scalar(kind)
        }
    }

    package mutating func values() -> [FieldKey: AttributeValue] {
        var values: [FieldKey: AttributeValue] = [:]
        for entry in Sample.schema.fields where entry.name != "id" {
            switch (Int.random(in: 0..<6, using: &self), entry.name) {
            case (0, _): continue
            case (1, _): values[entry.key] = .null
            case (2...4, "partner"): values[entry.key] = .string(pick(Self.partners))
            case (_, "partner"): values[entry.key] = scalar(pick([.int, .double, .date]))
            case (_, "ticket"): values[entry.key] = .string(pick(Self.tokens))
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
    private mutating func element() -> AttributeValue {
        switch Int.random(in: 0..<8, using: &self) {
        case 0: .int(pick(Self.ints))
        case 1: .double(pick([-1, 0, 1, 0.1, 0x1p63]))
        case 2: pick([true, .null, .dictionary(["a": "P"]), .array(["P"])])
        default: .string(pick(Self.partners))
        }
    }

    package mutating func partnerValues() -> AttributeDictionary {
        var values: AttributeDictionary = [:]
        if pick([true, false]) { values["text"] = pick([.null, scalar(.string)]) }
        if pick([true, false]) { values["number"] = scalar(.int) }
        if pick([true, false]) { values["partner"] = .string(pick(Self.partners)) }
        return values
    }

    private mutating func partnerFilter() -> RecordFilter {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: .isNull("text")
        case 1: .compare("text", pick([.equal, .less, .greaterOrEqual]), scalar(.string))
        case 2: .compare("number", pick([.notEqual, .less, .equal]), scalar(.int))
        case 3: .has("partner", Partner.schema, .compare("number", .less, 1))
        case 4: .not(.has("partner", Partner.schema, .compare("text", .less, scalar(.string))))
        default: .compare("id", .equal, .string(pick(Self.partners)))
        }
    }

    private mutating func relation() -> RecordFilter {
        switch Int.random(in: 0..<7, using: &self) {
        case 0, 1: .has("partner", Partner.schema, partnerFilter())
        case 2: .has("home", Partner.schema, partnerFilter())
        case 3: .hasAny("partners", Partner.schema, partnerFilter())
        case 4: .has("ticket", Ticket.schema, pick([compare("id"), compare("text")]))
        case 5:
            .has("boss", Sample.schema, filter(depth: 0))
        default:
            .has(pick(["list", "anything", "flag"]), Partner.schema, partnerFilter())
        }
    }

    private mutating func compare(_ key: FieldKey) -> RecordFilter {
        let comparison: RecordFilter.Comparison = pick([
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ])
        return .compare(key, comparison, operand(key))
    }

    /// Mostly of the kind of the key's values.
    package mutating func operand(_ key: FieldKey) -> AttributeValue {
        let kind = Sample.schema.fields.first { $0.key == key }?.kind ?? .any
        if ["token", "ticket"].contains(key), pick([true, true, false]) {
            return .string(pick(Self.tokens + Self.others))
        }
        switch Int.random(in: 0..<10, using: &self) {
        case 0: return .null
        case 1: return value(.any)
        case 2: return .double(pick([.nan, .infinity, -.infinity] + Self.doubles))
        case 3: return scalar(.int)
        default: return value(kind)
        }
    }

    private mutating func filter(depth: Int) -> RecordFilter {
        let key = pick(Self.keys)
        switch Int.random(in: 0..<(depth > 0 ? 15 : 10), using: &self) {
        case 0, 1, 2:
            return compare(key)
        case 3: return .isNull(key)
        case 4: return .isIn(key, (0..<pick([0, 1, 2, 5, 12])).map { _ in operand(key) })
        case 5:
            let elements = (0..<pick([1, 1, 2, 3, 12])).map { _ in element() }
            return pick([
                .contains(pick(["list", "list", "anything", key]), value(.any)),
                .contains("partners", elements[0]),
                .or(elements.map { .contains("partners", $0) }),
            ])
        case 6: return .hasPrefix(pick(["text", "anything", key]), pick(Self.texts + Self.others))
        case 7: return .hasSuffix(pick(["text", "anything", key]), pick(Self.texts + Self.others))
        case 8:
            return .hasSubstring(pick(["text", "anything", key]), pick(Self.texts + Self.others))
        case 9: return relation()
        case 10, 11: return .not(filter(depth: depth - 1))
        case 12, 13:
            return .and((0..<pick([0, 1, 2, 3])).map { _ in filter(depth: depth - 1) })
        default: return .or((0..<pick([0, 1, 2, 3])).map { _ in filter(depth: depth - 1) })
        }
    }

    package mutating func query() -> RecordQuery {
        RecordQuery(
            filter: pick([nil, .some(filter(depth: pick([0, 1, 2, 3, 20])))]),
            order: (0..<pick([0, 0, 1, 2])).map { _ in
                RecordQuery.Order(pick(Self.keys), isDescending: pick([true, false]))
            },
            limit: pick([nil, nil, 0, 1, 3, 1_000])
        )
    }
}
