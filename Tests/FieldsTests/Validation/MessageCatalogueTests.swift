import Foundation
import ModelKitFields
import TestSupport
import Testing

private let german = MessageCatalogue { code, parameters in
    switch code {
    case "required": "ist erforderlich"
    case "min": "muss mindestens \(parameters["min"]?.description ?? "?") sein"
    case "even": "muss gerade sein"
    case "custom": "ist ungültig"
    case "not": "ist verboten"
    case "pattern": "hat ein falsches Format"
    default: nil
    }
}

private let french = MessageCatalogue { code, _ in code == "required" ? "est obligatoire" : nil }

private func inGerman(_ body: () -> [String]) -> [String] {
    MessageCatalogue.withCurrent(german, body)
}

struct MessageCatalogueTests {
    @Test func `the library's messages are replaced, with their parameters`() {
        let rule: Rule<Int> = .required && .min(18)
        expect(inGerman { rule.issues(for: nil).map(\.message) }, equals: ["ist erforderlich"])
        expect(inGerman { rule.issues(for: 3).map(\.message) }, equals: ["muss mindestens 18 sein"])
        expect(rule.issues(for: 3).map(\.message), equals: ["must be greater than or equal to 18"])
    }

    @Test func `a message without another stays English`() {
        let rule: Rule<Int> = .lessThan(18)
        expect(inGerman { rule.issues(for: 18).map(\.message) }, equals: ["must be less than 18"])
    }

    @Test func `an author's message stays, unless it was given a code`() throws {
        let even: @Sendable (Int) -> Bool = { $0 % 2 == 0 }
        let rules: [(Rule<Int>, String)] = [
            (Rule("must be even", even), "must be even"),
            (Rule("must be even", code: "even", even), "muss gerade sein"),
            (Rule { even($0) }, "ist ungültig"),
            (.min(18).message("is too young"), "is too young"),
            (.min(18).message("is too young").code("even"), "muss gerade sein"),
            (.min(18).code("even").message("is too young"), "muss gerade sein"),
            (.min(18).code("even"), "muss gerade sein"),
            (.not(.odd, "must be even"), "must be even"),
            (.not(.odd, "must be even", code: "even"), "muss gerade sein"),
            (!.odd, "ist verboten"),
            (Rule { _ in [Issue(message: "is odd")] }, "is odd"),
            (Rule { _ in [Issue(code: "even", message: "is odd")] }, "muss gerade sein"),
        ]
        for (rule, message) in rules {
            expect(inGerman { rule.issues(for: 1).map(\.message) }, equals: [message])
        }
        let plates: [(Rule<String>, String)] = [
            (try .pattern("^A$"), "hat ein falsches Format"),
            (try .pattern("^A$", message: "is no plate"), "is no plate"),
            (try .pattern("^A$", code: "even", message: "is no plate"), "muss gerade sein"),
            (.pattern(trusted: /A/, message: "is no plate"), "is no plate"),
        ]
        for (rule, message) in plates {
            expect(inGerman { rule.issues(for: "B").map(\.message) }, equals: [message])
        }
    }

    @Test func `an issue of one's own is looked up by its code`() {
        var issue = Issue(code: "even", message: "must be even")
        expect(
            inGerman { [issue.message, issue.description] },
            equals: Array(repeating: "muss gerade sein", count: 2)
        )
        issue.path = ["age"]
        expect(inGerman { [issue.errorDescription ?? ""] }, equals: ["age muss gerade sein"])
        issue.code = "other"
        expect(inGerman { [issue.message] }, equals: ["must be even"])
        issue.message = "must be odd"
        expect(issue.message, equals: "must be odd")
    }

    @Test func `a catalogue makes no difference to equality`() {
        let rule = Rule<Int>.required
        let (here, there) = (
            rule.issues(for: nil), MessageCatalogue.withCurrent(german) { rule.issues(for: nil) }
        )
        expect(here, equals: there)
        expect(Set(here + there).count, equals: 1)
        expect(
            inGerman { (here + there).map(\.message) },
            equals: ["ist erforderlich", "ist erforderlich"]
        )
    }

    @Test func `fields find their words when they are read`() {
        let field = Field<Int>(name: "age").require(.required).require("is odd") { $0 % 2 == 0 }
        expect(field.validate(), equals: .invalid(["is required"]))
        MessageCatalogue.withCurrent(german) {
            expect(field.validationState, equals: .invalid(["ist erforderlich"]))
            expect(field.issues.map(\.message), equals: ["ist erforderlich"])
            field.value = 1
            expect(field.validate(), equals: .invalid(["is odd"]))
            field.value = nil
            expect(field.validate(), equals: .invalid(["ist erforderlich"]))
        }
        expect(field.validationState, equals: .invalid(["is required"]))
    }

    @Test func `the catalogue is asked with no lock held`() {
        let field = Field<Int>().require(.required)
        let asking = MessageCatalogue { code, _ in "\(code) \(field.value ?? 7)" }
        MessageCatalogue.withCurrent(asking) {
            expect(field.validate(), equals: .invalid(["required 7"]))
            expect(field.validationState, equals: .invalid(["required 7"]))
        }
    }

    @Test func `validated properties find their words when they are read`() {
        let email = Validated<String>([.required])
        expect(email.errors.map(\.message), equals: ["is required"])
        expect(inGerman { email.errors.map(\.message) }, equals: ["ist erforderlich"])
        MessageCatalogue.withCurrent(german) {
            let error = #expect(throws: Issue.self) { try email.validate() }
            expect(error?.errorDescription, equals: "ist erforderlich")
        }
    }

    @Test func `tasks of two languages share rules and fields at once`() async {
        let rule: Rule<Int> = .required
        let field = Field<Int>().require(rule)
        let samples: [(MessageCatalogue, String)] = [
            (german, "ist erforderlich"), (french, "est obligatoire"), (.english, "is required"),
        ]
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                let (catalogue, message) = samples[task % samples.count]
                group.addTask {
                    await MessageCatalogue.withCurrent(catalogue) {
                        var wrong = 0
                        for step in 0..<500 {
                            if step % 100 == 0 { await Task.yield() }
                            let found = rule.issues(for: nil).map(\.message)
                            if found != [message] { wrong += 1 }
                            if field.validate() != .invalid([message]) { wrong += 1 }
                            if field.validationState != .invalid([message]) { wrong += 1 }
                        }
                        return wrong
                    }
                }
            }
            return await group.reduce(0, +)
        }
        expect(wrong, equals: 0)
    }

    @Test func `an inner catalogue takes the place of the outer one`() {
        let issue = Issue(code: "required", message: "is required")
        MessageCatalogue.withCurrent(german) {
            expect(issue.message, equals: "ist erforderlich")
            MessageCatalogue.withCurrent(french) {
                expect(issue.message, equals: "est obligatoire")
            }
            MessageCatalogue.withCurrent(.english) { expect(issue.message, equals: "is required") }
            expect(issue.message, equals: "ist erforderlich")
        }
    }

    /// Whatever other tests read meanwhile: no code but this test's is known to the catalogue.
    @Test func `the process has a catalogue for tasks without one`() async {
        let before = MessageCatalogue.standard
        defer { MessageCatalogue.standard = before }
        MessageCatalogue.standard = MessageCatalogue { code, _ in
            code == "of the process" ? "is everybody's" : nil
        }
        let issue = Issue(code: "of the process", message: "is nobody's")
        expect(issue.message, equals: "is everybody's")
        await expect(Task.detached { issue.message }.value, equals: "is everybody's")
        expect(inGerman { [issue.message] }, equals: ["is nobody's"])
        expect(MessageCatalogue.current.message(for: issue), equals: "is everybody's")
        expect(MessageCatalogue.english.message(for: issue), equals: "is nobody's")
    }
}

extension Rule<Int> {
    fileprivate static var odd: Rule { Rule { $0 % 2 != 0 } }
}
