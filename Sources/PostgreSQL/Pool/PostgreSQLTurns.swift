import ModelKitPromises

/// Whose turn it is: the uses that wait, in order, and the connections that they wait for.
///
/// It decides and does nothing: whoever changes it asks for the next step until there is none.
package struct PostgreSQLTurns: Sendable {
    package enum Step: Sendable {
        case serve(PostgreSQLUse, PostgreSQLLease)
        case fail(PostgreSQLUse, PostgreSQLError)
        case connect
        case close(PostgreSQLLease)
        /// Everything has ended that was asked for before it was closed.
        case end
    }

    private let limit: Int
    private let idleTime: Duration
    /// For how long the first connection is tried to be made; nil for as long as somebody waits.
    private let patience: Duration?
    private let backoff: PromiseBackoff

    private var waiting = Waiting()
    /// Those that nobody uses, and since when; the one that was used last is the last.
    private var idle: [(lease: PostgreSQLLease, since: ContinuousClock.Instant)] = []
    /// Those that are to be closed, as they may have ended unnoticed.
    private var doubtful: [PostgreSQLLease] = []
    /// How many there are, and how many attempts are made to get more.
    private var open = 0
    private var connecting = 0
    /// The attempts that have failed since one has not, why the last one did, and when the next one may be made.
    private var failures = 0
    private var failure: PostgreSQLError?
    private var retry: ContinuousClock.Instant?
    /// When trying to get the first one has begun, and whether there was one.
    private var beginning: ContinuousClock.Instant?
    private var hasOpened = false
    /// Those that are to be notified of it.
    private var failed: [(PostgreSQLUse, PostgreSQLError)] = []
    package private(set) var isClosed = false
    private var hasEnded = false

    package init(
        limit: Int,
        idleTime: Duration,
        patience: Duration? = nil,
        backoff: PromiseBackoff =
            .exponential(from: .milliseconds(20), upTo: .milliseconds(500)).jittered()
    ) {
        (self.limit, self.idleTime) = (limit, idleTime)
        (self.patience, self.backoff) = (patience, backoff)
    }

    // MARK: What happens

    package mutating func wait(_ use: PostgreSQLUse) { waiting.append(use) }

    /// A connection was made.
    package mutating func opened(_ lease: PostgreSQLLease, _ now: ContinuousClock.Instant) {
        (connecting, open) = (connecting - 1, open + 1)
        (failures, failure, retry) = (0, nil, nil)
        hasOpened = true
        idle.append((lease, now))
    }

    /// A connection could not be made: it is tried again, as long as somebody waits, unless it is of no use, or the
    /// server may be none at all.
    package mutating func refused(_ error: PostgreSQLError, _ now: ContinuousClock.Instant) {
        connecting -= 1
        failures += 1
        failure = error.asReason(after: failure)
        retry = now + backoff.pause(after: failures)
        guard open == 0, !error.isTransient || hasNoServer(now) else { return }
        let reason = error.isTransient ? overdue : error
        failed += waiting.removeAll { _ in true }.map { ($0, reason) }
        (retry, beginning) = (nil, nil)
    }

    /// Whether there was none in all the time in which there should have been one.
    private func hasNoServer(_ now: ContinuousClock.Instant) -> Bool {
        guard !hasOpened, let patience, let beginning else { return false }
        return beginning + patience <= now
    }

    /// A use has ended.
    package mutating func returned(_ lease: PostgreSQLLease, _ now: ContinuousClock.Instant) {
        idle.append((lease, now))
    }

    /// A connection is no more; who was to use it, and has not, is the first again.
    ///
    /// Where it has ended in a use, so have perhaps those that nobody uses, as after another server has come in the place
    /// of the first: that is noticed only when something is sent. So they are closed.
    package mutating func lost(_ use: PostgreSQLUse? = nil, hasEnded: Bool = false) {
        open -= 1
        if let use { waiting.putBack(use) }
        if !hasEnded { return }
        doubtful += idle.map(\.lease)
        idle = []
    }

    package mutating func close() { isClosed = true }

    // MARK: What is to be done

    /// What is to be done now; nil if nothing is until something happens, or `wake` has come.
    package mutating func next(_ now: ContinuousClock.Instant) -> Step? {
        if let earliest = waiting.earliest, earliest <= now {
            failed += waiting.removeAll { $0.deadline <= now }.map { ($0, overdue) }
        }
        if let (use, error) = failed.popLast() { return .fail(use, error) }
        if let lease = doubtful.popLast() { return .close(lease) }
        if let step = nextUse(now) { return step }
        if let first = idle.first, isClosed || first.since + idleTime <= now {
            return .close(idle.removeFirst().lease)
        }
        guard isClosed, !hasEnded, open == 0, connecting == 0, waiting.isEmpty else { return nil }
        hasEnded = true
        return .end
    }

    private mutating func nextUse(_ now: ContinuousClock.Instant) -> Step? {
        guard let first = waiting.first else {
            beginning = nil
            return nil
        }
        if first.cancellation.isCancelled {
            waiting.removeFirst()
            return .fail(first, .cancellation)
        }
        if let (lease, _) = idle.popLast() {
            waiting.removeFirst()
            return .serve(first, lease)
        }
        // As long as there is no server, one asks for all.
        let most = failure == nil ? waiting.count : 1
        guard connecting < most, open + connecting < limit, retry.map({ $0 <= now }) ?? true else {
            return nil
        }
        connecting += 1
        beginning = beginning ?? now
        return .connect
    }

    /// When to ask for the next step, if nothing happens before.
    package var wake: ContinuousClock.Instant? {
        let times = [
            waiting.earliest, waiting.isEmpty ? nil : retry, idle.first.map { $0.since + idleTime },
        ]
        return times.compactMap(\.self).min()
    }

    /// Why a use fails that has waited in vain.
    private var overdue: PostgreSQLError {
        guard open == 0, let failure else {
            return PostgreSQLError(.timedOut, "no connection was free in time")
        }
        var error = failure
        error.message = "there was no connection in time: \(failure.message)"
        return error
    }
}

extension PostgreSQLError {
    /// Why there is no connection, after another attempt: silence is less of a reason than an answer before, and so is
    /// what has no code.
    func asReason(after other: PostgreSQLError?) -> PostgreSQLError {
        guard let other, !other.isSilence else { return self }
        return isSilence || sqlState == nil && other.sqlState != nil ? other : self
    }
}

extension PostgreSQLTurns {
    /// Uses in the order in which they came.
    private struct Waiting {
        /// The first of them, the very first one last, and those after them; empty only if all are.
        private var front: [PostgreSQLUse] = []
        private var back: [PostgreSQLUse] = []
        /// No deadline is earlier.
        private(set) var earliest: ContinuousClock.Instant?

        var count: Int { front.count + back.count }
        var isEmpty: Bool { front.isEmpty }
        var first: PostgreSQLUse? { front.last }

        mutating func append(_ use: PostgreSQLUse) {
            if front.isEmpty { front.append(use) } else { back.append(use) }
            earliest = min(earliest ?? use.deadline, use.deadline)
        }

        mutating func putBack(_ use: PostgreSQLUse) {
            front.append(use)
            earliest = min(earliest ?? use.deadline, use.deadline)
        }

        mutating func removeFirst() {
            front.removeLast()
            if !front.isEmpty { return }
            front = back.reversed()
            back = []
            if front.isEmpty { earliest = nil }
        }

        mutating func removeAll(where isRemoved: (PostgreSQLUse) -> Bool) -> [PostgreSQLUse] {
            let all = front.reversed() + back
            front = all.filter { !isRemoved($0) }.reversed()
            back = []
            earliest = front.map(\.deadline).min()
            return all.filter(isRemoved)
        }
    }
}
