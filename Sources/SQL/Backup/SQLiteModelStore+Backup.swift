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
    /// they need; of a database in memory the store waits for it. Until it is done, the write-ahead log of
    /// the database grows by what is written.
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
        // A write may wait for another one of the same model.
        session.settled().observe { [sqlite] _ in
            sqlite.run(backup).observe { resolver.resolve($0) }
        }
        return promise
    }
}

extension SQLiteRecordStore {
    /// Runs a backup after every write that was asked for before.
    fileprivate func run(_ backup: SQLiteBackup) -> Promise<Void> {
        guard let file = pool.file else {
            return pool.write { connection in try backup.run(connection, nil) }
        }
        let library: Promise<SQLiteLibrary> =
            pool.isReadOnly
            ? pool.read(onWriter: false) { $0.library } : pool.write { $0.library }
        let path = pool.path
        return library.then { library in
            let (promise, resolver) = Promise<Void>.withResolvers()
            // Writing goes on.
            DispatchQueue(label: "ModelKitSQL backup of \(path)").async {
                resolver.resolve(
                    Result { try backup.run(of: path, file, library) }.mapError { StoreError($0) }
                )
            }
            return promise
        }
    }
}
