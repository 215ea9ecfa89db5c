import Foundation
import ModelKitPostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLLibraryTests {
    @Test func `the system's library is new enough and says its version`() throws {
        let version = try PostgreSQLLibrary.system.version
        expect(version >= PostgreSQLLibrary.minimumVersion)
        expect(version.description, equals: "\(version.major).\(version.minor)")
    }

    @Test func `what came with version 17 is found from that on`() throws {
        let library = try PostgreSQLLibrary.system
        let isNew = library.version.major >= 17
        expect(library.functions.setChunkedRowsMode != nil, equals: isNew)
        expect(library.functions.cancelling != nil, equals: isNew)
        // By `.ci/newer-libpq`.
        guard let least = ProcessInfo.processInfo.environment["MODELKIT_LIBPQ"] else { return }
        expect(library.version.major >= Int(least) ?? 0)
    }

    @Test func `threads that ask at once get the same library`() async throws {
        let first = try PostgreSQLLibrary.system
        try await withThrowingTaskGroup(of: PostgreSQLLibrary.self) { group in
            for _ in 0..<32 { group.addTask { try PostgreSQLLibrary.system } }
            for try await library in group { expect(library === first) }
        }
    }

    @Test func `a library that is too old says which version is needed`() throws {
        var functions = try PostgreSQLLibrary.system.functions
        functions.libVersion = { 130_014 }
        let error = #expect(throws: PostgreSQLLibraryError.self) {
            try PostgreSQLLibrary(functions: functions)
        }
        expect(
            error?.description,
            equals: "PostgreSQL's client library 13.14 is too old: 14.0 or newer is needed"
        )
    }

    @Test func `functions that are given are the ones that are called`() throws {
        var functions = try PostgreSQLLibrary.system.functions
        functions.libVersion = { 990_005 }
        let library = try PostgreSQLLibrary(functions: functions)
        expect(library.version, equals: PostgreSQLLibrary.Version(major: 99, minor: 5))
    }
}

@Suite struct PostgreSQLMissingLibraryTests {
    @Test func `a missing library is an error that names the packages`() throws {
        let error = try #require(
            #expect(throws: PostgreSQLLibraryError.self) {
                try PostgreSQLLibrary.Functions(loading: [
                    "libmodelkit-none.so.7", "libmodelkit-no.so",
                ])
            }
        )
        guard case .notFound(let reason) = error else {
            Issue.record("\(error)")
            return
        }
        for part in ["libmodelkit-none.so.7", "libmodelkit-no.so"] { expect(reason.contains(part)) }
        for package in ["libpq5", "libpq on Fedora", "postgresql-libs"] {
            expect(error.description.contains(package), package)
        }
        expect(error.localizedDescription, equals: error.description)
    }

    @Test func `a function without an address is named`() {
        let error = #expect(throws: PostgreSQLLibraryError.self) {
            try PostgreSQLLibrary.Functions { _ in nil }
        }
        expect(
            error?.description,
            equals: "the copy of libpq has no function PQlibVersion: it is not libpq or one older "
                + "than 14.0"
        )
    }

    #if canImport(Glibc)
    @Test func `a library without libpq's functions is named together with the function`() {
        let error = #expect(throws: PostgreSQLLibraryError.self) {
            try PostgreSQLLibrary.Functions(loading: ["libc.so.6"])
        }
        expect(error, equals: .symbolMissing("PQlibVersion", library: "libc.so.6"))
    }
    #endif
}
