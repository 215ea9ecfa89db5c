public import ModelKitEssentials

/// Why SQLite itself cannot be used.
///
/// ```swift
/// do {
///     _ = try SQLiteLibrary.system
/// } catch let error as SQLiteLibraryError {
///     print(error)  // says which package to install
/// }
/// ```
public enum SQLiteLibraryError: Error, Hashable, Sendable {
    /// There is none; the text is what the system said.
    case notFound(String)
    /// The library lacks a function, so it is something else or very old.
    case symbolMissing(String, library: String)
    /// The library is older than what this module needs.
    case tooOld(found: SQLiteLibrary.Version, needed: SQLiteLibrary.Version)
    /// It was compiled with `SQLITE_THREADSAFE=0`.
    case notThreadSafe
}

extension SQLiteLibraryError: CustomStringConvertible, LocalizedError {
    public var description: String {
        switch self {
        case .notFound(let reason):
            """
            SQLite is not installed: install libsqlite3-0 on Debian and Ubuntu, sqlite-libs on \
            Fedora, Red Hat and Amazon Linux, or give a linked copy to SQLiteLibrary(functions:) \
            (\(reason))
            """
        case .symbolMissing(let symbol, let library):
            """
            \(library) has no function \(symbol): it is not SQLite or one older than \
            \(SQLiteLibrary.minimumVersion)
            """
        case .tooOld(let found, let needed):
            "SQLite \(found) is too old: \(needed) or newer is needed"
        case .notThreadSafe:
            "this copy of SQLite was compiled without support for threads (SQLITE_THREADSAFE=0)"
        }
    }

    public var errorDescription: String? { description }
}
