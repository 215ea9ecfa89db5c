import ModelKitFields
import ModelKitForms
import ModelKitModels

/// What the judge's models and forms are about.
enum Grade: String, CaseIterable { case good, fair, poor }
enum Rank: Int, CaseIterable, AttributeConvertible { case low = 1, high }

final class Firm: Model {
    let name = Field<String>().require(.notEmpty)
    let address = Field<String>().require(.ipv4)
    let staff = ModelField<Hand>()*
}

final class Hand: Model {
    let first = Field<String>(key: ["name", "first"]).require(.notBlank)
    let last = Field<String>(key: ["name", "last"]).require(.maxLength(4, in: .scalars))
    let nick = Field<String>(key: ["more", "nick"]).require(.slug)
    let age = Field<Int>(value: 18).require(.required).constrain(to: 0...150)
    let share = Field<Double>().require(.digits(integer: 2, fraction: 1))
    let small = Field<Int8>().require(.multipleOf(5))
    let grade = EnumField<Grade>().require(.required)
    let levels = Field<Rank>()*
    let tags = Field<String>(value: "ab").require(.alpha)*
    let flag = Field<Bool>().require(.accepted)
    let firm = ModelField<Firm>()
    let owner = ModelField<Firm>().requireValid()
    let boss = ModelField<Hand>()
    let other = Field<AttributeValue>()
}

struct Signup: PartialInitializable {
    struct Place: Sendable {
        var lines: [String] = []
        var zip: String?

        var form: AttributeValue {
            ["lines": lines.attributeValue, "zip": zip.map { .string($0) } ?? .null]
        }
    }

    var user = ""
    var age: Int?
    var lines: [Int] = []
    var place = Place()

    init(from partial: Partial<Signup>) {}

    static let validation = Partial<Signup>.Validation(
        .required(\.user, "user"),
        .value(\.user, "user", .length(2...4, in: .scalars)),
        .value(\.age, "age", .min(3) && .multipleOf(2)),
        .value(\.lines, "lines", .notEmpty && .unique && Rule.positive.each()),
        .value(
            \.place,
            "place",
            (Rule.digits && .minLength(1)).each().at(\Place.lines, "lines")
                && (Rule.required && .digits).at(\Place.zip, "zip")
        )
    )
}

extension JudgeCase {
    static func hands(_ count: Int, _ random: inout SeededGenerator) -> JudgeCase {
        JudgeCase(Hand.self, count: count, &random) { random in
            var rules = RandomRules(random: random)
            defer { random = rules.random }
            return rules.hand(2)
        }
    }

    static func signups(_ count: Int, _ random: inout SeededGenerator) -> JudgeCase {
        JudgeCase("Signup", Signup.validation, count: count, &random) { random, form in
            var rules = RandomRules(random: random)
            defer { random = rules.random }
            return rules.signup(&form)
        }
    }
}

extension RandomRules {
    private mutating func chance(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &random) == 0
    }

    private mutating func any(of values: [AttributeValue]) -> AttributeValue {
        values.randomElement(using: &random) ?? .null
    }

    /// Puts a value at a key, or null, or something of any type, or nothing.
    private mutating func put(
        _ key: String,
        in form: inout AttributeDictionary,
        _ value: (inout RandomRules) -> AttributeValue
    ) {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: form[key] = .null
        case 1: form[key] = any(of: [true, 7, 2.5, "text", [1, "a"], ["a": 1], 3.0, []])
        case 2, 3: break
        default: form[key] = value(&self)
        }
    }

    mutating func hand(_ depth: Int) -> AttributeDictionary {
        var form: AttributeDictionary = [:]
        put("name", in: &form) { rules in
            var name: AttributeDictionary = [:]
            rules.put("first", in: &name) { .string($0.text()) }
            rules.put("last", in: &name) { .string($0.text()) }
            return .dictionary(name)
        }
        put("more", in: &form) { rules in
            var more: AttributeDictionary = [:]
            rules.put("nick", in: &more) { $0.any(of: ["a-b", "", "a1", "-"]) }
            return .dictionary(more)
        }
        put("age", in: &form) { $0.any(of: [3, 0, 150, 30.0, -1, 151]) }
        put("share", in: &form) { .double($0.double()) }
        put("small", in: &form) { $0.any(of: [5, -125, 130, -130, 4, 0]) }
        put("grade", in: &form) { $0.any(of: ["good", "fair", "bad", ""]) }
        put("levels", in: &form) { $0.any(of: [[], [1, 2], [3], [1.0], ["1"], [nil]]) }
        put("tags", in: &form) { $0.any(of: [[], ["a", "b"], ["a1"], ["", "1"], [nil]]) }
        put("flag", in: &form) { $0.any(of: [true, true, false]) }
        put("other", in: &form) { $0.any(of: [true, [1], "a", nil, ["a": nil]]) }
        guard depth > 0 else { return form }
        for key in ["firm", "owner"] {
            put(key, in: &form) { .dictionary($0.firm(depth - 1)) }
        }
        put("boss", in: &form) { .dictionary($0.hand(depth - 1)) }
        return form
    }

    private mutating func firm(_ depth: Int) -> AttributeDictionary {
        var form: AttributeDictionary = [:]
        put("name", in: &form) { .string($0.text()) }
        put("address", in: &form) { $0.any(of: ["10.0.0.1", "10.0.0.256", "a"]) }
        if depth > 0, chance(2) {
            put("staff", in: &form) { [.dictionary($0.hand(0)), .dictionary($0.hand(depth - 1))] }
        }
        return form
    }

    mutating func signup(_ form: inout AttributeDictionary) -> Partial<Signup> {
        var partial = Partial<Signup>()
        if !chance(4) {
            let user = text()
            partial.user = user
            form["user"] = .string(user)
        }
        if !chance(4) {
            let age = chance(4) ? nil : integer()
            partial.update(\.age, to: age)
            form["age"] = age.map { .int(Int64($0)) } ?? .null
        }
        if !chance(4) {
            let lines = list()
            partial.lines = lines
            form["lines"] = lines.attributeValue
        }
        if !chance(4) {
            let place = Signup.Place(
                lines: (0..<3).map { _ in text() },
                zip: chance(3) ? nil : chance(2) ? "12" : text()
            )
            partial.place = place
            form["place"] = place.form
        }
        return partial
    }
}
