import FoundationEssentials
import ModelKitFields
import TestSupport
import Testing

/// What a rule says of a value.
private func said<Value>(_ rule: Rule<Value>, _ value: Value?) -> [String] {
    rule.issues(for: value).map(\.message)
}

struct PresenceRuleTests {
    @Test func `required fails for nil alone`() {
        expect(
            Rule<String>.required.issues(for: nil),
            equals: [Issue(code: "required", message: "is required")]
        )
        expect(said(.required, ""), equals: [])
        expect(said(.required, 0), equals: [])
        expect(Rule<Int>.required.constraint, equals: .required)
    }

    @Test func `required finds nil however deeply it is wrapped`() {
        expect(said(Rule<Int?>.required, .some(nil)), equals: ["is required"])
        expect(said(Rule<Int?>.required, nil), equals: ["is required"])
        expect(said(Rule<Int?>.required, 1), equals: [])
        expect(said(Rule<Int??>.required, .some(.some(nil))), equals: ["is required"])
        expect(said(Rule<Int??>.required, .some(.some(.some(1)))), equals: [])
    }

    @Test func `notEmpty fails for nil and for nothing inside`() {
        expect(
            Rule<String>.notEmpty.issues(for: nil),
            equals: [Issue(code: "notEmpty", message: "cannot be empty")]
        )
        expect(said(Rule<String>.notEmpty, ""), equals: ["cannot be empty"])
        expect(said(Rule<String>.notEmpty, " "), equals: [])
        expect(said(Rule<[Int]>.notEmpty, []), equals: ["cannot be empty"])
        expect(said(Rule<[Int]>.notEmpty, [0]), equals: [])
        expect(said(Rule<[String: Int]>.notEmpty, [:]), equals: ["cannot be empty"])
        expect(Rule<String>.notEmpty.constraint, equals: .all([.required, .minLength(1)]))
        expect(Rule<[Int]>.notEmpty.constraint, equals: .all([.required, .minItems(1)]))
    }

    @Test(arguments: ["", " ", "\t\n\r ", "\u{A0}", "\u{3000}\u{2003}", " \u{2028}", "\u{85}"])
    func `notBlank fails for white space of any script`(text: String) {
        expect(
            Rule<String>.notBlank.issues(for: text),
            equals: [Issue(code: "notBlank", message: "cannot be blank")]
        )
    }

    @Test(arguments: ["a", " a", "é", " é ", "\u{3000}漢", "\u{200B}", "0", "\0"])
    func `notBlank passes where anything else is`(text: String) {
        expect(said(.notBlank, text), equals: [])
    }

    @Test func `notBlank fails for nil and for an empty array`() {
        expect(said(Rule<String>.notBlank, nil), equals: ["cannot be blank"])
        expect(said(Rule<[Int]>.notBlank, nil), equals: ["cannot be blank"])
        expect(said(Rule<[Int]>.notBlank, []), equals: ["cannot be blank"])
        expect(said(Rule<[Int]>.notBlank, [1]), equals: [])
        expect(Rule<String>.notBlank.constraint, equals: .notBlank)
    }

    @Test func `absent passes nil alone, however deeply it is wrapped`() {
        expect(said(Rule<String>.absent, nil), equals: [])
        expect(
            Rule<String>.absent.issues(for: ""),
            equals: [Issue(code: "absent", message: "must be absent")]
        )
        expect(said(Rule<Int?>.absent, .some(nil)), equals: [])
        expect(said(Rule<Int?>.absent, 0), equals: ["must be absent"])
        expect(Rule<String>.absent.constraint, equals: .not(.required))
    }

    @Test func `accepted passes true alone`() {
        expect(said(.accepted, true), equals: [])
        let issue = Issue(code: "accepted", message: "must be accepted")
        expect(Rule<Bool>.accepted.issues(for: false), equals: [issue])
        expect(Rule<Bool>.accepted.issues(for: nil), equals: [issue])
        expect(Rule<Bool>.accepted.constraint, equals: .all([.required, .oneOf([true])]))
    }
}

struct TextRuleTests {
    @Test func `minLength counts characters`() {
        let rule = Rule<String>.minLength(3)
        expect(
            rule.issues(for: "ab"),
            equals: [
                Issue(
                    code: "minLength",
                    message: "length must be greater than or equal to 3",
                    parameters: ["min": 3]
                )
            ]
        )
        expect(said(rule, "abc"), equals: [])
        expect(said(rule, nil), equals: [])
        expect(said(rule, "👨‍👩‍👧é") != [])
        expect(said(rule, "👨‍👩‍👧e\u{301}🇩🇪"), equals: [])
        expect(rule.constraint, equals: .minLength(3))
    }

    @Test func `maxLength counts characters`() {
        let rule = Rule<String>.maxLength(3)
        expect(
            rule.issues(for: "abcd"),
            equals: [
                Issue(
                    code: "maxLength",
                    message: "length must be less than or equal to 3",
                    parameters: ["max": 3]
                )
            ]
        )
        expect(said(rule, ""), equals: [])
        expect(said(rule, "abc"), equals: [])
        expect(said(rule, "👨‍👩‍👧e\u{301}🇩🇪"), equals: [])
        expect(said(rule, "👨‍👩‍👧e\u{301}🇩🇪x") != [])
        expect(rule.constraint, equals: .maxLength(3))
    }

    @Test func `a carriage return with its line feed is one character`() {
        expect(said(.maxLength(2), "a\r\n"), equals: [])
        expect(said(.minLength(3), "a\r\n") != [])
        expect(said(.maxLength(2), "a\n\r") != [])
    }

    @Test func `length names the end that was passed`() {
        let rule = Rule<String>.length(2...3)
        expect(said(rule, "a"), equals: ["length must be greater than or equal to 2"])
        expect(said(rule, "ab"), equals: [])
        expect(said(rule, "abc"), equals: [])
        expect(said(rule, "abcd"), equals: ["length must be less than or equal to 3"])
        expect(rule.constraint, equals: .all([.minLength(2), .maxLength(3)]))
    }

    @Test func `length takes every kind of range, and a number`() {
        expect(said(.length(2..<4), "abc"), equals: [])
        expect(said(.length(2..<4), "abcd"), equals: ["length must be less than or equal to 3"])
        expect(said(.length(2...), "a"), equals: ["length must be greater than or equal to 2"])
        expect(said(.length(...2), "abc"), equals: ["length must be less than or equal to 2"])
        expect(said(.length(..<2), "ab"), equals: ["length must be less than or equal to 1"])
        expect(said(.length(6...6), "ab"), equals: ["length must be equal to 6"])
        expect(
            Rule<String>.length(6).issues(for: "1234567"),
            equals: [
                Issue(
                    code: "length",
                    message: "length must be equal to 6",
                    parameters: ["value": 6]
                )
            ]
        )
        expect(said(.length(6), "123456"), equals: [])
    }

    @Test func `absurd lengths trap nowhere`() {
        expect(said(.minLength(.min), ""), equals: [])
        expect(said(.minLength(.max), "abc") != [])
        expect(said(.maxLength(.max), "abc"), equals: [])
        expect(said(.maxLength(-1), "") != [])
        expect(said(.maxLength(.min), "") != [])
        expect(said(.length(..<Int.min), "") != [])
        expect(said(.length(0), ""), equals: [])
        expect(said(.length(-1), "") != [])
        expect(said(.length(5..<5), "12345") != [])
    }

    @Test func `the counting agrees with count, whatever the text`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        let pieces = [
            "a", "é", "e\u{301}", "\r", "\n", "\r\n", "🇩🇪", "\u{200D}", "👩", " ", "\u{600}",
        ]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<8, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            for limit in -1..<9 {
                let isLonger = text.hasMoreCharacters(than: limit)
                expect(
                    isLonger,
                    equals: (text.count > limit),
                    "seed \(seed), \(text.debugDescription)"
                )
            }
        }
    }

    @Test func `prefix and suffix`() {
        expect(
            Rule<String>.hasPrefix("+49").issues(for: "0049"),
            equals: [
                Issue(code: "prefix", message: "must start with +49", parameters: ["prefix": "+49"])
            ]
        )
        expect(said(.hasPrefix("+49"), "+49 30"), equals: [])
        expect(said(.hasPrefix("+49"), nil), equals: [])
        expect(
            Rule<String>.hasSuffix(".com").issues(for: "a.org"),
            equals: [
                Issue(code: "suffix", message: "must end with .com", parameters: ["suffix": ".com"])
            ]
        )
        expect(said(.hasSuffix(".com"), "a.com"), equals: [])
        expect(Rule<String>.hasPrefix("+4/9").constraint, equals: .prefix("+4/9"))
        expect(Rule<String>.hasSuffix(".com").constraint, equals: .suffix(".com"))
    }

    @Test func `contains looks for whole characters`() {
        let rule = Rule<String>.contains("é!")
        expect(
            rule.issues(for: "é?"),
            equals: [
                Issue(code: "contains", message: "must contain é!", parameters: ["part": "é!"])
            ]
        )
        for text in ["é!", "aé!b", "ée\u{301}!"] { expect(said(rule, text), equals: []) }
        for text in ["", "e!", "é!\u{301}", "é", "!é"] { expect(said(rule, text) != []) }
        expect(said(.contains(""), ""), equals: [])
        expect(said(.contains("a"), nil), equals: [])
        expect(rule.constraint, equals: .contains("é!"))
    }

    @Test func `digits are 0 to 9 and no other script's`() {
        expect(said(.digits, "0123456789"), equals: [])
        expect(said(.digits, ""), equals: [])
        expect(said(.digits, nil), equals: [])
        for text in ["12a", "-1", " 1", "٣", "１", "1\u{301}", "1\n"] {
            expect(
                Rule<String>.digits.issues(for: text),
                equals: [Issue(code: "digits", message: "must contain only digits")]
            )
        }
    }

    @Test func `characters(in:) takes ASCII and more`() {
        let hex = Rule<String>.characters(in: "0123456789abcdef")
        expect(said(hex, "c0ffee"), equals: [])
        expect(said(hex, ""), equals: [])
        expect(said(hex, nil), equals: [])
        expect(
            hex.issues(for: "c0ffeé"),
            equals: [
                Issue(
                    code: "characters",
                    message: "contains invalid characters",
                    parameters: ["allowed": "0123456789abcdef"]
                )
            ]
        )
        expect(said(hex, "a\u{301}") != [])
        let umlauts = Rule<String>.characters(in: "aäöü🇩🇪")
        expect(said(umlauts, "äa\u{308}🇩🇪"), equals: [])
        expect(said(umlauts, "🇩") != [])
        expect(said(.characters(in: "\r\n"), "\r\n\r\n"), equals: [])
        expect(said(.characters(in: "\r\n"), "\n") != [])
        for allowed in ["K;`", "K;`é"] {
            expect(
                said(.characters(in: allowed), "\u{212A}\u{37E}\u{1FEF}K"),
                equals: [],
                "\(allowed)"
            )
            expect(said(.characters(in: allowed), "\u{212A}\u{301}") != [], "\(allowed)")
            expect(said(.characters(in: allowed), "\u{212B}") != [], "\(allowed)")
        }
        expect(said(.characters(in: "abc"), "\u{212A}") != [])
    }
}

struct NumberRuleTests {
    @Test(arguments: [
        (Rule<Int>.min(6), 5, 6, "must be greater than or equal to 6", "min"),
        (.max(6), 7, 6, "must be less than or equal to 6", "max"),
        (.greaterThan(0), 0, 1, "must be greater than 0", "greaterThan"),
        (.lessThan(0), 0, -1, "must be less than 0", "lessThan"),
        (.positive, 0, 1, "must be greater than 0", "greaterThan"),
        (.negative, 0, -1, "must be less than 0", "lessThan"),
        (.nonNegative, -1, 0, "must be greater than or equal to 0", "min"),
        (.multipleOf(5), 6, -10, "must be a multiple of 5", "multipleOf"),
        (.equal(6), 5, 6, "must be equal to 6", "equal"),
        (.notEqual(6), 6, 5, "must not be equal to 6", "notEqual"),
        (.oneOf([1, 2]), 3, 2, "must be one of 1, 2", "oneOf"),
        (.noneOf([1, 2]), 2, 3, "must not be one of 1, 2", "noneOf"),
    ])
    func `a bound at its edge`(
        rule: Rule<Int>,
        outside: Int,
        inside: Int,
        message: String,
        code: String
    ) {
        let issues = rule.issues(for: outside)
        expect(issues.map(\.message), equals: [message])
        expect(issues.map(\.code), equals: [code])
        expect(issues.first?.parameters.count, equals: 1)
        expect(rule.issues(for: inside), equals: [])
        expect(rule.issues(for: nil), equals: [])
    }

    @Test(arguments: [
        Rule<Double>.min(0), .max(0), .greaterThan(0), .lessThan(0), .range(0...1), .range(0..<1),
        .range(0...), .range(...1), .range(..<1), .positive, .negative, .nonNegative,
        .multipleOf(1), .finite, .equal(0), .oneOf([0, .nan]), .min(-.infinity), .max(.infinity),
    ])
    func `NaN passes no bound`(rule: Rule<Double>) {
        expect(!rule.issues(for: .nan).isEmpty)
    }

    @Test func `nothing passes a bound that is NaN`() {
        for value: Double in [0, .infinity, -.infinity, .nan] {
            expect(said(Rule<Double>.min(.nan), value) != [])
            expect(said(Rule<Double>.lessThan(.nan), value) != [])
        }
    }

    @Test func `range names the end that was passed`() {
        let rule = Rule<Int>.range(6...10)
        expect(said(rule, 5), equals: ["must be greater than or equal to 6"])
        expect(said(rule, 6), equals: [])
        expect(said(rule, 10), equals: [])
        expect(said(rule, 11), equals: ["must be less than or equal to 10"])
        expect(said(rule, nil), equals: [])
        expect(rule.constraint, equals: .all([.minimum(6), .maximum(10)]))
    }

    @Test func `range takes every kind of range`() {
        expect(said(Rule<Double>.range(0..<1), 1), equals: ["must be less than 1"])
        expect(said(Rule<Double>.range(0..<1), 0.999), equals: [])
        expect(said(Rule<Int>.range(18...), 17), equals: ["must be greater than or equal to 18"])
        expect(said(Rule<Int>.range(18...), .max), equals: [])
        expect(said(Rule<Int>.range(...5), 6), equals: ["must be less than or equal to 5"])
        expect(said(Rule<Int>.range(..<5), 5), equals: ["must be less than 5"])
        expect(said(Rule<Int>.range(6...6), 5), equals: ["must be equal to 6"])
        expect(said(Rule<Int>.range(5..<5), 5), equals: ["must be less than 5"])
        expect(
            said(Rule<String>.range("a"..."f"), "g"),
            equals: ["must be less than or equal to f"]
        )
        expect(Rule<Int>.range(..<5).constraint, equals: .exclusiveMaximum(5))
    }

    @Test func `a range of one's own makes a rule too`() {
        struct Teens: RuleRange {
            let ruleBounds = RuleBounds(lower: 13, upper: 20, isUpperExcluded: true)
        }
        expect(said(.range(Teens()), 20), equals: ["must be less than 20"])
        expect(said(.range(Teens()), 19), equals: [])
    }

    @Test func `messages show whole numbers without a fraction`() {
        expect(said(Rule<Double>.greaterThan(0), -1), equals: ["must be greater than 0"])
        expect(said(Rule<Double>.greaterThan(0.5), 0), equals: ["must be greater than 0.5"])
        expect(
            said(Rule<Float>.max(1e30), .infinity),
            equals: ["must be less than or equal to 1e+30"]
        )
        expect(said(Rule<Float>.max(0.1), 1), equals: ["must be less than or equal to 0.1"])
        expect(
            said(Rule<UInt64>.max(.max - 1), .max),
            equals: ["must be less than or equal to 1.8446744073709552e+19"]
        )
    }

    @Test func `dates have bounds too`() {
        let rule = Rule<Date>.min(Date(timeIntervalSince1970: 10))
        expect(rule.issues(for: Date(timeIntervalSince1970: 10)), equals: [])
        expect(
            rule.issues(for: Date(timeIntervalSince1970: 9)).first?.parameters,
            equals: ["min": .date(Date(timeIntervalSince1970: 10))]
        )
    }

    @Test func `multiples of integers trap nowhere`() {
        expect(said(Rule<Int>.multipleOf(0), 0), equals: [])
        expect(said(Rule<Int>.multipleOf(0), 1), equals: ["must be a multiple of 0"])
        expect(said(Rule<Int>.multipleOf(-1), .min), equals: [])
        expect(said(Rule<UInt8>.multipleOf(16), 240), equals: [])
    }

    @Test(arguments: [
        (0.3, 0.1, true), (0.0075, 0.0001, true), (0.00751, 0.0001, false), (4.5, 1.5, true),
        (35, 1.5, false), (19.99, 0.01, true), (19.995, 0.01, false), (0, 0.1, true),
        (-0.3, 0.1, true), (1e308, 0.123456789, false), (1, 0, false), (0, 0, false),
        (.infinity, 1, false), (1, .infinity, false), (0, .infinity, false), (1e300, 1, true),
        (9_007_199_254_740_992, 2, true), (0.1, 0.3, false), (123456.789, 0.001, true),
        (1e308, 0.5, true), (.leastNonzeroMagnitude, 10, false),
        (.leastNormalMagnitude, 1e20, false),
        (1_125_899_906_842_624.5, 1, false), (1_125_899_906_842_625, 1, true),
    ])
    func `multiples of decimals are those that people mean`(
        value: Double,
        divisor: Double,
        isMultiple: Bool
    ) {
        expect(said(.multipleOf(divisor), value).isEmpty, equals: isMultiple)
    }

    @Test func `integer fails for a fraction and for what is not finite`() {
        let rule = Rule<Double>.integer
        for value in [0, -0.0, 1, -7, 1e300, 0x1p53] { expect(said(rule, value), equals: []) }
        for value in [0.5, -1.25, .nan, .infinity, -.infinity, .leastNonzeroMagnitude] {
            expect(
                rule.issues(for: value),
                equals: [Issue(code: "integer", message: "must be a whole number")]
            )
        }
        expect(said(rule, nil), equals: [])
        expect(rule.constraint, equals: .multipleOf(1))
    }

    @Test func `finite`() {
        let rule = Rule<Double>.finite
        expect(
            rule.issues(for: .infinity),
            equals: [Issue(code: "finite", message: "must be a finite number")]
        )
        expect(said(rule, -.infinity) != [])
        expect(said(rule, .greatestFiniteMagnitude), equals: [])
        expect(said(rule, nil), equals: [])
    }
}

struct EqualityRuleTests {
    enum Color: String, Sendable { case red, green, blue }
    struct Point: Sendable, Equatable { var x = 0 }

    @Test func `an enum is shown by its raw value`() {
        let rule = Rule<Color>.oneOf([.red, .green])
        expect(
            rule.issues(for: .blue),
            equals: [
                Issue(
                    code: "oneOf",
                    message: "must be one of red, green",
                    parameters: ["values": ["red", "green"]]
                )
            ]
        )
        expect(rule.issues(for: .red), equals: [])
        expect(rule.constraint, equals: .oneOf(["red", "green"]))
    }

    @Test func `any other value by its description`() {
        expect(said(.equal(Point()), Point(x: 1)), equals: ["must be equal to Point(x: 0)"])
        expect(said(.equal(true), false), equals: ["must be equal to true"])
        expect(Rule<Bool>.equal(true).constraint, equals: .oneOf([true]))
    }

    @Test func `a long list is cut in the message, not in the parameters`() {
        let rule = Rule<Int>.oneOf(Array(1...200))
        expect(said(rule, 0), equals: ["must be one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …"])
        expect(
            rule.issues(for: 0).first?.parameters["values"],
            equals: .array((1...200).map { .int($0) })
        )
    }

    @Test func `of an empty list nothing is one`() {
        expect(said(.oneOf([]), 1) != [])
        expect(said(.noneOf([]), 1), equals: [])
    }
}

struct CollectionRuleTests {
    @Test func `counts at their edges`() {
        expect(
            Rule<[Int]>.minItems(2).issues(for: [1]),
            equals: [
                Issue(
                    code: "minItems",
                    message: "count must be greater than or equal to 2",
                    parameters: ["min": 2]
                )
            ]
        )
        expect(said(Rule<[Int]>.minItems(2), [1, 2]), equals: [])
        expect(said(Rule<[Int]>.minItems(2), nil), equals: [])
        expect(
            said(Rule<[Int]>.maxItems(2), [1, 2, 3]),
            equals: ["count must be less than or equal to 2"]
        )
        expect(said(Rule<[Int]>.maxItems(2), [1, 2]), equals: [])
        expect(
            said(Rule<[Int]>.count(1...2), []),
            equals: ["count must be greater than or equal to 1"]
        )
        expect(
            said(Rule<[Int]>.count(..<2), [1, 2]),
            equals: ["count must be less than or equal to 1"]
        )
        expect(said(Rule<[Int]>.count(2...2), [1]), equals: ["count must be equal to 2"])
        expect(said(Rule<[Int]>.count(2), [1, 2]), equals: [])
        expect(said(Rule<Set<Int>>.count(1...), [1]), equals: [])
        expect(said(Rule<[Int]>.count(..<Int.min), []) != [])
        expect(Rule<[Int]>.count(1...2).constraint, equals: .all([.minItems(1), .maxItems(2)]))
    }

    @Test(arguments: [0, 1, 2, 16, 17, 100])
    func `unique, of few and of many`(count: Int) {
        let values = Array(0..<count)
        expect(said(.unique, values), equals: [])
        guard let first = values.first, count > 1 else { return }
        expect(
            Rule<[Int]>.unique.issues(for: values.dropLast() + [first]),
            equals: [Issue(code: "unique", message: "must not contain duplicates")]
        )
        expect(Rule<[Int]>.unique.issues(for: nil), equals: [])
        expect(Rule<[Int]>.unique.constraint, equals: .uniqueItems)
    }
}
