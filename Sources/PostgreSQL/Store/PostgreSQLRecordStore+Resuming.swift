import ModelKitPromises
import ModelKitStores

extension PostgreSQLRecordStore: ResumableRecords {
    /// Which log the database has, and, where there is one that is read, of which server and timeline: revisions that a
    /// restored server gives may have been given before, to other values.
    package func identity() -> Promise<String> {
        read { [self] connection in
            try tables.prepare(for: connection)
            let hasPlace = try log.mode != .portable && connection.saysPlace()
            func find() throws -> String? {
                let row = try connection.run(PostgreSQLStatement(log.identity(hasPlace: hasPlace)))
                guard row.rowCount > 0, let log = row.text(0, 0) else { return nil }
                if hasPlace && row.isNull(0, 1) {
                    throw StoreError.unsupported("a copy of a server has no identity of its own")
                }
                return row.text(0, 1).map { "\(log) of \($0)" } ?? log
            }
            if let identity = try find() { return identity }
            if !pool.options.isReadOnly {
                try connection.execute(log.beginning)
                if let identity = try find() { return identity }
            }
            throw StoreError.unsupported("the database has no identity, and is not to be written")
        }
    }
}
