import Foundation
import ModelKitSQL
import TestSupport
import Testing

@Suite struct SQLiteLibraryTests {
    @Test func `the system's library is new enough and says its version`() throws {
        let version = try SQLiteLibrary.system.version
        expect(version >= SQLiteLibrary.minimumVersion)
        expect(version.major, equals: 3)
        expect(version.description.split(separator: ".").count, equals: 3)
    }

    @Test func `threads that ask at once get the same library`() async throws {
        let first = try SQLiteLibrary.system
        try await withThrowingTaskGroup(of: SQLiteLibrary.self) { group in
            for _ in 0..<32 { group.addTask { try SQLiteLibrary.system } }
            for try await library in group { expect(library === first) }
        }
    }

    #if !canImport(Darwin)
    @Test func `a missing library is an error that names the packages`() throws {
        let error = try #require(
            #expect(throws: SQLiteLibraryError.self) {
                try SQLiteLibrary(
                    functions: .init(loading: ["libmodelkit-none.so.7", "libmodelkit-none.so"])
                )
            }
        )
        guard case .notFound(let reason) = error else {
            Issue.record("\(error)")
            return
        }
        expect(reason.contains("libmodelkit-none.so.7"))
        expect(
            error.description.hasPrefix(
                "SQLite is not installed: install libsqlite3-0 on Debian and Ubuntu, sqlite-libs "
                    + "on Fedora"
            )
        )
        expect(error.localizedDescription, equals: error.description)
    }

    @Test func `the second name is tried when the first is missing`() throws {
        let library = try SQLiteLibrary(
            functions: .init(loading: ["libmodelkit-none.so", "libsqlite3.so.0"])
        )
        try expect(library.version, equals: SQLiteLibrary.system.version)
    }
    #endif

    #if canImport(Glibc)
    @Test func `a library without SQLite's functions is named together with the function`() {
        let error = #expect(throws: SQLiteLibraryError.self) {
            try SQLiteLibrary(functions: .init(loading: ["libc.so.6"]))
        }
        expect(
            error,
            equals: .symbolMissing("sqlite3_libversion_number", library: "libc.so.6")
        )
        expect(
            error?.description,
            equals: "libc.so.6 has no function sqlite3_libversion_number: it is not SQLite or one "
                + "older than \(SQLiteLibrary.minimumVersion)"
        )
    }

    @Test func `a library that is refused is let go`() throws {
        // A part of glibc that nothing uses.
        let name = "libBrokenLocale.so.1"
        #expect(throws: SQLiteLibraryError.self) {
            try SQLiteLibrary(functions: .init(loading: [name]))
        }
        expect(dlopen(name, RTLD_NOW | RTLD_NOLOAD), equals: nil)
        dlclose(try #require(dlopen(name, RTLD_NOW)))
    }
    #endif

    @Test func `a library that is too old says which version is needed`() throws {
        var functions = try SQLiteLibrary.system.functions
        functions.libversionNumber = { 3_007_017 }
        let error = #expect(throws: SQLiteLibraryError.self) {
            try SQLiteLibrary(functions: functions)
        }
        expect(error?.description, equals: "SQLite 3.7.17 is too old: 3.34.0 or newer is needed")
    }

    @Test func `a library without support for threads is refused`() throws {
        var functions = try SQLiteLibrary.system.functions
        functions.threadsafe = { 0 }
        #expect(throws: SQLiteLibraryError.notThreadSafe) {
            try SQLiteLibrary(functions: functions)
        }
    }

    @Test func `functions that are given are the ones that are called`() throws {
        var functions = try SQLiteLibrary.system.functions
        functions.libversionNumber = { 3_099_005 }
        let library = try SQLiteLibrary(functions: functions)
        expect(library.version, equals: SQLiteLibrary.Version(major: 3, minor: 99, patch: 5))
        let connection = try SQLiteConnection(path: ":memory:", library: library)
        try connection.execute("CREATE TABLE people (name TEXT)")
    }

    @Test func `versions compare by number`() {
        let old = SQLiteLibrary.Version(major: 3, minor: 9, patch: 12)
        let new = SQLiteLibrary.Version(major: 3, minor: 40, patch: 1)
        expect(old < new)
        expect(new.description, equals: "3.40.1")
    }
}
