import ModelKitFields
import TestSupport
import Testing

@Suite struct ValidationModeTests {
    private let log = Log<ValidationState>()

    private func field(_ mode: ValidationMode) -> Field<Int> {
        let field = Field<Int>().require(.required).require("must be positive") { $0 > 0 }
            .validates(mode)
        field.observeValidationState { [log] in log.add($0) }
        return field
    }

    @Test func `a field validates on change unless it is set up otherwise`() {
        expect(Field<Int>().validationMode, equals: .onChange)
        expect(Field<Int>().validates(.onDemand).validationMode, equals: .onDemand)
    }

    @Test func `on commit, a set while editing shows no error before the end`() {
        let age = field(.onCommit)
        age.beginEditing()
        age.value = -1
        age.value = -12
        expect(log.entries, equals: [.unknown])
        age.endEditing()
        expect(log.entries, equals: [.unknown, .invalid(["must be positive"])])
        age.beginEditing()
        age.value = 1
        expect(log.entries.last, equals: .unknown, "what was said of another value is taken back")
        age.endEditing()
        expect(log.entries.last, equals: .valid)
    }

    @Test func `on commit, an end without a change validates`() {
        let age = field(.onCommit)
        age.beginEditing()
        age.endEditing()
        expect(log.entries, equals: [.unknown, .invalid(["is required"])])
    }

    @Test func `on commit, the last of several editors counts`() {
        let age = field(.onCommit)
        age.beginEditing()
        age.beginEditing()
        age.value = 1
        age.endEditing()
        expect(log.entries, equals: [.unknown])
        age.endEditing()
        age.endEditing()
        expect(log.entries, equals: [.unknown, .valid])
    }

    @Test func `on commit, a set while nobody edits is a commit`() {
        let age = field(.onCommit)
        age.value = -1
        expect(log.entries, equals: [.unknown, .invalid(["must be positive"])])
    }

    @Test func `on commit, a value that waited for the end is the one that is validated`() {
        let age = field(.onCommit)
        let source = Field<Int>(value: 1)
        source --> age
        log.clear()
        age.beginEditing()
        source.value = -5
        age.endEditing()
        expect(age.value, equals: -5)
        expect(log.entries, equals: [.invalid(["must be positive"])])
    }

    @Test func `on demand, only a validation counts`() {
        let age = field(.onDemand)
        age.value = -1
        age.beginEditing()
        age.value = -2
        age.endEditing()
        expect(log.entries, equals: [.unknown])
        age.validate()
        age.value = 2
        expect(log.entries, equals: [.unknown, .invalid(["must be positive"]), .unknown])
    }

    @Test(arguments: [ValidationMode.onChange, .onCommit, .onDemand])
    func `without a listener nothing is evaluated`(mode: ValidationMode) {
        let asked = Counter()
        let field = Field<Int>().validates(mode).require { _ in
            asked.increment()
            return true
        }
        field.beginEditing()
        field.value = 1
        field.endEditing()
        field.value = 2
        expect(asked.value, equals: 0)
        expect(field.validationState, equals: .unknown)
    }

    @Test func `a button can know whether the form is valid before anything is red`() {
        let age = field(.onDemand)
        age.addValidationError(Issue(code: "odd", message: "is odd", severity: .warning))
        expect(!age.isCurrentlyValid)
        expect(age.currentIssues().map(\.code), equals: ["required", "odd"])
        age.value = 1
        expect(age.isCurrentlyValid)
        expect(age.currentIssues(), equals: [])
        expect(age.validationState, equals: .unknown)
        expect(log.entries, equals: [.unknown])
        let tags = Field<String>().require(.notBlank)*
        tags.value = ["", "a", ""]
        expect(tags.currentIssues().map(\.path), equals: [[0], [2]])
    }

    @Test func `a copy has the mode`() {
        expect(field(.onCommit).copy().validationMode, equals: .onCommit)
    }
}
