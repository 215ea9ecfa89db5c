// Every form of parsers and of validation contexts, once without and once with main-actor default
// isolation.
import ModelKit
import Testing

extension ValidationContext {
    nonisolated static let publish: Self = "publish"
    nonisolated static let draft: Self = "draft"
}

final class Essay: Model {
    let title = Field<String>().require(Rule.required.except(on: .draft))
        .require(.minLength(3).on(.publish))
        .require(AsyncRule("is taken") { $0 != "taken" }.on(.publish, .draft))
    let pages = Field<Int>()

    func check(_ report: inout ModelReport) {
        report.require("must have pages") {
            !ValidationContext.publish.isCurrent || pages.value != nil
        }
    }
}

@MainActor
final class EssayScreen {
    static let count: Parser<String, Int> = .trimmed.orNil.then(.integer).then(.positive)
    static let code = Parser<String, String>("must be a code", code: "code") { text in
        text.count == 2 ? text : nil
    } print: { code in
        code
    }
    let essay = Essay()
    let pages = Field<String>()
    let title = Field<String>().require(code)
    private(set) var attempts = 0

    func load() {
        pages.bind(to: essay.pages, by: .trimmed.then(.integer))
        pages.bind(to: essay.pages, by: Self.count)
    }

    func publish() async throws -> Bool {
        let form = Form().add(essay)
        // The rule that takes time may have answered already.
        if essay.validate(in: .draft).isInvalid { return false }
        _ = essay.title.isValidating
        _ = ValidationContext.withCurrent([.publish]) { essay.isCurrentlyValid }
        _ = await ValidationContext.withCurrent([.publish]) { await essay.title.validated() }
        return try await form.submit(in: .publish) {
            attempts += 1
            return await form.validated(in: .publish, .draft).isValid
        }
    }
}

@Suite struct ParserSpellings {
    @MainActor
    @Test func `a screen publishes what was typed`() async throws {
        let screen = EssayScreen()
        screen.load()
        screen.essay.title.value = "Note"
        screen.pages.value = "many"
        await #expect(throws: FormError.self) { try await screen.publish() }
        screen.pages.value = " 7"
        #expect(try await screen.publish())
        #expect(screen.essay.pages.value == 7)
        #expect(screen.attempts == 1)
    }
}
