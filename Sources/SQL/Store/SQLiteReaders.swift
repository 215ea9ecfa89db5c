import Dispatch
import ModelKitFields

/// Connections that only read, so many that nobody waits who need not, up to a limit.
///
/// The one that was used last is taken first, as it has most of the file in memory.
final class SQLiteReaders: Sendable {
    /// For so many that wait, room is kept.
    private static let few = 256

    private struct State {
        var queues: [SQLiteQueue]
        var idle: [SQLiteQueue]
        /// Those that wait for a connection, from `first` on.
        var waiting: [(any SQLiteWork)?] = []
        var first = 0
        var isClosed = false
        /// What waits for the moment in which nobody reads; until then nobody else begins to.
        var pause: (@Sendable () -> Void)?

        mutating func nextWaiting() -> (any SQLiteWork)? {
            guard first < waiting.count else { return nil }
            let work = waiting[first]
            waiting[first] = nil
            first += 1
            if first == waiting.count {
                // Not with the room for the most that ever waited.
                waiting.removeAll(keepingCapacity: first <= few)
                first = 0
            } else if first >= few, first > waiting.count / 2 {
                // Where somebody always waits, those that have run would stay in front for ever.
                waiting.removeFirst(first)
                first = 0
            }
            return work
        }
    }

    private let limit: Int
    private let makeQueue: @Sendable () -> SQLiteQueue
    private let state: Guarded<State>

    /// - Parameters:
    ///   - limit: How many connections there are at most.
    ///   - queues: Those that are there already.
    ///   - makeQueue: Makes another one.
    init(
        limit: Int,
        queues: [SQLiteQueue] = [],
        _ makeQueue: @escaping @Sendable () -> SQLiteQueue
    ) {
        self.limit = limit
        state = Guarded(State(queues: queues, idle: queues))
        self.makeQueue = makeQueue
    }

    /// Runs a read on one of the connections.
    ///
    /// - Parameters:
    ///   - work: The read.
    ///   - refused: Takes what cannot be read here, with the reason.
    /// - Returns: False if nobody may begin to read here now.
    func run(
        _ work: any SQLiteWork,
        else refused: @escaping @Sendable (any SQLiteWork, any Error) -> Void
    ) -> Bool {
        let (isTaken, queue) = state.withLock { state -> (Bool, SQLiteQueue?) in
            if state.isClosed || state.pause != nil { return (false, nil) }
            if let queue = state.idle.popLast() { return (true, queue) }
            if state.queues.count >= limit {
                state.waiting.append(work)
                return (true, nil)
            }
            let made = makeQueue()
            state.queues.append(made)
            return (true, made)
        }
        if let queue { serve(work, on: queue, else: refused) }
        return isTaken
    }

    /// Runs the read, and then those that wait.
    private func serve(
        _ work: any SQLiteWork,
        on queue: SQLiteQueue,
        else refused: @escaping @Sendable (any SQLiteWork, any Error) -> Void
    ) {
        queue.run { [self] connection in
            var next: (any SQLiteWork)? = work
            while let work = next {
                switch connection {
                case .success(let connection):
                    work.run(on: connection)
                    work.settle()
                case .failure(let error): refused(work, error)
                }
                next = self.next(for: queue)
            }
        }
    }

    /// The next read of those that wait; if there is none, the connection is free.
    private func next(for queue: SQLiteQueue) -> (any SQLiteWork)? {
        let (work, paused) = state.withLock {
            state -> ((any SQLiteWork)?, (@Sendable () -> Void)?) in
            if let work = state.nextWaiting() { return (work, nil) }
            state.idle.append(queue)
            return (nil, state.idle.count == state.queues.count ? state.pause.take() : nil)
        }
        paused?()
        return work
    }

    /// Has nobody else begin to read until the body was called, which is when nobody reads any more.
    ///
    /// - Returns: False if nobody reads now; then the body is not called.
    func pause(_ body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.isClosed || state.idle.count == state.queues.count { return false }
            if state.pause == nil { state.pause = body }
            return true
        }
    }

    /// Closes them after what was given before; whatever is given later is refused.
    func close(_ completion: @escaping @Sendable () -> Void) {
        let queues = state.withLock { state in
            state.isClosed = true
            return state.queues
        }
        let group = DispatchGroup()
        for queue in queues {
            group.enter()
            queue.close { group.leave() }
        }
        group.notify(queue: .global(), execute: completion)
    }
}
