import ModelKitStores

/// How a store opens its connections.
struct SQLiteOpening {
    let path: String
    let sharing: SQLiteModelStore.Sharing
    let durability: SQLiteModelStore.Durability
    let readers: Int
    let busyTimeout: Duration
    let migrator: SQLiteMigrator

    private var isInMemory: Bool { path == ":memory:" }

    private func configuration(
        _ journal: SQLiteConfiguration.Journal?,
        _ access: SQLiteConfiguration.Access = .create
    ) -> SQLiteConfiguration {
        SQLiteConfiguration(
            access: access,
            busyTimeout: busyTimeout,
            journal: journal,
            synchronous: durability == .survivesProcessCrash && journal == .wal ? .normal : .full,
            cachedStatements: 256
        )
    }

    /// The connection that writes is opened at once, on the calling thread.
    func forWriting(_ library: SQLiteLibrary) throws -> SQLitePool {
        // First: already opening a file may copy its log back.
        let fileLock = try isInMemory ? nil : lock(library)
        let isShared =
            !isInMemory && library.version.mayDamageSharedLogs && sharing == .severalProcesses
        let writer: SQLiteQueue
        do {
            writer = try SQLiteQueue(
                path: path,
                configuration: configuration(isInMemory ? nil : isShared ? .truncate : .wal),
                library: library,
                // A file that is refused stays as it is, its journal included.
                check: { _ = try migrator.pending($0) }
            )
        } catch let error as SQLiteError where error.kind == .busy {
            // Where it could be read, and only its journal is not to be changed, it has a log that others use.
            let hasLog = isShared && error.sql?.contains("journal_mode") ?? false
            throw StoreError.unavailable(
                "\(path) was locked for \(busyTimeout) by another process or connection"
                    + (hasLog
                        ? "; one in WAL mode has to be closed there before it is shared, as SQLite "
                            + "\(library.version) may damage it (mended in 3.51.3)" : ""),
                .notApplied
            )
        }
        try migrator.migrate(writer)
        if isInMemory { return SQLitePool(path: path, writer: writer) }
        let file = SQLiteFile(path)
        let usesLog = try writer.runNow { try $0.usesLog() }
        return SQLitePool(
            path: path,
            writer: writer,
            watcher: writer,
            file: file,
            fileLock: fileLock,
            isShared: sharing == .severalProcesses || fileLock == nil,
            readers: usesLog && readers > 0 && file != nil
                ? SQLiteReaders(limit: readers) { reader(of: file, .readOnly, library) } : nil
        )
    }

    /// Keeps others from the file.
    ///
    /// Throws also for one with two names: its log and its journal are found by the name, so that who opens it by the
    /// other one has another log, and the file is damaged.
    private func lock(_ library: SQLiteLibrary) throws(StoreError) -> SQLiteFileLock? {
        if let file = SQLiteFile(path), !file.isDirectory, file.names > 1 {
            throw .unavailable(
                "\(path) has \(file.names) names (hard links), by each of which SQLite would give it a log "
                    + "of its own, which damages it: copy it, or remove the other names",
                .notApplied
            )
        }
        return try SQLiteFileLock(path, sharing, library.version, waiting: busyTimeout)
    }

    /// The first connection is opened at once, on the calling thread.
    func forReading(_ library: SQLiteLibrary) throws -> SQLitePool {
        let file = SQLiteFile(path)
        let first = SQLiteQueue(path: path) { [self] in
            try SQLiteConnection.reading(
                path: path,
                configuration: configuration(nil),
                library: library
            )
        }
        let access = try first.runNow { connection in
            try migrator.check(connection)
            return connection.configuration.access
        }
        let readers = SQLiteReaders(limit: isInMemory ? 1 : max(1, readers), queues: [first]) {
            reader(of: file, access, library)
        }
        let isShared = !isInMemory && sharing == .severalProcesses
        return SQLitePool(
            path: path,
            watcher: isShared ? reader(of: file, access, library) : nil,
            file: file,
            isShared: isShared,
            readers: readers
        )
    }

    private func reader(
        of file: SQLiteFile?,
        _ access: SQLiteConfiguration.Access,
        _ library: SQLiteLibrary
    ) -> SQLiteQueue {
        SQLiteQueue(path: path) { [self] in
            guard let file, file.isInPlace else {
                throw StoreError.unavailable("\(path) was moved or removed", .notApplied)
            }
            return try SQLiteConnection(
                path: path,
                file: file.path,
                configuration: configuration(nil, access),
                library: library
            )
        }
    }
}
