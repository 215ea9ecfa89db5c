import Foundation
import ModelKitFields
import TestSupport
import Testing

struct PropertiesRuleTests {
    struct Account: Sendable {
        var email: String?
        var phone: String?
        var password = "a"
        var again = "a"
        var start = 0
        var middle = 1
        var end = 2
    }

    @Test func `properties go together, and the issue is reported at the one that is named`() {
        let rule = Rule<Account>.together(
            \.start,
            \.middle,
            \.end,
            report: "middle",
            "must lie between",
            code: "between"
        ) { $0 < $1 && $1 < $2 }
        expect(rule.issues(for: Account()), equals: [])
        expect(rule.issues(for: nil), equals: [])
        expect(
            rule.issues(for: Account(middle: 3), at: ["account"]),
            equals: [
                Issue(code: "between", path: ["account", "middle"], message: "must lie between")
            ]
        )
        expect(rule.constraint, equals: .property("middle", .opaque))
    }

    @Test func `a property equals another`() {
        let rule = Rule<Account>.matches(\.again, "again", \.password)
        expect(rule.issues(for: Account()), equals: [])
        expect(rule.issues(for: nil), equals: [])
        expect(
            rule.issues(for: Account(again: "b")),
            equals: [Issue(code: "matches", path: ["again"], message: "must be the same")]
        )
        let catalogue = MessageCatalogue { code, _ in code == "matches" ? "muss gleich sein" : nil }
        MessageCatalogue.withCurrent(catalogue) {
            expect(
                rule.issues(for: Account(again: "b")).map(\.description),
                equals: ["again muss gleich sein"]
            )
        }
    }

    @Test(arguments: [
        (nil, nil, false, true), ("a", nil, true, false), (nil, "b", true, false),
        ("a", "b", false, true),
    ])
    func `exactly one, and all or none`(
        email: String?,
        phone: String?,
        isOne: Bool,
        isBothOrNone: Bool
    ) {
        let account = Account(email: email, phone: phone)
        let parts = [
            Rule<String>.required.at(\Account.email, "email"),
            Rule<String>.required.at(\Account.phone, "phone"),
        ]
        let one = Rule.exactlyOne(of: parts)
        let both = Rule.allOrNone(of: parts)
        expect(one.isValid(value: account), equals: isOne)
        expect(both.isValid(value: account), equals: isBothOrNone)
        expect(one.isValid(value: nil) && both.isValid(value: nil))
        for issue in one.issues(for: account) {
            expect(issue.code == "exactlyOne" && issue.path == [])
        }
        for issue in both.issues(for: account) {
            expect(issue.message, equals: "must satisfy all of several conditions or none")
        }
        expect(!Rule<Int>.exactlyOne(of: []).isValid(value: 1))
        expect(Rule<Int>.allOrNone(of: []).isValid(value: 1))
    }

    @Test func `a property is required if, unless and with`() {
        let missing = [Issue(code: "required", path: ["email"], message: "is required")]
        let strict = Rule<Account>.requiredIf(\.email, "email") { $0.start > 0 }
        let lax = Rule<Account>.requiredUnless(\.email, "email") { $0.start > 0 }
        let with = Rule<Account>.requiredWith(\.email, "email", \.phone)
        expect(strict.issues(for: Account(start: 1)), equals: missing)
        expect(lax.issues(for: Account(start: 1)), equals: [])
        expect(strict.issues(for: Account()), equals: [])
        expect(lax.issues(for: Account()), equals: missing)
        expect(with.issues(for: Account(phone: "1")), equals: missing)
        expect(with.issues(for: Account()), equals: [])
        for rule in [strict, lax, with] {
            expect(rule.issues(for: Account(email: "a", phone: "1", start: 1)), equals: [])
            expect(rule.issues(for: nil), equals: [])
        }
    }

    @Test func `a property is less than another, also where either may be missing`() {
        struct Stay: Sendable {
            var first = 1
            var last = 2
            var from: Double?
            var to: Double?
        }
        let days = Rule<Stay>.lessThan(\.first, "first", \.last, "last")
        let times = Rule<Stay>.lessThan(\.from, "from", \.to, "to")
        expect(days.issues(for: Stay()) == [] && days.issues(for: nil) == [])
        expect(
            days.issues(for: Stay(first: 2)),
            equals: [
                Issue(
                    code: "lessThan",
                    path: ["first"],
                    message: "must be less than last",
                    parameters: ["other": "last"]
                )
            ]
        )
        for stay in [Stay(), Stay(from: 1), Stay(to: 1), Stay(from: 1, to: 2)] {
            expect(times.issues(for: stay), equals: [])
        }
        for stay in [Stay(from: 1, to: 1), Stay(from: .nan, to: 1)] {
            expect(
                times.issues(for: stay).map(\.description),
                equals: ["from must be less than to"]
            )
        }
    }

    @Test func `a decimal that is no number is not less than another`() {
        struct Price: Sendable {
            var net: Decimal
            var gross: Decimal
            var discount: Decimal?
            var limit: Decimal? = 1
        }
        let rule = Rule<Price>.lessThan(\.net, "net", \.gross, "gross")
        let optional = Rule<Price>.lessThan(\.discount, "discount", \.limit, "limit")
        expect(rule.issues(for: Price(net: 1, gross: 2)), equals: [])
        for price in [Price(net: .nan, gross: 1), Price(net: 1, gross: .nan)] {
            expect(rule.issues(for: price).map(\.code), equals: ["lessThan"])
        }
        let price = Price(net: 1, gross: 2, discount: .nan)
        expect(optional.issues(for: price).map(\.code), equals: ["lessThan"])
    }

    @Test func `at least one`() {
        let rule = Rule.atLeastOne(of: [
            Rule<String>.required.at(\Account.email, "email"),
            Rule<String>.required.at(\Account.phone, "phone"),
        ])
        expect(
            rule.issues(for: Account()),
            equals: [
                Issue(
                    code: "atLeastOne",
                    message: "must satisfy at least one of several conditions"
                )
            ]
        )
        expect(rule.issues(for: Account(phone: "1")), equals: [])
        expect(rule.issues(for: nil), equals: [])
        expect(!Rule<Int>.atLeastOne(of: []).isValid(value: 1))
    }

    private struct Trip: Sendable {
        var start = 0
        var end: Int?
    }

    @Test func `of two properties either may be optional`() {
        let later = Rule<Trip>.together(\.start, \.end, report: "end", "must be later") { $0 < $1 }
        let earlier = Rule<Trip>.together(\.end, \.start, report: "start", "must be earlier") {
            $0 > $1
        }
        expect(later.issues(for: Trip(start: 2, end: nil)).isEmpty)
        expect(later.issues(for: Trip(start: 2, end: 3)).isEmpty)
        expect(later.issues(for: nil).isEmpty)
        let wrong = Trip(start: 2, end: 1)
        expect(later.issues(for: wrong).map(\.description), equals: ["end must be later"])
        expect(earlier.issues(for: wrong).map(\.description), equals: ["start must be earlier"])
        expect(earlier.issues(for: Trip(start: 2)).isEmpty)
    }
}
