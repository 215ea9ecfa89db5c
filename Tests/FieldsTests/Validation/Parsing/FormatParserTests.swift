import Foundation
import ModelKitFields
import Testing

struct FormatParserTests {
    @Test func `a day is its first moment in UTC`() throws {
        let date: Parser<String, Date> = .date
        #expect(try date.parse("1970-01-02") == Date(timeIntervalSince1970: 86_400))
        #expect(date.print(Date(timeIntervalSince1970: 90_000)) == "1970-01-02")
        for text in ["", "1970-1-2", "2023-02-29", "1970-01-02T00:00:00Z", "+010000-01-01"] {
            #expect(date.issues(for: text) == Rule.date.issues(for: text), "\(text)")
            #expect(date.issues(for: text).map(\.code) == ["date"], "\(text)")
        }
        #expect(date.print(Date(timeIntervalSince1970: 300_000_000_000)) == nil)
        #expect(date.print(Date(timeIntervalSince1970: .infinity)) == nil)
        #expect(try date.parse("9999-12-31").flatMap(date.print) == "9999-12-31")
        #expect(try date.parse("0000-01-01").flatMap(date.print) == "0000-01-01")
    }

    @Test func `a moment is read with its offset and printed in UTC`() throws {
        let moment: Parser<String, Date> = .dateTime
        let parsed = try moment.parse("1970-01-01T02:00:00.25+01:00")
        #expect(parsed == Date(timeIntervalSince1970: 3600.25))
        #expect(moment.print(parsed) == "1970-01-01T01:00:00.250000Z")
        for text in ["", "1970-01-01", "1970-01-01T25:00:00Z", "1970-01-01T00:00:00", "now"] {
            #expect(moment.issues(for: text).map(\.code) == ["dateTime"], "\(text)")
        }
        #expect(try moment.parse("2016-12-31T23:59:60Z") == moment.parse("2017-01-01T00:00:00Z"))
        // No month ends there, so there is no leap second.
        #expect(moment.issues(for: "2016-12-30T23:59:60Z").map(\.code) == ["dateTime"])
        #expect(moment.print(Date(timeIntervalSince1970: 300_000_000_000)) == nil)
    }

    @Test func `identifiers and addresses are read`() throws {
        let uuid: Parser<String, UUID> = .uuid
        let text = "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"
        #expect(try uuid.parse(text.lowercased())?.uuidString == text)
        #expect(uuid.print(UUID(uuidString: text)) == text)
        #expect(uuid.issues(for: "f81d4fae").map(\.message) == ["must be a valid UUID"])
        let url: Parser<String, URL> = .url
        #expect(try url.parse("https://example.com/a?b#c")?.host() == "example.com")
        #expect(url.print(URL(string: "https://example.com/a")) == "https://example.com/a")
        for text in ["", "example.com", "ftp://example.com", "https://", "https://exa mple.com"] {
            #expect(url.issues(for: text).map(\.code) == ["url"], "\(text)")
        }
        let files: Parser<String, URL> = .url(schemes: ["ftp"])
        #expect(try files.parse("ftp://example.com")?.scheme == "ftp")
    }

    @Test func `white space is taken from both ends alone`() throws {
        let trimmed = Parser<String, String>.trimmed
        #expect(try trimmed.parse("\u{2003} a b\u{85}\n") == "a b")
        #expect(try trimmed.parse(" ") == "")
        #expect(try trimmed.parse("\u{200B}a") == "\u{200B}a")
        #expect(try trimmed.parse("a") == "a")
        // The accent belongs to the space before it.
        #expect(try trimmed.parse(" \u{301}a") == "\u{301}a")
    }
}
