import ModelKitFields
import ModelKitSQL

/// A copy of SQLite that once does not open a file for reading, as when there is no descriptor left.
enum RefusedOpening {
    private static let lock = Lock()
    // Safe: only touched under the lock.
    nonisolated(unsafe) private static var paths: Set<String> = []

    /// Has the next opening of the file for reading fail.
    static func refuse(_ path: String) {
        lock.withLock { _ = paths.insert(path) }
    }

    static var functions: SQLiteLibrary.Functions {
        get throws {
            var functions = try SQLiteLibrary.system.functions
            functions.openV2 = { name, handle, flags, interface in
                guard let system = try? SQLiteLibrary.system.functions else { return 1 }
                let file = name.map { String(cString: $0) } ?? ""
                guard flags & 1 != 0, RefusedOpening.take(file) else {
                    return system.openV2(name, handle, flags, interface)
                }
                return system.openV2("/dev/null/none", handle, flags, interface)
            }
            return functions
        }
    }

    private static func take(_ file: String) -> Bool {
        lock.withLock {
            // It may come without links.
            guard let path = paths.first(where: file.hasSuffix) else { return false }
            paths.remove(path)
            return true
        }
    }
}
