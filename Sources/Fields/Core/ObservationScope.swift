/// The observations, and the like, that code makes while it runs, which end when it runs again or is over.
@usableFromInline
final class ObservationScope: Sendable {
    private struct State {
        var isEnded = false
        var isRunning = false
        /// What ends each of them.
        var members: [@Sendable () -> Void] = []
    }

    private let state = Guarded(State())
    private let isBehind: @Sendable () -> Bool
    /// That of the code which has made this one.
    private weak let outer: ObservationScope?

    /// - Parameter isBehind: Whether the code will run again.
    init(_ isBehind: @escaping @Sendable () -> Bool) {
        self.isBehind = isBehind
        outer = Self.current
    }

    /// That of the code that runs on this thread.
    static var current: ObservationScope? {
        ThreadState.known?.pointee.rawScope.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Ends what was made before, and runs a closure, unless it is over.
    func run(_ body: () -> Void) {
        let (members, isEnded) = state.withLock { state in
            defer { state.members = [] }
            return (state.members, state.isEnded)
        }
        for cancel in members { cancel() }
        if isEnded { return }
        state.withLock { $0.isRunning = true }
        Self.with(self, body)
        state.withLock { $0.isRunning = false }
    }

    /// Whether the code that has made it, or that around it, is about to run again, which ends it.
    var isToEnd: Bool {
        guard let outer else { return false }
        return outer.isBehind() && !outer.state.withLock { $0.isRunning } || outer.isToEnd
    }

    /// Runs a closure in a scope, or in none.
    static func with<Result>(_ scope: ObservationScope?, _ body: () -> Result) -> Result {
        let thread = ThreadState.current
        let outer = thread.pointee.rawScope
        thread.pointee.rawScope = scope.map { Unmanaged.passUnretained($0).toOpaque() }
        defer { thread.pointee.rawScope = outer }
        return body()
    }

    /// Takes what ends something that the code has made.
    func add(_ cancel: @escaping @Sendable () -> Void) {
        let isEnded = state.withLock { state in
            if !state.isEnded { state.members.append(cancel) }
            return state.isEnded
        }
        if isEnded { cancel() }
    }

    func end() {
        let members = state.withLock { state in
            state.isEnded = true
            defer { state.members = [] }
            return state.members
        }
        for cancel in members { cancel() }
    }
}

extension Observation {
    /// Has it end with the code that runs on this thread, if that has a scope.
    @usableFromInline @inline(never)
    final func joinScope() { if !isInternal { ObservationScope.current?.add(cancel) } }
}
