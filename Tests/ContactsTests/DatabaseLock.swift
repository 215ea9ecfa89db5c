import Foundation
import ModelKitSQL

/// Holds a database as another program would that writes for long.
final class DatabaseLock {
    private let connection: SQLiteConnection

    init(_ path: String) throws {
        connection = try SQLiteConnection(path: path)
        try connection.execute("BEGIN EXCLUSIVE")
    }

    func release() { connection.close() }
}
