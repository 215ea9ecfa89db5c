/// Connections that only read, so many that nobody waits who need not, up to a limit.
///
/// The one that was used last is taken first, as it has most of the file in memory.
struct SQLiteReaders {
    private var queues: [SQLiteQueue]
    private var idle: [SQLiteQueue]
    /// Those that wait for a connection, the last one last, and those before them, the first one last.
    private var waiting: [SQLiteQueue.Body] = []
    private var waitingFirst: [SQLiteQueue.Body] = []
    private var isClosed = false
    /// What waits for the moment in which nobody reads; until then nobody else begins to.
    private var pause: (@Sendable () -> Void)?

    private let limit: Int
    private let makeQueue: @Sendable () -> SQLiteQueue

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
        (self.queues, idle) = (queues, queues)
        self.makeQueue = makeQueue
    }

    /// Takes a read, if somebody may begin to read here now, and the connection for it; it waits, if there is
    /// none.
    mutating func take(_ read: @escaping SQLiteQueue.Body) -> (isTaken: Bool, queue: SQLiteQueue?) {
        if isClosed || pause != nil { return (false, nil) }
        if let queue = idle.popLast() { return (true, queue) }
        if queues.count >= limit {
            waiting.append(read)
            return (true, nil)
        }
        let made = makeQueue()
        queues.append(made)
        return (true, made)
    }

    /// The next of the reads that wait; if there is none, the connection is free, and if that was the last one,
    /// what has waited for that is to be called.
    mutating func next(
        for queue: SQLiteQueue
    ) -> (read: SQLiteQueue.Body?, paused: (@Sendable () -> Void)?) {
        if waitingFirst.isEmpty, !waiting.isEmpty {
            swap(&waitingFirst, &waiting)
            waitingFirst.reverse()
        }
        if let read = waitingFirst.popLast() {
            // Not with the room for the most that ever waited.
            if waitingFirst.isEmpty, waitingFirst.capacity > 256 { waitingFirst = [] }
            return (read, nil)
        }
        idle.append(queue)
        return (nil, idle.count == queues.count ? pause.take() : nil)
    }

    /// Has nobody else begin to read until the body was called, which is when nobody reads any more.
    ///
    /// - Returns: False if nobody reads now; then the body is not called.
    mutating func pause(_ body: @escaping @Sendable () -> Void) -> Bool {
        if isClosed || idle.count == queues.count { return false }
        if pause == nil { pause = body }
        return true
    }

    /// Refuses whatever comes from now on, and gives the connections that are to be closed.
    mutating func close() -> [SQLiteQueue] {
        isClosed = true
        return queues
    }
}
