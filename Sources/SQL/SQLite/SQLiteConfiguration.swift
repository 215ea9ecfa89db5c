/// How a connection is opened.
///
/// ```swift
/// let reader = SQLiteConfiguration(access: .readOnly, busyTimeout: .seconds(1))
/// ```
package struct SQLiteConfiguration: Hashable, Sendable {
    package enum Access: Sendable {
        /// The file has to exist.
        case readOnly
        /// The same for a file beside which none can be made, and that nobody writes: its log is read
        /// without the index that others would share, and nothing is locked.
        case readAlone
        /// The same for a file that has no log.
        case immutable
        /// The file has to exist and to be writable.
        case readWrite
        /// The file is made if it does not exist; its directory is not.
        case create
    }

    package enum Journal: String, Sendable {
        case wal = "WAL"
        case truncate = "TRUNCATE"
    }

    package enum Synchronous: String, Sendable {
        /// In WAL mode a power cut may lose the last commits; the file stays intact.
        case normal = "NORMAL"
        /// A commit that returned survives a power cut.
        case full = "FULL"
    }

    package var access: Access
    /// How long to wait for a lock of another connection.
    package var busyTimeout: Duration
    /// Nil leaves the file as it is; a connection that only reads does so too.
    package var journal: Journal?
    package var synchronous: Synchronous
    /// How many compiled statements are kept.
    package var cachedStatements: Int

    package init(
        access: Access = .create,
        busyTimeout: Duration = .seconds(5),
        journal: Journal? = .wal,
        synchronous: Synchronous = .full,
        cachedStatements: Int = 64
    ) {
        self.access = access
        self.busyTimeout = busyTimeout
        self.journal = journal
        self.synchronous = synchronous
        self.cachedStatements = cachedStatements
    }

    var isReadOnly: Bool { [.readOnly, .readAlone, .immutable].contains(access) }

    /// The flags of `sqlite3_open_v2`.
    var flags: Int32 {
        // A connection is used by one thread at a time, so SQLite need not lock it at every call.
        let noMutex: Int32 = 0x8000
        return switch access {
        case .readOnly, .readAlone: noMutex | 0x1
        case .immutable: noMutex | 0x1 | 0x40  // The name is a URI.
        case .readWrite: noMutex | 0x2
        case .create: noMutex | 0x2 | 0x4
        }
    }

    /// The name of a file for `sqlite3_open_v2`.
    func name(of path: String) -> String {
        // One that starts with "file:" is a name here, never a URI.
        let name = path.hasPrefix("file:") ? "./" + path : path
        guard access == .immutable else { return name }
        let escapes: [Unicode.Scalar: String] = ["%": "%25", "?": "%3F", "#": "%23"]
        let escaped = name.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
        return "file:\(escaped)?immutable=1"
    }

    /// The part of SQLite that uses the system; nil for the usual one.
    var systemInterface: String? { access == .readAlone ? "unix-none" : nil }

    var busyMilliseconds: Int32 {
        busyTimeout < .seconds(Int32.max / 1000)
            ? Int32(max(0, busyTimeout / .milliseconds(1))) : .max
    }
}
