extension PostgreSQLError {
    /// What went wrong, as far as a store distinguishes it.
    package enum Kind: Hashable, Sendable {
        /// The connection has ended, or was given up.
        case connectionLost
        /// There is no server, or it takes no connections now.
        case cannotConnect
        case tooManyConnections
        /// Who connects is not known or not trusted, or the server is not.
        case authentication
        case noSuchDatabase
        case timedOut
        case cancelled

        case uniqueViolation
        case foreignKeyViolation
        case notNullViolation
        case checkViolation
        case serializationFailure
        case deadlock
        case lockTimeout

        case permissionDenied
        case readOnly
        /// There is no such table or schema.
        case noSuchTable
        case noSuchColumn
        case datatypeMismatch
        /// What is no text of the encoding, or none of the type.
        case invalidText
        case outOfRange
        /// A row, an entry of an index or a statement exceeds a limit of the server.
        case tooLarge
        case notSupported
        case diskFull
        case outOfMemory
        case dataCorrupted
        case other

        /// - Parameter sqlState: A code of Appendix A of PostgreSQL's documentation.
        package init(sqlState: String?) {
            guard let sqlState else {
                self = .connectionLost
                return
            }
            self =
                Self.states[sqlState] ?? Self.classes[String(sqlState.prefix(2))] ?? .other
        }

        private static let states: [String: Kind] = [
            "22001": .tooLarge, "22003": .outOfRange, "22008": .outOfRange, "22021": .invalidText,
            "22P02": .invalidText, "22P03": .invalidText, "22P05": .invalidText,
            "23502": .notNullViolation, "23503": .foreignKeyViolation, "23505": .uniqueViolation,
            "23514": .checkViolation, "25006": .readOnly, "25P03": .connectionLost,
            "3D000": .noSuchDatabase, "3F000": .noSuchTable, "40001": .serializationFailure,
            "40003": .connectionLost, "40P01": .deadlock, "42501": .permissionDenied,
            "42703": .noSuchColumn,
            "42804": .datatypeMismatch, "42P01": .noSuchTable, "53100": .diskFull,
            "53200": .outOfMemory, "53300": .tooManyConnections, "55P03": .lockTimeout,
            "57014": .cancelled, "57P01": .connectionLost, "57P02": .connectionLost,
            "57P03": .cannotConnect, "57P04": .noSuchDatabase, "57P05": .connectionLost,
            "XX001": .dataCorrupted, "XX002": .dataCorrupted,
        ]

        private static let classes: [String: Kind] = [
            "08": .connectionLost, "0A": .notSupported, "28": .authentication, "54": .tooLarge,
        ]
    }
}
