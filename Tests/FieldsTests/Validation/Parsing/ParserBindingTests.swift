import ModelKitFields
import TestSupport
import Testing

struct ParserBindingTests {
    private let text = Field<String>()
    private let age = Field<Int>()

    @Test func `text and value follow each other`() {
        age.value = 5
        let returned = text.bind(to: age, by: .trimmed.orNil.then(.integer))
        expect(returned === age)
        expect(text.value, equals: "5", "text that is nil has nothing to say")
        text.value = " 42"
        expect(age.value, equals: 42)
        expect(text.value, equals: " 42")
        age.value = 43
        expect(text.value, equals: "43")
        text.value = " "
        expect(age.value, equals: nil)
        expect(text.value, equals: " ")
        age.value = nil
        expect(text.value, equals: " ")
        age.value = 1
        age.value = nil
        expect(text.value, equals: nil)
    }

    @Test func `text that is there begins`() {
        text.value = "007"
        age.value = 5
        text.bind(to: age, by: .integer)
        expect(age.value, equals: 7)
        expect(text.value, equals: "007")
    }

    @Test func `text that is no value leaves the value alone and is invalid until it is set`() {
        text.value = "1"
        text.require("must be short") { $0.count < 4 }
        text.bind(
            to: age,
            by: .integer.then(.range(0...150)).then(.multipleOf(2).severity(.warning))
        )
        let log = Log<ValidationState>()
        let observation = text.observeValidationState { log.add($0) }
        text.value = "many"
        expect(age.value, equals: 1)
        expect(text.validationState, equals: .invalid(["must be short", "must be a whole number"]))
        expect(text.issues.map(\.code), equals: ["custom", "integer"])
        text.value = "200"
        expect(age.value, equals: 1)
        expect(text.validate(), equals: .invalid(["must be less than or equal to 150"]))
        text.value = "3"
        expect(age.value, equals: 3)
        expect(text.validationState, equals: .valid)
        expect(age.validate(), equals: .valid)
        observation.cancel()
        expect(
            log.entries,
            equals: [
                .unknown, .invalid(["must be short", "must be a whole number"]),
                .invalid(["must be less than or equal to 150"]), .valid,
            ]
        )
    }

    @Test func `everything that is wrong is reported`() {
        text.bind(to: age, by: .integer.then(.min(3)).then(.multipleOf(2)))
        let list = Field<[String]>()
        let numbers = Field<[Int]>()
        list.bind(to: numbers, by: Parser<String, Int>.integer.each())
        list.value = ["x", "1", "y"]
        expect(list.issues.map(\.path), equals: [[0], [2]])
        expect(numbers.value, equals: nil)
        list.value = ["2", "1"]
        expect(numbers.value, equals: [2, 1])
        expect(list.issues.isEmpty)
        numbers.value = [4]
        expect(list.value, equals: ["4"])
    }

    @Test func `what was typed stays while it means the same`() {
        text.bind(to: age, by: .trimmed.orNil.then(.integer))
        text.value = "007"
        age.value = 7
        expect(text.value, equals: "007")
        age.value = 8
        expect(text.value, equals: "8")
        text.value = "7x"
        age.value = 8
        expect(text.value, equals: "8")
        expect(text.validate(), equals: .valid)
    }

    @Test func `a value that the target takes in its place comes back`() {
        age.constrain(to: 0...10)
        text.bind(to: age, by: .integer)
        text.value = "0099"
        expect(age.value, equals: 10)
        expect(text.value, equals: "10")
    }

    @Test func `a parser that only reads binds one way`() {
        text.bind(to: age, by: Parser<String, Int>.integer.map { $0 + 1 })
        text.value = "1"
        expect(age.value, equals: 2)
        age.value = 9
        expect(text.value, equals: "1")
    }

    @Test func `a value that cannot be printed makes its own field invalid`() {
        let ratio = Field<Double>(value: 1)
        text.bind(to: ratio, by: .number)
        ratio.value = .infinity
        expect(text.value, equals: "1")
        expect(ratio.issues.map(\.code), equals: ["print"])
        text.value = "2"
        expect(ratio.value, equals: 2)
        expect(ratio.validate(), equals: .valid)
    }

    @Test func `a value that the rules of a parser refuse makes its own field invalid`() {
        text.bind(to: age, by: Parser<String, Int>.integer.then(.range(0...150)))
        text.value = "9"
        age.value = 999
        expect(text.value, equals: "9")
        expect(age.issues.map(\.code), equals: ["max"])
        expect(age.validate(), equals: .invalid(["must be less than or equal to 150"]))
        text.value = "10"
        expect(age.value, equals: 10)
        expect(age.validate(), equals: .valid)
    }

    @Test func `two texts of one value do not chase each other`() {
        let other = Field<String>()
        text.bind(to: age, by: .trimmed.then(.integer))
        other.bind(to: age, by: .trimmed.then(.integer))
        let log = Log<String?>()
        text.observe { log.add($0) }
        other.value = " 007 "
        expect(text.value, equals: "7")
        expect(other.value, equals: " 007 ")
        text.value = "7 "
        expect(other.value, equals: " 007 ")
        expect(log.entries, equals: [nil, "7", "7 "])
    }

    @Test func `the binding keeps no field alive`() {
        weak var gone: Field<Int>?
        do {
            let value = Field<Int>(value: 3)
            text.bind(to: value, by: .integer)
            gone = value
            expect(text.value, equals: "3")
        }
        expect(gone == nil)
        text.value = "4"
        expect(text.validate(), equals: .valid)
    }
}
