public import ModelKitEssentials

extension SQLiteError: CustomStringConvertible, LocalizedError {
    /// One line for a person, with the file first.
    public var description: String {
        let path = path ?? "SQLite"
        return switch kind {
        case .busy: "\(path) is locked by another process or connection"
        case .locked: "\(path) has a table that is in use: \(message)"
        case .corrupt: "\(path) is damaged: \(message)"
        case .notADatabase: "\(path) is not a database or is damaged: \(message)"
        case .full: "\(path) cannot grow: \(message)"
        case .ioError: "\(path) could not be read or written: \(systemReason ?? message)"
        case .constraint: "\(path) refused the change: \(message)"
        case .readOnly where isUnfinished:
            "\(path) has a part of a transaction whose writer ended; open it once for writing, which undoes it"
        case .readOnly: "\(path) is read-only: \(message)"
        case .cantOpen: "\(path) could not be opened: \(systemReason ?? message)"
        case .permissionDenied: "\(path) may not be used: \(message)"
        case .outOfMemory: "\(path) needs more memory than there is: \(message)"
        case .interrupted: "\(path): the work was interrupted"
        case .tooBig: "\(path) cannot take something so big: \(message)"
        case .schemaChanged: "\(path) was changed by another process meanwhile: \(message)"
        case .mismatch, .range, .misuse, .other: "\(path): \(message)\(statement)"
        }
    }

    public var errorDescription: String? { description }

    /// The beginning of the statement, on one line.
    private var statement: String {
        guard let sql else { return "" }
        let line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > 120 ? " (in \"\(line.prefix(120))…\")" : " (in \"\(line)\")"
    }

    private var systemReason: String? {
        switch systemCode {
        case 0: nil
        case ENOENT: "there is no such file or directory"
        case EACCES, EPERM: "permission denied"
        case EISDIR: "it is a directory"
        case ENOTDIR: "a part of the path is not a directory"
        case ENOSPC: "the disk is full"
        case EROFS: "the file system is read-only"
        case EMFILE, ENFILE: "too many files are open"
        default: "\(message) (errno \(systemCode))"
        }
    }
}
