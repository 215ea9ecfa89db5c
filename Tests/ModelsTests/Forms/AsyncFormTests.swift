import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

/// Async rules of fields in drafts and forms.
@Suite struct AsyncFormTests {
    final class Account: Model {
        let nick = Field<String>().require(.notBlank).require(
            AsyncRule("is taken", code: "taken") { $0 != "ada" }
        )
        let age = Field<Int>()
    }

    private let unanswered = Issue(
        code: "unanswered",
        path: ["nick"],
        message: "is still being checked"
    )

    @Test func `a draft is not committed before its async rules have answered`() async throws {
        let account = Account()
        let draft = account.draft()
        draft.nick.value = "grace"
        let error = #expect(throws: DraftError.self) { try draft.commit() }
        expect(error?.issues, equals: [unanswered])
        expect(account.nick.value, equals: nil)
        await expect(draft.validated(), equals: .valid)
        try draft.commit()
        expect(account.nick.value, equals: "grace")
    }

    @Test func `a draft that an async rule refuses is not committed`() async {
        let account = Account()
        let draft = account.draft()
        draft.nick.value = "ada"
        await expect(draft.validated(), equals: .invalid(["nick is taken"]))
        let error = #expect(throws: DraftError.self) { try draft.commit() }
        expect(error?.issues.map(\.code), equals: ["taken"])
    }

    /// A field whose rule answers when the bell is finished.
    private func takenName() -> (Field<String>, AsyncStream<Void>.Continuation) {
        let (bells, bell) = AsyncStream<Void>.makeStream()
        let nick = Field<String>(value: "ada").require(
            AsyncRule("is taken") { name in
                for await _ in bells {}
                return name != "ada"
            }
        )
        return (nick, bell)
    }

    @Test func `a form is unknown until the last async rule has answered`() async {
        let (nick, bell) = takenName()
        let form = Form(["nick": nick])
        expect(form.validate(), equals: .unknown)
        expect(form.state, equals: .unknown)
        bell.finish()
        await expect(form.validated(), equals: .invalid(["nick is taken"]))
    }

    @Test func `a form waits for async rules before its work begins`() async throws {
        let draft = Account().draft()
        let form = Form().add(draft)
        draft.nick.value = "ada"
        let error = await #expect(throws: FormError.self) {
            try await form.submit { Testing.Issue.record("the work began") }
        }
        expect(error?.issues.map(\.code), equals: ["taken"])
        draft.nick.value = "grace"
        try await form.submit { try form.commit() }
        expect(draft.base.nick.value, equals: "grace")
        await expect(form.validated(), equals: .valid)
    }

    @Test func `a form is not committed before async rules have answered`() {
        let draft = Account().draft()
        let form = Form().add(draft, named: "account")
        draft.nick.value = "grace"
        let error = #expect(throws: DraftError.self) { try form.commit() }
        expect(error?.issues.map(\.path), equals: [["account", "nick"]])
        expect(error?.issues.map(\.code), equals: ["unanswered"])
    }

    @Test func `a submit that is cancelled while it waits does nothing`() async {
        let field = Field<String>(value: "a").require(
            AsyncRule { _ in
                try await Task.sleep(for: .seconds(3600))
                return true
            }
        )
        let form = Form(["name": field])
        let task = Task {
            try await form.submit { Testing.Issue.record("the work began") }
        }
        while !field.isValidating { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        expect(!form.isSubmitting)
    }

    @Test func `a form whose rule cannot be asked is not submitted`() async {
        let field = Field<String>(value: "a").require(AsyncRule { _ in throw Down() })
        let error = await #expect(throws: FormError.self) {
            try await Form(["name": field]).submit { Testing.Issue.record("the work began") }
        }
        expect(error?.issues.map(\.code), equals: ["unavailable"])
    }

    @Test func `the changes of a draft are not valid before async rules have answered`() async {
        let draft = Account().draft()
        draft.nick.value = "grace"
        expect(draft.validateChanges(), equals: .unknown)
        await draft.validated()
        expect(draft.validateChanges(), equals: .valid)
    }

    private struct Down: Error {}

    final class Silent: Model {
        let nick = Field<String>().require(
            AsyncRule("is taken") { _ in throw Down() }.severity(.warning)
        )
        let mail = Field<String>()
    }

    @Test func `a warning that could not be asked for blocks no commit`() async throws {
        let silent = Silent()
        let draft = silent.draft()
        draft.nick.value = "ada"
        await expect(draft.validated(), equals: .valid)
        try draft.commit()
        expect(silent.nick.value, equals: "ada")
        let form = Form().add(silent.draft(), named: "silent")
        var saved = 0
        try await form.submit {
            saved += 1
            try form.commit()
        }
        expect(saved, equals: 1)
    }

    @Test func `what could not be checked is reported by a commit as it is`() async {
        let nick = Field<String>(value: "a").require(AsyncRule("is taken") { _ in throw Down() })
        let form = Form(["nick": nick])
        await expect(form.validated().isInvalid)
        let error = #expect(throws: DraftError.self) { try form.commit() }
        expect(error?.issues.map(\.code), equals: ["unavailable"])
    }

    final class Club: Model {
        let owner = ModelField<Account>().requireValid()
        let members = ModelField<Account>().requireValid()*
    }

    @Test func `a model inside that is still asked makes field and form unknown`() async {
        let (bells, bell) = AsyncStream<Void>.makeStream()
        let club = Club()
        let (owner, member) = (Account(), Account())
        (owner.nick.value, member.nick.value) = ("ada", "ada")
        owner.nick.require(
            AsyncRule { _ in
                for await _ in bells {}
                return true
            }
        )
        club.owner.value = owner
        club.members.value = [member]
        let form = Form().add(club, named: "club")
        expect(club.owner.validate(), equals: .unknown)
        expect(club.owner.validationState, equals: .unknown)
        expect(form.validate(), equals: .unknown)
        expect(form.state, equals: .unknown)
        bell.finish()
        await expect(form.validated().isInvalid)
        expect(
            form.issues.map(\.path),
            equals: [
                ["club", "owner", "nick"], ["club", "members", 0, "nick"],
            ]
        )
        await expect(club.owner.validated().isInvalid)
    }

    @Test func `what is still asked inside of a model is reported with its path`() {
        let club = Club()
        let draft = club.draft()
        let member = Account()
        member.nick.value = "grace"
        draft.members.value = [member]
        let error = #expect(throws: DraftError.self) { try draft.commit() }
        expect(error?.issues.map(\.path), equals: [["members", 0, "nick"]])
        let form = Form().add(draft, named: "club")
        let later = Account()
        later.nick.value = "later"
        draft.members.append(later)
        let second = #expect(throws: DraftError.self) { try form.commit() }
        expect(second?.issues.map(\.path).last, equals: ["club", "members", 1, "nick"])
    }

    @Test func `an answer that comes after a discard is dropped`() async {
        let (nick, bell) = takenName()
        let form = Form(["nick": nick])
        expect(form.validate(), equals: .unknown)
        form.discard()
        expect(!nick.isValidating)
        bell.finish()
        for _ in 0..<100 { await Task.yield() }
        expect(form.state, equals: .unknown)
        expect(nick.issues, equals: [])
    }

    @Test func `a submit ends although a rule sets its own field`() async {
        let nick = Field<String>(value: "ada").require(AsyncRule("is taken") { _ in true })
        nick.require(
            Rule { [weak nick] value in
                nick?.value = value
                return true
            }
        )
        let form = Form(["nick": nick])
        let error = await #expect(throws: FormError.self) {
            try await form.submit { Testing.Issue.record("the work began") }
        }
        expect(error?.issues.map(\.code), equals: ["unanswered"])
        expect(error?.issues.map(\.path), equals: [["nick"]])
        expect(!form.isSubmitting)
    }

    @Test func `what others say of a model stays while that is asked`() async {
        let club = Club()
        let owner = Account()
        owner.nick.value = "grace"
        club.owner.value = owner
        club.owner.addValidationError("is unknown")
        expect(club.owner.validate(), equals: .invalid(["is unknown"]))
        await expect(club.owner.validated(), equals: .invalid(["is unknown"]))
    }
}
