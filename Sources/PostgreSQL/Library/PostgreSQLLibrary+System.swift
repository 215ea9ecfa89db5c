import ModelKitSQL

extension PostgreSQLLibrary.Functions {
    /// Where the library is looked for.
    package static var systemNames: [String] {
        #if canImport(Darwin)
        let folders = [
            "", "/opt/homebrew/opt/libpq/lib/", "/usr/local/opt/libpq/lib/", "/opt/homebrew/lib/",
            "/usr/local/lib/", "/Applications/Postgres.app/Contents/Versions/latest/lib/",
        ]
        return folders.map { $0 + "libpq.5.dylib" }
        #else
        return ["libpq.so.5", "libpq.so"]
        #endif
    }

    /// Loads the first of the libraries that can be found, for good, as the pointers are kept.
    package init(loading names: [String]) throws {
        self = try DynamicLibrary.load(names) { library throws(PostgreSQLLibraryError) in
            try Self(named: library.name, address: library.address)
        } notFound: {
            PostgreSQLLibraryError.notFound($0)
        }
    }
}
