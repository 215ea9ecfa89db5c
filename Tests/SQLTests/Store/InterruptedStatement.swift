import ModelKitFields
import ModelKitSQL

/// A copy of SQLite in which a statement is interrupted, as by a cancellation that comes at just that
/// moment.
enum InterruptedStatement {
    private struct Plan {
        let path: String
        let start: String
        var skipped: Int
    }

    private struct State {
        var plans: [Plan] = []
        var files: [OpaquePointer: String] = [:]
        var statements: [OpaquePointer: (file: String, sql: String)] = [:]
    }

    private static let lock = Lock()
    // Safe: only touched under the lock.
    nonisolated(unsafe) private static var state = State()

    /// Has the next statement that starts with a text fail as interrupted, or one after it.
    static func interrupt(_ start: String, of path: String, skipping skipped: Int = 0) {
        lock.withLock { state.plans.append(Plan(path: path, start: start, skipped: skipped)) }
    }

    /// Whether all of them were interrupted.
    static func isDone(_ path: String) -> Bool {
        lock.withLock { !state.plans.contains { $0.path == path } }
    }

    static var library: SQLiteLibrary {
        get throws {
            var functions = try SQLiteLibrary.system.functions
            functions.openV2 = { name, handle, flags, interface in
                guard let system = try? SQLiteLibrary.system.functions else { return 1 }
                let code = system.openV2(name, handle, flags, interface)
                if let name, let pointer = handle?.pointee {
                    InterruptedStatement.note(pointer, file: String(cString: name))
                }
                return code
            }
            functions.prepareV3 = { database, sql, length, flags, statement, end in
                guard let system = try? SQLiteLibrary.system.functions else { return 1 }
                let code = system.prepareV3(database, sql, length, flags, statement, end)
                if let database, let sql, let pointer = statement?.pointee {
                    InterruptedStatement.note(pointer, of: database, sql: String(cString: sql))
                }
                return code
            }
            functions.step = { statement in
                guard let system = try? SQLiteLibrary.system.functions else { return 1 }
                if let statement, InterruptedStatement.take(statement) { return 9 }
                return system.step(statement)
            }
            return try SQLiteLibrary(functions: functions)
        }
    }

    private static func note(_ database: OpaquePointer, file: String) {
        lock.withLock { state.files[database] = file }
    }

    private static func note(_ statement: OpaquePointer, of database: OpaquePointer, sql: String) {
        lock.withLock { state.statements[statement] = (state.files[database] ?? "", sql) }
    }

    private static func take(_ statement: OpaquePointer) -> Bool {
        lock.withLock {
            guard let (file, sql) = state.statements[statement] else { return false }
            // It may come without links.
            let index = state.plans.firstIndex {
                file.hasSuffix($0.path) && sql.hasPrefix($0.start)
            }
            guard let index else { return false }
            state.plans[index].skipped -= 1
            if state.plans[index].skipped >= 0 { return false }
            state.plans.remove(at: index)
            return true
        }
    }
}
