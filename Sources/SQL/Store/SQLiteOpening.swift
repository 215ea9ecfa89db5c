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
    func forWriting(_ library: SQLiteLibrary) throws -> SQLitePool.Parts {
        if isInMemory {
            let queue = try SQLiteQueue(
                path: path,
                configuration: configuration(nil),
                library: library
            )
            try migrator.migrate(queue)
            return SQLitePool.Parts(path: path, writer: queue)
        }
        try checkNames()
        // First: already opening a file may copy its log back.
        let fileLock = try SQLiteFileLock(
            path,
            sharing,
            library.version,
            waiting: busyTimeout
        )
        let isShared = library.version.mayDamageSharedLogs && sharing == .severalProcesses
        let writer: SQLiteQueue
        do {
            writer = try SQLiteQueue(
                path: path,
                configuration: configuration(isShared ? .truncate : .wal),
                library: library,
                // A file that is refused stays as it is, its journal included.
                check: { _ = try migrator.pending($0) }
            )
        } catch let error as SQLiteError where isShared && error.kind == .busy {
            throw StoreError.unavailable(
                "\(error); one in WAL mode has to be closed there before it is shared, as SQLite "
                    + "\(library.version) may damage it (mended in 3.51.3)",
                .notApplied
            )
        }
        try migrator.migrate(writer)
        let usesLog = try writer.runNow { try $0.usesLog() }
        var parts = SQLitePool.Parts(path: path, writer: writer)
        parts.file = SQLiteFile(path)
        parts.fileLock = fileLock
        parts.isShared = sharing == .severalProcesses || fileLock == nil
        if usesLog, readers > 0, let file = parts.file {
            parts.readers = SQLiteReaders(limit: readers) { reader(of: file, .readOnly, library) }
        }
        return parts
    }

    /// Throws for a file with two names: its log and its journal are found by the name, so that who opens it
    /// by the other one has another log, and the file is damaged.
    private func checkNames() throws(StoreError) {
        guard let file = SQLiteFile(path), !file.isDirectory, file.names > 1 else { return }
        throw .unavailable(
            "\(path) has \(file.names) names (hard links), by each of which SQLite would give it a log "
                + "of its own, which damages it: copy it, or remove the other names",
            .notApplied
        )
    }

    /// The first connection is opened at once, on the calling thread.
    func forReading(_ library: SQLiteLibrary) throws -> SQLitePool.Parts {
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
        return SQLitePool.Parts(path: path, readers: readers, file: file)
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
