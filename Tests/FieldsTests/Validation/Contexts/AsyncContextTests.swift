import ModelKitFields
import Testing

struct AsyncContextTests {
    private let asked = Log<String>()

    private func rule(_ code: String, passes: Bool = false) -> AsyncRule<String> {
        AsyncRule("is \(code)", code: code) { [asked] _ in
            asked.add(code)
            await Task.yield()
            return passes
        }
    }

    @Test func `an async rule of a context is asked there alone`() async {
        let name = Field<String>(value: "a").require(rule("taken").on(.publish))
            .require(rule("odd").except(on: .publish))
        #expect(await name.validated() == .invalid(["is odd"]))
        #expect(await name.validated(in: .publish) == .invalid(["is taken"]))
        #expect(name.validationContexts == [.publish])
        #expect(await name.validated() == .invalid(["is odd"]))
        #expect(name.validationContexts == [])
        #expect(asked.entries == ["odd", "taken"], "answers about a value are kept")
        #expect(name.currentIssues(in: .publish).map(\.code) == ["taken"])
        #expect(name.currentIssues().map(\.code) == ["odd"])
    }

    @Test func `answers are told only where the other rules have nothing against the value`() async
    {
        let name = Field<String>(value: "a").require(rule("taken"))
            .require(.minLength(2).on(.publish))
        #expect(await name.validated() == .invalid(["is taken"]))
        #expect(name.currentIssues().map(\.code) == ["taken"])
        #expect(name.currentIssues(in: .publish).map(\.code) == ["minLength"])
        #expect(await name.validated(in: .publish).isInvalid)
        #expect(name.issues.map(\.code) == ["minLength"])
    }

    @Test func `elements are asked about in the context of the validation`() async {
        let names = Field<[String]>(value: ["a", "b"]).require(rule("taken").on(.publish).each())
        #expect(await names.validated() == .valid)
        #expect(await names.validated(in: .publish) == .invalid(["[0] is taken", "[1] is taken"]))
    }

    @Test(arguments: 0..<20)
    func `validations in several contexts at once come to their ends`(round: Int) async {
        let name = Field<String>(value: "a").require(rule("a").on("a")).require(rule("b").on("b"))
            .require(rule("c", passes: true))
            .require(rule("d").on("d"))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { #expect(await name.validated(in: "a") == .invalid(["is a"])) }
                group.addTask { #expect(await name.validated(in: "b") == .invalid(["is b"])) }
                group.addTask { #expect(await name.validated(in: "c") == .valid) }
                group.addTask { #expect(await name.validated() == .valid) }
            }
        }
        #expect(asked.entries.contains("a"))
        #expect(!asked.entries.contains("d"))
    }

    @Test func `what is asked in a context is still pending in another`() async {
        let name = Field<String>(value: "a").require(rule("taken").on(.publish))
        #expect(name.validate(in: .publish) == .unknown)
        #expect(name.validate() == .valid)
        #expect(name.validateIfNeeded(in: .publish) != .valid)
        #expect(await name.validated(in: .publish) == .invalid(["is taken"]))
    }
}
