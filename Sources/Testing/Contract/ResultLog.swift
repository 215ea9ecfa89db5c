import ModelKitStores

/// What something live has delivered so far, for as long as this is there.
final class ResultLog<Element: Sendable>: Sendable {
    private struct State {
        var results: [Result<Element, any Error>] = []
        /// What delivers.
        var source: (any Sendable)?
    }

    private let state = Guarded(State())

    deinit { task?.cancel() }

    /// Takes what delivers: an observation, or a task.
    func follow(_ source: some Sendable) { state.withLock { $0.source = source } }

    func add(_ result: Result<Element, any Error>) { state.withLock { $0.results.append(result) } }

    /// The task that iterates, if one does.
    var task: Task<Void, Never>? { state.withLock { $0.source } as? Task<Void, Never> }

    /// What came; throws the first error.
    var elements: [Element] {
        get throws { try state.withLock { $0.results }.map { try $0.get() } }
    }

    /// Waits for what is demanded of the elements.
    func wait(
        until isDone: ([Element]) -> Bool,
        _ run: ContractRun,
        line: Int = #line,
        showing show: (Element) -> String
    ) async throws {
        // Long, as a machine may have other things to do; what is lost never comes.
        let end = ContinuousClock.now + .seconds(600)
        while true {
            let found = try elements
            if isDone(found) { return }
            let isInTime = ContinuousClock.now < end
            try run.expect(isInTime, "what came has stayed \(found.map(show))", line: line)
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
