public import ModelKitValues

/// A validation of several fields, in which those are noted whose async rules have not answered yet.
package final class CheckScope: Sendable {
    /// The one that the task is in.
    package static var current: CheckScope? { ValidationPath.current.conditions.scope }

    /// Whether rules that could not be asked about a value are asked again.
    let asksAgain: Bool
    private struct Waiting: Sendable {
        var fields: [AnyField] = []
        var notes = 0
    }

    private let waiting = Guarded(Waiting())

    package init(askingAgain: Bool) { asksAgain = askingAgain }

    /// The fields that wait for answers.
    package var pending: [AnyField] { waiting.withLock { $0.fields } }

    /// How often it was noted that a field waits, also of those that were met again.
    package var noteCount: Int { waiting.withLock { $0.notes } }

    func note(_ field: AnyField) {
        waiting.withLock { waiting in
            waiting.fields.append(field)
            waiting.notes += 1
        }
    }

    /// Notes that fields wait which are noted already.
    func noteAgain() { waiting.withLock { $0.notes += 1 } }

    /// Validates until no async rule has to answer any more, or the task is cancelled.
    ///
    /// - Parameter validate: Validates the fields; given whether some of them wait for answers.
    /// - Returns: What the last validation gave.
    package static func untilAnswered<Result>(
        _ validate: (_ scope: CheckScope) -> Result
    ) async -> Result {
        var scope = CheckScope(askingAgain: true)
        var result = scope.run(validate)
        // A rule that sets its own field is never through: nobody is asked, and there is no end.
        var idle = 0
        while !scope.pending.isEmpty, !Task.isCancelled, idle < 8 {
            idle += 1
            for field in scope.pending where await field.answered() { idle = 0 }
            if idle > 0 { await Task.yield() }
            // What could not be checked is reported, and not asked for ever.
            scope = CheckScope(askingAgain: false)
            result = scope.run(validate)
        }
        return result
    }

    /// Runs a validation, in which the fields that wait for answers are noted here.
    package func run<Result>(_ validate: (_ scope: CheckScope) -> Result) -> Result {
        ValidationPath.run({ $0.scope = self }, { validate(self) })
    }
}

extension AnyField {
    /// Validates the value and waits until its async rules have answered.
    ///
    /// ```swift
    /// if await email.validated() == .valid { try await submit() }
    /// ```
    ///
    /// If the field is set meanwhile, the newer value is validated, and waited for. Cancelling the
    /// task ends the wait, but not the asking, as others may wait for the same answer: the state is
    /// then what is known, which may be `.unknown`.
    ///
    /// - Returns: The state of the newest value; `.unknown` only after a cancellation, or where a rule
    ///   sets the field itself.
    @discardableResult
    public final func validated() async -> ValidationState {
        await CheckScope.untilAnswered { _ in validate() }
    }

    /// Waits until the run that asks async rules now is over, or the task is cancelled.
    ///
    /// - Returns: Whether there was one.
    final func answered() async -> Bool {
        let (end, waiter) = AsyncStream<Void>.makeStream()
        let isAsking = lock.withLock {
            guard let run = details?.checks?.run else { return false }
            run.add(waiter)
            return true
        }
        if !isAsking { waiter.finish() }
        for await _ in end {}
        return isAsking
    }
}
