import ModelKitFields
import TestSupport
import Testing

/// A rule for text, with text that passes it and text that does not.
struct TextSample: Sendable, CustomTestStringConvertible {
    var code: String
    var rule: Rule<String>
    var message: String
    var constraint: Constraint?
    var passing: [String]
    var failing: [String]

    var testDescription: String { code }

    func check() {
        expect(rule.issues(for: nil), equals: [])
        if let constraint { expect(rule.constraint, equals: constraint) }
        for text in passing {
            expect(rule.issues(for: text), equals: [], "\(text.debugDescription)")
        }
        for text in failing {
            expect(
                rule.issues(for: text),
                equals: [Issue(code: code, message: message)],
                "\(text.debugDescription)"
            )
        }
    }
}
