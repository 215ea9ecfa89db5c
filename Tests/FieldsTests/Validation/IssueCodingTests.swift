import Foundation
import ModelKitFields
import TestSupport
import Testing

struct IssueCodingTests {
    private func decode(_ text: String) throws -> Issue {
        try JSONDecoder().decode(Issue.self, from: Data(text.utf8))
    }

    @Test func `an issue comes back as it was`() throws {
        let issues = [
            Issue(message: "is odd", severity: .warning),
            Issue(
                code: "minLength",
                path: ["terms", 2, "0", "a.b/c"],
                message: "is short",
                parameters: ["min": 2, "what": "text", "exact": 0.5],
                severity: .info
            ),
        ]
        let data = try JSONEncoder().encode(issues)
        try expect(JSONDecoder().decode([Issue].self, from: data), equals: issues)
    }

    @Test func `it is written with the words of the catalogue`() throws {
        let issue = try #require(Rule<Int>.min(3).issues(for: 1).first)
        let catalogue = MessageCatalogue { code, _ in code == "min" ? "ist zu klein" : nil }
        let data = try MessageCatalogue.withCurrent(catalogue) { try JSONEncoder().encode([issue]) }
        try expect(
            JSONDecoder().decode([Issue].self, from: data).first?.message,
            equals: "ist zu klein"
        )
    }

    private static let paths: [(String, [FieldPath.Component])] = [
        (#""/terms/2/start""#, ["terms", 2, "start"]),
        (#""terms[2].start""#, ["terms", 2, "start"]),
        (#"["terms", 2, "start"]"#, ["terms", 2, "start"]),
        (#""""#, []),
        ("[]", []),
        (#"["2"]"#, [.key("2")]),
    ]

    @Test(arguments: paths)
    func `paths are read as servers write them`(
        text: String,
        components: [FieldPath.Component]
    ) throws {
        let issue = try decode(#"{"message": "is bad", "path": \#(text)}"#)
        expect(issue, equals: Issue(path: FieldPath(components), message: "is bad"))
    }

    @Test(arguments: [
        (
            #"{"message": "is bad", "path": "a[x]"}"#,
            #"path "a[x]" at 2: an index must be a number"#
        ),
        (
            #"{"message": "is bad", "severity": "fatal"}"#,
            #"a severity must be info, warning or error, not "fatal""#
        ),
    ])
    func `what cannot be read is reported`(text: String, message: String) throws {
        let error = #expect(throws: DecodingError.self) { try decode(text) }
        guard case .dataCorrupted(let context) = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        expect(context.debugDescription, equals: message)
    }
}
