import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct JSONRandomTests {
    @Test func `any tree is read as it was written`() throws {
        try withSeed { random in
            for _ in 0..<2_000 {
                let value = randomValue(depth: 0, using: &random)
                let json = try value.jsonData()
                let copy = try AttributeValue(json: json)
                expect(copy, equals: value)
                expect(copy.isIdentical(to: value))
                try expect(copy.jsonData(), equals: json)
                let pretty = try value.jsonData(isPretty: true)
                try expect(AttributeValue(json: pretty).isIdentical(to: value))
            }
        }
    }

    @Test func `any text is read as Foundation reads it`() throws {
        try withSeed { random in
            for _ in 0..<2_000 {
                let text = randomText(depth: 0, using: &random)
                let json = Data(text.utf8)
                let value = try AttributeValue(json: json)
                let other = try JSONDecoder().decode(AttributeValue.self, from: json)
                expect(isSame(value, other), "\(text)")
            }
        }
    }

    @Test func `Foundation reads what was written`() throws {
        try withSeed { random in
            for _ in 0..<1_000 {
                let value = randomValue(depth: 0, using: &random)
                for isPretty in [false, true] {
                    let json = try value.jsonData(isPretty: isPretty)
                    let other = try JSONDecoder().decode(AttributeValue.self, from: json)
                    expect(isSame(value, other))
                }
            }
        }
    }

    private static let casesPath = ProcessInfo.processInfo.environment["MODELKIT_JSON_CASES"]

    /// `.ci/json-judge` asks another reader whether it finds in the texts what was written.
    @Test(.enabled(if: Self.casesPath != nil, "another reader is asked by .ci/json-judge"))
    func `two thousand trees for another reader`() throws {
        let path = try #require(Self.casesPath)
        try withSeed { random in
            var lines = ""
            for _ in 0..<2_000 {
                let value = randomValue(depth: 0, using: &random)
                let isPretty = Bool.random(using: &random)
                let json = try value.jsonData(isPretty: isPretty)
                lines += "\(hexadecimal(json)) \(plainForm(value))\n"
            }
            try Data(lines.utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    /// A value in a form that needs no reader of JSON: `i-5`, `d` and the bits of a double, `s` and the
    /// bytes of a text, each of them in hexadecimal digits.
    private func plainForm(_ value: AttributeValue) -> String {
        switch value {
        case .null: "n"
        case .bool(let isTrue): isTrue ? "t" : "f"
        case .int(let integer): "i\(integer)"
        case .double(let double): "d\(String(double.bitPattern, radix: 16))"
        case .array(let elements): "[\(elements.map(plainForm).joined(separator: ","))]"
        case .dictionary(let members):
            "{\(members.map { "\(text($0.key)):\(plainForm($0.value))" }.joined(separator: ","))}"
        case .string(let content): text(content)
        case .data, .date: preconditionFailure("no tree here has one")
        }
    }

    private func text(_ text: String) -> String { "s" + hexadecimal(Data(text.utf8)) }

    private func hexadecimal(_ bytes: Data) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Whether values are the same where a double may have come back as an integer.
    private func isSame(_ value: AttributeValue, _ other: AttributeValue) -> Bool {
        switch (value, other) {
        case (.double(let a), .int(let b)): a == Double(b)
        case (.array(let a), .array(let b)): a.elementsEqual(b) { isSame($0, $1) }
        case (.dictionary(let a), .dictionary(let b)):
            a.count == b.count
                && a.allSatisfy { key, value in b[key].map { isSame(value, $0) } ?? false }
        default: value == other
        }
    }

    private func randomValue(depth: Int, using random: inout SeededGenerator) -> AttributeValue {
        switch Int.random(in: 0..<(depth < 5 ? 12 : 8), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .int(.random(in: -1000...1000, using: &random))
        case 3: return .int(.random(in: .min ... .max, using: &random))
        case 4: return .double(Double(Int.random(in: -9999...9999, using: &random)) / 100)
        case 5:
            let double = Double(bitPattern: random.next())
            return .double(double.isFinite ? double : 0)
        case 6, 7: return .string(randomString(using: &random))
        case 8, 9:
            return .array(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    randomValue(depth: depth + 1, using: &random)
                }
            )
        default:
            var members = AttributeDictionary()
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                members[randomString(using: &random)] = randomValue(
                    depth: depth + 1,
                    using: &random
                )
            }
            return .dictionary(members)
        }
    }

    private func randomString(using random: inout SeededGenerator) -> String {
        var text = ""
        let plain = Int.random(in: 0..<3, using: &random) > 0
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            let limits: [UInt32] = [0x20, 0x80, 0x800, 0x10000, 0x110000]
            let upper = plain ? 0x80 : limits.randomElement(using: &random) ?? 0x80
            let number = UInt32.random(in: plain ? 0x20..<upper : 0..<upper, using: &random)
            text.unicodeScalars.append(Unicode.Scalar(number) ?? "?")
        }
        return text
    }

    private func randomText(depth: Int, using random: inout SeededGenerator) -> String {
        let space = randomSpace(using: &random)
        let text: String
        switch Int.random(in: 0..<(depth < 4 ? 9 : 5), using: &random) {
        case 0: text = ["null", "true", "false"].randomElement(using: &random) ?? "null"
        case 1: text = String(Int64.random(in: .min ... .max, using: &random))
        case 2:
            let digits = UInt64.random(in: 0 ... .max, using: &random) >> 3
            text =
                "-\(Int.random(in: 0...99, using: &random)).\(digits)"
                + ["", "e5", "E-30", "e+100"][Int.random(in: 0..<4, using: &random)]
        case 3, 4: text = randomStringText(using: &random)
        case 5, 6:
            let elements = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                randomText(depth: depth + 1, using: &random)
            }
            text = "[\(space)\(elements.joined(separator: ","))\(space)]"
        default:
            let members = (0..<Int.random(in: 0...5, using: &random)).map { index in
                let key = randomStringText(using: &random).dropLast()
                let value = randomText(depth: depth + 1, using: &random)
                return "\(space)\(key) \(index)\"\(space):\(value)"
            }
            text = "{\(space)\(members.joined(separator: ","))}"
        }
        return space + text + randomSpace(using: &random)
    }

    private func randomSpace(using random: inout SeededGenerator) -> String {
        (0..<max(0, Int.random(in: -3...3, using: &random)))
            .map { _ in [" ", "\n", "\t", "\r"].randomElement(using: &random) ?? " " }.joined()
    }

    /// A string as it stands in a text, with any escapes.
    private func randomStringText(using random: inout SeededGenerator) -> String {
        let units = [
            "a", "longer plain text", "é", "€", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\b", "\\u0041",
            "\\u00E9", "\\u20ac", "\\ud83d\\uDE00", "\\u001f", "/", "\u{2028}", "\u{7F}",
        ]
        let content = (0..<Int.random(in: 0...6, using: &random))
            .map { _ in units.randomElement(using: &random) ?? "" }
        return "\"\(content.joined())\""
    }
}
