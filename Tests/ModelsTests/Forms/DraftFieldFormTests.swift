import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private let checks: [Partial<Profile>.Check] = [
    .value(\.name, "name", .notBlank), .required(\.age, "age"),
]

/// Drafts of values in fields of a form.
@Suite struct DraftFieldFormTests {
    private let profile = Field(value: Draft(Profile(weight: 1)))

    @Test func `issues have the paths of the draft's checks`() {
        let form = Form().add(profile, named: "profile", checks: checks)
        expect(form.validate(), equals: .valid)
        profile.value?.name = " "
        profile.value?.age = nil
        expect(form.state, equals: .unknown)
        expect(
            form.validate(),
            equals: .invalid(["profile.name cannot be blank", "profile.age is required"])
        )
        expect(form.issues.map(\.path), equals: [["profile", "name"], ["profile", "age"]])
        expect(form.currentIssues(), equals: form.issues.map(\.issue))
        expect(form.firstInvalid?.field === profile)
        expect(form.changes, equals: [["profile"]])
    }

    @Test func `a commit makes the value the base`() throws {
        let form = Form().add(profile, named: "profile", checks: checks)
        let dirty = Collector<Bool?>()
        let isDirty = Computed { form.isDirty }
        isDirty --> { dirty.add($0) }
        profile.value?.name = "Bob"
        profile.value?.touch(\.name)
        try form.commit()
        expect(profile.value, equals: Draft(Profile(name: "Bob", weight: 1)))
        expect(!form.isDirty)
        expect(dirty.values, equals: [false, true, false])
        profile.value?.name = "Cid"
        form.discard()
        expect(profile.value?.name, equals: "Bob")
    }

    @Test func `a draft that is not changed is not set by a commit, nor is a field without one`()
        throws
    {
        let none = Field<Draft<Profile>>()
        let form = Form().add(profile, named: "profile", checks: checks)
            .add(none, named: "none", checks: checks)
        let sets = Collector<Int>()
        profile.observe { sets.add(1) }
        none.observe { sets.add(2) }
        try form.commit()
        expect(sets.values, equals: [1, 2], "as they were added")
        expect(none.value, equals: nil)
    }

    @Test func `what is invalid is not committed, and neither is any other draft`() throws {
        let model = Booked()
        let other = model.draft()
        let form = Form().add(other).add(profile, named: "profile", checks: checks)
        other.title.value = "b"
        profile.value?.name = ""
        let error = #expect(throws: DraftError.self) { try form.commit() }
        expect(error?.issues.map(\.path), equals: [["profile", "name"]])
        expect(model.title.value, equals: nil)
        expect(profile.value?.isDirty, equals: true)
        profile.value?.name = "Bob"
        try form.commit()
        expect(model.title.value, equals: "b")
        expect(profile.value?.base.name, equals: "Bob")
    }

    final class Booked: Model {
        let title = Field<String>()
    }

    @Test func `a draft that was added without checks is committed, too`() throws {
        let form = Form(["profile": profile])
        profile.value?.age = 31
        try form.commit()
        expect(profile.value?.base.age, equals: 31)
        try form.commit()
        expect(!form.isDirty)
    }

    @Test func `it is committed in the work of a submit`() async throws {
        let form = Form().add(profile, named: "profile", checks: checks)
        profile.value?.name = "Bob"
        try await form.submit { try form.commit() }
        expect(profile.value?.base.name, equals: "Bob")
        expect(!form.isDirty)
        expect(form.isSubmitSuccessful)
    }

    @Test func `what is set while it is committed is not lost`() throws {
        let form = Form().add(profile, named: "profile", checks: checks)
        let calls = Collector<Int?>()
        // The first call is of the form's validation, the second of that before the draft is taken.
        profile.require(
            Rule(issues: { [unowned profile] draft in
                calls.add(draft?.age)
                if calls.values.count == 2 { profile.value?.name += "!" }
                return []
            })
        )
        profile.value?.age = 31
        try form.commit()
        expect(calls.values, equals: [31, 31, 31])
        expect(profile.value?.base.name, equals: "Ann!")
        expect(profile.value?.base.age, equals: 31)
        expect(!form.isDirty)
    }

    @Test func `a field that every validation sets is a conflict, and stays as it is`() {
        let form = Form().add(profile, named: "profile", checks: checks)
        profile.require(
            Rule(issues: { [unowned profile] draft in
                if let draft { profile.value = draft }
                return []
            })
        )
        profile.value?.age = 31
        let error = #expect(throws: DraftError.self) { try form.commit() }
        expect(error?.conflicts, equals: [["profile"]])
        expect(profile.value?.isDirty, equals: true)
    }

    @Test func `an async rule that is still to answer keeps it from being committed`() {
        let form = Form().add(profile, named: "profile", checks: checks)
        profile.require(AsyncRule("is taken") { _ in true })
        profile.value?.name = "Bob"
        let error = #expect(throws: DraftError.self) { try form.commit() }
        expect(error?.issues.map(\.code), equals: ["unanswered"])
        expect(error?.issues.map(\.path), equals: [["profile"]])
        expect(profile.value?.isDirty, equals: true)
    }

    @Test func `what is committed while another commit validates is a conflict for that`() throws {
        let form = Form().add(profile, named: "profile", checks: checks)
        let later = Field<String>(value: "a")
        let calls = Collector<Int>()
        // Validated after the draft was taken for the commit.
        let other = Field(value: Draft(Profile(weight: 1)))
        other.require(
            Rule(issues: { [unowned profile] _ in
                calls.add(1)
                guard calls.values.count == 2 else { return [] }
                profile.value?.name = "Cid"
                profile.value?.commit()
                return []
            })
        )
        form.add(later, named: "later").add(other, named: "other", checks: checks)
        profile.value?.name = "Bob"
        other.value?.name = "Eve"
        let error = #expect(throws: DraftError.self) { try form.commit() }
        expect(error?.conflicts, equals: [["profile"]])
        expect(profile.value?.base.name, equals: "Cid")
    }

    final class Page: Model {
        let profile = Field(value: Draft(Profile(name: "Nobody", weight: 1)))
        let title = Field<String>()
    }

    @Test func `a draft of a model has the draft of a value as a value`() throws {
        let page = Page()
        page.profile.value = Draft(Profile(name: "Ann", weight: 1))
        let draft = page.draft()
        expect(draft.profile.value?.name, equals: "Ann")
        draft.profile.value?.age = 31
        try draft.commit()
        expect(page.profile.value?.name == "Ann" && page.profile.value?.age == 31)
        expect(!draft.isDirty)
    }

    @Test func `a draft in a model is committed and discarded with the form`() throws {
        let page = Page()
        let form = Form().add(page, named: "page").add(profile, named: "profile")
        page.profile.value?.name = "Bob"
        expect(form.changes, equals: [["page", "profile"]])
        try form.commit()
        expect(page.profile.value?.base.name, equals: "Bob")
        expect(!form.isDirty)
        page.profile.value?.name = "Cid"
        form.discard()
        expect(page.profile.value?.name, equals: "Bob")
    }

    @Test func `a draft in a model is committed in the work of a submit`() async throws {
        let page = Page()
        let form = Form().add(page)
        page.profile.value?.name = "Bob"
        page.title.value = "On a"
        try await form.submit { try form.commit() }
        expect(page.profile.value?.base.name, equals: "Bob")
        expect(!form.isDirty)
    }

    @Test func `a draft in a model that is still asked about is not committed`() throws {
        let page = Page()
        let form = Form().add(page, named: "page").add(profile, named: "profile", checks: checks)
        page.profile.require(AsyncRule("is taken") { _ in true })
        page.profile.value?.name = "Bob"
        profile.value?.name = "Eve"
        let error = #expect(throws: DraftError.self) { try form.commit() }
        expect(error?.issues.map(\.path), equals: [["page", "profile"]])
        expect(profile.value?.isDirty, equals: true)
    }

    @Test func `a draft that comes or goes is a change, which is committed and discarded`() throws {
        let none = Field<Draft<Profile>>()
        let form = Form().add(none, named: "none").add(profile, named: "profile")
        none.value = Draft(Profile(weight: 1))
        expect(form.changes, equals: [["none"]])
        form.discard()
        expect(none.value, equals: nil)
        none.value = Draft(Profile(weight: 1))
        profile.value = nil
        expect(form.changes, equals: [["none"], ["profile"]])
        try form.commit()
        expect(!form.isDirty)
        profile.value = Draft(Profile(weight: 1))
        none.value = nil
        form.discard()
        expect(none.value?.base.name, equals: "Ann")
        expect(profile.value, equals: nil)
    }

    @Test func `discard forgets what was touched in a draft that is not changed`() {
        let form = Form().add(profile, named: "profile", checks: checks)
        profile.value?.touch(\.name)
        expect(!form.isDirty)
        form.discard()
        expect(profile.value?.touched.isEmpty, equals: true)
    }
}
