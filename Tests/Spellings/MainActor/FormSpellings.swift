// Every form of filling in and validating a partial, once without and once with main-actor default
// isolation.
import ModelKit
import Testing

struct SignUp: PartialInitializable {
    let name: String
    let age: Int?
    var password = ""
    var confirm = ""

    init(from partial: Partial<SignUp>) throws {
        name = try partial.value(for: \.name)
        age = partial.age
    }

    static let validation = Partial<SignUp>.Validation(
        .required(\.name),
        .valueValidation(keyPath: \.age) { $0 >= 18 },
        .required(\.password, "password"),
        .value(\.name, "name", .notBlank),
        .value(\.age, "age", .min(18) && Rule("must be even") { $0 % 2 == 0 }),
        .together(\.password, \.confirm, report: "confirm", "doesn't match") { $0 == $1 },
        .together(\.age, \.name, report: "name", "is too long") { $0 > $1.count }
    )
}

nonisolated struct Note {
    let title: String
    var body: String?

    static let validation = Partial<Note>.Validation(requiredKeyPaths: \.title, \Note.body)
}

final class FormScreen {
    var partial = Partial<SignUp>()

    func edit() {
        partial.update(\.name, to: "Ada")
        partial.update(\.age, to: nil)
        partial.age = 20
        partial[\.password] = "secret"
        partial.confirm = "secret"
        partial.confirm?.append("!")
        partial.removeValue(for: \.confirm)
        partial.remove(\.confirm)
    }

    func save() -> SignUp? {
        let report = SignUp.validation.report(on: partial)
        _ = report.issues.map(\.description)
        switch report.outcome {
        case .valid(let signUp): return signUp
        case .invalid(let reasons):
            for reason in reasons {
                switch reason {
                case .missing(let keyPath): _ = keyPath == \SignUp.name
                case .invalidValue(let keyPath): _ = keyPath == \SignUp.self
                }
            }
            return nil
        }
    }
}

@Suite struct FormSpellings {
    @Test func `a form is edited and saved`() {
        let screen = FormScreen()
        #expect(screen.save() == nil)
        screen.edit()
        #expect(screen.save()?.name == "Ada")
        var note = Partial<Note>()
        note.title = "x"
        #expect(Note.validation.validate(note) == .incomplete([\.body]))
    }
}
