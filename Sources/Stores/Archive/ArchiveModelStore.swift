public import ModelKitModels
public import ModelKitPromises

/// A store that keeps models in a few files, for data of an app that is read and written as a whole:
/// settings, drafts, favourites, caches.
///
/// ```swift
/// let drafts = try ArchiveModelStore(directory: "archives", group: "drafts")
/// try await drafts.create(person).value
/// try await drafts.group("sent").saveList(Person.self, people).value
/// ```
///
/// The models of a group, of whatever types, are in one file. It is written as a whole, so that a write
/// takes time for all of the group; writes that wait for another are written together. Whenever the
/// process or the machine stops, the file holds all of a write or nothing of it, and what a fulfilled
/// promise stands for is on the disk. The version before the last write is kept beside it. A damaged file is an error
/// and is left as it is, and so is one that is gone while the version before it is there:
/// `restorePreviousVersion` goes back to that. A file that is a symbolic link is followed when its group is
/// opened. Fields and types that an older or newer version of the app knows stay in the
/// file; a field that was added since has its default value.
///
/// One store of one process uses a directory at a time, with all its groups; others are refused until it
/// is closed, or gone with its last write. Promises are settled on a
/// queue of the group's own.
public final class ArchiveModelStore: RecordModelStore {
    public var records: any RecordStore { archive }
    public let session: StoreSession

    /// The name of the group.
    public let group: String

    let archive: ArchiveRecordStore
    private let directory: ArchiveDirectory

    /// Opens a directory, on the calling thread.
    ///
    /// - Parameters:
    ///   - directory: The path of the directory, which is made if there is none.
    ///   - group: The name of the group; any text that gives a file name of at most 200 bytes, in which
    ///     other characters than lower-case letters, digits and hyphens take three for each of theirs.
    ///   - events: What receives the events of the store, and of those of other groups made by it.
    /// - Throws: `.unavailable` for a directory that cannot be used, or is in use by another store or
    ///   process; `.unsupported` for a name that is too long.
    public convenience init(
        directory: String,
        group: String = "",
        events: StoreEvents? = nil
    ) throws(StoreError) {
        try self.init(ArchiveDirectory(path: directory), group, events)
    }

    private init(
        _ directory: ArchiveDirectory,
        _ group: String,
        _ events: StoreEvents?
    ) throws(StoreError) {
        session = StoreSession(events: events, ordersReads: true)
        self.directory = directory
        self.group = group
        archive = try directory.records(ofGroup: group)
        directory.add(session)
    }

    /// A store of another group in the same directory.
    ///
    /// Groups know nothing of each other. Each store has objects of its own for its models.
    public func group(_ name: String) throws(StoreError) -> ArchiveModelStore {
        try ArchiveModelStore(directory, name, session.events)
    }

    /// Ends the use of the directory, by all its groups, after everything that was asked for before;
    /// whatever is asked for later fails with `.unavailable`.
    ///
    /// Without it the directory is free when all stores of its groups are gone. The body of a transaction
    /// cannot end it.
    @discardableResult
    public func close() -> Promise<Void> { directory.close() }

    /// Forgets all models of a type and its subclasses; those in use stay as they are.
    ///
    /// To those of other types that lead to them by foreign keys happens what would if each was deleted by itself;
    /// where one needs them, nothing is done and it fails with `.validation`.
    @discardableResult
    public func deleteAll<M: Model>(_ type: M.Type) -> Promise<Void> {
        session.follow(records)
        return run(StoreEvent.Label(operation: .delete, type: M.schema.name)) { archive in
            archive.change { state in
                let schemas = ClassHierarchy(of: type).schemas
                // Nothing stays of it if it fails.
                var new = state
                let before = try schemas.map { try new.opened($0) }
                for table in before { new.put(table.emptied) }
                let effects = try new.makeEffects(ofMissing: before)
                state = new
                let changes = schemas.map { RecordChanges.Change(type: $0.name, identifier: nil) }
                return (schemas, RecordChanges(changes + effects))
            }
        } finish: { schemas, asked, session in
            for schema in schemas {
                session.leaveRelations(session.forgetAll(schema.modelType, asked: asked))
            }
        }
    }

    /// Forgets all models of the group.
    @discardableResult
    public func deleteAll() -> Promise<Void> {
        run(StoreEvent.Label(operation: .delete)) { archive in
            archive.change { state in
                state.removeAll()
                return ((), RecordChanges(state.changes))
            }
        } finish: {
            $2.leaveRelations($2.forgetAll(asked: $1))
        }
    }

    /// Goes back to what the file held before the last write, also where the file is damaged.
    ///
    /// What it held until then becomes the version before. Models in use stay as they are, and stand for
    /// no stored ones any more.
    @discardableResult
    public func restorePreviousVersion() -> Promise<Void> {
        run(StoreEvent.Label(operation: .restore)) { archive in
            archive.restorePrevious()
        } finish: {
            $2.leaveRelations($2.forgetAll(asked: $1))
        }
    }

    /// Makes one use of the store that comes after all writes that were asked for before.
    ///
    /// - Parameters:
    ///   - label: What it is called in events.
    ///   - start: Begins it, in its turn.
    ///   - finish: Notes what was done, which was asked for at a moment.
    /// - Returns: What that gives.
    func run<Found: Sendable, Value: Sendable>(
        _ label: StoreEvent.Label,
        _ start: @escaping @Sendable (ArchiveRecordStore) -> Promise<Found>,
        finish: @escaping @Sendable (Found, _ asked: UInt64, StoreSession) throws -> Value
    ) -> Promise<Value> {
        session.run(label, after: .everything(), deadline: deadline) { [archive, session] in
            let asked = session.now
            return .init(promise: start(archive)) { try finish($0, asked, session) }
        }
    }
}
