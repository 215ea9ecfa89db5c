import ModelKitValues

/// What the async rules of a field have answered about a value, and the run that asks them.
///
/// Guarded by the lock of the field that holds it.
@usableFromInline
final class Checks {
    /// The revision of the value that the answers are about.
    private var revision: UInt64 = 0
    /// The answers, by the index of the rule.
    var answers: [Int: Answer] = [:]
    private(set) var run: CheckRun?

    deinit { run?.task?.cancel() }

    /// Makes room for the answers about the value of a revision.
    ///
    /// - Returns: The run that asks about another, which the caller has to end.
    func prepare(for revision: UInt64) -> CheckRun? {
        if revision == self.revision { return nil }
        self.revision = revision
        answers = [:]
        return takeRun()
    }

    /// What the rules have said of the value of a revision, also without being asked, in the order of
    /// the rules.
    func issues(at revision: UInt64, deciding decided: [Int: Answer]) -> [Issue] {
        let answers = revision == self.revision ? answers : [:]
        return answers.merging(decided) { $1 }.sorted { $0.key < $1.key }.flatMap(\.value.issues)
    }

    /// What rules say of a value without being asked, by their indexes.
    static func decide<Value>(_ rules: [AsyncRule<Value>], about value: Value?) -> [Int: Answer] {
        var decided: [Int: Answer] = [:]
        for (index, rule) in rules.enumerated() { decided[index] = rule.decide(value) }
        return decided
    }

    func begin(_ run: CheckRun) { self.run = run }

    /// Takes the run out, which is over then: the caller has to end it.
    func takeRun() -> CheckRun? { run.take() }

    /// The same, unless it asks about the value of a revision.
    func takeRun(unless revision: UInt64) -> CheckRun? {
        run?.revision == revision ? nil : takeRun()
    }
}

/// One round of asking async rules about a value.
///
/// While the checks of the field have it, it is the one whose answer counts: that of another, which
/// was superseded or cancelled, is dropped.
// Safe: every variable is guarded by the lock of the field, and once that has no such run any more,
// belongs to whoever took it out.
final class CheckRun: @unchecked Sendable {
    /// That of the value.
    let revision: UInt64
    /// What the other rules have found, and what others know against the value.
    var found: [Issue]
    var known: [Issue]
    /// What the validation began with that found it.
    var basis: ValidationBasis
    /// What the rules said without being asked.
    var decided: [Int: Answer]
    /// The indexes of the rules that are asked.
    let asked: [Int]

    var task: Task<Void, Never>?
    /// Lets the field see every set while somebody is asked.
    var use: LiveUse?
    /// Those who wait for the end.
    var waiting: [AsyncStream<Void>.Continuation] = []

    init(
        _ found: [Issue],
        adding known: [Issue],
        on basis: ValidationBasis,
        deciding decided: [Int: Answer],
        asking asked: [Int]
    ) {
        revision = basis.revision
        self.found = found
        self.known = known
        self.basis = basis
        self.decided = decided
        self.asked = asked
    }

    /// Ends it, after it was taken out; no lock may be held.
    func end() {
        task?.cancel()
        for bell in waiting { bell.finish() }
        task = nil
        use = nil
        waiting = []
    }
}
