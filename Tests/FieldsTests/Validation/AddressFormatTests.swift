import ModelKitFields
import TestSupport
import Testing

/// The formats of addresses by more than one standard.
struct AddressFormatTests {
    private static let longLocal = String(repeating: "a", count: 64) + "@b.c"
    private static let longDomain =
        "a@" + String(repeating: "aaaaaaaaa.", count: 25) + "bc"

    private static let mailboxes = [
        "a@b", "a.b+c@example.com", #""a b"@example.com"#, #""a\"b\\"@example.com"#, #""@"@b.c"#,
        #"""@b.c"#, "a@[192.0.2.1]", "a@[IPv6:2001:db8::1]", "a@[ipv6:::1]",
        "!#$%&'*+/=?^_`{|}~-@b",
        longLocal, longDomain, "a@[192.000.02.001]", "a@[IPv6:1:2:3:4:5:6::]",
        "a@[IPv6:1::2:3:4:5:6]", "a@[IPv6:1:2:3:4::1.2.3.4]", "a@[IPv6:1:2:3:4:5:6:7:8]",
        "a@[IPv6:1:2:3:4:5:6:01.2.3.4]",
    ]

    private static let noMailboxes = [
        "", "a", "@b", "a@", ".a@b", "a.@b", "a..b@c", "a b@c", #""a@b"#, #""a"b@c"#, "a@b.",
        "a@.b",
        "a@-b", "a@b_c", "a@[192.0.2.256]", "a@[2001:db8::1]", "a@[IPv6:1.2.3.4]", "a@[]",
        "a@[1.2.3.4",
        "a@[1.2.3.4]b", "a@b\n", "a\0@b", "\"\u{7F}\"@b", "\"\\\n\"@b", "a" + longLocal,
        longDomain + "d", "a@b@c", "a@[0192.0.2.1]", "a@[IPv6:1:2:3:4:5:6:7::]",
        "a@[IPv6:1::2:3:4:5:6:7]", "a@[IPv6:1:2:3:4:5::1.2.3.4]",
    ]

    private static let foreign = [
        "用户@例え.jp", "é@b", "a@é.com", #""é"@b"#, "me@MÜLLER.de", "me@straße.de",
        "me@\(String(repeating: "ü", count: 50)).de", "अ.आ@इ.com",
    ]

    private static let never = [
        "\u{3000}@b", "a@\u{85}b", "a@\u{200A}.c", "é..é@b", "a@-é",
        // No labels of names: dots and hyphens of other widths, punctuation, too long in Punycode.
        "me@．a.com", "me@－a", "me@⒈a.com", "me@\u{37E}.com", "me@é-", "me@\u{301}a.com",
        "me@\(String(repeating: "ü", count: 60)).de",
    ]

    @Test(arguments: [
        TextSample(
            code: "email",
            rule: .email(.rfc5321),
            message: "must be a valid email address",
            constraint: .format("email"),
            passing: mailboxes,
            failing: noMailboxes + foreign + never
        ),
        TextSample(
            code: "email",
            rule: .email(.international),
            message: "must be a valid email address",
            constraint: .format("idn-email"),
            passing: mailboxes + foreign,
            failing: noMailboxes + never
        ),
        TextSample(
            code: "email",
            rule: .email(.html),
            message: "must be a valid email address",
            constraint: .all([.format("email"), .pattern(Constraint.emailPattern)]),
            passing: ["a@b", ".a..b.@c"],
            failing: ["", #""a"@b"#, "a@[192.0.2.1]", "é@b"]
        ),
        TextSample(
            code: "uri",
            rule: .uri,
            message: "must be a valid URI",
            constraint: .format("uri"),
            passing: [
                "urn:isbn:0-330-25864-8", "mailto:a@b.c", "file:///tmp", "http://a", "a:",
                "tel:+1-2",
                "a+b-c.1:x", "http://u:p@[::1]:80/a%20b?c/?#d/?", "ldap://[2001:db8::7]/c=GB?one",
                "a:b:c", "a:/b//c", "a://", "A://@:/", "http://a.com:999999999", "http://a:65536/",
            ],
            failing: [
                "", "a", "/a", "//a", ":a", "1a:b", "é:a", "a b:c", "a:é", "a:%2", "a:%GG",
                "a:b#c#d",
                "http://a:1b", "http://[::1", "a:[", "a://b c", "a:\\b", "a:<b>", "a:\n",
            ]
        ),
        TextSample(
            code: "uriReference",
            rule: .uriReference,
            message: "must be a valid URI",
            constraint: .format("uri-reference"),
            passing: [
                "", "a", "/a", "//a/b", "../a?b#c", "?a", "#", "./a:b", "a/b:c", "urn:a:b", "a@b",
                "//", "http://a", "?a:b", "//a.com:99999", "//a:",
            ],
            failing: ["1a:b", "é", "a b", "%", "a#b#c", "\\", "[a]", "//a:b:c", ":", "a\n"]
        ),
    ])
    func `addresses by their standard`(sample: TextSample) {
        sample.check()
    }

    @Test func `every URI is a reference, and every URL a URI`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        let pieces = [
            "a", "1", ":", "/", "//", "?", "#", "@", "[", "]", "::1", "%20", "http:", ".", "é",
            "80",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<8, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let (isURL, isURI, isReference) = (
                Rule<String>.url(schemes: ["http", "a"]).isValid(value: text),
                Rule<String>.uri.isValid(value: text),
                Rule<String>.uriReference.isValid(value: text)
            )
            expect(!isURL || isURI, "seed \(seed): \(text)")
            expect(!isURI || isReference, "seed \(seed): \(text)")
        }
    }

    @Test func `a tag is letters, and a label of letters alone is no longer than others`() {
        expect(!Rule<String>.email(.rfc5321).isValid(value: "a@[IPv6\u{1A}::1]"))
        expect(Rule<String>.email(.rfc5321).isValid(value: "a@[ipv6:::1]"))
        let label = String(repeating: "b", count: 64)
        expect(!Rule<String>.email(.international).isValid(value: "a@\(label).com"))
        expect(!Rule<String>.email(.international).isValid(value: "a@é\(label).com"))
        expect(Rule<String>.email(.international).isValid(value: "a@é\(label.dropLast(10)).com"))
    }
}
