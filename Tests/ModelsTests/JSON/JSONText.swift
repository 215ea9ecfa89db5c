import Foundation
import ModelKitFields
import ModelKitModels
import Testing

/// A text and the value it says, as an argument of tests.
struct JSONText: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let value: AttributeValue

    init(_ text: String, _ value: AttributeValue) {
        self.bytes = Array(text.utf8)
        self.value = value
    }

    var testDescription: String { String(decoding: bytes.prefix(60), as: UTF8.self) }
}

/// A text that is no JSON and what is said about it, as an argument of tests.
struct BadJSONText: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let error: String

    init(_ text: String, _ error: String) {
        self.init(Array(text.utf8), error)
    }

    init(_ bytes: [UInt8], _ error: String) {
        self.bytes = bytes
        self.error = error
    }

    /// With the place in a text of one line in ASCII.
    init(_ text: String, _ reason: String, at byte: Int) {
        self.init(text, "\(reason) at byte \(byte) (line 1, column \(byte + 1))")
    }

    /// A string with that content in quotes, which is invalid at one of its bytes.
    init(invalidUTF8 content: [UInt8], at place: Int) {
        let column = String(decoding: content[..<place], as: UTF8.self).unicodeScalars.count + 2
        let quote: [UInt8] = [UInt8(ascii: "\"")]
        self.init(
            quote + content + quote,
            "invalid UTF-8 at byte \(place + 1) (line 1, column \(column))"
        )
    }

    var testDescription: String { String(decoding: bytes.prefix(60), as: UTF8.self) }
}

extension AttributeValue {
    /// Whether it is the same to the bit: the sign of zero and the scalars of strings count.
    func isIdentical(to other: AttributeValue) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a.elementsEqual(b) { $0.isIdentical(to: $1) }
        case (.dictionary(let a), .dictionary(let b)):
            a.count == b.count
                && a.allSatisfy { key, value in
                    guard let index = b.index(forKey: key) else { return false }
                    return b[index].key.utf8.elementsEqual(key.utf8)
                        && b[index].value.isIdentical(to: value)
                }
        default: self == other
        }
    }
}

/// A generator with a seed that a failing test can be run with again.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Runs a test with a seed of its own, which is printed.
func withSeed(_ body: (inout SeededGenerator) throws -> Void) rethrows {
    let seed = UInt64.random(in: .min ... .max)
    print("seed:", seed)
    var random = SeededGenerator(seed: seed)
    try body(&random)
}
