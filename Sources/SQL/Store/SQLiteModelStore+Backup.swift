import Dispatch
public import ModelKitStores

extension SQLiteModelStore {
    /// Copies the database to another file while it is in use.
    ///
    /// ```swift
    /// try await store.backup(to: "people backup.db").value
    /// ```
    ///
    /// The copy has everything whose writing was asked for before, and nothing of what is written
    /// meanwhile by halves. It is written beside the target, is on the disk when the promise is
    /// fulfilled, and takes the target's place at once: whatever happens, there is the file of before or
    /// the new one, whole. A process that is killed meanwhile leaves a file that ends in `.partial`.
    ///
    /// It costs about what writing all records anew would, on a thread of its own, and as much room as
    /// they need; until it is done, the write-ahead log of the database grows by what is written. Where
    /// there is no such log, in memory and in a file that is shared as ``Sharing/severalProcesses`` says,
    /// the store waits for it, and writes of other processes fail when their busy timeout is over.
    /// Closing the store waits for it, too.
    ///
    /// The directory of the target has to exist. A file that is there is replaced; not if it is this
    /// database, or one that is in use, which is an error. Cancelling stops it, and the promise fails with
    /// `.cancelled` when nothing is left of the copy.
    @discardableResult
    public func backup(to path: String) -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.withResolvers()
        let backup = SQLiteBackup(to: path)
        resolver.whenCancelled {
            backup.cancel()
            return nil
        }
        let backups = sqlite.pool.backups
        backups.enter()
        // A write may wait for another one of the same model.
        session.settled().then { [sqlite] in sqlite.run(backup) }.observe { result in
            // Before the promise is settled: its handlers may wait until the store is closed.
            backups.leave()
            resolver.resolve(result)
        }
        return promise
    }

    /// Copies the database to another file while it is in use; see the form that gives a promise.
    public nonisolated(nonsending) func backup(to path: String) async throws {
        let promise: Promise<Void> = backup(to: path)
        try await promise.value
    }
}

extension SQLiteRecordStore {
    /// Runs a backup after every write that was asked for before.
    fileprivate func run(_ backup: SQLiteBackup) -> Promise<Void> {
        let (file, isReadOnly) = (pool.file, pool.isReadOnly)
        // What it needs to open a connection of its own.
        typealias Source = (library: SQLiteLibrary, access: SQLiteConfiguration.Access)
        let begin = { @Sendable (connection: SQLiteConnection) throws -> Source? in
            if !isReadOnly, try file == nil || !connection.usesLog() {
                // Another connection would keep this one from writing until its busy timeout is over.
                try backup.run(connection, file)
                return nil
            }
            return (
                connection.library,
                isReadOnly ? connection.configuration.access : .readOnly
            )
        }
        let source = isReadOnly ? pool.read(onWriter: false, begin) : pool.write(begin)
        let path = pool.path
        return source.then { source in
            guard let source else { return .value(()) }
            let (promise, resolver) = Promise<Void>.withResolvers()
            // Writing goes on.
            DispatchQueue(label: "ModelKitSQL backup of \(path)").async {
                resolver.resolve(
                    Result { try backup.run(of: path, file, source.library, source.access) }
                        .mapError { StoreError($0) }
                )
            }
            return promise
        }
    }
}
