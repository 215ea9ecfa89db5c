import ModelKitFields
import TestSupport
import Testing

struct DictionaryRuleTests {
    @Test func `an issue of a key or a value stands at the key, in their order`() {
        let rule: Rule<[String: Int]> = .keys(.slug) && .values(.positive)
        expect(
            rule.issues(for: ["d": 0, "a": 1, "B": 2, "c": -1, "A": 0], at: ["counts"])
                .map(\.description),
            equals: [
                "counts.A must contain only lowercase letters, digits and single hyphens",
                "counts.B must contain only lowercase letters, digits and single hyphens",
                "counts.A must be greater than 0", "counts.c must be greater than 0",
                "counts.d must be greater than 0",
            ]
        )
        expect(rule.issues(for: ["a": 1]), equals: [])
        expect(rule.issues(for: [:]), equals: [])
        expect(rule.issues(for: nil), equals: [])
        expect(
            rule.constraint,
            equals: .all([
                .keys(Rule<String>.slug.constraint), .values(Rule<Int>.positive.constraint),
            ])
        )
    }

    @Test func `a key that is no text is called by what it shows`() {
        enum Color: String, Sendable { case red }
        let colors = Rule<[Color: Int]>.values(.positive)
        expect(colors.issues(for: [.red: 0]).map(\.path), equals: [["red"]])
        let numbers = Rule<[Int: String]>.keys(.positive)
        expect(numbers.issues(for: [-7: ""]).map(\.path), equals: [["-7"]])
        let dotted = Rule<[String: Int]>.values(.positive)
        expect(dotted.issues(for: ["a.b": 0]).map(\.path), equals: [FieldPath(key: "a.b")])
    }

    @Test func `warnings of values stay warnings, and the first error ends it`() {
        let rule = Rule<[String: Int]>.values(.positive.severity(.warning) && .min(-5))
        expect(rule.isValid(value: ["a": 0]))
        expect(rule.issues(for: ["a": 0]).map(\.severity), equals: [.warning])
        expect(
            rule.stopAtFirst.issues(for: ["c": -9, "b": -8, "a": 0]).map(\.description),
            equals: [
                "a must be greater than 0", "b must be greater than 0",
                "b must be greater than or equal to -5",
            ]
        )
        expect((!rule).issues(for: ["a": -9]), equals: [])
    }
}

struct CollectionContentRuleTests {
    struct Line: Sendable { var product: String }

    @Test func `unique by something lets the rest be the same`() {
        let rule = Rule<[Line]>.unique(by: \.product)
        expect(rule.issues(for: [Line(product: "a"), Line(product: "b")]), equals: [])
        expect(
            rule.issues(for: [Line(product: "a"), Line(product: "a")]),
            equals: [Issue(code: "unique", message: "must not contain duplicates")]
        )
    }

    @Test(arguments: [
        (
            Rule<[Int]>.contains(.positive), [false, true, true, true],
            "at least 1 matching element"
        ),
        (.contains(.positive, min: 2), [false, false, true, true], "at least 2 matching elements"),
        (
            .contains(.positive, min: 1, max: 2), [false, true, true, false],
            "at least 1 and at most 2 matching elements"
        ),
        (
            .contains(.positive, min: 0, max: 1), [true, true, false, false],
            "at most 1 matching element"
        ),
        (.contains(.positive, min: 0), [true, true, true, true], ""),
        (
            .contains(.positive, min: 2, max: 1), [false, false, false, false],
            "at least 2 and at most 1 matching element"
        ),
    ])
    func `so many elements satisfy a rule`(rule: Rule<[Int]>, passing: [Bool], bounds: String) {
        let samples = [[], [0, 1, 0], [1, -1, 1], [1, 1, 0, 1]]
        expect(samples.map { rule.isValid(value: $0) }, equals: passing)
        for issue in samples.flatMap({ rule.issues(for: $0) }) {
            expect(issue.message, equals: "must contain \(bounds)")
            expect(issue.code, equals: "contains")
        }
        expect(rule.issues(for: nil), equals: [])
    }

    @Test func `the raw value of a case`() {
        enum Color: String, CaseIterable { case red, green }
        let rule = Rule<String>.rawValue(of: Color.self)
        expect(rule.issues(for: "red"), equals: [])
        expect(rule.issues(for: "blue").map(\.message), equals: ["must be one of red, green"])
        expect(rule.constraint, equals: .oneOf(["red", "green"]))
    }

    @Test func `what only the code of a type compares is not data`() {
        enum Size: Int, Comparable, Sendable {
            case small = 2, large = 1
            static func < (lhs: Size, rhs: Size) -> Bool { lhs.rawValue > rhs.rawValue }
        }
        struct Point: Equatable, Sendable { var x = 0 }
        expect(Rule<Size>.min(.large).constraint, equals: .opaque)
        expect(Rule<Size>.equal(.large).constraint, equals: .oneOf([1]))
        expect(Rule<Point>.equal(Point()).constraint, equals: .opaque)
        expect(Rule<Point>.noneOf([Point()]).constraint, equals: .not(.opaque))
    }
}
