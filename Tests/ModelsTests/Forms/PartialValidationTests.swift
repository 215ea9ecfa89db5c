import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

extension Member: PartialInitializable {
    init(from partial: Partial<Member>) throws {
        firstName = try partial.value(for: \.firstName)
        lastName = try partial.value(for: \.lastName)
        age = partial.age
        if firstName == lastName {
            throw ModelKitFields.Issue(path: ["lastName"], message: "must differ")
        }
        if firstName == "Warned" {
            throw ModelKitFields.Issue(message: "is refused", severity: .warning)
        }
        if firstName == "Nobody" { throw Refused() }
        if firstName == "Import" { throw ImportError(issues: []) }
    }
}

private struct Refused: Error, CustomStringConvertible { let description = "is refused" }

private struct Account: Equatable, PartialInitializable {
    var user = "", password = "", confirm = ""
    var start = 0, middle = 0, end = 0
    var lines: [String] = []

    init() {}
    init(from partial: Partial<Account>) { user = partial.user ?? "" }
}

/// Sendable, so constants.
private enum Validations {
    static let names = Partial<Member>.Validation(requiredKeyPaths: \.lastName, \.firstName, \.age)
    static let adult = Partial<Member>.Validation(
        .required(\.lastName),
        .required(\.age),
        .required(\.firstName),
        .valueValidation(keyPath: \.firstName) { $0.count > 1 },
        .valueValidation(keyPath: \.age) { $0 >= 18 }
    )
    static let account = Partial<Account>.Validation(
        .required(\.user, "user"),
        .value(\.user, "user", .minLength(3)),
        .value(\.lines, "lines", Rule.notBlank.each()),
        .together(\.password, \.confirm, report: "confirm", "doesn't match") { $0 == $1 },
        .together(\.start, \.middle, \.end, report: "middle", "must lie between") {
            $0 < $1 && $1 < $2
        },
        .value(\.middle, "middle", .nonNegative)
    )
}

@Suite struct PartialValidationTests {
    // MARK: Required key paths

    @Test func `defect 1: a form without a required value is incomplete`() {
        var partial = Partial<Member>()
        partial.age = 3
        expect(Validations.names.validate(partial), equals: .incomplete([\.lastName, \.firstName]))
        partial.firstName = "Ian"
        partial.lastName = "Keen"
        expect(Validations.names.validate(partial), equals: .valid)
    }

    @Test func `defect 2: missing key paths are in the order of declaration, each once`() {
        let validation = Partial<Member>.Validation(
            requiredKeyPaths: \.tags,
            \.lastName,
            \.tags,
            \.age,
            \.firstName,
            \.lastName
        )
        var partial = Partial<Member>()
        partial.age = 3
        expect(
            validation.validate(partial),
            equals: .incomplete([\.tags, \.lastName, \.firstName])
        )
    }

    @Test func `defect 3: nil does not satisfy a requirement`() {
        var partial = Partial<Member>()
        partial.firstName = "Ian"
        partial.lastName = "Keen"
        let nobody: Int? = nil
        partial.update(\.age, to: nobody)
        expect(Validations.names.validate(partial), equals: .incomplete([\.age]))
        expect(Validations.adult.validate(partial).reasons, equals: [.missing(\.age)])
    }

    // MARK: Checks

    @Test func `a form that passes is valid with the value made of it`() {
        var partial = Partial<Member>()
        partial.firstName = "Ian"
        partial.lastName = "Keen"
        partial.age = 18
        let verdict = Validations.adult.validate(partial)
        expect(verdict.value, equals: Member(firstName: "Ian", lastName: "Keen", age: 18))
        expect(verdict.reasons, equals: [])
    }

    @Test func `verdicts are equal if their values or reasons are`() {
        typealias Verdict = Partial<Member>.Verdict
        let ian = Member(firstName: "Ian", lastName: "Keen", age: 18)
        let jan = Member(firstName: "Jan", lastName: "Keen", age: 18)
        expect(Verdict.valid(ian), equals: .valid(ian))
        expect(Verdict.valid(ian) != .valid(jan))
        expect(Verdict.valid(ian) != .invalid([.missing(\.age)]))
        expect(Verdict.invalid([.missing(\.age)]), equals: .invalid([.missing(\.age)]))
        expect(Verdict.invalid([.missing(\.age)]) != .invalid([.invalidValue(\.age)]))
        expect(Verdict.invalid([.missing(\.age)]) != .invalid([.missing(\.tags)]))
    }

    @Test func `a test is not asked about a value that is missing`() {
        let validation = Partial<Member>.Validation(
            .valueValidation(keyPath: \.age) { _ in false },
            .valueValidation(keyPath: \.tags) { _ in false }
        )
        var partial = Partial<Member>()
        partial.firstName = "Ian"
        partial.lastName = "Keen"
        expect(validation.validate(partial).value != nil)
        partial.age = nil
        expect(validation.validate(partial).value != nil)
        partial.tags = []
        expect(validation.validate(partial).reasons, equals: [.invalidValue(\.tags)])
    }

    @Test func `all reasons are reported in the order of declaration`() {
        var partial = Partial<Member>()
        partial.firstName = "I"
        partial.age = 17
        let verdict = Validations.adult.validate(partial)
        expect(
            verdict.reasons,
            equals: [.missing(\.lastName), .invalidValue(\.firstName), .invalidValue(\.age)]
        )
        expect(verdict.value, equals: nil)
    }

    @Test func `defect 6: a missing value is missing only, and reported once`() {
        let report = Validations.adult.report(on: Partial())
        expect(
            report.outcome.reasons,
            equals: [.missing(\.lastName), .missing(\.age), .missing(\.firstName)]
        )
        let twice = Partial<Account>.Validation(
            .value(\.user, "user", .notBlank),
            .required(\.user),
            .value(\.user, "user", .minLength(3))
        )
        expect(twice.validate(Partial()).reasons, equals: [.missing(\.user)])
        expect(
            twice.report(on: Partial()).issues.map(\.description),
            equals: ["user cannot be blank"]
        )
    }

    @Test func `defect 6: an initialiser that needs more than was required makes the form invalid`()
    {
        let validation = Partial<Member>.Validation(.required(\.firstName, "firstName"))
        var partial = Partial<Member>()
        partial.firstName = "Ian"
        expect(validation.validate(partial).reasons, equals: [.missing(\.lastName)])
        let none = Partial<Member>.Validation([])
        expect(none.validate(Partial()).reasons, equals: [.missing(\.firstName)])
    }

    @Test(arguments: [
        ("Ian", "lastName must differ", \Member.lastName as any PartialKeyPath<Member> & Sendable),
        ("Nobody", "is refused", \Member.self),
        ("Warned", "is refused", \Member.self),
        ("Import", "is invalid", \Member.self),
    ])
    func `an error of the initialiser is a reason and an issue`(
        name: String,
        text: String,
        keyPath: any PartialKeyPath<Member> & Sendable
    ) {
        let validation = Partial<Member>.Validation(.required(\.lastName, "lastName"))
        var partial = Partial<Member>()
        partial.firstName = name
        partial.lastName = name == "Ian" ? "Ian" : "Keen"
        let report = validation.report(on: partial)
        expect(report.issues.map(\.description), equals: [text])
        expect(report.issues.map(\.severity), equals: [.error])
        expect(report.outcome.reasons, equals: [.invalidValue(keyPath)])
    }

    // MARK: Rules and names

    @Test func `issues have the paths of their names and the codes of their rules`() {
        var partial = Partial<Account>()
        partial.user = "ab"
        partial.lines = ["x", " "]
        let report = Validations.account.report(on: partial)
        expect(report.outcome.reasons, equals: [.invalidValue(\.user), .invalidValue(\.lines)])
        expect(report.issues.map(\.path), equals: [["user"], ["lines", 1]])
        expect(report.issues.map(\.code), equals: ["minLength", "notBlank"])
        let missing = Validations.account.report(on: Partial())
        expect(missing.issues.map(\.description), equals: ["user is required"])
    }

    @Test func `a missing value is reported by the name that any check gives it`() {
        let validation = Partial<Account>.Validation(
            .required(\.user),
            .value(\.user, "user", .minLength(3))
        )
        let report = validation.report(on: Partial())
        expect(report.issues.map(\.description), equals: ["user is required"])
    }

    @Test func `several broken rules of a value are one reason and several issues`() {
        let validation = Partial<Account>.Validation(
            .value(\.user, "user", .minLength(3) && .digits),
            .value(\.user, "user", .maxLength(0))
        )
        var partial = Partial<Account>()
        partial.user = "x"
        let report = validation.report(on: partial)
        expect(report.outcome.reasons, equals: [.invalidValue(\.user)])
        expect(report.issues.count, equals: 3)
    }

    @Test func `a rule of an optional property gets the value inside`() {
        let validation = Partial<Member>.Validation(
            .value(\.age, "age", .min(18)),
            .value(\.age, "age", .required)
        )
        var partial = Partial<Member>()
        partial.firstName = "Ian"
        partial.lastName = "Keen"
        expect(validation.validate(partial).reasons, equals: [.missing(\.age)])
        partial.age = nil
        expect(validation.validate(partial).reasons, equals: [.missing(\.age)])
        partial.age = 17
        expect(validation.validate(partial).reasons, equals: [.invalidValue(\.age)])
        partial.age = 18
        expect(validation.validate(partial).value?.age, equals: 18)
    }

    @Test func `a warning is reported and blocks nothing`() {
        let validation = Partial<Account>.Validation(
            .value(\.user, "user", .notBlank.severity(.warning)),
            .value(\.password, "password", .minLength(12).severity(.warning))
        )
        var partial = Partial<Account>()
        partial.password = "short"
        let report = validation.report(on: partial)
        expect(report.outcome.value, equals: Account())
        expect(report.issues.map(\.path), equals: [["user"], ["password"]])
    }

    // MARK: Several values together

    @Test func `a check of several values waits for all of them, and for nothing else`() {
        var partial = Partial<Account>()
        partial.password = "a"
        expect(Validations.account.validate(partial).reasons, equals: [.missing(\.user)])
        partial.confirm = "b"
        let report = Validations.account.report(on: partial)
        expect(report.outcome.reasons, equals: [.missing(\.user), .invalidValue(\.confirm)])
        expect(
            report.issues.map(\.description),
            equals: ["user is required", "confirm doesn't match"]
        )
        partial.confirm = "a"
        partial.user = "abc"
        expect(Validations.account.validate(partial).value?.user, equals: "abc")
    }

    @Test func `it takes any number of values, and its reason is the property of that name`() {
        var partial = Partial<Account>()
        partial.user = "abc"
        partial.start = 1
        partial.middle = 5
        partial.end = 4
        let report = Validations.account.report(on: partial)
        expect(report.outcome.reasons, equals: [.invalidValue(\.middle)])
        expect(report.issues.map(\.description), equals: ["middle must lie between"])
        partial.end = 6
        expect(Validations.account.validate(partial).value != nil)
    }

    @Test func `it does not run on nil`() {
        let validation = Partial<Member>.Validation(
            .together(\.age, \.tags, report: "age", "is odd") { $0 == $1.count }
        )
        var partial = Partial<Member>()
        partial.firstName = "Ian"
        partial.lastName = "Keen"
        partial.tags = []
        partial.age = nil
        expect(validation.validate(partial).value != nil)
        partial.age = 1
        expect(validation.validate(partial).reasons, equals: [.invalidValue(\.tags)])
    }
}
