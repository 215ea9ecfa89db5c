import ModelKitFields
import TestSupport
import Testing

/// What is wrong with a field now, as a computed field reports it.
@Suite(.timeLimit(.minutes(10))) struct CurrentIssuesTests {
    /// Follows the messages of a field while it lives.
    private final class Follower {
        let issues: Computed<[String]>
        private let log = Log<[String]>()

        init(_ field: AnyField) {
            issues = Computed { field.currentIssues().map(\.message) }
            issues --> { [log] in log.add($0 ?? []) }
        }

        var entries: [[String]] { log.entries }
    }

    @Test func `a set to the same value takes back a warning that nobody has validated`() {
        let email = Field<String>(value: "a").require(.notBlank)
        let follower = Follower(email)
        email.addValidationError(Issue(message: "is odd", severity: .warning))
        expect(email.validationState, equals: .unknown)
        email.value = "a"
        expect(follower.issues.value, equals: [])
        expect(follower.entries, equals: [[], ["is odd"], []])
    }

    @Test func `a set to the same value takes back what was said before the state was reset`() {
        let tags = Field<[String]>(value: ["a"])
        let follower = Follower(tags)
        tags.addValidationError("is taken")
        tags.resetValidationState()
        expect(follower.issues.value, equals: ["is taken"])
        tags.value = ["a"]
        expect(follower.issues.value, equals: [])
        expect(follower.entries, equals: [[], ["is taken"], []])
    }

    @Test func `what others have said is reported and taken back, also in a state that is unknown`()
    {
        let email = Field<String>(value: "a").require(.notBlank)
        let follower = Follower(email)
        email.addValidationError("is taken")
        email.resetValidationState()
        email.removeAddedIssues()
        email.addValidationError("is odd")
        email.resetValidationState()
        email.removeAddedIssues([Issue(message: "is odd")])
        expect(follower.entries, equals: [[], ["is taken"], [], ["is odd"], []])
    }

    @Test func `rules that are added later are reported`() {
        let email = Field<String>()
        let follower = Follower(email)
        email.require(AsyncRule("is taken", allowNil: false) { _ in true })
        email.require(.notBlank)
        expect(follower.entries, equals: [[], ["is required"], ["cannot be blank"]])
    }

    @Test func `what a rule says without being asked counts before the field is validated`() {
        let email = Field<String>(value: "a")
            .require(AsyncRule("is taken", allowNil: false) { _ in true })
        let follower = Follower(email)
        email.value = nil
        expect(follower.entries, equals: [[], ["is required"]])
        email.validate()
        expect(follower.entries, equals: [[], ["is required"]])
    }

    @Test func `an answer that is asked for again counts no more`() async {
        let desk = Desk<String>()
        let name = Field<String>(value: "ada")
            .require(AsyncRule("is taken") { try await desk.ask($0) })
        let follower = Follower(name)
        name.validate()
        await desk.next()?.fail(Offline())
        await name.validated()
        expect(follower.entries, equals: [[], ["could not be checked"]])
        name.validate()
        expect(follower.entries, equals: [[], ["could not be checked"], []])
        await desk.next()?.answer(false)
        await name.validated()
        expect(follower.entries.last, equals: ["is taken"])
        name.resetValidationState()
        expect(follower.entries.last, equals: [])
    }

    @Test func `a validation that finds nothing else is no news`() {
        let (name, made) = (Field<String>(value: "a").require(.notBlank), Counter())
        let issues = Computed { () -> [String]? in
            made.increment()
            return name.currentIssues().map(\.message)
        }
        issues --> { _ in }
        for _ in 0..<10 {
            name.validate()
            name.resetValidationState()
        }
        expect(made.value, equals: 1)
    }
}
