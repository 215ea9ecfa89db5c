// Every form of observing validation and of rules that take time, once without and once with main-actor
// default isolation.
import Dispatch
import ModelKit
import Testing

final class Member: Model {
    let nick = Field<String>().require(.notBlank)
        .require(AsyncRule("is taken", code: "taken") { nick in try await Server.isFree(nick) })
        .validates(.onCommit)
    let email = Field<String>().require(.email)
        .require(AsyncRule("is taken") { await Server.shared.isKnown($0) }.when { $0 != "" })
    let codes = Field<String>().require(
        AsyncRule(debounce: .milliseconds(300), clock: SuspendingClock()) { code in
            code == nil ? [Issue(message: "is missing")] : []
        }
    )*
}

@MainActor
final class Server {
    static let shared = Server()
    /// Does not answer while the main actor is busy.
    static nonisolated func isFree(_ nick: String) async throws -> Bool {
        await shared.isKnown(nick) || nick != "ada"
    }
    func isKnown(_ email: String) -> Bool { email.contains("@") }
}

@MainActor
final class MemberScreen {
    let member = Member()
    let queue = DispatchQueue(label: "member")
    var message: String?
    var isBusy = false

    func load() {
        member.nick.onMain.observeValidationState { [weak self] state in
            self?.message = state.isInvalid ? "wrong" : nil
        }
        member.nick.onMain.observeValidationState(self) { screen, state in
            screen.message = state.isInvalid ? "wrong" : nil
        }
        member.nick.onMain.observeValidationStatus { [weak self] status in
            self?.isBusy = status.isValidating
        }
        member.nick.observeValidationState { state in _ = state.isValid }
        member.nick.observeValidationState(self) { _, state in _ = state.isValid }
        member.nick.observeValidationStatus { status in _ = status.issues }
        let status = Computed { [nick = member.nick] in nick.validationStatus }
        status.on(queue).observe { (status: ValidationStatus?) in _ = status?.issues }
    }

    func follow() async {
        for await state in member.nick.validationStates { message = "\(state)" }
    }

    func submit() async -> Bool {
        guard member.isCurrentlyValid, member.nick.isCurrentlyValid else { return false }
        let field: AnyField = member.nick
        field.observeValidationState { _ in }.cancel()
        guard await field.validated() == .valid else { return false }
        return await member.validated().isValid
    }
}

@Suite struct ValidationSpellings {
    @MainActor
    @Test func `a screen shows what a rule says that takes time`() async {
        let screen = MemberScreen()
        screen.load()
        screen.member.nick.value = "ada"
        #expect(screen.message == nil)
        #expect(screen.isBusy)
        #expect(await screen.member.nick.validated() == .invalid(["is taken"]))
        #expect(await !screen.submit())
        screen.member.nick.value = "bob"
        screen.member.email.value = "bob@example.com"
        screen.member.codes.value = ["a"]
        #expect(await screen.submit())
    }
}
