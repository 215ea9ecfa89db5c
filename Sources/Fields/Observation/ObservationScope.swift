import ModelKitValues

/// What ends with the code that has made it.
protocol ScopeMember: Sendable {
    func cancel()
}

extension Observation: ScopeMember {}

/// The observations, and the like, that code makes while it runs, which end when it runs again or is over.
@usableFromInline
final class ObservationScope: Sendable {
    private struct State {
        var isEnded = false
        var members: [any ScopeMember] = []
    }

    private let state = Guarded(State())

    init() {}

    /// That of the code that runs on this thread.
    static var current: ObservationScope? {
        ThreadState.known?.pointee.scope?.takeUnretainedValue()
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Ends what was made before, and runs a closure, unless it is over.
    func run(_ body: () -> Void) {
        let (members, isEnded) = state.withLock { state in
            defer { state.members = [] }
            return (state.members, state.isEnded)
        }
        for member in members { member.cancel() }
        if !isEnded { Self.with(self, body) }
    }

    /// Runs a closure in a scope, or in none.
    static func with<Result>(_ scope: ObservationScope?, _ body: () -> Result) -> Result {
        let thread = ThreadState.current
        let outer = thread.pointee.scope
        thread.pointee.scope = scope.map { .passUnretained($0) }
        defer { thread.pointee.scope = outer }
        return body()
    }

    /// Takes what the code has made.
    func add(_ member: any ScopeMember) {
        let isEnded = state.withLock { state in
            if !state.isEnded { state.members.append(member) }
            return state.isEnded
        }
        if isEnded { member.cancel() }
    }

    func end() {
        let members = state.withLock { state in
            state.isEnded = true
            defer { state.members = [] }
            return state.members
        }
        for member in members { member.cancel() }
    }
}
