import ModelKitEssentials

extension SQLiteConnection {
    /// Opens a file that has to exist, for reading, also where nothing can be made beside it.
    ///
    /// A reader in WAL mode needs an index of the log, in a file that it may have to make. Where it
    /// cannot, nobody is taken to write: the log is read into memory, or the file alone, if there is none.
    /// So this is not for a file that the process itself writes. A file with a part of a transaction, whose writer
    /// has ended, is refused: who reads cannot undo it.
    static func reading(
        path: String,
        configuration: SQLiteConfiguration,
        library: SQLiteLibrary? = nil
    ) throws -> SQLiteConnection {
        var configuration = configuration
        configuration.access = .readOnly
        do {
            return try SQLiteConnection(path: path, configuration: configuration, library: library)
        } catch let error as SQLiteError where error.isOfPlace && !error.isOfProcess {
            guard let found = SQLiteFile(path) else { throw error }
            configuration.access = found.logSize > 0 ? .readAlone : .immutable
            return try SQLiteConnection(
                path: path,
                file: found.path,
                configuration: configuration,
                library: library
            )
        }
    }
}

extension SQLiteError {
    /// Whether a file beside the database could not be made or opened, which SQLite reports in other ways
    /// where the place is read-only for everybody and where it is for this user.
    fileprivate var isOfPlace: Bool {
        [.cantOpen, .readOnly, .permissionDenied].contains(kind) && !isUnfinished
    }

    /// Whether the file has to be written first, as its last writer ended in the middle of a transaction.
    var isUnfinished: Bool { extendedCode == Code.unfinished }

    /// Whether descriptors or memory have run out, which says nothing about the file.
    fileprivate var isOfProcess: Bool { [EMFILE, ENFILE, ENOMEM].contains(systemCode) }
}
