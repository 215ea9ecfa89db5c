import FoundationEssentials
import ModelKitFields
import TestSupport
import Testing

struct IssueTests {
    let issue = Issue(
        code: "date",
        path: ["terms", 2, "start"],
        message: "must not be after the end",
        parameters: ["end": "2024-01-01"]
    )

    @Test func `the description is the path and the message`() {
        expect(issue.description, equals: "terms[2].start must not be after the end")
        expect(issue.errorDescription, equals: issue.description)
    }

    @Test func `of an empty path the description is the message alone`() {
        expect(Issue(message: "is invalid").description, equals: "is invalid")
    }

    @Test func `a JSON Pointer escapes what separates, also before a mark`() {
        let path: FieldPath = ["a/b~c", 0, "/\u{301}~\u{308}"]
        expect(path.jsonPointer, equals: "/a~1b~0c/0/~1\u{301}~0\u{308}")
    }

    @Test func `as an error it describes itself`() {
        let error: any Error = issue
        expect((error as? any LocalizedError)?.errorDescription, equals: issue.description)
        expect("\(error)", equals: issue.description)
        expect(error as? ValidationError, equals: issue)
    }

    @Test func `an issue is an error of code custom unless it says otherwise`() {
        let plain = Issue(message: "is invalid")
        expect(plain.code, equals: "custom")
        expect(plain.severity, equals: .error)
        expect(plain.path.isEmpty)
        expect(plain.parameters.isEmpty)
    }

    @Test func `severities are ordered`() {
        expect(Issue.Severity.info < .warning)
        expect(Issue.Severity.warning < .error)
        expect(!(Issue.Severity.error < .error))
    }

    @Test func `every part counts for equality`() {
        var other = issue
        other.parameters = [:]
        expect(other != issue)
        other = issue
        other.severity = .warning
        expect(other != issue)
        expect(Set([issue, issue]).count, equals: 1)
    }
}

struct ValidationStateTests {
    @Test func `unknown is neither valid nor invalid`() {
        expect(!ValidationState.unknown.isValid)
        expect(!ValidationState.unknown.isInvalid)
        expect(ValidationState.valid.isValid)
        expect(!ValidationState.valid.isInvalid)
        expect(ValidationState.invalid([]).isInvalid)
        expect(!ValidationState.invalid(["is invalid"]).isValid)
    }

    @Test func `messages count for equality, and their order`() {
        expect(ValidationState.invalid(["a", "b"]), equals: .invalid(["a", "b"]))
        expect(ValidationState.invalid(["a", "b"]) != .invalid(["b", "a"]))
        expect(ValidationState.invalid([]) != .valid)
    }

    @Test func `errors make it invalid, in order; warnings do not`() {
        let warning = Issue(message: "is short", severity: .warning)
        let first = Issue(message: "is required")
        let second = Issue(message: "is invalid")
        expect(ValidationState(issues: []), equals: .valid)
        expect(ValidationState(issues: [warning]), equals: .valid)
        expect(
            ValidationState(issues: [first, warning, second]),
            equals: .invalid(["is required", "is invalid"])
        )
        expect(
            ValidationState(issues: [Issue(path: [1], message: "is invalid")]),
            equals: .invalid(["[1] is invalid"])
        )
    }
}
