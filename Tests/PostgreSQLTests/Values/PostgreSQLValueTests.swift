import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

/// Values as columns of a kind hold them, by what the server itself makes of them.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLValueTests {
    private static let date = Date(timeIntervalSinceReferenceDate: 0.000_001)

    /// A value, and its text as PostgreSQL writes it in UTC.
    private static let values: [(AttributeKind, AttributeValue, String)] = [
        (.bool, true, "true"), (.bool, false, "false"),
        (.int, 0, "0"), (.int, .int(.min), "-9223372036854775808"),
        (.int, .int(.max), "9223372036854775807"),
        (.double, 0.0, "0"), (.double, -0.0, "-0"), (.double, 0.1, "0.1"),
        (.double, .double(.leastNonzeroMagnitude), "5e-324"),
        (.double, .double(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
        (.string, "", ""), (.string, "e\u{301}'😀\\", "e\u{301}'😀\\"),
        (.data, .data(Data()), "\\x"), (.data, .data(Data([0, 0xFF])), "\\x00ff"),
        (.date, .date(date), "2001-01-01 00:00:00.000001+00"),
        (
            .date, .date(Timestamp.date(microseconds: storedDates.lowerBound)),
            "0001-01-01 00:00:00+00"
        ),
        (
            .date, .date(Timestamp.date(microseconds: 253_402_300_799_000_000)),
            "9999-12-31 23:59:59+00"
        ),
        (.decimal, "0", "0"), (.decimal, "-1", "-1"), (.decimal, "10000", "10000"),
        (.decimal, "0.0001", "0.0001"), (.decimal, "-0.00001", "-0.00001"),
        (.decimal, "12345678.9", "12345678.9"), (.decimal, "100000000", "100000000"),
        (.unsigned, 0, "0"), (.unsigned, .int(.max), "9223372036854775807"),
        (.unsigned, "18446744073709551615", "18446744073709551615"),
        (
            .uuid, "4F2C9AE1-0B3D-4C5E-8F60-718293A4B5C6", "4f2c9ae1-0b3d-4c5e-8f60-718293a4b5c6"
        ),
        (.array, [], "[]"), (.array, ["a\"", 1, 1.0, .null], #"["a\"",1,1.0,null]"#),
        (.dictionary, ["a": [true]], #"{"a":[true]}"#),
        (.any, 1, "n88008000000000000000 1"), (.any, "\u{301}", "s\u{301}"), (.any, true, "ttrue"),
        (.any, .date(date), "u2001-01-01T00:00:00.000001Z"), (.any, .data(Data([10])), "x0a"),
        (.any, [1, "a"], #"z[1,"a"]"#),
    ]

    @Test func `values are what the server says, and come back the same`() throws {
        let database = try QueryDatabase()
        try database.connection.execute("SET TimeZone = 'UTC'")
        for (kind, value, text) in Self.values {
            var parameters = PostgreSQLParameters()
            try PostgreSQLParameter(value, as: kind).append(to: &parameters)
            let sql = "SELECT $1::\(kind.typeName)::text, $1::\(kind.typeName)"
            let result = try database.connection.run(PostgreSQLStatement(sql, parameters))
            expect(try result.bytes(0, 0).text, equals: text)
            let back = try kind.value(of: result.bytes(0, 1))
            // And the sign of zero.
            expect("\(back)", equals: "\(value)", "\(kind) \(text)")
        }
    }
}
