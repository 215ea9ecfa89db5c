import ModelKitFields
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

    @Test func `properties go together, and the one that is named is told`() {
        let rule = Rule<Account>.together(
            \.start,
            \.middle,
            \.end,
            report: "middle",
            "must lie between",
            code: "between"
        ) { $0 < $1 && $1 < $2 }
        #expect(rule.issues(for: Account()) == [])
        #expect(rule.issues(for: nil) == [])
        #expect(
            rule.issues(for: Account(middle: 3), at: ["account"]) == [
                Issue(code: "between", path: ["account", "middle"], message: "must lie between")
            ]
        )
        #expect(rule.constraint == .property("middle", .opaque))
    }

    @Test func `a property equals another`() {
        let rule = Rule<Account>.matches(\.again, "again", \.password)
        #expect(rule.issues(for: Account()) == [])
        #expect(rule.issues(for: nil) == [])
        #expect(
            rule.issues(for: Account(again: "b"))
                == [Issue(code: "matches", path: ["again"], message: "must be the same")]
        )
        let catalogue = MessageCatalogue { code, _ in code == "matches" ? "muss gleich sein" : nil }
        MessageCatalogue.withCurrent(catalogue) {
            #expect(
                rule.issues(for: Account(again: "b")).map(\.description)
                    == ["again muss gleich sein"]
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
        #expect(one.isValid(value: account) == isOne)
        #expect(both.isValid(value: account) == isBothOrNone)
        #expect(one.isValid(value: nil) && both.isValid(value: nil))
        for issue in one.issues(for: account) {
            #expect(issue.code == "exactlyOne" && issue.path == [])
        }
        for issue in both.issues(for: account) {
            #expect(issue.message == "must satisfy all of several conditions or none")
        }
        #expect(!Rule<Int>.exactlyOne(of: []).isValid(value: 1))
        #expect(Rule<Int>.allOrNone(of: []).isValid(value: 1))
    }
}
