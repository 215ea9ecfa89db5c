import Foundation
import ModelKitFields
import TestSupport
import Testing

struct FormatParserTests {
    @Test func `a day is its first moment in UTC`() throws {
        let date: Parser<String, Date> = .date
        try expect(date.parse("1970-01-02"), equals: Date(timeIntervalSince1970: 86_400))
        expect(date.print(Date(timeIntervalSince1970: 90_000)), equals: "1970-01-02")
        for text in ["", "1970-1-2", "2023-02-29", "1970-01-02T00:00:00Z", "+010000-01-01"] {
            expect(date.issues(for: text), equals: Rule.date.issues(for: text), "\(text)")
            expect(date.issues(for: text).map(\.code), equals: ["date"], "\(text)")
        }
        expect(date.print(Date(timeIntervalSince1970: 300_000_000_000)), equals: nil)
        expect(date.print(Date(timeIntervalSince1970: .infinity)), equals: nil)
        try expect(date.parse("9999-12-31").flatMap(date.print), equals: "9999-12-31")
        try expect(date.parse("0000-01-01").flatMap(date.print), equals: "0000-01-01")
    }

    @Test func `a moment is read with its offset and printed in UTC`() throws {
        let moment: Parser<String, Date> = .dateTime
        let parsed = try moment.parse("1970-01-01T02:00:00.25+01:00")
        expect(parsed, equals: Date(timeIntervalSince1970: 3600.25))
        expect(moment.print(parsed), equals: "1970-01-01T01:00:00.250000Z")
        for text in ["", "1970-01-01", "1970-01-01T25:00:00Z", "1970-01-01T00:00:00", "now"] {
            expect(moment.issues(for: text).map(\.code), equals: ["dateTime"], "\(text)")
        }
        try expect(
            moment.parse("2016-12-31T23:59:60Z"),
            equals: moment.parse("2017-01-01T00:00:00Z")
        )
        // No month ends there, so there is no leap second.
        expect(moment.issues(for: "2016-12-30T23:59:60Z").map(\.code), equals: ["dateTime"])
        expect(moment.print(Date(timeIntervalSince1970: 300_000_000_000)), equals: nil)
    }

    @Test func `identifiers and addresses are read`() throws {
        let uuid: Parser<String, UUID> = .uuid
        let text = "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"
        try expect(uuid.parse(text.lowercased())?.uuidString, equals: text)
        expect(uuid.print(UUID(uuidString: text)), equals: text)
        expect(uuid.issues(for: "f81d4fae").map(\.message), equals: ["must be a valid UUID"])
        let url: Parser<String, URL> = .url
        try expect(url.parse("https://example.com/a?b#c")?.host(), equals: "example.com")
        expect(url.print(URL(string: "https://example.com/a")), equals: "https://example.com/a")
        for text in ["", "example.com", "ftp://example.com", "https://", "https://exa mple.com"] {
            expect(url.issues(for: text).map(\.code), equals: ["url"], "\(text)")
        }
        let files: Parser<String, URL> = .url(schemes: ["ftp"])
        try expect(files.parse("ftp://example.com")?.scheme, equals: "ftp")
        expect(files.print(URL(string: "ftp://example.com")), equals: "ftp://example.com")
    }

    @Test(arguments: ["/a", "example.com", "ftp://example.com", "mailto:a@example.com"])
    func `an address that would not be read is not printed`(text: String) {
        let url: Parser<String, URL> = .url
        expect(url.print(URL(string: text)), equals: nil)
    }

    @Test func `white space is taken from both ends alone`() throws {
        let trimmed = Parser<String, String>.trimmed
        try expect(trimmed.parse("\u{2003} a b\u{85}\n"), equals: "a b")
        try expect(trimmed.parse(" "), equals: "")
        try expect(trimmed.parse("\u{200B}a"), equals: "\u{200B}a")
        try expect(trimmed.parse("a"), equals: "a")
        // The accent belongs to the space before it.
        try expect(trimmed.parse(" \u{301}a"), equals: "\u{301}a")
    }
}
