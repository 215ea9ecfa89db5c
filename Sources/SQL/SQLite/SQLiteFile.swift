import ModelKitEssentials

/// A database file as the system has it, also where another file has its name by now.
struct SQLiteFile: Sendable {
    /// The whole path, without links.
    let path: String
    private let device: UInt64
    private let number: UInt64
    let isDirectory: Bool
    /// How many names it had when it was found.
    let names: Int

    /// Nil if there is none.
    init?(_ path: String) {
        guard let whole = realpath(path, nil) else { return nil }
        defer { free(whole) }
        self.path = String(cString: whole)
        // Of its bytes, which need not be UTF-8.
        guard let status = SQLiteFile.status(whole) else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        names = Int(status.st_nlink)
    }

    /// Whether it is still there, and no other in its place.
    var isInPlace: Bool {
        guard let status = SQLiteFile.status(path) else { return false }
        return UInt64(truncatingIfNeeded: status.st_dev) == device
            && UInt64(truncatingIfNeeded: status.st_ino) == number
    }

    /// Whether it is the same file, whatever the names.
    func isSame(as other: SQLiteFile) -> Bool { device == other.device && number == other.number }

    /// The size of the log beside it in bytes; 0 if there is none.
    var logSize: Int { SQLiteFile.status(path + "-wal").map { Int($0.st_size) } ?? 0 }

    private static func status(_ path: UnsafePointer<CChar>) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
