// Every form of editing drafts and submitting forms, once without and once with main-actor default
// isolation.
import ModelKit
import Testing

nonisolated struct Visit: Equatable {
    struct Place: Equatable { var city = "" }

    var title = ""
    var rating: Int?
    var place = Place()
}

final class Visitor: Model {
    let name = Field<String>(name: "Name").require(.notBlank)
    let age = Field<Int>()
}

final class VisitScreen {
    let form = Form()
    let field = Field<String>()
    let visitor = Visitor()
    var draft = Draft(Visit())
    var count = 0

    func edit() throws -> Visit {
        draft.title = "Rome"
        draft[\.place.city] = "Rome"
        draft.place.city.append("!")
        draft.rating = nil
        draft.touch(\.title)
        draft.revert(\.title)
        _ = draft.isDirty(\.place)
        _ = draft.changes.contains { $0 == \Visit.rating }
        _ = draft.rebase(onto: Visit(title: "Pisa"))
        return try draft.commit([.value(\.title, "title", .notBlank), .required(\.rating)])
    }

    func editModel() {
        let draft = visitor.draft()
        draft.name <--> field
        draft[\.age].value = 3
        draft.revert(\.age)
        _ = draft.isDirty(\.name)
        Computed { draft.isDirty }.onMain --> { _ in }
        do {
            try draft.commit()
        } catch  where !error.conflicts.isEmpty {
            draft.rebase()
        } catch {
            print(error.issues)
        }
        form.add(draft).add(field, named: "field")
        _ = Form(["name": visitor.name, "age": visitor.age]).state
    }

    func observe() async {
        let visit = Field(value: Draft(Visit()))
        form.add(
            visit,
            named: "visit",
            checks: [
                .value(\.title, "title", .notBlank),
                .together(\.title, \.rating, report: "rating", "is too low") { $0.count < $1 },
            ]
        )
        form.observeState { _ in }
        form.observeState(visitor) { visitor, _ in visitor.validate() }
        form.validity.onMain --> { state in print(state == .valid) }
        let canSave = Computed { [form] in form.isCurrentlyValid }
        canSave.onMain --> { _ in }
        _ = form.currentIssues()
        for await state in form.states where state == .valid { count += 1 }
    }

    func submit() async throws {
        let count = try await form.submit {
            self.count += 1
            return self.count
        }
        _ = count
        do {
            try await form.submit { try await Task.sleep(for: .zero) }
        } catch FormError.invalid {
            form.firstInvalid?.field.map(form.touch)
        }
    }
}
