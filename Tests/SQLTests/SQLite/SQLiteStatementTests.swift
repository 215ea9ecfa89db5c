import Foundation
import ModelKitFields
import ModelKitSQL
import TestSupport
import Testing

@Suite struct SQLiteStatementTests {
    private let connection: SQLiteConnection

    init() throws {
        connection = try SQLiteConnection(path: ":memory:")
        try connection.execute("CREATE TABLE kept (value)")
    }

    /// Stores a value in a table and reads it back.
    private func roundTrip<Value>(
        _ bind: (SQLiteStatement) throws -> Void,
        _ read: (SQLiteStatement) throws -> Value
    ) throws -> (value: Value, type: SQLiteColumnType) {
        try connection.execute("DELETE FROM kept")
        try connection.withStatement("INSERT INTO kept (value) VALUES (?1)") { insert in
            try bind(insert)
            try insert.execute()
        }
        return try connection.withStatement("SELECT value FROM kept") { select in
            try #require(try select.step())
            let type = select.type(at: 0)
            let value = try read(select)
            try expect(!select.step())
            return (value, type)
        }
    }

    @Test(arguments: [0, 1, -1, 9_007_199_254_740_993, Int64.min, Int64.max] as [Int64])
    func `integers come back exactly`(_ value: Int64) throws {
        let kept = try roundTrip({ try $0.bind(value, at: 1) }, { $0.int64(at: 0) })
        expect(kept.value, equals: value)
        expect(kept.type, equals: .integer)
    }

    @Test(arguments: [
        0, 0.1, -1.5, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity,
    ])
    func `numbers come back exactly`(_ value: Double) throws {
        let kept = try roundTrip({ try $0.bind(value, at: 1) }, { $0.double(at: 0) })
        expect(kept.value, equals: value)
        expect(kept.type, equals: .double)
    }

    @Test func `NaN is refused, as SQLite would store NULL`() throws {
        let error = #expect(throws: SQLiteError.self) {
            try connection.withStatement("INSERT INTO kept (value) VALUES (?1)") {
                try $0.bind(Double.nan, at: 1)
            }
        }
        expect(error?.kind, equals: .mismatch)
        expect(
            error?.description,
            equals: ":memory:: parameter 1 is not a number (NaN), which cannot be stored "
                + "(in \"INSERT INTO kept (value) VALUES (?1)\")"
        )
    }

    static let hostile = [
        "", "a", "it's", "\"quoted\"", "'; DROP TABLE kept; --", "\u{0}", "a\u{0}b", "ab\u{0}",
        "\u{0}\u{0}", "?1 :name @name $name", "%_\\", "👩‍👩‍👧‍👦🏳️‍🌈", "e\u{301}", "é", "\u{FFFD}",
        "\u{FEFF}x",
        "\u{202E}reversed", "line\r\nbreak\t", String(repeating: "x", count: 1023),
        String(repeating: "x", count: 1024), String(repeating: "y", count: 1025),
        String(repeating: "zażółć 🦆", count: 70_000),
    ]

    @Test(arguments: hostile)
    func `texts come back byte by byte`(_ value: String) throws {
        let kept = try roundTrip({ try $0.bind(value, at: 1) }, { try $0.string(at: 0) })
        expect(kept.value.utf8.elementsEqual(value.utf8))
        expect(kept.type, equals: .text)
    }

    @Test(arguments: hostile)
    func `a text is found by comparing with itself`(_ value: String) throws {
        try connection.execute("CREATE TABLE named (name TEXT PRIMARY KEY)")
        for name in [value, value + "\u{0}", value + "x"] {
            try connection.withStatement("INSERT INTO named (name) VALUES (?1)") {
                try $0.bind(name, at: 1)
                try $0.execute()
            }
        }
        try connection.withStatement("SELECT name FROM named WHERE name = ?1") { select in
            try select.bind(value, at: 1)
            try #require(try select.step())
            try expect(select.string(at: 0).utf8.elementsEqual(value.utf8))
            try expect(!select.step())
        }
    }

    @Test func `a text that is bridged or a substring is bound as well`() throws {
        let sub = String("xx grüße xx".dropFirst(3).dropLast(3))
        try expect(
            roundTrip({ try $0.bind(sub, at: 1) }, { try $0.string(at: 0) }).value,
            equals: sub
        )
        let bridged = NSString(string: "grüße aus münchen, ohne eile") as String
        try expect(
            roundTrip({ try $0.bind(bridged, at: 1) }, { try $0.string(at: 0) }).value,
            equals: bridged
        )
    }

    @Test(arguments: ["FF", "F09F98", "C080", "61EDA080", "6100FF"])
    func `text that is not UTF-8 is an error that names the column`(_ bytes: String) throws {
        let error = #expect(throws: SQLiteError.self) {
            try connection.withStatement("SELECT CAST(x'\(bytes)' AS TEXT) AS name") { select in
                try #require(try select.step())
                _ = try select.string(at: 0)
            }
        }
        expect(error?.kind, equals: .mismatch)
        expect(error?.message, equals: "column name holds text that is not UTF-8")
    }

    @Test(arguments: [0, 1, 255, 4096, 3_000_000])
    func `data of any size comes back, and none is not NULL`(_ count: Int) throws {
        let value = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let kept = try roundTrip({ try $0.bind(value, at: 1) }, { try $0.data(at: 0) })
        expect(kept.value, equals: value)
        expect(kept.type, equals: .blob)
    }

    @Test func `a slice of data is bound from its own start`() throws {
        let slice = Data([9, 9, 0, 1, 2]).dropFirst(2)
        let kept = try roundTrip({ try $0.bind(slice, at: 1) }, { try $0.data(at: 0) })
        expect(kept.value, equals: Data([0, 1, 2]))
    }

    @Test func `null comes back as null, and reads as nothing`() throws {
        let kept = try roundTrip(
            { try $0.bindNull(at: 1) },
            { statement in
                expect(statement.type(at: 0) == .null)
                expect(statement.int64(at: 0), equals: 0)
                expect(statement.double(at: 0), equals: 0)
                try expect(statement.data(at: 0), equals: Data())
                return try statement.string(at: 0)
            }
        )
        expect(kept.value, equals: "")
        expect(kept.type, equals: .null)
    }

    @Test func `every kind of value has its column type`() throws {
        let date = Date(timeIntervalSince1970: 1.25)
        let values: [(AttributeValue, SQLiteColumnType)] = [
            (.null, .null), (.bool(true), .integer), (.bool(false), .integer),
            (.int(.min), .integer), (.double(0.5), .double), (.string("a\u{0}"), .text),
            (.data(Data([0])), .blob), (.date(date), .integer),
        ]
        for (value, type) in values {
            try expect(roundTrip({ try $0.bind(value, at: 1) }, { _ in }).type, equals: type)
        }
        let yes = try roundTrip(
            { try $0.bind(AttributeValue.bool(true), at: 1) },
            { $0.int64(at: 0) }
        )
        expect(yes.value, equals: 1)
        let microseconds = try roundTrip(
            { try $0.bind(AttributeValue.date(date), at: 1) },
            { $0.int64(at: 0) }
        )
        expect(microseconds.value, equals: 1_250_000)
    }

    @Test(arguments: [AttributeValue.array([1]), .dictionary(["a": 1]), .double(.nan)])
    func `a value that has no column is refused`(_ value: AttributeValue) throws {
        let error = #expect(throws: SQLiteError.self) {
            try connection.withStatement("INSERT INTO kept (value) VALUES (?1)") {
                try $0.bind(value, at: 1)
            }
        }
        expect(error?.kind, equals: .mismatch)
    }

    @Test func `dates of 1749 to 2271 come back to the microsecond`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let microseconds = Int64.random(
                in: -7_000_000_000_000_000...9_500_000_000_000_000,
                using: &random
            )
            try connection.withStatement("SELECT ?1, ?2") { select in
                try select.bind(microseconds, at: 1)
                try #require(try select.step())
                let date = Timestamp.date(microseconds: select.int64(at: 0))
                select.reset()
                try select.bind(.date(date), at: 2)
                try #require(try select.step())
                #expect(select.int64(at: 1) == microseconds, "seed \(microseconds)")
            }
        }
    }

    @Test(arguments: [
        Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0),
        Date(timeIntervalSinceReferenceDate: 9.2e12),
        Date(timeIntervalSinceReferenceDate: -9.2e12),
        Date(timeIntervalSinceReferenceDate: 123_456_789_012.345_67),
    ])
    func `far dates come back`(_ date: Date) throws {
        let kept = try roundTrip({ try $0.bind(.date(date), at: 1) }, { $0.int64(at: 0) })
        expect(Timestamp.date(microseconds: kept.value), equals: date)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 9.3e12, -9.3e12, 1e300])
    func `a date beyond the range is refused`(_ seconds: Double) throws {
        let error = #expect(throws: SQLiteError.self) {
            try connection.withStatement("INSERT INTO kept (value) VALUES (?1)") {
                try $0.bind(.date(Date(timeIntervalSinceReferenceDate: seconds)), at: 1)
            }
        }
        expect(
            error?.message,
            equals: "parameter 1 is a date that is too far away, which cannot be stored"
        )
    }

    @Test(arguments: [0, 2, -1, Int.max, Int.min])
    func `a parameter that does not exist is an error`(_ index: Int) throws {
        let error = #expect(throws: SQLiteError.self) {
            try connection.withStatement("SELECT ?1") { try $0.bind("x", at: index) }
        }
        expect(error?.kind, equals: .range)
    }

    @Test(arguments: [1, -1, Int.max, Int.min])
    func `a column that does not exist is null`(_ index: Int) throws {
        try connection.withStatement("SELECT 7") { select in
            try #require(try select.step())
            expect(select.columnCount, equals: 1)
            expect(select.type(at: index) == .null)
            expect(select.int64(at: index), equals: 0)
            try expect(select.string(at: index), equals: "")
            expect(select.columnName(at: index), equals: nil)
        }
    }

    @Test func `many texts at once stay apart, within the buffer and beyond it`() throws {
        let count = 40
        let texts = (0..<count).map { String(repeating: "\($0)é", count: 1 + $0 * 7 % 60) }
        let sql = "SELECT " + (1...count).map { "?\($0)" }.joined(separator: ", ")
        for _ in 0..<3 {
            try connection.withStatement(sql) { select in
                expect(select.parameterCount, equals: count)
                for (index, text) in texts.enumerated() { try select.bind(text, at: index + 1) }
                try #require(try select.step())
                for (index, text) in texts.enumerated() {
                    try expect(select.string(at: index), equals: text)
                }
            }
        }
    }

    @Test func `a parameter that is bound again has the last value`() throws {
        try connection.withStatement("SELECT ?1, ?2") { select in
            try select.bind("first", at: 1)
            try select.bind("other", at: 2)
            try select.bind("last", at: 1)
            try #require(try select.step())
            try expect(select.string(at: 0), equals: "last")
            try expect(select.string(at: 1), equals: "other")
        }
    }

    @Test func `a reset forgets the values`() throws {
        let sql = "SELECT ?1, ?2"
        try connection.withStatement(sql) { select in
            try select.bind("secret", at: 1)
            try #require(try select.step())
            select.reset()
            try select.bind("public", at: 2)
            try #require(try select.step())
            expect(select.type(at: 0) == .null)
            try expect(select.string(at: 1), equals: "public")
        }
        try connection.withStatement(sql) { select in
            try #require(try select.step())
            expect(select.type(at: 0) == .null)
            expect(select.type(at: 1) == .null)
        }
    }

    @Test func `binding while rows are read is an error and changes nothing`() throws {
        try connection.withStatement("SELECT ?1 UNION ALL SELECT ?1") { select in
            try select.bind("kept", at: 1)
            try #require(try select.step())
            let error = #expect(throws: SQLiteError.self) { try select.bind("new", at: 1) }
            expect(error?.kind, equals: .misuse)
            try #require(try select.step())
            try expect(select.string(at: 0), equals: "kept")
        }
    }

    @Test func `execute resets also when it throws`() throws {
        try connection.execute("CREATE TABLE one (id INTEGER PRIMARY KEY)")
        try connection.withStatement("INSERT INTO one (id) VALUES (?1)") { insert in
            for id in [1, 1, 2] as [Int64] {
                try insert.bind(id, at: 1)
                if id == 1, connection.changes == 1 {
                    #expect(throws: SQLiteError.self) { try insert.execute() }
                } else {
                    try insert.execute()
                }
            }
        }
        try connection.withStatement("SELECT count(*) FROM one") { count in
            try #require(try count.step())
            expect(count.int64(at: 0), equals: 2)
        }
    }
}
