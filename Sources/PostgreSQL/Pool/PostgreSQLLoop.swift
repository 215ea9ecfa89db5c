import Dispatch
import ModelKitEssentials

/// Waits for answers on many connections by one thread, so that no thread is woken to send something or waits for what
/// is one round trip.
///
/// Who is notified of an answer may run code of the user, which may take long, or wait for another answer. Then another
/// thread goes on in its place.
final class PostgreSQLLoop: Sendable {
    /// Somebody who waits for an answer.
    struct Wait: Sendable {
        /// That of the connection, which unlike its socket no other one ever has.
        let number: UInt64
        let socket: Int32
        var cancellation: PostgreSQLCancellation?
        var deadline: ContinuousClock.Instant
        /// Takes what has come; whether that is all.
        let take: @Sendable () -> Bool
        /// Is called when all has come, or with false when the time is over.
        let end: @Sendable (_ isThere: Bool) -> Void
    }

    private struct State {
        /// By the numbers of their connections.
        var waits: [UInt64: Wait] = [:]
        /// Those whose answer has come, who are notified one after the other.
        var answered: [Wait] = []
        /// The sockets that are waited for, with the numbers of their connections: also those on which nobody waits now,
        /// so that the thread need not be woken when somebody does.
        var sockets: [Int32: UInt64] = [:]
        /// Until when the thread waits, at most.
        var end = ContinuousClock.now
        /// Which thread it is; others have been replaced.
        var thread = 0
        var isRunning = false
        var isStopped = false
        /// Since when somebody is being notified.
        var calling: ContinuousClock.Instant?
        var isChecked = false
    }

    private let state = Guarded(State())
    private let wakeUp = PostgreSQLWakeUp()
    /// Where it is looked for a thread that has not come back; on a thread of its own, as others may all be in use.
    private let queue = DispatchQueue(label: "ModelKitPostgreSQL answers")
    /// For how long the thread stays when nobody waits.
    private static let idleTime = Duration.seconds(1)
    /// After how much time another thread goes on in the place of one that has not come back.
    private static let patience = Duration.milliseconds(20)
    /// For how long the answer to what is cancelled is waited for here.
    private static let grace = Duration.milliseconds(100)

    /// Has somebody be notified when an answer has come.
    func add(_ wait: Wait) {
        let (thread, isAsleep) = state.withLock { state -> (Int?, Bool) in
            let isKnown = state.sockets.updateValue(wait.number, forKey: wait.socket) == wait.number
            state.waits[wait.number] = wait
            if state.isRunning { return (nil, !isKnown || wait.deadline < state.end) }
            state.isRunning = true
            state.thread += 1
            return (state.thread, false)
        }
        if let thread { start(thread) } else if isAsleep { wakeUp.send() }
    }

    /// Has the time of what was cancelled be over soon: if the server does not answer to that, its connection is to be
    /// given up.
    func hurry(_ cancellation: PostgreSQLCancellation) {
        let isThere = state.withLock { state in
            let waits = state.waits.values
            guard var wait = waits.first(where: { $0.cancellation === cancellation }) else {
                return false
            }
            wait.deadline = min(wait.deadline, .now + Self.grace)
            state.waits[wait.number] = wait
            return true
        }
        if isThere { wakeUp.send() }
    }

    /// Ends the thread as soon as nobody waits.
    func stop() {
        state.withLock { $0.isStopped = true }
        wakeUp.send()
    }

    private func start(_ thread: Int) {
        DispatchQueue(label: "ModelKitPostgreSQL answers").async { [self] in run(thread) }
    }

    private func run(_ thread: Int) {
        var descriptors: [pollfd] = []
        while true {
            // One that was answered while the thread was replaced is notified first.
            while let wait = next(thread) { wait.end(true) }
            guard let timeout = prepare(&descriptors, thread) else { return }
            let count = poll(&descriptors, nfds_t(descriptors.count), timeout)
            if descriptors[0].revents != 0 { _ = wakeUp.take() }
            if count > 0 { take(from: descriptors.dropFirst()) }
            for wait in overdue() { wait.end(false) }
            if end(thread, isIdle: count == 0 && timeout > 0) { return }
        }
    }

    /// The next one who is to be notified; nil if there is none, or it is for another thread to do.
    private func next(_ thread: Int) -> Wait? {
        let (wait, begins) = state.withLock { state -> (Wait?, Bool) in
            guard state.thread == thread, !state.answered.isEmpty else { return (nil, false) }
            state.calling = .now
            defer { state.isChecked = true }
            return (state.answered.removeFirst(), !state.isChecked)
        }
        if begins { check() }
        return wait
    }

    /// Notes what to wait for, and returns for how many milliseconds; nil for a thread that was replaced.
    private func prepare(_ descriptors: inout [pollfd], _ thread: Int) -> Int32? {
        state.withLock { state in
            guard state.thread == thread else { return nil }
            state.calling = nil
            descriptors = [pollfd(fd: wakeUp.reading, events: Int16(POLLIN), revents: 0)]
            for socket in state.sockets.keys {
                descriptors.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0))
            }
            // Without a pipe it is not noticed who comes.
            let limit =
                ContinuousClock.now + (wakeUp.reading < 0 ? .milliseconds(5) : Self.idleTime)
            state.end = state.waits.values.reduce(limit) { min($0, $1.deadline) }
            return state.end.milliseconds
        }
    }

    /// Takes what has come.
    private func take(from descriptors: ArraySlice<pollfd>) {
        for descriptor in descriptors where descriptor.revents != 0 {
            let wait = state.withLock { state in
                let wait = state.sockets[descriptor.fd].flatMap { state.waits[$0] }
                // The end of a connection, or an answer that another thread waits for.
                if wait == nil { state.sockets[descriptor.fd] = nil }
                return wait
            }
            guard let wait, wait.take() else { continue }
            state.withLock { state in
                // Not that of another connection, which may have the socket by now, as this one has ended.
                state.waits[wait.number] = nil
                state.answered.append(wait)
            }
        }
    }

    /// Takes out those whose time is over.
    private func overdue() -> [Wait] {
        state.withLock { state in
            let now = ContinuousClock.now
            if state.end > now { return [] }
            let overdue = state.waits.values.filter { $0.deadline <= now }
            for wait in overdue { state.waits[wait.number] = nil }
            return overdue
        }
    }

    /// Ends the thread if it is not needed.
    private func end(_ thread: Int, isIdle: Bool) -> Bool {
        state.withLock { state in
            guard isIdle || state.isStopped, state.waits.isEmpty, state.answered.isEmpty else {
                return false
            }
            (state.isRunning, state.sockets) = (false, [:])
            return true
        }
    }

    /// Looks after a while whether the thread has come back.
    private func check() {
        let patience = DispatchTimeInterval.milliseconds(Int(Self.patience.milliseconds))
        queue.asyncAfter(deadline: .now() + patience) { [self] in
            let (thread, goesOn) = state.withLock { state -> (Int?, Bool) in
                state.isChecked = state.calling != nil
                guard let calling = state.calling, calling + Self.patience <= .now else {
                    return (nil, state.isChecked)
                }
                state.thread += 1
                state.calling = nil
                state.isChecked = false
                return (state.thread, false)
            }
            if let thread { start(thread) }
            if goesOn { check() }
        }
    }
}
