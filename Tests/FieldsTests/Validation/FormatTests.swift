import ModelKitFields
import Synchronization
import TestSupport
import Testing

struct FormatTests {
    @Test(arguments: [
        "a@b", "john@doe.com", "john.doe+tag@sub.example.co.uk", "!#$%&'*+/=?^_`{|}~-@x.y",
        ".a.@b.c", "a..b@c.d", "a@1.2.3.4", "a@b-c.d", "A@XN--BCHER-KVA.CH",
        "a@" + String(repeating: "x", count: 63) + ".de",
    ])
    func `an email address of HTML`(text: String) {
        expect(Rule<String>.email.issues(for: text), equals: [])
    }

    @Test(arguments: [
        "", "@", "a", "a@", "@b", "a@b@c", "a b@c.d", "a@b c", "a@-b.c", "a@b-.c", "a@b.", "a@.b",
        "a@b..c", "a@b_c.d", "john@doe.com ", " john@doe.com", "john@doe.com\n", "\"a b\"@c.d",
        "a@[1.2.3.4]", "a(b)@c.d", "ü@b.c", "a@büch.er", "a,b@c.d", "a@b,c", "a\0@b.c", "a[b]@c.d",
        "a@" + String(repeating: "x", count: 64) + ".de",
    ])
    func `no email address of HTML`(text: String) {
        expect(
            Rule<String>.email.issues(for: text),
            equals: [Issue(code: "email", message: "must be a valid email address")]
        )
    }

    @Test(arguments: [
        "http://a", "https://example.com", "HTTPS://EXAMPLE.COM/", "http://a.b/c/d;e=f?g=h&i#j/k?l",
        "http://user:pass@host:8080/", "http://user@host", "http://:@a", "http://a:", "http://a:0",
        "http://a:65535/x", "http://a:00080", "http://1.2.3.4/", "http://[::1]:80/x", "http://[::]",
        "http://[2001:db8::8a2e:370:7334]", "http://[::ffff:1.2.3.4]/", "http://[v1.a:b]",
        "http://[1:2:3:4:5:6:7:8]", "http://[1:2:3:4:5:6:7::]", "http://[1:2:3:4:5:6:1.2.3.4]",
        "http://a%20b/%C3%BC?%00#%ff", "http://a//b", "http://a?b", "http://a#b", "http://a?",
        "http://xn--bcher-kva.ch/", "http://a_b.c", "http://a/@:!$&'()*+,;=~-._", "http://a.b.",
    ])
    func `an absolute URL`(text: String) {
        expect(Rule<String>.url.issues(for: text), equals: [])
    }

    @Test(arguments: [
        "", "http", "http:", "http:/", "http://", "http:///a", "//a", "a.com", "/a", "http:a",
        "ftp://a", "httpss://a", "mailto:a@b", "javascript:alert(1)", "javascript://a/%0Aalert(1)",
        "http://?a", "http://#a", "http://:80", "http://a:b", "http://a:65536", "http://a:999999",
        "http://user@", "http://a@b@c", "http://a b", "http://a/ b", " http://a", "http://a ",
        "http://a\n", "http://ü.de", "http://a/ü", "http://a/%", "http://a/%2", "http://a/%2g",
        "http://%", "http://a/<b>", "http://a/\"", "http://a/[b]", "http://a/b\\c", "http://a\\b",
        "http://a#b#c", "http://[::1", "http://::1", "http://[]", "http://[::1]a", "http://[:1]",
        "http://[1:2:3:4:5:6:7]", "http://[1:2:3:4:5:6:7:8:9]", "http://[1::2::3]", "http://[1:]",
        "http://[1:2:3:4:5:6:7:8::]", "http://[:::]", "http://[12345::]", "http://[g::]",
        "http://[::1.2.3]", "http://[::1.2.3.256]", "http://[::01.2.3.4]", "http://[1.2.3.4::]",
        "http://[1:2:3:4:5:6:7:1.2.3.4]", "http://[v.a]", "http://[v1.]", "http://[fe80::1%25en0]",
        "http\0://a", "1http://a", "http://a\0",
    ])
    func `no absolute URL`(text: String) {
        expect(
            Rule<String>.url.issues(for: text),
            equals: [Issue(code: "url", message: "must be a valid URL")]
        )
    }

    @Test func `the schemes of a URL can be chosen`() {
        let rule = Rule<String>.url(schemes: ["WSS", "git+ssh"])
        expect(rule.issues(for: "wss://a/b"), equals: [])
        expect(rule.issues(for: "Git+SSH://git@a/b"), equals: [])
        expect(rule.issues(for: "http://a").map(\.code), equals: ["url"])
        expect(Rule<String>.url(schemes: []).issues(for: "http://a").map(\.code), equals: ["url"])
        guard case .all(let parts) = rule.constraint, case .pattern(let pattern) = parts.last else {
            expect(Bool(false), "\(rule.constraint)")
            return
        }
        expect(parts.first, equals: .format("uri"))
        expect(pattern.hasPrefix(#"^(?:[wW][sS][sS]|[gG][iI][tT]\+[sS][sS][hH]):\/\/"#))
    }

    @Test(arguments: [
        "https://a:70000/", "https://a:65536", "https://a:65535/", "https://a:/",
        "https://a:000080?x",
        "https://u:p@a:80", "https://u:70000@a", "https://[::1]:99999/", "https://[::1]:443#a",
        "http://a", "HTTP://a/b:70000", "http://", "http:///a", "http://a:", "http://:80",
        "ftp://a",
        "http://a:6553", "http://a:655350", "http://a:1b", "http://u@", "http://a?b:70000",
    ])
    func `the pattern of a URL says what its scheme, host and port may be`(text: String) throws {
        guard case .all(let parts) = Rule<String>.url.constraint,
            case .pattern(let pattern) = parts.last
        else { return expect(Bool(false)) }
        let rule = try Rule<String>.pattern(pattern)
        expect(rule.isValid(value: text), equals: Rule<String>.url.isValid(value: text))
    }

    @Test(arguments: [
        "00000000-0000-0000-0000-000000000000", "123e4567-e89b-12d3-a456-426614174000",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "aBcDeF01-2345-6789-aBcD-eF0123456789",
    ])
    func `a UUID`(text: String) {
        expect(Rule<String>.uuid.issues(for: text), equals: [])
    }

    @Test(arguments: [
        "", "123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}",
        "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-4266141740000",
        "123e4567-e89b-12d3-a456-42661417400g", "123e4567_e89b-12d3-a456-426614174000",
        "123e456-7e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-42661417400\n",
        "１23e4567-e89b-12d3-a456-4266141740", "-23e4567-e89b-12d3-a456-4266141740000",
    ])
    func `no UUID`(text: String) {
        expect(
            Rule<String>.uuid.issues(for: text),
            equals: [Issue(code: "uuid", message: "must be a valid UUID")]
        )
    }

    @Test(arguments: [
        "2024-01-31", "2024-02-29", "2000-02-29", "1999-12-31", "0000-02-29", "9999-12-31",
        "2023-04-30", "2023-02-28",
    ])
    func `a date`(text: String) {
        expect(Rule<String>.date.issues(for: text), equals: [])
    }

    @Test(arguments: [
        "", "2023-02-29", "1900-02-29", "2100-02-29", "2024-02-30", "2024-04-31", "2024-06-31",
        "2024-09-31", "2024-11-31", "2024-01-32", "2024-00-01", "2024-13-01", "2024-01-00",
        "2024-1-01", "2024-01-1", "24-01-01", "02024-01-01", "20240101", "2024/01/01",
        "2024-01-01T00:00:00Z", "2024-01-01 ", " 2024-01-01", "2024-01-01\n", "-2024-01-01",
        "+2024-01-01", "２024-01-01", "2024-01-0a", "2024–01–01",
    ])
    func `no date`(text: String) {
        expect(
            Rule<String>.date.issues(for: text),
            equals: [Issue(code: "date", message: "must be a valid date (yyyy-MM-dd)")]
        )
    }

    @Test func `every month ends on its day`() {
        for year in 1895...2005 {
            let isLeap = year.isMultiple(of: 400) || year % 4 == 0 && year % 100 != 0
            let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (month, count) in zip(1..., days) {
                for day in [1, count, count + 1] {
                    let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
                    let text = "\(year)-\(two(month))-\(two(day))"
                    expect(
                        Rule<String>.date.issues(for: text).isEmpty,
                        equals: (day <= count),
                        "\(text)"
                    )
                }
            }
        }
    }

    @Test func `formats let nil pass and have a name`() {
        for (rule, name) in [
            (Rule<String>.email(.rfc5321), "email"), (.uuid, "uuid"), (.date, "date"),
        ] {
            expect(rule.issues(for: nil), equals: [])
            expect(rule.constraint, equals: .format(name))
        }
    }
}

/// Hostile text of 20 kB: each format may look at a byte a few times and no more, whatever the
/// text is made of.
struct FormatWorkTests {
    private static let size = 20_000

    private static let hostile: [String] = {
        let pieces = [
            "a", "a.", "a@", "@", "-", "a-", ".", "%", "%2", "%20", "1", "0", ":", "::", "1:", "[",
            "]", "1.", "\u{301}", "é", "http://", "a@b.", "?", "#", "/", "🇩", "\r\n",
        ]
        let heads = [
            "", "a@", "a@b", "http://", "http://[", "http://[::", "http://a:", "http://a/", "2024-",
            "v1.", "12:30:00.", "P", "PT", "#", "/", "1.2.3-", "1.2.3+", "xn--", "xn--a.xn--", "[",
            "\"",
            "[\"\\",
        ]
        return heads.flatMap { head in
            pieces.map { piece in
                head + String(repeating: piece, count: size / piece.utf8.count) + "!"
            }
        }
    }()

    @Test func `every format reads a byte at most a few times`() {
        let schemes = [Array("http".utf8)]
        for text in Self.hostile {
            let bytes = Array(text.utf8)
            for (name, format) in [
                ("email", { isEmailAddress($0) }), ("url", { isURL($0, schemes: schemes) }),
                ("uri", { isURI($0) }), ("uriReference", { isURIReference($0) }),
                ("mailbox", { isMailbox($0, isInternational: true) }),
                ("uuid", { isUUID($0) }), ("date", { isFullDate($0) }),
                ("IPv6", { isIPv6Address($0, in: 0..<bytes.count) }),
                ("IPv4", { isIPv4Address($0, in: 0..<bytes.count) }),
                ("cidr", { isAddressBlock($0) }), ("hostname", { isHostname($0) }),
                ("slug", { isSlug($0) }), ("time", { isFullTime($0) }),
                ("dateTime", { isDateTime($0) }), ("duration", { isDuration($0) }),
                ("base64", { isBase64($0) }), ("jsonPointer", { isJSONPointer($0) }),
            ] as [(String, (CountingBytes) -> Bool)] {
                let counting = CountingBytes(bytes)
                _ = format(counting)
                expect(counting.reads <= 8 * bytes.count, "\(name) of \(text.prefix(12))…")
            }
        }
    }

    @Test func `a length is found without reading all of the text`() {
        let long = String(repeating: "é", count: Self.size)
        expect(Rule<String>.maxLength(3).issues(for: long).map(\.code), equals: ["maxLength"])
        expect(Rule<String>.minLength(3).issues(for: long), equals: [])
        let stack = "e" + String(repeating: "\u{301}", count: Self.size)
        expect(Rule<String>.maxLength(1).issues(for: stack), equals: [])
    }
}

/// Bytes that count how often they are read.
private struct CountingBytes: RandomAccessCollection {
    private final class Counter {
        var reads = 0
    }

    private let bytes: [UInt8]
    private let counter = Counter()

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var reads: Int { counter.reads }
    var startIndex: Int { 0 }
    var endIndex: Int { bytes.count }

    subscript(position: Int) -> UInt8 {
        counter.reads += 1
        return bytes[position]
    }
}
