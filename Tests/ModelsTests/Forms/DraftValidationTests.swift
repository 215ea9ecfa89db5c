import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private let checks: [Partial<Profile>.Check] = [
    .value(\.name, "name", .notBlank && .maxLength(5)),
    .required(\.age, "age"),
    .value(\.age, "age", .min(18)),
    .value(\.address.street, "street", .notBlank),
    .value(\.tags, "tags", Rule.notBlank.each()),
    .together(\.name, \.address.city, report: "city", "must not be the name") { $0 != $1 },
    .value(\.name, "name", .minLength(3).severity(.warning)),
]

@Suite struct DraftValidationTests {
    @Test func `a draft that passes is valid`() {
        let draft = Draft(Profile())
        expect(draft.validate(checks), equals: .valid)
        expect(draft.validationIssues(checks).isEmpty)
    }

    @Test func `all issues are reported in the order of the checks, warnings too`() {
        var draft = Draft(Profile())
        draft.name = " "
        draft.age = 17
        draft.tags = ["red", ""]
        draft.address = Profile.Address(street: "", city: " ")
        let texts = [
            "name cannot be blank", "age must be greater than or equal to 18",
            "street cannot be blank", "tags[1] cannot be blank",
        ]
        expect(draft.validate(checks), equals: .invalid(texts))
        let issues = draft.validationIssues(checks)
        expect(issues.map(\.code).last, equals: "minLength")
        expect(issues.last?.severity, equals: .warning)
    }

    @Test func `nil is a missing value, and reported once`() {
        var draft = Draft(Profile())
        draft.age = nil
        expect(draft.validate(checks), equals: .invalid(["age is required"]))
    }

    @Test func `of the checks of a validation only those about changes are asked`() {
        var draft = Draft(Profile(name: "", age: 3, tags: [""]))
        expect(draft.validateChanges(checks), equals: .valid)
        draft.age = 4
        expect(
            draft.validateChanges(checks),
            equals: .invalid(["age must be greater than or equal to 18"])
        )
        draft.age = 3
        expect(draft.validateChanges(checks), equals: .valid)
        // Of a check of several, one is enough; and the street was changed with the whole.
        var moved = Draft(Profile(name: "York", age: 3, tags: [""]))
        moved[\.address] = Profile.Address(street: "", city: "York")
        expect(
            moved.changeIssues(checks).map(\.description),
            equals: ["street cannot be blank", "city must not be the name"]
        )
    }

    @Test func `the checks of a validation can be asked`() {
        let validation = Partial<Profile>.Validation(requiredKeyPaths: \.name, \.age)
        var draft = Draft(Profile())
        expect(draft.validate(validation.checks), equals: .valid)
        draft.age = nil
        expect(draft.validationIssues(validation.checks).map(\.code), equals: ["required"])
    }

    @Test func `a commit of what is invalid throws all issues and changes nothing`() {
        var draft = Draft(Profile())
        draft.name = "Maximilian"
        draft.age = nil
        draft.touch(\.name)
        let before = draft
        let error = #expect(throws: DraftError.self) { try draft.commit(checks) }
        expect(error?.issues.map(\.path), equals: [["name"], ["age"]])
        expect(
            error?.description,
            equals: "name length must be less than or equal to 5; age is required"
        )
        expect(error?.conflicts, equals: [])
        expect(draft.changes.count, equals: 2)
        expect(draft.base.name, equals: before.base.name)
        expect(draft.isTouched(\.name))
    }

    @Test func `a commit of what is valid, if with a warning, makes it the base`() throws {
        var draft = Draft(Profile())
        draft.name = "Al"
        try expect(draft.commit(checks).name, equals: "Al")
        expect(draft.base.name, equals: "Al")
        expect(!draft.isDirty)
    }

    private struct Place: Sendable {
        var street: String
    }

    private struct Visit: Sendable {
        var place: Place
        var note = ""
    }

    @Test func `a check of what cannot be compared is asked once something is changed`() {
        var draft = Draft(Visit(place: Place(street: "High Street")))
        let checks: [Partial<Visit>.Check] = [
            .value(\.place, "place", Rule.notBlank.at(\Place.street, "street"))
        ]
        expect(draft.changeIssues(checks), equals: [])
        draft[\.place.street] = ""
        expect(draft.changeIssues(checks).map(\.path), equals: [["place", "street"]])
    }

    private struct Span: Sendable, Equatable {
        var start = 0
        var end = 0
        var limit = 0
    }

    @Test func `values go together only where what was not changed is right by itself`() {
        let asked = Collector<Int>()
        let checks: [Partial<Span>.Check] = [
            .together(\.start, \.end, report: "end", "must be later") {
                asked.add($0)
                return $0 < $1
            },
            .value(\.start, "start", .min(0)),
        ]
        var draft = Draft(Span(start: -1, end: 1))
        draft.end = -2
        expect(draft.changeIssues(checks), equals: [])
        expect(asked.values, equals: [])
        draft.start = 3
        expect(draft.changeIssues(checks).map(\.description), equals: ["end must be later"])
        // Nor where it does not go together with what was not changed either.
        let chain: [Partial<Span>.Check] = [
            .together(\.start, \.end, report: "end", "must be later") { $0 < $1 },
            .together(\.end, \.limit, report: "limit", "must be last") { $0 < $1 },
        ]
        var other = Draft(Span(start: 3, end: 2, limit: 4))
        other.limit = 1
        expect(other.validationIssues(chain).map(\.description), equals: ["end must be later"])
        expect(other.changeIssues(chain), equals: [])
    }
}
