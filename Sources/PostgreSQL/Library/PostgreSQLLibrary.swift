/// The copy of libpq, PostgreSQL's client library, that stores work with.
///
/// Nothing of it is needed to build: the library is loaded when it is first used, as a database driver is.
///
/// ```swift
/// print(try PostgreSQLLibrary.system.version)  // 15.18
/// ```
///
/// Where nothing can be loaded, as in a program linked statically with musl, `init(functions:)` takes
/// the functions of a copy that is linked in.
public final class PostgreSQLLibrary: Sendable {
    /// The oldest version that works: the first with pipelines.
    public static let minimumVersion = Version(major: 14, minor: 0)

    /// The version of the library that runs; that of the server may be another.
    public let version: Version

    package let functions: Functions

    /// Takes a copy of libpq that is linked into the program.
    ///
    /// Throws `PostgreSQLLibraryError` if it is older than `minimumVersion`.
    public init(functions: Functions) throws {
        version = Version(number: functions.libVersion())
        self.functions = functions
        guard version >= Self.minimumVersion else {
            throw PostgreSQLLibraryError.tooOld(found: version, needed: Self.minimumVersion)
        }
    }

    /// The library of the system.
    ///
    /// It is looked up once; a failure is kept as well, so installing it takes effect at the next
    /// start of the program. Any thread may ask. Throws `PostgreSQLLibraryError`.
    public static var system: PostgreSQLLibrary {
        get throws { try loaded.get() }
    }

    private static let loaded = Result {
        try PostgreSQLLibrary(functions: Functions(loading: Functions.systemNames))
    }
}

extension PostgreSQLLibrary {
    /// A version of libpq or of a server.
    ///
    /// ```swift
    /// let isNew = try PostgreSQLLibrary.system.version >= .init(major: 17, minor: 0)
    /// ```
    public struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
        public let major: Int
        public let minor: Int

        public init(major: Int, minor: Int) {
            (self.major, self.minor) = (major, minor)
        }

        /// Reads the form of `PQlibVersion`: 150018 is 15.18.
        init(number: Int32) {
            self.init(major: Int(number / 10_000), minor: Int(number % 10_000))
        }

        public static func < (left: Self, right: Self) -> Bool {
            (left.major, left.minor) < (right.major, right.minor)
        }

        public var description: String { "\(major).\(minor)" }
    }
}
