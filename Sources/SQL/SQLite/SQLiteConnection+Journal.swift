extension SQLiteConnection {
    /// Whether writes go to a log beside the file, so that others read meanwhile.
    package func usesLog() throws -> Bool {
        try texts("PRAGMA journal_mode").first == "wal"
    }

    /// Copies the log back into the file and empties it, without waiting for anybody.
    ///
    /// - Returns: Whether it is empty; not while somebody reads or writes.
    func emptyLog() throws -> Bool {
        guard handle.pointer != nil else { throw handle.closed() }
        _ = handle.functions.busyTimeout(handle.pointer, 0)
        defer { _ = handle.functions.busyTimeout(handle.pointer, configuration.busyMilliseconds) }
        return try number("PRAGMA wal_checkpoint(TRUNCATE)") == 0
    }
}

/// How a statement that runs on a connection is stopped by another thread.
///
/// SQLite allows this one call from any thread while the connection is open, which is for the one who has
/// this to see to.
struct SQLiteInterrupter: Sendable {
    /// That of the connection, which nothing else is done with; 0 once that is closed.
    private let address: UInt
    private let function: @convention(c) @Sendable (OpaquePointer?) -> Void

    init(_ connection: SQLiteConnection) {
        address = UInt(bitPattern: connection.handle.pointer)
        function = connection.handle.functions.interrupt
    }

    /// Has the running statement fail as interrupted; nothing happens if there is none.
    func interrupt() {
        if let pointer = OpaquePointer(bitPattern: address) { function(pointer) }
    }
}
