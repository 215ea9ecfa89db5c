#if os(Linux)
import Foundation
import ModelKitFields
import TestSupport

/// What SQLite itself counts of the statements of one file (`sqlite3_stmt_status`): for tests that ask what a store
/// has run, without asking the store.
///
/// A connection is followed from its opening on, whoever opens it in this process.
enum SQLiteCounters {
    /// A statement that has ended.
    struct Run {
        let sql: String
        /// How many operations of SQLite's virtual machine it took.
        let steps: Int
    }

    private typealias Callback =
        @convention(c) (
            UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> Int32
    private typealias Opening =
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeRawPointer?) -> Int32
    private typealias Text = UnsafePointer<CChar>

    // Safe: functions of a library that stays loaded.
    private struct Library: @unchecked Sendable {
        let extend: @convention(c) (Opening) -> Int32
        let trace: @convention(c) (OpaquePointer?, UInt32, Callback?, UnsafeRawPointer?) -> Int32
        let name: @convention(c) (OpaquePointer?, Text?) -> Text?
        let status: @convention(c) (OpaquePointer?, Int32, Int32) -> Int32
        let sql: @convention(c) (OpaquePointer?) -> Text?
        let database: @convention(c) (OpaquePointer?) -> OpaquePointer?

        init?() {
            guard let library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL),
                let extend = dlsym(library, "sqlite3_auto_extension"),
                let trace = dlsym(library, "sqlite3_trace_v2"),
                let name = dlsym(library, "sqlite3_db_filename"),
                let status = dlsym(library, "sqlite3_stmt_status"),
                let sql = dlsym(library, "sqlite3_sql"),
                let database = dlsym(library, "sqlite3_db_handle")
            else { return nil }
            // Each has the type of the library's header.
            self.extend = unsafeBitCast(extend, to: (@convention(c) (Opening) -> Int32).self)
            self.trace = unsafeBitCast(
                trace,
                to: (@convention(c) (OpaquePointer?, UInt32, Callback?, UnsafeRawPointer?) -> Int32)
                    .self
            )
            self.name = unsafeBitCast(
                name,
                to: (@convention(c) (OpaquePointer?, Text?) -> Text?).self
            )
            self.status = unsafeBitCast(
                status,
                to: (@convention(c) (OpaquePointer?, Int32, Int32) -> Int32).self
            )
            self.sql = unsafeBitCast(sql, to: (@convention(c) (OpaquePointer?) -> Text?).self)
            self.database = unsafeBitCast(
                database,
                to: (@convention(c) (OpaquePointer?) -> OpaquePointer?).self
            )
        }
    }

    private static let library = Library()
    private static let runs = Guarded<[String: [Run]]>([:])
    private static let isWatching = library?.extend { connection, _, _ in
        guard let library = SQLiteCounters.library,
            let file = library.name(connection, "main"),
            SQLiteCounters.runs.withLock({ $0[String(cString: file)] != nil })
        else { return 0 }
        // SQLITE_TRACE_PROFILE: when a statement ends.
        return library.trace(
            connection,
            0x02,
            { event, _, statement, _ in SQLiteCounters.note(event, statement) },
            nil
        )
    }

    private static func note(_ event: UInt32, _ statement: UnsafeMutableRawPointer?) -> Int32 {
        guard let library, event == 0x02, let statement else { return 0 }
        let handle = OpaquePointer(statement)
        guard let file = library.name(library.database(handle), "main"),
            let sql = library.sql(handle)
        else { return 0 }
        // SQLITE_STMTSTATUS_VM_STEP, set back to zero.
        let run = Run(sql: String(cString: sql), steps: Int(library.status(handle, 4, 1)))
        runs.withLock { $0[String(cString: file)]?.append(run) }
        return 0
    }

    /// Begins to count for a file, before its first connection is opened.
    static func watch(_ path: String) {
        expect(isWatching, equals: 0)
        runs.withLock { $0[path] = [] }
    }

    /// What has ended since the last call.
    static func take(_ path: String) -> [Run] {
        runs.withLock { runs in
            defer { runs[path] = [] }
            return runs[path] ?? []
        }
    }
}
#endif
