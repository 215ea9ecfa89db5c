extension PostgreSQLConnection {
    /// So many rows are in a part of an answer.
    private static let mostRows: Int32 = 1_000

    /// Runs a statement, as a transaction of its own if none is open, and makes a value of its rows: where libpq is 17 or
    /// newer, of some of them as soon as they are there, which are not kept; else of all at once.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - most: How many rows it has at most, if that is known: parts of a few would only take longer.
    ///   - initial: That of no rows, with which it begins again if the statement has to be compiled again.
    ///   - add: Adds rows, and uses nothing of the connection. After it has thrown it is not called again.
    /// - Returns: The value.
    /// - Throws: Why the server has not given all rows; or what the closure has thrown.
    package func reduce<Value>(
        _ statement: PostgreSQLStatement,
        ofAtMost most: Int? = nil,
        into initial: Value,
        _ add: (inout Value, PostgreSQLResult) throws -> Void
    ) throws -> Value {
        let isLong = most ?? .max > Self.mostRows
        return try compilingAgain([statement]) { () throws(PostgreSQLError) in
            var (value, failure) = (initial, (any Error)?.none)
            try end(begin([statement]), inPartsOf: isLong ? Self.mostRows : nil) { rows in
                if failure != nil { return }
                do { try add(&value, rows) } catch { failure = error }
            }
            return failure.map { .failure($0) } ?? Result.success(value)
        }
        .get()
    }
}
