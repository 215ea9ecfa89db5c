import ModelKitFields
import ModelKitModels
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
        #expect(error?.issues == [unanswered])
        #expect(account.nick.value == nil)
        #expect(await draft.validated() == .valid)
        try draft.commit()
        #expect(account.nick.value == "grace")
    }

    @Test func `a draft that an async rule refuses is not committed`() async {
        let account = Account()
        let draft = account.draft()
        draft.nick.value = "ada"
        #expect(await draft.validated() == .invalid(["nick is taken"]))
        let error = #expect(throws: DraftError.self) { try draft.commit() }
        #expect(error?.issues.map(\.code) == ["taken"])
    }

    @Test func `a form is unknown until the last async rule has answered`() async {
        let (bells, bell) = AsyncStream<Void>.makeStream()
        let nick = Field<String>(value: "ada").require(
            AsyncRule("is taken") { name in
                for await _ in bells {}
                return name != "ada"
            }
        )
        let form = Form(["nick": nick])
        #expect(form.validate() == .unknown)
        #expect(form.state == .unknown)
        bell.finish()
        #expect(await form.validated() == .invalid(["nick is taken"]))
    }

    @Test func `a form waits for async rules before its work begins`() async throws {
        let draft = Account().draft()
        let form = Form().add(draft)
        draft.nick.value = "ada"
        let error = await #expect(throws: FormError.self) {
            try await form.submit { Testing.Issue.record("the work began") }
        }
        #expect(error?.issues.map(\.code) == ["taken"])
        draft.nick.value = "grace"
        try await form.submit { try form.commit() }
        #expect(draft.base.nick.value == "grace")
        #expect(await form.validated() == .valid)
    }

    @Test func `a form is not committed before async rules have answered`() {
        let draft = Account().draft()
        let form = Form().add(draft, named: "account")
        draft.nick.value = "grace"
        let error = #expect(throws: DraftError.self) { try form.commit() }
        #expect(error?.issues.map(\.path) == [["account", "nick"]])
        #expect(error?.issues.map(\.code) == ["unanswered"])
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
        #expect(!form.isSubmitting)
    }

    private struct Down: Error {}

    @Test func `a form whose rule cannot be asked is not submitted`() async {
        let field = Field<String>(value: "a").require(AsyncRule { _ in throw Down() })
        let error = await #expect(throws: FormError.self) {
            try await Form(["name": field]).submit { Testing.Issue.record("the work began") }
        }
        #expect(error?.issues.map(\.code) == ["unavailable"])
    }

    @Test func `the changes of a draft are not valid before async rules have answered`() async {
        let draft = Account().draft()
        draft.nick.value = "grace"
        #expect(draft.validateChanges() == .unknown)
        await draft.validated()
        #expect(draft.validateChanges() == .valid)
    }
}
