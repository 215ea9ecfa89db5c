import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private struct Stay: Equatable, Sendable, PartialInitializable {
    var first = 0
    var last = 0
    var from: Int?
    var to: Int?
    var until: Int?
    var name = ""

    init() {}
    init(from partial: Partial<Stay>) {
        first = partial.first ?? 0
        name = partial.name ?? ""
    }
}

private typealias Check = Partial<Stay>.Check

private func messages(_ checks: [Check], _ edit: (inout Partial<Stay>) -> Void) -> [String] {
    var partial = Partial<Stay>()
    edit(&partial)
    return Partial<Stay>.Validation(checks).report(on: partial).issues.map(\.description)
}

/// Checks of several properties: of optional ones, and where something else is wrong.
@Suite struct PartialTogetherTests {
    // MARK: Optional properties

    @Test(
        arguments: [
            (nil, nil, []), (1, nil, []), (nil, 1, []), (1, 2, []), (2, 1, ["to must be later"]),
        ] as [(Int?, Int?, [String])]
    )
    func `a condition takes the values inside of optional properties, and is not asked of nil`(
        from: Int?,
        to: Int?,
        issues: [String]
    ) {
        let checks: [Check] = [.together(\.from, \.to, report: "to", "must be later") { $0 < $1 }]
        expect(
            messages(checks) {
                $0.from = from
                $0.to = to
            },
            equals: issues
        )
        expect(messages(checks) { $0.from = from }, equals: [])
        var draft = Draft(Stay())
        draft.from = from
        draft.to = to
        expect(draft.validationIssues(checks).map(\.description), equals: issues)
    }

    @Test func `three optional properties go together`() {
        let checks: [Check] = [
            .together(\.from, \.to, \.until, report: "to", "must lie between") {
                $0 < $1 && $1 < $2
            }
        ]
        func messages(until: Int?) -> [String] {
            ModelsTests.messages(checks) {
                $0.from = 1
                $0.to = 3
                $0.until = until
            }
        }
        expect(messages(until: 3), equals: ["to must lie between"])
        expect(messages(until: 4), equals: [])
        expect(messages(until: nil), equals: [])
    }

    @Test func `of two properties either may be optional`() {
        let checks: [Check] = [
            .together(\.first, \.to, report: "to", "must be later") { $0 < $1 },
            .together(\.from, \.last, report: "last", "must be later") { $0 < $1 },
        ]
        let values = messages(checks) {
            $0.first = 2
            $0.to = 1
            $0.from = 4
            $0.last = 3
        }
        expect(values, equals: ["to must be later", "last must be later"])
        expect(
            messages(checks) {
                $0.first = 2
                $0.to = nil
                $0.from = nil
                $0.last = 3
            },
            equals: []
        )
    }

    @Test func `equality of optional properties is asked of the values inside`() {
        let checks: [Check] = [
            .together(\.from, \.to, report: "to", "must be another") { $0 != $1 }
        ]
        expect(
            messages(checks) {
                $0.from = nil
                $0.to = nil
            },
            equals: []
        )
        expect(
            messages(checks) {
                $0.from = 1
                $0.to = 1
            },
            equals: ["to must be another"]
        )
    }

    @Test func `a rule takes the values inside of optional properties, too`() {
        let rule = Rule<Stay>.together(\.from, \.to, report: "to", "must be later") { $0 < $1 }
        var stay = Stay()
        expect(rule.issues(for: stay), equals: [])
        stay.from = 2
        expect(rule.issues(for: stay), equals: [])
        stay.to = 1
        expect(rule.issues(for: stay).map(\.description), equals: ["to must be later"])
        expect(rule.issues(for: nil), equals: [])
    }

    // MARK: Errors that follow

    @Test func `it is not asked where something is wrong with one of its values`() {
        let asked = Collector<Int>()
        let checks: [Check] = [
            .together(\.first, \.last, report: "last", "must be later") {
                asked.add($0)
                return $0 < $1
            },
            .value(\.first, "first", .min(0)),
            .value(\.name, "name", .notBlank),
        ]
        let wrong = messages(checks) {
            $0.first = -1
            $0.last = -2
            $0.name = ""
        }
        expect(
            wrong,
            equals: ["first must be greater than or equal to 0", "name cannot be blank"],
            "wherever it is declared"
        )
        expect(asked.values, equals: [])
        let right = messages(checks) {
            $0.first = 2
            $0.last = 1
            $0.name = ""
        }
        expect(
            right,
            equals: ["last must be later", "name cannot be blank"],
            "what is wrong with others does not matter, and the order is that of declaration"
        )
        expect(asked.values, equals: [2])
    }

    @Test func `a warning does not keep it from being asked`() {
        let checks: [Check] = [
            .value(\.first, "first", .min(0).severity(.warning)),
            .together(\.first, \.last, report: "last", "must be later") { $0 < $1 },
        ]
        let wrong = messages(checks) {
            $0.first = -1
            $0.last = -2
        }
        expect(wrong, equals: ["first must be greater than or equal to 0", "last must be later"])
    }

    @Test func `what one such check says keeps others from being asked of the same value`() {
        let checks: [Check] = [
            .together(\.first, \.last, report: "last", "must be later") { $0 < $1 },
            .together(\.last, \.to, report: "to", "must be last") { $0 < $1 },
            .together(\.first, \.from, report: "from", "must be first") { $0 > $1 },
            .required(\.last, "last"),
        ]
        let wrong = messages(checks) {
            $0.first = 2
            $0.last = 1
            $0.from = 3
            $0.to = 0
        }
        expect(wrong, equals: ["last must be later", "from must be first"])
    }

    @Test func `reasons are in the order of declaration`() {
        let validation = Partial<Stay>.Validation(
            .together(\.first, \.last, report: "last", "must be later") { $0 < $1 },
            .value(\.name, "name", .notBlank),
            .required(\.from, "from"),
            .value(\.last, "last", .max(9))
        )
        var partial = Partial<Stay>()
        partial.first = 2
        partial.last = 1
        partial.name = ""
        expect(
            validation.validate(partial),
            equals: .invalid([.invalidValue(\.last), .invalidValue(\.name), .missing(\.from)])
        )
    }

    @Test func `a condition need not say more than it asks`() {
        let checks: [Check] = [
            .together(\.from, \.to, report: "from", "is too high") { from, _ in from < 9 },
            .together(\.from, \.to, report: "to", "must differ") { $0.hashValue != $1.hashValue },
            .together(\.from, \.first, report: "first", "must be another") { $0 != $1 },
        ]
        let found = messages(checks) {
            $0.from = 9
            $0.to = 9
            $0.first = 9
        }
        // No check has the name "from", so the first one is of the last property.
        expect(found, equals: ["from is too high", "first must be another"])
    }
}
