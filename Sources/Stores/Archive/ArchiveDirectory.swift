import ModelKitFields
import ModelKitPromises
import ModelKitEssentials

/// A directory of archive files, which one store of one process has at a time.
///
/// The lock ends with the object, and with the process, however it ends.
final class ArchiveDirectory: Sendable {
    let path: String
    private let state: Guarded<State>

    private struct State {
        /// The descriptor that holds the lock; nil once it is closed.
        var lockFile: Int32?
        var isClosing = false
        var groups: [String: Weak<ArchiveRecordStore>] = [:]
        /// Those of the stores of all groups, whose writes may wait for others.
        var sessions: [Weak<StoreSession>] = []

        var records: [ArchiveRecordStore] { groups.values.compactMap(\.object) }
    }

    private struct Weak<Object: AnyObject & Sendable> {
        weak var object: Object?
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
            state = Guarded(State(lockFile: try FileSystem.lock("\(path)/.lock")))
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
        let known = state.withLock { $0.records }
        // It would wait for the transaction in whose body it is.
        if let refusal = known.lazy.compactMap(\.refusal).first { return .failed(refusal) }
        let (open, stores) = state.withLock { state in
            state.isClosing = true
            return (state.records, state.sessions.compactMap(\.object))
        }
        let closed = Promise<Void>.all(stores.map { $0.settled() })
            .then { _ in Promise<Void>.all(open.map { $0.close() }) }
        // Whoever waits for it may stop waiting.
        closed.observe { _ in self.unlock() }
        return closed.map { _ in }
    }

    private func unlock() {
        if let file = state.withLock({ $0.lockFile.take() }) { FileSystem.unlock(file) }
    }

    /// Notes a store, for as long as it lives.
    func add(_ session: StoreSession) {
        // Held until after the lock, as a weak reference may be read as the last one goes.
        let held = state.withLock { state in
            let held = state.sessions.compactMap(\.object)
            state.sessions.removeAll { $0.object == nil }
            state.sessions.append(Weak(object: session))
            return held
        }
        withExtendedLifetime(held) {}
    }

    /// The records of a group: of one name always the same while somebody has them.
    func records(ofGroup group: String) throws(StoreError) -> ArchiveRecordStore {
        let file = try ArchiveFile(ofGroup: group, in: path)
        return try state.withLock { (state) throws(StoreError) in
            if state.isClosing { throw .unavailable("\(path) was closed", .notApplied) }
            if let known = state.groups[file.path]?.object { return known }
            let records = ArchiveRecordStore(file, in: self)
            state.groups[file.path] = Weak(object: records)
            return records
        }
    }
}
