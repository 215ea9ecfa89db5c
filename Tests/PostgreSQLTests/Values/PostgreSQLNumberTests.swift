import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

/// Numbers by chance, of few digits or many, and near where their form changes.
extension SplitMix {
    fileprivate mutating func digits(_ count: Int) -> String {
        String((0..<count).map { _ in pick(Array("0001239")) })
    }

    fileprivate mutating func decimal() -> String {
        let whole = digits(pick([0, 0, 1, 3, 4, 5, 8, 17, 60])).drop { $0 == "0" }
        var fraction = digits(pick([0, 0, 1, 3, 4, 5, 9, 80]))
        while fraction.last == "0" { fraction.removeLast() }
        let number = (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
        return number == "0" || pick([true, false]) ? String(number) : "-" + number
    }

    fileprivate mutating func number() -> AttributeValue {
        let exponent = pick([0, 1, 52, 53, 54, 62, 63, 64, 1023, -1, -1022, -1074])
        let power = pick([1.0, -1.0]) * Double(sign: .plus, exponent: exponent, significand: 1)
        return switch Int.random(in: 0..<5, using: &self) {
        case 0: .int(Int64(truncatingIfNeeded: next()))
        case 1: .int(pick([.min, .max, 0, 1, -1]) &+ Int64.random(in: -2...2, using: &self))
        case 2: .double(pick([power, power.nextUp, power.nextDown, 0, -0.0]))
        case 3: Int64(exactly: power).map { .int($0 &+ pick([-1, 0, 1])) } ?? .double(power)
        default: .double(.random(in: -1e3...1e3, using: &self).rounded())
        }
    }
}

@Suite struct PostgreSQLNumberTests {
    private let seed = UInt64.random(in: 0 ... .max)

    @Test func `numbers come back from the binary format with the same digits`() throws {
        var chance = SplitMix(seed: seed)
        for _ in 0..<20_000 {
            let text = chance.decimal()
            var bytes: [UInt8] = []
            try PostgreSQLNumeric.write(text, to: &bytes)
            let back = bytes.withUnsafeBytes { PostgreSQLNumeric.text(of: $0) }
            expect(back, equals: text, "seed \(seed)")
        }
    }

    @Test(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
    func `the server has the same digits of a number`() throws {
        var chance = SplitMix(seed: seed)
        let texts = (0..<3_000).map { _ in chance.decimal() }
        var parameters = PostgreSQLParameters()
        for (type, kind) in [
            (PostgreSQLType.numericArray, AttributeKind.decimal), (.textArray, .string),
        ] {
            try parameters.append(type) { bytes in
                try bytes.append(arrayOf: kind.postgreSQLType, count: texts.count) { index, bytes in
                    try kind.write(.string(texts[index]), to: &bytes)
                    return true
                }
            }
        }
        let result = try PostgreSQLServer.shared.connect().run(
            PostgreSQLStatement(
                """
                SELECT n::text, t, t::numeric FROM unnest($1::numeric[], $2::text[]) AS given (n, t)
                """,
                parameters
            )
        )
        expect(result.rowCount, equals: texts.count)
        for row in 0..<result.rowCount {
            expect(try result.bytes(row, 0).text, equals: texts[row], "seed \(seed)")
            expect(
                try AttributeKind.decimal.value(of: result.bytes(row, 2)),
                equals: .string(texts[row]),
                "seed \(seed)"
            )
        }
    }

    @Test func `bytes that are no number are none`() {
        let cases: [[UInt16]] = [
            [], [0], [0, 0, 0], [0, 0, 0xC000, 0], [0, 0, 0xD000, 0], [0, 0, 0xF000, 0],
            [1, 0, 0, 0], [1, 0, 0, 0, 10_000], [1, 0, 0, 0, 1, 1], [0xFFFF, 0, 0, 0, 1],
        ]
        for parts in cases {
            var bytes: [UInt8] = []
            for part in parts { bytes.append(bigEndian: part) }
            expect(
                bytes.withUnsafeBytes { PostgreSQLNumeric.text(of: $0) },
                equals: nil,
                "\(parts)"
            )
        }
    }

    @Test func `texts of numbers of any kind are in the order of the numbers`() throws {
        var chance = SplitMix(seed: seed)
        for _ in 0..<50_000 {
            let (one, other) = (chance.number(), chance.number())
            let keys = try [one, other].map { try #require(PostgreSQLVariant.operand($0)) }
            let order: RecordFilter.Comparison =
                keys[0] == keys[1]
                ? .equal : keys[0].utf8.lexicographicallyPrecedes(keys[1].utf8) ? .less : .greater
            expect(
                RecordFilter.compare("x", order, other).matches(["x": one]),
                "seed \(seed): \(one) \(keys[0]) \(other) \(keys[1])"
            )
            let text = try PostgreSQLVariant.text(of: one)
            expect("\(try PostgreSQLVariant.value(of: text))", equals: "\(one)")
            expect(text.hasPrefix(keys[0]) && keys[0].utf8.count == PostgreSQLVariant.keyLength)
        }
    }

    @Test func `texts that the store has not written are damage`() {
        let cases = [
            "", "n", "n1", "n88008000000000000000 2", "n88008000000000000000", "t", "tyes", "u",
            "u2001-01-01T00:00:00Z", "u2001-01-01", "x0", "x0G", "xFF", "z", "z{", "y", "e\u{301}",
        ]
        for text in cases {
            #expect(throws: ColumnDamage.self, "\(text)") { try PostgreSQLVariant.value(of: text) }
        }
    }
}
