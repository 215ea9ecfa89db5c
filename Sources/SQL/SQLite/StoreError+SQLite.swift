import ModelKitStores

extension StoreError {
    /// What a failure inside of a store means to who uses it.
    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as SQLiteError: self.init(error)
        default: self = .unavailable("\(error)", .notApplied)
        }
    }

    private init(_ error: SQLiteError) {
        let text = error.description
        switch error.kind {
        case .notADatabase, .corrupt: self = .corrupt(text)
        // Only what was stored is read as JSON.
        case .other where error.message == "malformed JSON": self = .corrupt(text)
        case .ioError, .full:
            // A commit that failed may be on the disk all the same.
            let isCommit = error.sql == "COMMIT" && error.kind == .ioError
            self = .unavailable(text, isCommit ? .unknown : .notApplied)
        case .tooBig, .mismatch, .range: self = .unsupported(text)
        case .constraint, .schemaChanged, .other: self = .schema(text)
        // Only reads are interrupted, when they are cancelled.
        case .interrupted: self = .cancelled(.notApplied)
        case .busy, .locked, .readOnly, .cantOpen, .permissionDenied, .outOfMemory:
            self = .unavailable(text, .notApplied)
        case .misuse:
            // Above all a closed file, where the statement says nothing.
            self = .unavailable("\(error.path ?? "SQLite"): \(error.message)", .notApplied)
        }
    }
}

extension SQLiteError {
    /// Whether what need not be written at once can be written at another time.
    var leavesWorkForLater: Bool { [.readOnly, .busy, .locked, .full].contains(kind) }

    /// Whether a constraint of the table has refused what was to be written.
    var isOfConstraint: Bool { if case .constraint = kind { true } else { false } }
}
