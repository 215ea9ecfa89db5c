// Every form of parsers, once without and once with main-actor default isolation.
import ModelKit
import Testing

final class Essay: Model {
    let title = Field<String>().require(.required).require(.minLength(3))
        .require(AsyncRule("is taken") { $0 != "taken" })
    let pages = Field<Int>()

    func check(_ report: inout ModelReport) {
        report.require("must have pages") { pages.value != nil }
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
        return try await form.submit {
            attempts += 1
            return await form.validated().isValid
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
