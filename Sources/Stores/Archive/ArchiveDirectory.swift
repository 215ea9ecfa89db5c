import ModelKitFields

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A directory of archive files, which one store of one process has at a time.
///
/// The lock ends with the object, and with the process, however it ends.
// Safe: `groups` is guarded by the lock.
final class ArchiveDirectory: @unchecked Sendable {
    let path: String
    private let lockFile: Int32
    private let lock = Lock()
    private var groups: [String: Weak] = [:]

    private struct Weak {
        weak var records: ArchiveRecordStore?
    }

    init(path: String) throws(StoreError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true
            )
        } catch {
            throw .unavailable("\(path) cannot be made: \(error)", .notApplied)
        }
        do {
            lockFile = try FileSystem.lock("\(path)/.lock")
        } catch {
            throw .unavailable(
                error.isBusy
                    ? "\(path) is in use by another store or process" : error.description,
                .notApplied
            )
        }
        self.path = path
    }

    deinit { FileSystem.unlock(lockFile) }

    /// The records of a group: of one name always the same while somebody has them.
    func records(ofGroup group: String) throws(StoreError) -> ArchiveRecordStore {
        let file = try ArchiveFile(ofGroup: group, in: path)
        return lock.withLock {
            if let known = groups[file.path]?.records { return known }
            let records = ArchiveRecordStore(file, in: self)
            groups[file.path] = Weak(records: records)
            return records
        }
    }
}
