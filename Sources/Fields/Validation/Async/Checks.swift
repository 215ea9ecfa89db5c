/// What the async rules of a field have answered about a value, and the run that asks them.
///
/// Guarded by the lock of the field that holds it.
@usableFromInline
final class Checks {
    /// The revision of the value that the answers are about.
    private var revision: UInt64 = 0
    /// The answers, by the index of the rule.
    var answers: [Int: Answer] = [:]
    /// What the rules follow, as it stood when they were asked; empty where none follows anything.
    private var followed: [[UInt64]] = []
    /// The one that asks; who takes it out has to end it.
    var run: CheckRun?

    deinit { run?.cancel() }

    /// Makes room for the answers about the value of a revision, with what the rules follow.
    ///
    /// - Returns: The run that asks about another, which the caller has to end.
    func prepare(for revision: UInt64, following followed: [[UInt64]]) -> CheckRun? {
        if revision != self.revision {
            (self.revision, self.followed, answers) = (revision, followed, [:])
            return run.take()
        }
        let changed = rules(following: followed)
        dropOutdated(following: followed)
        return run?.asked.contains(where: changed.contains) == true ? run.take() : nil
    }

    /// Drops the answers of rules that follow what has changed.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    func dropOutdated(following followed: [[UInt64]]) -> Bool {
        let changed = rules(following: followed)
        self.followed = followed
        return changed.count { answers.removeValue(forKey: $0) != nil } > 0
    }

    /// The rules that follow what stands elsewhere by now, by their indexes.
    private func rules(following followed: [[UInt64]]) -> [Int] {
        (0..<max(followed.count, self.followed.count)).filter { index in
            followed.dropFirst(index).first ?? [] != self.followed.dropFirst(index).first ?? []
        }
    }

    /// What the rules have said of the value of a revision, also without being asked, in the order of
    /// the rules.
    func issues(
        at revision: UInt64,
        following followed: [[UInt64]]? = nil,
        deciding decided: [Int: Answer]
    ) -> [Issue] {
        var answers = revision == self.revision ? answers : [:]
        if let followed { for index in rules(following: followed) { answers[index] = nil } }
        return answers.merging(decided) { $1 }.sorted { $0.key < $1.key }.flatMap(\.value.issues)
    }

    /// What rules say of a value without being asked, by their indexes.
    static func decide<Value>(_ rules: [AsyncRule<Value>], about value: Value?) -> [Int: Answer] {
        var decided: [Int: Answer] = [:]
        for (index, rule) in rules.enumerated() { decided[index] = rule.decide(value) }
        return decided
    }

    /// What rules follow, as it stands now; empty where none follows anything.
    static func followed<Value>(by rules: [AsyncRule<Value>]) -> [[UInt64]] {
        rules.contains { $0.follows } ? rules.map { $0.followed } : []
    }

    /// Takes the run out, unless it asks about the value of a revision.
    func takeRun(unless revision: UInt64) -> CheckRun? {
        run?.revision == revision ? nil : run.take()
    }
}

/// One round of asking async rules about a value.
///
/// While the checks of the field have it, it is the one whose answer counts: that of another, which
/// was superseded or cancelled, is dropped.
final class CheckRun: Sendable {
    /// What it goes on from when it has the answers.
    struct Start: Sendable {
        /// What the other rules have found.
        let found: [Issue]
        /// What the validation began with that found it.
        let basis: ValidationBasis
        /// What the rules said without being asked.
        let decided: [Int: Answer]
    }

    private struct State: Sendable {
        var start: Start
        var task: Task<Void, Never>?
        /// Lets the field see every set while somebody is asked.
        var use: LiveUse?
        /// Those who wait for the end.
        var waiting: [AsyncStream<Void>.Continuation] = []
    }

    /// That of the value.
    let revision: UInt64
    /// The indexes of the rules that are asked.
    let asked: [Int]
    private let state: Guarded<State>

    init(_ start: Start, asking asked: [Int]) {
        revision = start.basis.revision
        self.asked = asked
        state = Guarded(State(start: start))
    }

    var start: Start { state.withLock { $0.start } }

    /// Lets it go on from what was found later.
    ///
    /// - Returns: What it had.
    func renew(_ start: Start) -> Start {
        state.withLock { state in
            defer { state.start = start }
            return state.start
        }
    }

    /// Notes that it has begun.
    func begin(_ task: Task<Void, Never>, _ use: LiveUse) {
        state.withLock { ($0.task, $0.use) = (task, use) }
    }

    /// Adds one who waits for the end.
    func add(_ waiter: AsyncStream<Void>.Continuation) {
        state.withLock { $0.waiting.append(waiter) }
    }

    func cancel() { state.withLock { $0.task }?.cancel() }

    /// Ends it, after it was taken out; no lock may be held.
    func end() {
        let (task, use, waiting) = state.withLock { state in
            defer { (state.task, state.use, state.waiting) = (nil, nil, []) }
            return (state.task, state.use, state.waiting)
        }
        task?.cancel()
        for waiter in waiting { waiter.finish() }
        withExtendedLifetime(use) {}
    }
}
