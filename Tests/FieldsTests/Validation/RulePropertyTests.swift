import ModelKitFields
import TestSupport
import Testing

/// Rules made at random, each beside what it ought to say: whether a value passes, and with how
/// many warnings.
struct RulePropertyTests {
    struct Sample {
        var rule: Rule<Int>
        var passes: (Int?) -> Bool
        var text: String
    }

    private func sample(_ depth: Int, _ random: inout SplitMix) -> Sample {
        let bound = Int.random(in: -4...4, using: &random)
        if depth == 0 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                return Sample(
                    rule: .min(bound),
                    passes: { $0.map { $0 >= bound } ?? true },
                    text: "min \(bound)"
                )
            case 1:
                return Sample(
                    rule: .lessThan(bound),
                    passes: { $0.map { $0 < bound } ?? true },
                    text: "< \(bound)"
                )
            case 2: return Sample(rule: .required, passes: { $0 != nil }, text: "required")
            case 3:
                return Sample(
                    rule: .min(bound).severity(.warning),
                    passes: { _ in true },
                    text: "warn \(bound)"
                )
            default:
                return Sample(
                    rule: Rule(allowNil: false) { $0 != bound },
                    passes: { $0 != nil && $0 != bound },
                    text: "!= \(bound)"
                )
            }
        }
        let a = sample(depth - 1, &random)
        let b = sample(depth - 1, &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1:
            return Sample(
                rule: a.rule && b.rule,
                passes: { a.passes($0) && b.passes($0) },
                text: "(\(a.text) && \(b.text))"
            )
        case 2, 3:
            return Sample(
                rule: a.rule || b.rule,
                passes: { a.passes($0) || b.passes($0) },
                text: "(\(a.text) || \(b.text))"
            )
        case 4:
            return Sample(
                rule: !a.rule,
                passes: { $0 == nil || !a.passes($0) },
                text: "!\(a.text)"
            )
        case 5: return Sample(rule: a.rule.stopAtFirst, passes: a.passes, text: "first \(a.text)")
        case 6:
            return Sample(
                rule: a.rule.message("m").code("c"),
                passes: a.passes,
                text: "m \(a.text)"
            )
        default:
            return Sample(
                rule: a.rule.when { $0 != 2 },
                passes: { $0 == 2 || a.passes($0) },
                text: "when \(a.text)"
            )
        }
    }

    @Test func `a composition passes exactly where its parts say so`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        for _ in 0..<3_000 {
            let sample = sample(Int.random(in: 0...4, using: &random), &random)
            for value in [nil, -5, -2, 0, 2, 3, 5] {
                let issues = sample.rule.issues(for: value)
                let passes = ValidationState(issues: issues).isValid
                guard passes == sample.passes(value) else {
                    expect(
                        Bool(false),
                        "seed \(seed): \(sample.text) of \(String(describing: value)): \(issues)"
                    )
                    return
                }
                let isBroken = !sample.passes(value)
                let first = sample.rule.stopAtFirst.issues(for: value)
                expect(
                    first.count { $0.severity == .error },
                    equals: (isBroken ? 1 : 0),
                    "seed \(seed): \(sample.text)"
                )
                if issues.isEmpty { expect(first.isEmpty, "seed \(seed): \(sample.text)") }
                let nested = sample.rule.issues(for: value, at: ["a", 1])
                expect(nested.map(\.message), equals: issues.map(\.message))
                expect(nested.allSatisfy { $0.path == ["a", 1] })
            }
        }
    }

    @Test func `and reports what its parts report, in their order`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        for _ in 0..<1_000 {
            let a = sample(2, &random), b = sample(2, &random)
            for value in [nil, -3, 0, 3] {
                expect(
                    (a.rule && b.rule).issues(for: value),
                    equals: a.rule.issues(for: value) + b.rule.issues(for: value),
                    "seed \(seed): \(a.text), \(b.text)"
                )
            }
        }
    }
}
