public import ModelKitEssentials

/// Why libpq, PostgreSQL's client library, cannot be used.
///
/// ```swift
/// do {
///     _ = try PostgreSQLLibrary.system
/// } catch let error as PostgreSQLLibraryError {
///     print(error)  // says which package to install
/// }
/// ```
public enum PostgreSQLLibraryError: Error, Hashable, Sendable {
    /// There is none; the text is what the system said.
    case notFound(String)
    /// The library lacks a function, so it is something else or very old.
    case symbolMissing(String, library: String)
    /// The library is older than what this module needs.
    case tooOld(found: PostgreSQLLibrary.Version, needed: PostgreSQLLibrary.Version)
}

extension PostgreSQLLibraryError: CustomStringConvertible, LocalizedError {
    public var description: String {
        switch self {
        case .notFound(let reason):
            """
            PostgreSQL's client library is not installed: install libpq5 on Debian and Ubuntu, libpq on Fedora and \
            Red Hat and from Homebrew, postgresql-libs on Arch and Amazon Linux, or give a linked copy to \
            PostgreSQLLibrary(functions:) (\(reason))
            """
        case .symbolMissing(let symbol, let library):
            """
            \(library) has no function \(symbol): it is not libpq or one older than \
            \(PostgreSQLLibrary.minimumVersion)
            """
        case .tooOld(let found, let needed):
            "PostgreSQL's client library \(found) is too old: \(needed) or newer is needed"
        }
    }

    public var errorDescription: String? { description }
}
