/// The copy of SQLite that a store works with.
///
/// Nothing of it is needed to build: on Linux the library is loaded when it is first used, as a
/// database driver is; on Apple platforms it is the system's.
///
/// ```swift
/// print(try SQLiteLibrary.system.version)  // 3.40.1
/// ```
///
/// Where nothing can be loaded, as in a program linked statically with musl, `init(functions:)` takes
/// the functions of a copy that is linked in.
public final class SQLiteLibrary: Sendable {
    /// The oldest version that works: what Red Hat Enterprise Linux 9 has.
    public static let minimumVersion = Version(major: 3, minor: 34, patch: 0)

    /// The version of the library that runs, which is not the one that anything was compiled with.
    public let version: Version

    package let functions: Functions

    /// Takes a copy of SQLite that is linked into the program.
    ///
    /// Throws `SQLiteLibraryError` if it is older than `minimumVersion` or was compiled without
    /// support for threads.
    public init(functions: Functions) throws {
        version = Version(number: functions.libversionNumber())
        self.functions = functions
        guard version >= Self.minimumVersion else {
            throw SQLiteLibraryError.tooOld(found: version, needed: Self.minimumVersion)
        }
        guard functions.threadsafe() != 0 else {
            throw SQLiteLibraryError.notThreadSafe
        }
    }

    /// The library of the system.
    ///
    /// It is looked up once; a failure is kept as well, so installing it takes effect at the next
    /// start of the program. Any thread may ask. Throws `SQLiteLibraryError`.
    public static var system: SQLiteLibrary {
        get throws { try loaded.get() }
    }

    private static let loaded = Result { try SQLiteLibrary(functions: .loadSystem()) }
}

extension SQLiteLibrary {
    /// A version of SQLite.
    ///
    /// ```swift
    /// if try SQLiteLibrary.system.version.mayDamageSharedLogs {
    ///     print("two processes must not write to one file in WAL mode")
    /// }
    /// ```
    public struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
        public let major: Int
        public let minor: Int
        public let patch: Int

        public init(major: Int, minor: Int, patch: Int) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        /// Reads the form of `sqlite3_libversion_number`: 3040001 is 3.40.1.
        init(number: Int32) {
            let number = Int(number)
            self.init(
                major: number / 1_000_000,
                minor: number / 1_000 % 1_000,
                patch: number % 1_000
            )
        }

        public static func < (left: Self, right: Self) -> Bool {
            (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
        }

        public var description: String { "\(major).\(minor).\(patch)" }

        /// Whether two connections that write to one file in WAL mode, or copy its log back, at one
        /// instant may damage it.
        ///
        /// The bug came with 3.7.0 and was mended in 3.51.3, 3.50.7 and 3.44.6
        /// (https://sqlite.org/wal.html, "The WAL-reset bug").
        public var mayDamageSharedLogs: Bool {
            switch (major, minor) {
            case (3, 44): patch < 6
            case (3, 50): patch < 7
            default: self < Version(major: 3, minor: 51, patch: 3)
            }
        }
    }
}
