import ModelKitFields
import ModelKitPromises

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A directory of archive files, which one store of one process has at a time.
///
/// The lock ends with the object, and with the process, however it ends.
// Safe: the variables are guarded by the lock.
final class ArchiveDirectory: @unchecked Sendable {
    let path: String
    private let lock = Lock()
    /// The descriptor that holds the lock; nil once it is closed.
    private var lockFile: Int32?
    private var isClosing = false
    private var groups: [String: Weak] = [:]

    /// Those of the stores of all groups, whose writes may wait for others.
    private var sessions: [WeakSession] = []

    private struct Weak {
        weak var records: ArchiveRecordStore?
    }

    private struct WeakSession {
        weak var session: StoreSession?
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

    deinit { unlock() }

    /// Gives the lock back after everything that was asked for before.
    func close() -> Promise<Void> {
        let known = lock.withLock { groups.values.compactMap(\.records) }
        // It would wait for the transaction in whose body it is.
        if let refusal = known.lazy.compactMap(\.refusal).first { return .failed(refusal) }
        let (open, stores) = lock.withLock { () -> ([ArchiveRecordStore], [StoreSession]) in
            isClosing = true
            return (groups.values.compactMap(\.records), sessions.compactMap(\.session))
        }
        let closed = Promise<Void>.all(stores.map { $0.settled() })
            .then { _ in Promise<Void>.all(open.map { $0.close() }) }
        // Whoever waits for it may stop waiting.
        closed.observe { _ in self.unlock() }
        return closed.map { _ in }
    }

    private func unlock() {
        if let file = lock.withLock({ lockFile.take() }) { FileSystem.unlock(file) }
    }

    /// Notes a store, for as long as it lives.
    func add(_ session: StoreSession) {
        // Held until after the lock, as a weak reference may be read as the last one goes.
        let held = lock.withLock { () -> [StoreSession] in
            let held = sessions.compactMap(\.session)
            sessions.removeAll { $0.session == nil }
            sessions.append(WeakSession(session: session))
            return held
        }
        withExtendedLifetime(held) {}
    }

    /// The records of a group: of one name always the same while somebody has them.
    func records(ofGroup group: String) throws(StoreError) -> ArchiveRecordStore {
        let file = try ArchiveFile(ofGroup: group, in: path)
        lock.lock()
        defer { lock.unlock() }
        if isClosing { throw .unavailable("\(path) was closed", .notApplied) }
        if let known = groups[file.path]?.records { return known }
        let records = ArchiveRecordStore(file, in: self)
        groups[file.path] = Weak(records: records)
        return records
    }
}
