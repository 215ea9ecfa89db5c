import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

private struct Refusal: IssuesError { let issues: [Issue] }

@Suite struct FormSubmitTests {
    private let email = Field<String>(value: "a", name: "E-mail").require(.notBlank)
    private let name = Field<String>()
    private let form: Form

    init() {
        form = Form(["email": email, "name": name])
    }

    @Test func `a form that is invalid is not submitted, and says why`() async {
        email.value = ""
        let error = await #expect(throws: FormError.self) {
            try await form.submit { Testing.Issue.record("the work began") }
        }
        expect(error?.issues.map(\.path), equals: [["email"]])
        expect(error?.description, equals: "E-mail cannot be blank")
        expect(form.submitCount, equals: 1)
        expect(!form.isSubmitSuccessful)
        expect(!form.isSubmitting)
    }

    @Test func `it gives what the work gives, and what was sent is the new base`() async throws {
        name.value = "Ann"
        expect(form.isDirty)
        let seen = Collector<Bool?>()
        let submitting = Computed { [form] in form.isSubmitting }
        submitting --> { seen.add($0) }
        let answer = try await form.submit {
            expect(form.isSubmitting)
            await Task.yield()
            email.value = "b"
            return 3
        }
        expect(answer, equals: 3)
        expect(form.isSubmitSuccessful)
        expect(form.changes, equals: [["email"]], "it was set while the work ran")
        expect(seen.values, equals: [false, true, false])
        email.value = "a"
        expect(!form.isDirty)
    }

    @Test func `of overlapping submits one runs`() async throws {
        let runs = Collector<Int>()
        let results = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask { [form] in
                    do {
                        try await form.submit {
                            runs.add(number)
                            while form.submitCount == 0 || runs.values.isEmpty {
                                await Task.yield()
                            }
                            for _ in 0..<100 { await Task.yield() }
                        }
                        return true
                    } catch {
                        expect(error as? FormError, equals: .alreadySubmitting)
                        return false
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        expect(runs.values.count, equals: results.count { $0 })
        expect(form.submitCount, equals: runs.values.count)
        expect(!form.isSubmitting)
    }

    @Test func `a second submit is refused while the first is under way`() async throws {
        try await form.submit {
            let error = await #expect(throws: FormError.self) { try await form.submit {} }
            expect(error, equals: .alreadySubmitting)
            expect(error?.issues, equals: [])
            expect(form.isSubmitting)
        }
        expect(form.submitCount, equals: 1)
        try await form.submit {}
        expect(form.submitCount, equals: 2)
    }

    @Test func `an answer reaches the fields, but not those that were set since`() async throws {
        name.value = "Ann"
        let refusal = Refusal(issues: [
            Issue(path: ["email"], message: "is taken"), Issue(path: ["name"], message: "is odd"),
            Issue(message: "is refused"),
        ])
        await #expect(throws: Refusal.self) {
            try await form.submit {
                name.value = "Bob"
                throw refusal
            }
        }
        expect(email.issues.map(\.message), equals: ["is taken"])
        expect(name.issues.isEmpty)
        expect(form.generalIssues.map(\.message), equals: ["is refused"])
        expect(form.isDirty, "nothing was saved")
        expect(!form.isSubmitting)
        // What is said of the whole keeps nobody from trying again; what is said of a field does.
        await #expect(throws: FormError.self) { try await form.submit {} }
        expect(form.generalIssues.isEmpty)
        email.value = "b"
        try await form.submit {}
    }

    @Test func `an answer to what was discarded meanwhile changes nothing`() async throws {
        name.value = "Ann"
        try await form.submit { form.discard() }
        expect(name.value, equals: nil)
        expect(!form.isDirty)
        expect(form.submitCount, equals: 0)
        expect(!form.isSubmitSuccessful)
        await #expect(throws: Issue.self) {
            try await form.submit {
                form.discard()
                throw Issue(path: ["name"], message: "is odd")
            }
        }
        expect(form.issues.isEmpty)
    }

    @Test func `one issue alone is reported, and another error is only thrown`() async {
        struct Down: Error {}
        await #expect(throws: Issue.self) {
            try await form.submit { throw Issue(path: ["name"], message: "is odd") }
        }
        expect(name.issues.count, equals: 1)
        name.value = ""
        await #expect(throws: Down.self) { try await form.submit { throw Down() } }
        expect(form.validate(), equals: .valid)
    }

    @Test func `cancelling the task cancels the work`() async {
        let started = AsyncStream.makeStream(of: Void.self)
        let task = Task { [form] in
            try await form.submit {
                started.continuation.yield()
                try await Task.sleep(for: .seconds(600))
            }
        }
        for await _ in started.stream { break }
        expect(form.isSubmitting)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        expect(!form.isSubmitting)
        expect(!form.isSubmitSuccessful)
    }

    @Test func `a task that is cancelled before does not begin the work`() async {
        let task = Task { [form] in
            while !Task.isCancelled { await Task.yield() }
            try await form.submit { Testing.Issue.record("the work began") }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        expect(!form.isSubmitting)
    }

    @MainActor
    @Test func `the work runs where it is written`() async throws {
        var count = 0
        try await form.submit {
            MainActor.assertIsolated()
            count += 1
        }
        expect(count, equals: 1)
    }

    @Test func `drafts are committed by the work`() async throws {
        let person = Person()
        let draft = person.draft()
        let form = Form().add(draft)
        draft.name.value = "Ann"
        try await form.submit { try form.commit() }
        expect(person.name.value, equals: "Ann")
        expect(!form.isDirty)
    }

    final class Line: Model {
        let text = Field<String>()
    }

    final class Order: Model {
        let name = Field<String>()
        let lines = ModelField<Line>()*
    }

    @Test func `a conflict in the work is no answer that would keep the form invalid`() async throws
    {
        let order = Order()
        let draft = order.draft()
        let form = Form().add(draft)
        draft.name.value = "mine"
        order.name.value = "theirs"
        await #expect(throws: DraftError.self) { try await form.submit { try form.commit() } }
        draft.rebase()
        try await form.submit { try form.commit() }
        expect(order.name.value, equals: "mine")
    }

    @Test func `an answer about an element is dropped if the array was set meanwhile`() async {
        let draft = Order().draft()
        let form = Form().add(draft)
        draft.lines.value = [Line(), Line()]
        _ = try? await form.submit {
            draft.lines.remove(at: 0)
            throw Refusal(issues: [Issue(path: ["lines", 0, "text"], message: "is too long")])
        }
        expect(draft.lines.value?[0].text.issues, equals: [])
    }

    @Test func `what is said of an element goes with it when it moves`() {
        let draft = Order().draft()
        let form = Form().add(draft)
        let (first, second) = (Line(), Line())
        draft.lines.value = [first, second]
        form.apply([Issue(path: ["lines", 1, "text"], message: "is too long")])
        expect(form.issues.map(\.description), equals: ["text is too long"])
        draft.lines.move(from: 1, to: 0)
        expect(form.issues.map(\.path), equals: [["lines", 0, "text"]])
        draft.lines.insert(Line(), at: 0)
        expect(form.issues.map(\.path), equals: [["lines", 1, "text"]])
        expect(form.issues.first?.field === second.text)
        draft.lines.remove(at: 1)
        expect(form.issues.isEmpty)
        expect(second.text.issues.map(\.message), equals: ["is too long"])
    }

    @Test(arguments: ["/lines/+1/text", "/lines/01/text"])
    func `an index is written with digits alone`(pointer: String) {
        let draft = Order().draft()
        let form = Form().add(draft)
        let line = Line()
        draft.lines.value = [Line(), line]
        form.apply(messages: [pointer: ["is too long"]])
        expect(line.text.issues, equals: [])
        expect(draft.lines.issues.map(\.message), equals: ["is too long"])
    }

    @Test func `to discard forgets also what was said before any validation`() {
        form.apply([Issue(path: ["email"], message: "is odd", severity: .warning)])
        form.discard()
        form.validate()
        expect(form.issues.isEmpty)
    }

    @Test func `what others say of a field is visible before it is touched`() {
        form.apply([Issue(path: ["email"], message: "is taken")])
        expect(form.visibleIssues.map(\.issue.message), equals: ["is taken"])
    }
}
