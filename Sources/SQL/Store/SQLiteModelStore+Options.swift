extension SQLiteModelStore {
    /// What a write that was made survives.
    ///
    /// ```swift
    /// let cache = try SQLiteModelStore(path: "cache.db", durability: .survivesProcessCrash)
    /// ```
    public enum Durability: Sendable, Hashable {
        /// Also that the power is cut: the disk is waited for at each write (about 0.1 ms on a fast one).
        case survivesPowerLoss
        /// That the program ends, however that may be.
        ///
        /// A power cut may lose the last writes; the file stays intact. Without WAL the disk is waited for
        /// all the same, as the file would not stay intact.
        case survivesProcessCrash
    }

    /// Whether a database is also written.
    ///
    /// ```swift
    /// let words = try SQLiteModelStore(path: "/usr/share/words.db", access: .readOnly)
    /// ```
    public enum Access: Sendable, Hashable {
        case readWrite
        /// The file has to exist; nothing is made in it, and a write fails with `.unsupported`.
        ///
        /// A type without a table has no models, and a field without a column has its default value. It
        /// takes no lock, and sees what others write; its live queries do with `sharing: .severalProcesses`,
        /// for which it has one connection more. Beside a file in WAL mode SQLite makes what it needs to read
        /// it; where it cannot, as in a directory that may not be written, nobody may write it meanwhile.
        case readOnly
    }

    /// Whether others may have the file open at the same time.
    ///
    /// SQLite 3.7.0 to 3.51.2 (but for 3.44.6 and 3.50.7) may damage a file in WAL mode when two
    /// connections write it, or copy its log back, at one instant. One store never does: only one of its
    /// connections writes. What the store does about others depends on the copy of SQLite that it works
    /// with, `SQLiteLibrary.system.version`. It can do nothing about other programs, such as the
    /// `sqlite3` shell: with one of those versions, do not have them write to a file that is in use.
    ///
    /// ```swift
    /// let store = try SQLiteModelStore(path: "shared.db", sharing: .severalProcesses)
    /// ```
    public enum Sharing: Sendable, Hashable {
        /// No other store writes it.
        ///
        /// With a version that has the bug, a second store, of this process or another, is refused with
        /// `.unavailable`, by a lock on a file beside this one (`-lock`, which stays). With later ones,
        /// stores wait for each other.
        case oneStore
        /// Stores of this and of other processes write it, too: all say so, and have the same version.
        ///
        /// With a version that has the bug, the file gets another journal in place of WAL, where a read
        /// waits for a write, and each write takes about twice as long; so does all writing for a backup,
        /// in other processes up to their busy timeouts. A file in WAL mode must not be open elsewhere
        /// while that is changed, or it is `.unavailable`.
        case severalProcesses
    }
}
