import Foundation
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

/// Values and texts that are written and read in a quicker way than others.
@Suite struct PostgreSQLPlainValueTests {
    @Test func `plain values are written as each is by itself`() throws {
        let values: [(AttributeKind, AttributeValue)] = [
            (.int, 0), (.int, .int(.min)), (.int, .int(.max)), (.bool, true), (.bool, false),
            (.double, -0.0), (.double, 0.1), (.double, .double(.greatestFiniteMagnitude)),
            (.uuid, "4F2C9AE1-0B3D-4C5E-8F60-718293A4B5C6"),
            (.string, ""), (.string, "e\u{301}😀"), (.string, "a text that is longer than others"),
        ]
        func bytes(_ values: [(AttributeKind, AttributeValue)]) throws -> [UInt8] {
            var all: [UInt8] = []
            for (kind, value) in values {
                try all.appendSized { bytes in
                    if value.isNull { return false }
                    try kind.write(value, to: &bytes)
                    return true
                }
            }
            return all
        }
        let plain = AttributeKind.plainElements(values.count) { values[$0] }
        expect(plain?.bytes, equals: try bytes(values))
        expect(plain?.hasNull, equals: false)
        let withNull = values + [(.date, .null), (.any, .null)]
        let other = AttributeKind.plainElements(withNull.count) { withNull[$0] }
        expect(other?.bytes, equals: try bytes(withNull))
        expect(other?.hasNull, equals: true)
        expect(AttributeKind.plainElements(0) { values[$0] }?.bytes, equals: [])
    }

    @Test func `what is not plain, or cannot be stored, has no quicker way`() {
        let values: [(AttributeKind, AttributeValue)] = [
            (.int, "1"), (.int, 1.0), (.bool, 1), (.double, 1), (.double, .double(.nan)),
            (.double, .double(-.infinity)), (.string, 1), (.string, "a\0"), (.data, .data(Data())),
            (.date, .date(Date())), (.decimal, "1"), (.unsigned, 1), (.array, []), (.any, 1),
            (.uuid, "4f2c9ae1-0b3d-4c5e-8f60-718293a4b5c6"), (.uuid, ""), (.uuid, 1),
        ]
        for value in values {
            let plain = AttributeKind.plainElements(2) { $0 == 0 ? (.int, 1) : value }
            expect(plain == nil, "\(value)")
        }
    }

    @Test func `texts are read as they are, and bytes that are not UTF-8 are refused`() throws {
        let texts = [
            "", "a", "0123456789abcde", "0123456789abcdef", "e\u{301}😀", "\u{FFFD}", "\u{FEFF}a",
            String(repeating: "é", count: 100),
        ]
        for text in texts {
            let read = try Array(text.utf8).withUnsafeBytes { try $0.text }
            expect(Array(read.utf8), equals: Array(text.utf8))
        }
        // Some are as long as what stands in their place where texts are repaired.
        let damaged: [[UInt8]] = [
            [0xFF], [0x61, 0xC0], [0xF0, 0x90, 0x80], [0xED, 0xA0, 0x80], [0xC0, 0x80],
            Array(repeating: 0x61, count: 40) + [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80],
        ]
        for bytes in damaged {
            let error = #expect(throws: ColumnDamage.self) {
                _ = try bytes.withUnsafeBytes { try $0.text }
            }
            expect(error?.reason, equals: "holds text that is not UTF-8")
        }
    }
}
