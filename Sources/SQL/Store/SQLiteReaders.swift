import Dispatch
import ModelKitFields

/// Connections that only read, so many that nobody waits who need not, up to a limit.
///
/// The one that was used last is taken first, as it has most of the file in memory.
// Safe: the variables are guarded by the lock, under which nothing is run.
final class SQLiteReaders: @unchecked Sendable {
    /// For so many that wait, room is kept.
    private static let few = 256

    private let limit: Int
    private let makeQueue: @Sendable () -> SQLiteQueue
    private let lock = Lock()
    private var queues: [SQLiteQueue]
    private var idle: [SQLiteQueue]
    /// Those that wait for a connection, from `first` on.
    private var waiting: [SQLiteWork?] = []
    private var first = 0
    private var isClosed = false
    /// What waits for the moment in which nobody reads; until then nobody else begins to.
    private var pause: (@Sendable () -> Void)?

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
        self.queues = queues
        idle = queues
        self.makeQueue = makeQueue
    }

    /// Runs a read on one of the connections.
    ///
    /// - Parameters:
    ///   - work: The read.
    ///   - refused: Takes what cannot be read here, with the reason.
    /// - Returns: False if nobody may begin to read here now.
    func run(
        _ work: SQLiteWork,
        else refused: @escaping @Sendable (SQLiteWork, any Error) -> Void
    ) -> Bool {
        lock.lock()
        if isClosed || pause != nil {
            lock.unlock()
            return false
        }
        var queue = idle.popLast()
        if queue == nil {
            if queues.count >= limit {
                waiting.append(work)
                lock.unlock()
                return true
            }
            let made = makeQueue()
            queues.append(made)
            queue = made
        }
        lock.unlock()
        if let queue { serve(work, on: queue, else: refused) }
        return true
    }

    /// Runs the read, and then those that wait.
    private func serve(
        _ work: SQLiteWork,
        on queue: SQLiteQueue,
        else refused: @escaping @Sendable (SQLiteWork, any Error) -> Void
    ) {
        queue.run { [self] connection in
            var next: SQLiteWork? = work
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
    private func next(for queue: SQLiteQueue) -> SQLiteWork? {
        lock.lock()
        if first < waiting.count {
            let work = waiting[first]
            waiting[first] = nil
            first += 1
            if first == waiting.count {
                // Not with the room for the most that ever waited.
                waiting.removeAll(keepingCapacity: first <= Self.few)
                first = 0
            } else if first >= Self.few, first > waiting.count / 2 {
                // Where somebody always waits, those that have run would stay in front for ever.
                waiting.removeFirst(first)
                first = 0
            }
            lock.unlock()
            return work
        }
        idle.append(queue)
        let paused = idle.count == queues.count ? pause.take() : nil
        lock.unlock()
        paused?()
        return nil
    }

    /// Has nobody else begin to read until the body was called, which is when nobody reads any more.
    ///
    /// - Returns: False if nobody reads now; then the body is not called.
    func pause(_ body: @escaping @Sendable () -> Void) -> Bool {
        lock.withLock {
            if isClosed || idle.count == queues.count { return false }
            if pause == nil { pause = body }
            return true
        }
    }

    /// Closes them after what was given before; whatever is given later is refused.
    func close(_ completion: @escaping @Sendable () -> Void) {
        let queues = lock.withLock {
            isClosed = true
            return self.queues
        }
        let group = DispatchGroup()
        for queue in queues {
            group.enter()
            queue.close { group.leave() }
        }
        group.notify(queue: .global(), execute: completion)
    }
}
