import Foundation
import ModelKit
import TestSupport
import Testing

/// Defects of the three validation systems that this one was made after, which it must not have.
///
/// The first six are those of partials.
@Suite struct DefectTests {
    @Test
    func `defect 7: a regular expression works on every platform, and a bad one traps nowhere`() {
        let codes = Seen<Diagnostic.Code>()
        let bad = ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            RegexValidator(regex: "(a", errorMessage: "is bad")
        }
        expect(codes.values, equals: [.refusedPattern])
        expect(!bad.isValid(value: "a"))
        #expect(throws: PatternError.self) { try Pattern("(a") }
    }

    @Test(arguments: ["john@doe.com", "j@d.de", "a.b+c@sub.example.org"])
    func `defect 8: right addresses pass`(address: String) {
        expect(Rule<String>.email.issues(for: address).isEmpty)
    }

    @Test(arguments: ["john@doe.com ", "john@do[e.com", "john@doe.c_m", "john@doe.c`m", "john@"])
    func `defect 8: characters between the cases of letters are none of an address`(text: String) {
        expect(!Rule<String>.email.issues(for: text).isEmpty)
    }

    @Test func `defect 9: the end of a pattern is the end of the text`() throws {
        let pattern = try Pattern("^[a-z]+$")
        expect(pattern.isFound(in: "abc"))
        expect(!pattern.isFound(in: "abc\n"))
        expect(
            !RegexValidator(regex: "^[a-z]+$", errorMessage: "").isValid(value: "abc\n")
        )
    }

    @Test func `defect 10: errors are reported at once, and no more asked for once nobody listens`()
    {
        let asked = Seen<String>()
        let property = Validated<String>(
            wrappedValue: "a",
            Rule("is bad") { value in
                asked.add(value)
                return false
            }
        )
        let received = Seen<[String]>()
        let observation = property.observe { received.add($0.map(\.message)) }
        expect(received.values, equals: [["is bad"]])
        observation.cancel()
        property.wrappedValue = "b"
        expect(asked.values, equals: ["a"])
        expect(received.values, equals: [["is bad"]])
    }

    @Test func `defect 11: copies of a struct share the property, as its documentation says`() {
        struct Form {
            @Validated([.notEmpty]) var name: String? = "a"
        }
        let first = Form()
        let second = first
        second.name = "b"
        expect(first.name, equals: "b")
    }

    @Test func `defect 12: one rule of two threads gives each its own message`() async {
        let rule = Rule<Int>.range(1...9)
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<1000).allSatisfy { _ in
                        rule.issues(for: task % 2 == 0 ? 0 : 10).map(\.message)
                            == [
                                task % 2 == 0
                                    ? "must be greater than or equal to 1"
                                    : "must be less than or equal to 9"
                            ]
                    }
                }
            }
            for await isRight in group { expect(isRight) }
        }
    }

    @Test(arguments: [4, 5, 6, 0])
    func `defect 12: nothing is inside of bounds the wrong way round`(value: Int) {
        expect(!RangeRule(min: 5, max: 4).rule.issues(for: value).isEmpty)
    }

    @Test func `defect 12: NaN is inside of no bounds`() {
        expect(!RangeRule(min: 0.0).rule.issues(for: .nan).isEmpty)
        expect(!RangeRule(max: 0.0).rule.issues(for: .nan).isEmpty)
        expect(RangeRule(min: 0.0).rule.issues(for: .infinity).isEmpty)
    }

    final class Child: Model {
        let name = Field<String>().require { !$0.isEmpty }
    }

    final class Parent: Model {
        let children = ModelField<Child>().requireValid()*
        let tags = Field<String>().require("is too long") { $0.count < 4 }*
    }

    @Test func `defect 13: a rule without a message makes field and model invalid`() {
        let child = Child()
        child.name.value = ""
        expect(child.name.validate(), equals: .invalid(["is invalid"]))
        expect(child.validate(), equals: .invalid(["name is invalid"]))
    }

    @Test func `defect 13: messages of inner models and of elements have their path`() {
        let parent = Parent()
        let child = Child()
        child.name.value = ""
        parent.children.value = [Child(), child]
        parent.tags.value = ["red", "green"]
        expect(
            parent.validate(),
            equals: .invalid(["children[1].name is invalid", "tags[1] is too long"])
        )
    }

    @Test func `defect 14: an error has a code, a path, parameters and a severity`() {
        let rule = Rule<String>.minLength(8).severity(.warning).at(\Box.text, "text")
        let issue = rule.issues(for: Box(text: "short")).first
        expect(issue?.code, equals: "minLength")
        expect(issue?.path, equals: ["text"])
        expect(issue?.parameters, equals: ["min": 8])
        expect(issue?.severity, equals: .warning)
    }

    private struct Box: Sendable {
        var text: String
    }

    @Test func `defect 15: required sees through optionals`() {
        let rule = Rule<String?>.required
        expect(rule.issues(for: .some(nil)).map(\.code), equals: ["required"])
        expect(
            Rule<String??>.required.issues(for: .some(.some(nil))).map(\.code),
            equals: ["required"]
        )
        expect(rule.issues(for: "a").isEmpty)
    }

    @Test(arguments: ["^(a+)+$", "^([a-zA-Z]+)*$", "^(a|aa)+$", "^(a|a?)+$", "^(.*a){11}$"])
    func `defect 16: a hostile text is refused as quickly as another, and a long one is found`(
        pattern: String
    ) throws {
        let rule = Rule<String>.pattern(try Pattern(pattern))
        expect(!rule.issues(for: String(repeating: "a", count: 10_000) + "!").isEmpty)
        expect(rule.issues(for: String(repeating: "a", count: 200_000)).isEmpty)
    }
}
