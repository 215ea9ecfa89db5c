import ModelKitFields
import Synchronization
import TestSupport
import Testing

struct RuleTests {
    @Test func `a closure rule lets nil pass and fails with its message`() {
        let even = Rule<Int>("must be even", code: "even", parameters: ["base": 2]) { $0 % 2 == 0 }
        expect(even.issues(for: 2), equals: [])
        expect(even.issues(for: nil), equals: [])
        expect(
            even.issues(for: 3),
            equals: [Issue(code: "even", message: "must be even", parameters: ["base": 2])]
        )
    }

    @Test func `without a message it is invalid, of code custom`() {
        let rule = Rule<Int> { $0 > 0 }
        expect(rule.issues(for: 0), equals: [Issue(code: "custom", message: "is invalid")])
        expect(rule.constraint, equals: .opaque)
    }

    @Test func `where nil is not allowed it is required`() {
        let rule = Rule<Int>("must be even", allowNil: false) { $0 % 2 == 0 }
        expect(rule.issues(for: nil), equals: [Issue(code: "required", message: "is required")])
        expect(rule.issues(for: 3).map(\.message), equals: ["must be even"])
        expect(rule.issues(for: 2), equals: [])
        expect(rule.constraint, equals: .all([.required, .opaque]))
    }

    @Test func `a rule from a function sees nil and puts its paths under the checker's`() {
        let rule = Rule<[Int]>(constraint: .minItems(1)) { values in
            guard let values else { return [Issue(message: "is missing")] }
            return values.isEmpty ? [Issue(path: [0], message: "is needed")] : []
        }
        expect(rule.issues(for: nil, at: ["list"]).map(\.description), equals: ["list is missing"])
        expect(rule.issues(for: [], at: ["list"]).map(\.description), equals: ["list[0] is needed"])
        expect(rule.issues(for: [1], at: ["list"]), equals: [])
        expect(rule.constraint, equals: .minItems(1))
    }

    @Test func `check appends, and leaves alone what was there`() {
        var issues = [Issue(path: ["other"], message: "was there")]
        Rule<Int>.positive.check(-1, at: ["age"], into: &issues)
        Rule<Int>.positive.check(1, at: ["age"], into: &issues)
        expect(
            issues.map(\.description),
            equals: ["other was there", "age must be greater than 0"]
        )
    }

    @Test func `the path of a value that passes is not computed`() {
        func path() -> FieldPath {
            Testing.Issue.record("computed")
            return []
        }
        var issues: [Issue] = []
        Rule<Int>.positive.check(1, at: path(), into: &issues)
        expect(Rule<Int>.positive.issues(for: 1, at: path()), equals: [])
        expect(issues, equals: [])
    }

    @Test func `a rule shared by eight tasks keeps its message`() async {
        let rule: Rule<Int> = .range(0...9) && .notEqual(5).message("must not be five")
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<2_000).count { step in
                        let value = (task + step) % 14 - 2
                        let expected =
                            switch value {
                            case ..<0: ["must be greater than or equal to 0"]
                            case 5: ["must not be five"]
                            case 10...: ["must be less than or equal to 9"]
                            default: [String]()
                            }
                        return rule.issues(for: value).map(\.message) != expected
                    }
                }
            }
            return await group.reduce(0, +)
        }
        expect(wrong, equals: 0)
    }
}

struct RuleCompositionTests {
    @Test func `and reports both, in order`() {
        let rule: Rule<Int> = .greaterThan(0) && Rule("must be even") { $0 % 2 == 0 }
        expect(
            rule.issues(for: -3).map(\.message),
            equals: ["must be greater than 0", "must be even"]
        )
        expect(rule.issues(for: -2).map(\.message), equals: ["must be greater than 0"])
        expect(rule.issues(for: 2), equals: [])
        expect(rule.issues(for: nil), equals: [])
        expect(rule.constraint, equals: .all([.exclusiveMinimum(0), .opaque]))
    }

    @Test func `and takes conjunctions apart in its constraint`() {
        let rule: Rule<Int> = .min(1) && .max(9) && .notEqual(5)
        expect(rule.constraint, equals: .all([.minimum(1), .maximum(9), .not(.oneOf([5]))]))
    }

    @Test func `or passes with either and else reports both`() {
        let rule: Rule<Int> = .lessThan(0) || .greaterThan(10)
        expect(rule.issues(for: -1), equals: [])
        expect(rule.issues(for: 11), equals: [])
        expect(
            rule.issues(for: 5).map(\.message),
            equals: [
                "must be less than 0", "must be greater than 10",
            ]
        )
        expect(rule.constraint, equals: .any([.exclusiveMaximum(0), .exclusiveMinimum(10)]))
    }

    @Test func `or does not ask the second when the first passes`() {
        let asked = Mutex(0)
        let second = Rule<Int> { _ in
            asked.withLock { $0 += 1 }
            return true
        }
        let rule = Rule<Int>.positive || second
        expect(rule.issues(for: 1), equals: [])
        expect(asked.withLock { $0 }, equals: 0)
        expect(rule.issues(for: -1), equals: [])
        expect(asked.withLock { $0 }, equals: 1)
    }

    @Test func `or keeps the warnings of the branch that passes, and no other's`() {
        let risky = Rule<Int>("is risky") { $0 < 50 }.severity(.warning)
        let odd = Rule<Int>("is odd") { $0 % 2 == 0 }.severity(.warning)
        let rule = (.lessThan(0) && odd) || (.greaterThan(10) && risky)
        expect(rule.issues(for: 61).map(\.message), equals: ["is risky"])
        expect(rule.issues(for: 11), equals: [])
        expect(rule.issues(for: -1).map(\.message), equals: ["is odd"])
        expect(
            rule.issues(for: 5).map(\.message),
            equals: ["must be less than 0", "is odd", "must be greater than 10"]
        )
    }

    @Test func `or with one message says it once`() {
        let rule = (Rule<Int>.lessThan(0) || .greaterThan(10)).message("must be extreme")
        expect(rule.issues(for: 5).map(\.message), equals: ["must be extreme"])
    }

    @Test func `not passes where the rule fails, and lets nil pass`() {
        let rule = !Rule<String>.hasSuffix("@spam.com")
        expect(rule.issues(for: "a@b.com"), equals: [])
        expect(rule.issues(for: nil), equals: [])
        expect(
            rule.issues(for: "a@spam.com"),
            equals: [Issue(code: "not", message: "is not allowed")]
        )
        expect((!Rule<String>.required).issues(for: nil), equals: [])
        expect((!Rule<String>.required).issues(for: "a").map(\.code), equals: ["not"])
        expect((!Rule<Int>.positive).constraint, equals: .not(.exclusiveMinimum(0)))
    }

    @Test func `not takes a message and a code`() {
        let rule = Rule<Int>.not(.range(13...19), "must not be a teenager", code: "teen")
        expect(
            rule.issues(for: 15),
            equals: [Issue(code: "teen", message: "must not be a teenager")]
        )
        expect(rule.issues(for: 12), equals: [])
    }

    @Test func `a rule that only warns does not fail for not and or`() {
        let warning = Rule<Int>.positive.severity(.warning)
        expect((!warning).issues(for: -1).map(\.code), equals: ["not"])
        expect((warning || .equal(7)).issues(for: -1).map(\.severity), equals: [.warning])
    }

    @Test func `a list of any length is asked in order, on a small stack too`() {
        onSmallStack {
            let bounds = 0..<20_000
            let field = Field<Int>(value: 10_000).require(bounds.map { .min($0) })
            field.validate()
            expect(
                field.issues.map(\.parameters),
                equals: bounds[10_001...].map { ["min": .int(Int64($0))] }
            )
            expect(
                Rule.any(bounds.map { .max(-1 - $0) }).issues(for: 0).count,
                equals: bounds.count
            )
        }
    }

    @Test func `of an empty list everything passes`() {
        expect(Rule<Int>.all([]).issues(for: nil), equals: [])
        expect(Rule<Int>.any([]).issues(for: 1), equals: [])
        expect(Rule<Int>.any([]).constraint, equals: .all([]))
    }

    @Test func `message, code and severity change every issue and nothing else`() {
        let rule = (Rule<Int>.min(3) && .multipleOf(2)).code("odd").severity(.info)
        expect(
            rule.issues(for: 1, at: ["n"]),
            equals: [
                Issue(
                    code: "odd",
                    path: ["n"],
                    message: "must be greater than or equal to 3",
                    parameters: ["min": 3],
                    severity: .info
                ),
                Issue(
                    code: "odd",
                    path: ["n"],
                    message: "must be a multiple of 2",
                    parameters: ["divisor": 2],
                    severity: .info
                ),
            ]
        )
        let named = Rule<Int>.min(3).message("is too young")
        expect(
            named.issues(for: 1),
            equals: [Issue(code: "min", message: "is too young", parameters: ["min": 3])]
        )
        expect(named.constraint, equals: .minimum(3))
    }

    @Test func `a message of every element is said of each`() {
        let rule = Rule<Int>.positive.each().message("is wrong")
        expect(
            rule.issues(for: [0, 1, -1]).map(\.description),
            equals: ["[0] is wrong", "[2] is wrong"]
        )
    }

    // Minutes, if each were compared with all before it.
    @Test(.timeLimit(.minutes(10)))
    func `a message of many elements takes time in proportion to them`() {
        let rule = Rule<Int>.positive.each().message("is wrong")
        expect(rule.issues(for: Array(repeating: 0, count: 50_000)).count, equals: 50_000)
    }

    @Test func `a warning demands nothing, and can be made an error again`() {
        let warning = Rule<Int>.positive.severity(.warning)
        expect(warning.constraint, equals: .all([]))
        expect(ValidationState(issues: warning.issues(for: -1)), equals: .valid)
        let error = warning.severity(.error)
        expect(error.issues(for: -1).map(\.severity), equals: [.error])
        expect((!error).issues(for: -1), equals: [])
        expect(Rule<Int>.positive.severity(.error).constraint, equals: .exclusiveMinimum(0))
    }

    @Test func `when asks only under its condition, also about nil`() {
        let rule = Rule<Int>.required.when { $0 != 7 } && Rule<Int>.positive.when { $0 != -7 }
        expect(rule.issues(for: nil).map(\.code), equals: ["required"])
        expect(rule.issues(for: -7), equals: [])
        expect(rule.issues(for: -6).map(\.code), equals: ["greaterThan"])
        expect(rule.constraint, equals: .all([.opaque, .opaque]))
    }

    @Test func `stopAtFirst reports one error and asks nothing after it`() {
        let asked = Mutex(0)
        let last = Rule<String> { _ in
            asked.withLock { $0 += 1 }
            return false
        }
        let rule = (.minLength(3) && .digits && last).stopAtFirst
        expect(rule.issues(for: "a").map(\.code), equals: ["minLength"])
        expect(asked.withLock { $0 }, equals: 0)
        expect(rule.issues(for: "abc").map(\.code), equals: ["digits"])
        expect(rule.issues(for: "123").map(\.code), equals: ["custom"])
        expect(asked.withLock { $0 }, equals: 1)
    }

    @Test func `warnings do not stop, and stay`() {
        let rule =
            (Rule<Int>.min(10).severity(.warning) && .min(5) && .min(0) && .notEqual(-1))
            .stopAtFirst
        expect(rule.issues(for: -1).map(\.parameters), equals: [["min": 10], ["min": 5]])
        expect(rule.issues(for: -1).map(\.severity), equals: [.warning, .error])
        expect(rule.issues(for: 7).map(\.severity), equals: [.warning])
    }

    @Test func `stopAtFirst reaches into elements and through wording`() {
        let rule = (Rule<Int>.positive && .multipleOf(2)).code("x").each().stopAtFirst
        expect(
            rule.issues(for: [2, -1, -3]).map(\.description),
            equals: ["[1] must be greater than 0"]
        )
    }
}

struct RuleStructureTests {
    struct Address: Sendable {
        var lines: [String]
        var zip: String?
    }

    struct User: Sendable {
        var address: Address
    }

    @Test func `each reports the index, and lets a missing array pass`() {
        let rule = Rule<String>.notBlank.each()
        expect(
            rule.issues(for: ["a", "", "b", " "], at: ["tags"]).map(\.description),
            equals: ["tags[1] cannot be blank", "tags[3] cannot be blank"]
        )
        expect(rule.issues(for: []), equals: [])
        expect(rule.issues(for: nil), equals: [])
        expect(rule.constraint, equals: .items(.notBlank))
    }

    @Test func `each of each nests the indexes`() {
        let rule = Rule<Int>.positive.each().each()
        expect(rule.issues(for: [[1], [2, 0]]).map(\.path), equals: [[1, 1]])
    }

    @Test func `at reports the name of the property, however deep`() {
        let rule = Rule<String>.notBlank.each()
            .at(\Address.lines, "lines").at(\User.address, "address")
        let user = User(address: Address(lines: ["a", ""]))
        expect(
            rule.issues(for: user, at: ["user"]).map(\.description),
            equals: ["user.address.lines[1] cannot be blank"]
        )
        expect(rule.issues(for: user).map(\.path.jsonPointer), equals: ["/address/lines/1"])
        expect(rule.constraint, equals: .property("address", .property("lines", .items(.notBlank))))
    }

    @Test func `a missing property is nil to the rule, a missing root passes`() {
        let rule = Rule<String>.required.at(\Address.zip, "zip")
        expect(
            rule.issues(for: Address(lines: [])).map(\.description),
            equals: ["zip is required"]
        )
        expect(rule.issues(for: Address(lines: [], zip: "1")), equals: [])
        expect(rule.issues(for: nil), equals: [])
    }

    @Test func `warnings keep their severity through the structure`() {
        let rule = Rule<String>.notBlank.severity(.warning).each().at(\Address.lines, "lines")
        expect(rule.issues(for: Address(lines: [""])).map(\.severity), equals: [.warning])
        expect((!rule).issues(for: Address(lines: [""])).map(\.code), equals: ["not"])
    }
}
