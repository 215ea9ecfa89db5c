import ModelKitStores

extension StoreError {
    /// What a failure inside of a store means to who uses it.
    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as PostgreSQLError: self.init(error)
        case let error as PostgreSQLNotApplied: self.init(error.error, .notApplied)
        case is CancellationError: self = .cancelled(.notApplied)
        default: self = .unavailable("\(error)", .notApplied)
        }
    }

    /// The same of a failure before the end of a transaction, without which nothing of it is there.
    init(beforeCommit error: any Error) {
        switch error {
        case let error as PostgreSQLError where error.isLost: self.init(error, .notApplied)
        default: self.init(error)
        }
    }

    /// A failure of what may be lost, whose outcome is known otherwise.
    init(_ error: PostgreSQLError, _ outcome: Outcome) {
        self =
            error.kind == .timedOut
            ? .timedOut(outcome) : .unavailable(error.description, outcome)
    }

    private init(_ error: PostgreSQLError) {
        let text = error.description
        switch error.kind {
        case .authentication: self = .unauthorized(text)
        case .permissionDenied: self = .forbidden(text)
        case .connectionLost, .timedOut: self.init(error, error.isLost ? .unknown : .notApplied)
        case .cancelled: self = .cancelled(.notApplied)
        case .tooManyConnections, .cannotConnect, .serializationFailure, .deadlock, .lockTimeout,
            .diskFull, .outOfMemory:
            self = .unavailable(text, .notApplied)
        case .readOnly, .invalidText, .outOfRange, .tooLarge, .notSupported:
            self = .unsupported(text)
        case .dataCorrupted: self = .corrupt(text)
        case .uniqueViolation, .foreignKeyViolation, .notNullViolation, .checkViolation,
            .noSuchTable, .noSuchColumn, .noSuchDatabase, .datatypeMismatch, .other:
            self = .schema(text)
        }
    }
}

extension PostgreSQLError {
    /// Whether the server has given up the transaction for the sake of another one, so that it may succeed when it is
    /// tried again.
    ///
    /// That is so, too, of a statement that was compiled before somebody has changed a table.
    var isOfConcurrency: Bool {
        kind == .serializationFailure || kind == .deadlock || isStale || isOfCopiedLog
    }

    /// Whether the log has a row of a transaction of that number already, as it was copied from another server.
    var isOfCopiedLog: Bool {
        kind == .uniqueViolation && constraint == PostgreSQLLog.keyName
    }

    /// Whether a refusal is no reason to try it again, or to ask why.
    var isEnd: Bool {
        [.timedOut, .cancelled, .lockTimeout, .diskFull, .outOfMemory].contains(kind)
    }

    /// Whether the process has ended that was to do something, which may be why; a pooler reports by other codes that
    /// the server is away.
    var isOfProcess: Bool {
        sqlState.map { ["57P01", "57P02", "25P03"].contains($0) } ?? true
    }

    /// Whether nobody knows what the server has made of what was sent.
    var isLost: Bool {
        if !wasSent { return false }
        // What some servers say of a commit.
        if isFatal || ["08007", "40003"].contains(sqlState) { return true }
        // A pooler may report itself that its server is gone.
        return kind == .connectionLost || !isRefusal && kind == .timedOut
    }
}

/// The end of a connection before it has committed something, of which nothing is there.
struct PostgreSQLNotApplied: Error {
    let error: PostgreSQLError
}

/// What the body of a transaction has thrown, which is handed on as it is.
struct PostgreSQLBodyFailure: Error {
    let error: any Error
}
