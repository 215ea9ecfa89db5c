import Foundation
import ModelKitFields
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
        #expect(try age.parse(" 42\n") == 42)
        #expect(throws: ParserError.self) { try age.parse("4 2") }
        #expect(age.issues(for: "4 2").map(\.code) == ["integer"])
        #expect(age.issues(for: "151").map(\.message) == ["must be less than or equal to 150"])
        #expect(age.issues(for: "42").isEmpty)
        let error = #expect(throws: ParserError.self) { try age.parse("x") }
        #expect(error?.description == "must be a whole number")
        #expect(error?.localizedDescription == "must be a whole number")
    }

    @Test func `nil is nil, and blank text only where that was asked for`() throws {
        #expect(try age.parse(nil) == nil)
        #expect(try age.parse("") == nil)
        #expect(try age.parse(" \u{A0}\n") == nil)
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
        #expect(parser.issues(for: " ").map(\.code) == ["required"])
        #expect(parser.issues(for: "200").map(\.code) == ["max"])
        #expect(asked.entries.isEmpty)
        #expect(parser.issues(for: "7").isEmpty)
        #expect(asked.entries == [7])
    }

    @Test func `a warning stops nothing`() throws {
        let parser = Parser<String, Int>.integer.then(.min(18).severity(.warning)).map { $0 * 2 }
        #expect(try parser.parse("9") == 18)
        #expect(parser.issues(for: "9").map(\.severity) == [.warning])
    }

    @Test func `what a closure throws is told`() {
        let issues = [Issue(code: "a", message: "is a"), Issue(code: "b", message: "is b")]
        func found(_ error: any Error) -> [Issue] {
            Parser<String, Int> { _ in throw error }.issues(for: "x")
        }
        #expect(found(Refusal(issues: issues)) == issues)
        #expect(found(issues[0]) == [issues[0]])
        #expect(found(NoNumber()) == [Issue(code: "conversion", message: "is no number of ours")])
        #expect(found(Refusal(issues: [])).map(\.code) == ["conversion"])
        let plain = Parser<String, Int>("must be odd", code: "odd", parameters: ["n": 1]) { _ in nil
        }
        #expect(
            plain.issues(for: "2")
                == [Issue(code: "odd", message: "must be odd", parameters: ["n": 1])]
        )
    }

    @Test func `message and code take the place of those of the parts`() {
        let parser = age.message("must be an age").code("age")
        for text in ["x", "151", "99999999999999999999"] {
            #expect(parser.issues(for: text).map(\.code) == ["age"])
            #expect(parser.issues(for: text).map(\.message) == ["must be an age"])
        }
        #expect(parser.issues(for: "3").isEmpty)
        #expect(parser.print(3) == "3")
    }

    @Test func `a catalogue has other words`() {
        let german = MessageCatalogue { code, _ in code == "integer" ? "muss ganz sein" : nil }
        MessageCatalogue.withCurrent(german) {
            #expect(age.issues(for: "x").map(\.message) == ["muss ganz sein"])
            #expect(
                age.message("must be an age").issues(for: "x").map(\.message) == ["must be an age"]
            )
        }
    }

    @Test func `it prints if all its parts do`() {
        #expect(age.canPrint)
        #expect(age.print(42) == "42")
        #expect(age.print(nil) == nil)
        let reading = age.map { $0 + 1 }
        #expect(!reading.canPrint)
        #expect(reading.print(42) == nil)
        let both = age.map {
            $0 + 1
        } print: {
            $0 - 1
        }
        #expect(both.print(43) == "42")
        #expect(!reading.each().canPrint)
    }

    @Test func `elements are parsed at their indexes`() throws {
        let tags = Parser<String, [String]>.split(by: ",").then(
            Parser<String, String>.trimmed.orNil.each()
        )
        #expect(try tags.parse("red, ,blue") == ["red", "blue"])
        #expect(try tags.parse("") == [])
        #expect(tags.print(["red", "blue"]) == "red,blue")
        #expect(tags.print([]) == "")
        #expect(tags.print([""]) == nil)
        #expect(tags.print(["a,b"]) == nil)
        let numbers = Parser<String, Int>.integer.each()
        #expect(
            numbers.issues(for: ["1", "x", "y"]).map(\.description) == [
                "[1] must be a whole number", "[2] must be a whole number",
            ]
        )
        #expect(throws: ParserError.self) { try numbers.parse(["1", "x"]) }
        #expect(try numbers.parse(["1", "2"]) == [1, 2])
        #expect(try numbers.parse(nil) == nil)
        #expect(numbers.print([1, 2]) == ["1", "2"])
    }

    @Test func `an enum is parsed by its raw values`() throws {
        let color: Parser<String, Color> = .rawValue
        #expect(try color.parse("green") == .green)
        #expect(color.print(.red) == "red")
        #expect(color.issues(for: "blue").map(\.message) == ["must be one of red, green"])
        #expect(color.issues(for: "blue").first?.parameters == ["values": ["red", "green"]])
        let grade: Parser<String, Grade> = .trimmed.then(.integer(Int.self)).then(.rawValue)
        #expect(try grade.parse("6 ") == .poor)
        #expect(grade.issues(for: "7").map(\.message) == ["is invalid"])
        #expect(grade.print(.good) == "1")
    }

    @Test func `truth has words`() throws {
        let bool: Parser<String, Bool> = .bool
        for text in ["true", "yes", "YES", "True"] { #expect(try bool.parse(text) == true) }
        for text in ["false", "no", "No"] { #expect(try bool.parse(text) == false) }
        #expect(bool.issues(for: "1").map(\.description) == ["must be one of true, yes, false, no"])
        #expect(bool.issues(for: "").map(\.code) == ["bool"])
        #expect(bool.print(true) == "true")
        let german: Parser<String, Bool> = .bool(true: ["ja"], false: ["nein"])
        #expect(try german.parse("JA") == true)
        #expect(german.print(false) == "nein")
        #expect(Parser<String, Bool>.bool(true: [], false: []).print(true) == nil)
    }

    @Test func `as a rule it demands that the value can be parsed`() {
        let text = Field<String>(value: "x").require(age)
        #expect(text.validate() == .invalid(["must be a whole number"]))
        text.value = "7"
        #expect(text.validate() == .valid)
        text.value = nil
        #expect(text.validate() == .valid)
    }
}
