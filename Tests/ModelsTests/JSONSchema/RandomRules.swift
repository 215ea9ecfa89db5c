import ModelKitFields
import ModelKitModels

/// Makes rules and values for them at random, so that both verdicts are common.
struct RandomRules {
    var random: SeededGenerator

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    /// A rule made of others, which are made by a closure.
    private mutating func composed<Value>(
        _ depth: Int,
        _ leaf: (inout RandomRules) -> Rule<Value>
    ) -> Rule<Value> {
        if depth == 0 || number(0...3) == 0 { return leaf(&self) }
        switch number(0...6) {
        case 0, 1, 2: return composed(depth - 1, leaf) && composed(depth - 1, leaf)
        case 3, 4: return composed(depth - 1, leaf) || composed(depth - 1, leaf)
        case 5: return !composed(depth - 1, leaf)
        default: return composed(depth - 1, leaf).code("other")
        }
    }

    /// A rule that counts which of several others pass.
    mutating func choice<Value>(_ leaf: (inout RandomRules) -> Rule<Value>) -> Rule<Value> {
        let rules = (0..<number(1...3)).map { _ in leaf(&self) }
        return number(0...1) == 0 ? .exactlyOne(of: rules) : .allOrNone(of: rules)
    }

    // MARK: Numbers

    mutating func integerRule(_ depth: Int) -> Rule<Int> {
        composed(depth) { rules in
            let bound = rules.number(-6...6)
            return switch rules.number(0...11) {
            case 0: .min(bound)
            case 1: .max(bound)
            case 2: .greaterThan(bound)
            case 3: .lessThan(bound)
            case 4: .multipleOf(rules.number(1...4))
            case 5: .range(bound...(bound + 5))
            case 6: .oneOf([bound, bound + 1, bound + 3])
            case 7: .notEqual(bound)
            case 8: .digits(integer: 1)
            case 9: .positive.severity(.warning)
            default: .required
            }
        }
    }

    mutating func integer() -> Int { number(-14...14) }

    mutating func doubleRule(_ depth: Int) -> Rule<Double> {
        composed(depth) { rules in
            let bound = Double(rules.number(-20...20)) / 8
            return switch rules.number(0...8) {
            case 0: .min(bound)
            case 1: .lessThan(bound)
            case 2: .multipleOf(rules.pick([0.1, 0.25, 1, 0.01]))
            case 3: .digits(integer: rules.number(0...2), fraction: rules.number(0...2))
            case 4: .integer
            case 5: .equal(bound)
            case 6: .finite
            case 7: .range(bound..<(bound + 1.5))
            default: .required
            }
        }
    }

    /// A number with few decimals, so that nobody rounds it otherwise.
    mutating func double() -> Double {
        Double(number(-3000...3000)) / pick([1, 10, 100, 1000])
    }

    // MARK: Text

    mutating func textRule(_ depth: Int) -> Rule<String> {
        composed(depth) { rules in
            let length = rules.number(0...6)
            let unit = rules.pick(TextUnit.allCases)
            return switch rules.number(0...17) {
            case 0, 1: .minLength(length, in: unit)
            case 2, 3: .maxLength(length, in: unit)
            case 4: .length(length...(length + 3), in: unit)
            case 5: .digits
            case 6: .alphanumeric
            case 7: .trimmed
            case 8: .noControlCharacters
            case 9: .notBlank
            case 10: .notEmpty
            case 11: .oneOf(["", "a", "a1"])
            case 12: .hasPrefix("a")
            case 13: .contains("1")
            case 14: .hasSuffix("a")
            case 15: .characters(in: "a1-^] ")
            case 16: .ascii
            default: .required
            }
        }
    }

    mutating func text() -> String {
        let pieces = [
            "a", "1", "b", " ", "é", "e\u{301}", "👩", "👨‍👩‍👧", "\u{3000}", "-", "]", "^", "\t", "\r\n",
        ]
        return (0..<number(0...5)).map { _ in pick(Array(pieces.prefix(number(1...14)))) }.joined()
    }

    // MARK: Structure

    mutating func listRule(_ depth: Int) -> Rule<[Int]> {
        composed(depth) { rules in
            let count = rules.number(0...4)
            return switch rules.number(0...8) {
            case 0: .minItems(count)
            case 1: .maxItems(count)
            case 2: .unique
            case 3, 4: rules.integerRule(1).each()
            case 5: .contains(rules.integerRule(1), min: rules.number(0...2))
            case 6: .contains(rules.integerRule(1), min: 0, max: rules.number(0...2))
            case 7: .notEmpty
            default: .required
            }
        }
    }

    mutating func list() -> [Int] { (0..<number(0...5)).map { _ in integer() } }

    mutating func tableRule(_ depth: Int) -> Rule<[String: Int]> {
        composed(depth) { rules in
            let count = rules.number(0...3)
            return switch rules.number(0...5) {
            case 0: .minItems(count)
            case 1: .maxItems(count)
            case 2: .keys(rules.textRule(1))
            case 3: .values(rules.integerRule(1))
            case 4: .notEmpty
            default: .required
            }
        }
    }

    mutating func table() -> [String: Int] {
        var table: [String: Int] = [:]
        for _ in 0..<number(0...3) { table[text()] = integer() }
        return table
    }

    mutating func nestedRule(_ depth: Int) -> Rule<[[String]]> {
        composed(depth) { rules in
            let texts: Rule<[String]> = rules.composed(1) { rules in
                switch rules.number(0...4) {
                case 0: rules.textRule(1).each()
                case 1: .contains(rules.textRule(1), min: rules.number(0...2), max: 2)
                case 2: .maxItems(rules.number(0...3))
                default: .unique
                }
            }
            return switch rules.number(0...4) {
            case 0: .minItems(rules.number(0...2))
            case 1: .contains(texts)
            case 2: .unique
            default: texts.each()
            }
        }
    }

    mutating func nested() -> [[String]] {
        (0..<number(0...3)).map { _ in (0..<number(0...3)).map { _ in text() } }
    }

    mutating func placeRule(_ depth: Int) -> Rule<Signup.Place> {
        composed(depth) { rules in
            switch rules.number(0...3) {
            case 0: rules.textRule(1).each().at(\.lines, "lines")
            case 1: Rule.maxItems(rules.number(0...3)).at(\.lines, "lines")
            case 2: .required
            default: rules.textRule(1).at(\.zip, "zip")
            }
        }
    }

    mutating func place() -> Signup.Place {
        Signup.Place(
            lines: (0..<number(0...3)).map { _ in text() },
            zip: number(0...2) == 0 ? nil : text()
        )
    }
}
