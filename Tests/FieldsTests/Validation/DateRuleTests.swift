import Foundation
import ModelKitFields
import TestSupport
import Testing

struct DateRuleTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let clock = FieldClock { now }

    /// What a rule says of a date so many seconds after now.
    private func said(_ rule: Rule<Date>, _ seconds: Double) -> [Issue] {
        FieldClock.withCurrent(Self.clock) {
            rule.issues(for: Self.now.addingTimeInterval(seconds))
        }
    }

    @Test(arguments: [
        (Rule<Date>.past, "past", "must be in the past", [true, false, false]),
        (.future, "future", "must be in the future", [false, false, true]),
        (.pastOrPresent, "pastOrPresent", "must not be in the future", [true, true, false]),
        (.futureOrPresent, "futureOrPresent", "must not be in the past", [false, true, true]),
    ])
    func `a date is compared to now`(
        rule: Rule<Date>,
        code: String,
        message: String,
        passing: [Bool]
    ) {
        // The clock gives ever later times to who sets a field, but not here.
        for _ in 0..<3 {
            for (seconds, passes) in zip([-0.001, 0, 0.001], passing) {
                let issues = passes ? [] : [Issue(code: code, message: message)]
                expect(said(rule, seconds), equals: issues)
            }
        }
        expect(rule.issues(for: nil), equals: [])
        // Foundation traps when it describes such a date, as a failing expectation would.
        let isNaNValid = rule.isValid(value: Date(timeIntervalSince1970: .nan))
        expect(!isNaNValid)
        expect(rule.constraint, equals: .opaque)
    }

    @Test func `now is the time of the system, unless a task has its own`() {
        expect(Rule<Date>.pastOrPresent.isValid(value: Date()))
        expect(Rule<Date>.past.isValid(value: Date(timeIntervalSinceNow: -1)))
        expect(!Rule<Date>.past.isValid(value: Date(timeIntervalSinceNow: 60)))
        expect(Rule<Date>.future.isValid(value: Self.now.addingTimeInterval(1e9)))
    }

    @Test func `before and after leave the date out`() {
        let rules: [Rule<Date>] = [.before(Self.now), .after(Self.now)]
        expect(rules.map { said($0, 0).count }, equals: [1, 1])
        expect(rules.map { said($0, -1).count }, equals: [0, 1])
        expect(rules.map { said($0, 1).count }, equals: [1, 0])
        expect(
            said(rules[0], 0),
            equals: [
                Issue(
                    code: "before",
                    message: "must be before 2027-01-15T08:00:00Z",
                    parameters: ["max": .date(Self.now)]
                )
            ]
        )
        expect(said(rules[1], 0).map(\.message), equals: ["must be after 2027-01-15T08:00:00Z"])
        expect(rules[0].constraint, equals: .exclusiveMaximum(.date(Self.now)))
    }

    @Test func `within takes both sides and both ends`() {
        let rule = Rule<Date>.within(.seconds(90), of: Self.now)
        expect(
            [-91, -90, 0, 90, 91].map { said(rule, $0).isEmpty },
            equals: [
                false, true, true, true, false,
            ]
        )
        expect(
            said(rule, 91),
            equals: [
                Issue(
                    code: "within",
                    message: "must be within 90 seconds of 2027-01-15T08:00:00Z",
                    parameters: ["seconds": 90.0, "date": .date(Self.now)]
                )
            ]
        )
        let day = Rule<Date>.within(.seconds(86_400))
        expect(said(day, 86_401).map(\.message), equals: ["must be within 1 day of now"])
        expect(said(day, -86_400), equals: [])
        expect(day.constraint, equals: .opaque)
        expect(
            said(.within(.seconds(7200)), 1e6).map(\.message),
            equals: ["must be within 2 hours of now"]
        )
        expect(said(.within(.zero), 1).map(\.message), equals: ["must be within 0 seconds of now"])
        expect(said(.within(.zero), 0), equals: [])
        expect(said(.within(.seconds(-1)), 0) != [])
    }
}
