import Foundation
import ModelKitFields
import TestSupport
import Testing

private enum Color: String, CaseIterable { case red, green }

private enum Grade: Int { case good = 1, poor = 6 }

private struct Refusal: IssuesError { let issues: [Issue] }

private struct NoNumber: LocalizedError {
    var errorDescription: String? { "is no number of ours" }
}

struct ParserTests {
    private let age: Parser<String, Int> = .trimmed.orNil.then(.integer).then(.range(0...150))

    @Test func `what is typed becomes a value, or it is said why not`() throws {
        try expect(age.parse(" 42\n"), equals: 42)
        #expect(throws: ParserError.self) { try age.parse("4 2") }
        expect(age.issues(for: "4 2").map(\.code), equals: ["integer"])
        expect(age.issues(for: "151").map(\.message), equals: ["must be less than or equal to 150"])
        expect(age.issues(for: "42").isEmpty)
        let error = #expect(throws: ParserError.self) { try age.parse("x") }
        expect(error?.description, equals: "must be a whole number")
        expect(error?.localizedDescription, equals: "must be a whole number")
    }

    @Test func `nil is nil, and blank text only where that was asked for`() throws {
        try expect(age.parse(nil), equals: nil)
        try expect(age.parse(""), equals: nil)
        try expect(age.parse(" \u{A0}\n"), equals: nil)
        #expect(try Parser<String, Int>.integer.parse(nil) == nil)
        #expect(Parser<String, Int>.integer.issues(for: "").map(\.code) == ["integer"])
        #expect(try Parser<String, Int>.integer.orNil.parse(" ") == nil)
    }

    @Test func `a rule decides about nil, and stops what follows`() {
        let asked = Log<Int>()
        let parser = age.then(.required).map { (age: Int) -> Int? in
            asked.add(age)
            return age
        }
        expect(parser.issues(for: " ").map(\.code), equals: ["required"])
        expect(parser.issues(for: "200").map(\.code), equals: ["max"])
        expect(asked.entries.isEmpty)
        expect(parser.issues(for: "7").isEmpty)
        expect(asked.entries, equals: [7])
    }

    @Test func `a warning stops nothing`() throws {
        let parser = Parser<String, Int>.integer.then(.min(18).severity(.warning)).map { $0 * 2 }
        try expect(parser.parse("9"), equals: 18)
        expect(parser.issues(for: "9").map(\.severity), equals: [.warning])
    }

    @Test func `what a closure throws is reported`() {
        let issues = [Issue(code: "a", message: "is a"), Issue(code: "b", message: "is b")]
        func found(_ error: any Error) -> [Issue] {
            Parser<String, Int> { _ in throw error }.issues(for: "x")
        }
        expect(found(Refusal(issues: issues)), equals: issues)
        expect(found(issues[0]), equals: [issues[0]])
        expect(
            found(NoNumber()),
            equals: [Issue(code: "conversion", message: "is no number of ours")]
        )
        expect(found(Refusal(issues: [])).map(\.code), equals: ["conversion"])
        let plain = Parser<String, Int>("must be odd", code: "odd", parameters: ["n": 1]) { _ in nil
        }
        expect(
            plain.issues(for: "2"),
            equals: [Issue(code: "odd", message: "must be odd", parameters: ["n": 1])]
        )
    }

    @Test func `message and code take the place of those of the parts`() {
        let parser = age.message("must be an age").code("age")
        for text in ["x", "151", "99999999999999999999"] {
            expect(parser.issues(for: text).map(\.code), equals: ["age"])
            expect(parser.issues(for: text).map(\.message), equals: ["must be an age"])
        }
        expect(parser.issues(for: "3").isEmpty)
        expect(parser.print(3), equals: "3")
    }

    @Test func `a catalogue has other words`() {
        let german = MessageCatalogue { code, _ in code == "integer" ? "muss ganz sein" : nil }
        MessageCatalogue.withCurrent(german) {
            expect(age.issues(for: "x").map(\.message), equals: ["muss ganz sein"])
            expect(
                age.message("must be an age").issues(for: "x").map(\.message),
                equals: ["must be an age"]
            )
        }
    }

    @Test func `it prints if all its parts do`() {
        expect(age.print(42), equals: "42")
        expect(age.print(nil), equals: nil)
        let reading = age.map { $0 + 1 }
        expect(reading.print(42), equals: nil)
        let both = age.map {
            $0 + 1
        } print: {
            $0 - 1
        }
        expect(both.print(43), equals: "42")
        expect(reading.each().print([42]), equals: nil)
    }

    @Test func `elements are parsed at their indexes`() throws {
        let tags = Parser<String, [String]>.split(by: ",").then(
            Parser<String, String>.trimmed.orNil.each()
        )
        try expect(tags.parse("red, ,blue"), equals: ["red", "blue"])
        try expect(tags.parse(""), equals: [])
        expect(tags.print(["red", "blue"]), equals: "red,blue")
        expect(tags.print([]), equals: "")
        expect(tags.print([""]), equals: nil)
        expect(tags.print(["a,b"]), equals: nil)
        let numbers = Parser<String, Int>.integer.each()
        expect(
            numbers.issues(for: ["1", "x", "y"]).map(\.description),
            equals: [
                "[1] must be a whole number", "[2] must be a whole number",
            ]
        )
        #expect(throws: ParserError.self) { try numbers.parse(["1", "x"]) }
        try expect(numbers.parse(["1", "2"]), equals: [1, 2])
        try expect(numbers.parse(nil), equals: nil)
        expect(numbers.print([1, 2]), equals: ["1", "2"])
    }

    @Test func `an enum is parsed by its raw values`() throws {
        let color: Parser<String, Color> = .rawValue
        try expect(color.parse("green"), equals: .green)
        expect(color.print(.red), equals: "red")
        expect(color.issues(for: "blue").map(\.message), equals: ["must be one of red, green"])
        expect(color.issues(for: "blue").first?.parameters, equals: ["values": ["red", "green"]])
        let grade: Parser<String, Grade> = .trimmed.then(Parser<String, Int>.integer)
            .then(.rawValue)
        try expect(grade.parse("6 "), equals: .poor)
        expect(grade.issues(for: "7").map(\.message), equals: ["is invalid"])
        expect(grade.print(.good), equals: "1")
    }

    @Test func `truth has words`() throws {
        let bool: Parser<String, Bool> = .bool
        for text in ["true", "yes", "YES", "True"] { try expect(bool.parse(text), equals: true) }
        for text in ["false", "no", "No"] { try expect(bool.parse(text), equals: false) }
        expect(
            bool.issues(for: "1").map(\.description),
            equals: ["must be one of true, yes, false, no"]
        )
        expect(bool.issues(for: "").map(\.code), equals: ["bool"])
        expect(bool.print(true), equals: "true")
        let german: Parser<String, Bool> = .bool(true: ["ja"], false: ["nein"])
        try expect(german.parse("JA"), equals: true)
        expect(german.print(false), equals: "nein")
        #expect(Parser<String, Bool>.bool(true: [], false: []).print(true) == nil)
    }

    @Test func `as a rule it demands that the value can be parsed`() {
        let text = Field<String>(value: "x").require(age)
        expect(text.validate(), equals: .invalid(["must be a whole number"]))
        text.value = "7"
        expect(text.validate(), equals: .valid)
        text.value = nil
        expect(text.validate(), equals: .valid)
    }
}
