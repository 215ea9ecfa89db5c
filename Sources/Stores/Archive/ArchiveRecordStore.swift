import Dispatch
public import ModelKitModels
public import ModelKitPromises

/// The records of one group of an archive.
///
/// ```swift
/// let store = try ArchiveModelStore(directory: "archives", group: "drafts")
/// let records = try await store.records.fetch(RecordQuery(limit: 10), of: Person.schema).value
/// ```
///
/// The file is read at the first use, and written as a whole by each write; writes that wait are
/// written together. All work is done on a queue of the group's own, where promises are settled.
public final class ArchiveRecordStore: RecordStore {
    private let file: ArchiveFile
    /// Keeps the lock of the directory.
    private let directory: ArchiveDirectory
    private let queue: DispatchQueue

    /// Used in blocks of `queue` alone, which is serial.
    private let state = Guarded(State())
    private let observers = RecordObservers()
    private let body = TransactionBody()

    private struct State: Sendable {
        /// What is on the disk; nil before it was read, and when that is in doubt.
        var records: ArchiveState?
        var waiting: [Change] = []
        var isClosed = false
    }

    private struct Change: Sendable {
        /// Makes the change, and returns what it was.
        let apply: @Sendable (inout ArchiveState) throws -> RecordChanges
        /// Reports that it is on the disk, or why not.
        let finish: @Sendable ((any Error)?) -> Void
    }

    init(_ file: ArchiveFile, in directory: ArchiveDirectory) {
        self.file = file
        self.directory = directory
        queue = DispatchQueue(label: "ModelKit archive \(file.path)")
        // The directory is this store's as long as that is under way.
        queue.async { [self] in self.file.sweep() }
    }

    public func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        if writes.isEmpty { return .value([]) }
        return change { (state) throws(StoreError) in
            let made = try state.apply(writes)
            return (made.receipts, made.changes)
        }
    }

    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        change { [self] state in
            let (result, after, changes) = try self.body.run {
                try TablesTransaction.run(state, body)
            }
            state = after
            return (result, changes)
        }
    }

    public func observeChanges(
        _ handler: @escaping @Sendable (RecordChanges) -> Void
    ) -> RecordObservation? {
        observers.add(handler)
    }

    public func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        read { (state) throws(StoreError) in
            try state.answer(query, of: schema)
        }
    }

    public func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        read { (state) throws(StoreError) in try state.table(of: schema)[identifier] }
    }

    /// Reads what is on the disk.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (inout ArchiveState) throws(StoreError) -> Value
    ) -> Promise<Value> {
        if let refusal { return .failed(refusal) }
        let (promise, resolver) = Promise<Value>.withResolvers()
        let gate = CancellationGate()
        gate.decide(resolver)
        queue.async { [self] in
            // What was asked for before is read.
            writeWaiting()
            if !gate.begin() { return }
            resolver.resolve(
                Result {
                    var records = try loaded()
                    // Taken out, as a copy would be made otherwise of what is opened.
                    put(nil)
                    defer { put(records) }
                    return try body(&records)
                }
            )
        }
        return promise
    }

    /// Changes the records and writes the file.
    ///
    /// - Parameter body: Makes the change, and returns what it was; what throws is to leave nothing.
    /// - Returns: What the body gives, once that is on the disk.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout ArchiveState) throws -> (Value, RecordChanges)
    ) -> Promise<Value> {
        if let refusal { return .failed(refusal) }
        let (promise, resolver) = Promise<Value>.withResolvers()
        let gate = CancellationGate()
        gate.decide(resolver)
        let result = Guarded<Value?>(nil)
        queue.async { [self] in
            let change = Change {
                guard gate.begin() else { throw StoreError.cancelled(.notApplied) }
                let (value, changes) = try body(&$0)
                result.withLock { $0 = value }
                return changes
            } finish: { error in
                if let error {
                    resolver.reject(error)
                } else if let value = result.withLock({ $0 }) {
                    resolver.fulfill(value)
                }
            }
            state.withLock { $0.waiting.append(change) }
            // What is asked for while the file is being written is written together afterwards.
            queue.async { self.writeWaiting() }
        }
        return promise
    }

    /// Why the store cannot be used here, in the body of its transaction; nil if it can.
    var refusal: StoreError? { body.refusal }

    /// Goes back to what the file held before the last write.
    func restorePrevious() -> Promise<Void> {
        if let refusal { return .failed(refusal) }
        let (promise, resolver) = Promise<Void>.withResolvers()
        queue.async { [self] in
            writeWaiting()
            resolver.resolve(
                Result { () throws(StoreError) in
                    try checkOpen()
                    guard let previous = try file.readPrevious() else {
                        throw .unavailable(
                            "there is no previous version of \(file.path)",
                            .notApplied
                        )
                    }
                    let before = put(nil)?.contents.changes ?? []
                    try file.replace(with: previous)
                    observers.notify(RecordChanges(before + previous.changes))
                }
            )
        }
        return promise
    }

    /// Ends the use of the file after everything that was asked for before.
    func close() -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.withResolvers()
        queue.async { [self] in
            writeWaiting()
            state.withLock { $0.isClosed = true }
            put(nil)
            observers.close()
            resolver.fulfill(())
        }
        return promise
    }

    private func checkOpen() throws(StoreError) {
        if state.withLock({ $0.isClosed }) {
            throw .unavailable("\(file.path) was closed", .notApplied)
        }
    }

    /// - Returns: What was there.
    @discardableResult
    private func put(_ new: ArchiveState?) -> ArchiveState? {
        state.withLock { state in
            defer { state.records = new }
            return state.records
        }
    }

    private func loaded() throws(StoreError) -> ArchiveState {
        try checkOpen()
        if let records = state.withLock({ $0.records }) { return records }
        let read = ArchiveState(try file.read())
        put(read)
        return read
    }

    private func writeWaiting() {
        let changes = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        if changes.isEmpty { return }
        var made: [Change] = []
        var written: [RecordChanges.Change] = []
        do throws(StoreError) {
            let before = try loaded()
            var after = before
            for change in changes {
                do {
                    written += try change.apply(&after).changes
                    made.append(change)
                } catch {
                    change.finish(error)
                }
            }
            // A transaction may only read: the file and the version before it stay as they are.
            if written.isEmpty, before.identity == after.identity {
                put(after)
                for change in made { change.finish(nil) }
                return
            }
            // Until it is known what is on the disk.
            put(nil)
            try file.replace(with: after.contents)
            put(after)
            observers.notify(RecordChanges(written))
            for change in made { change.finish(nil) }
        } catch {
            for change in made.isEmpty ? changes : made { change.finish(error) }
        }
    }
}

extension ArchiveRecordStore: ResumableRecords {
    package func identity() -> Promise<String> {
        change { state in
            let identity = state.identity ?? "\(UUIDv7.make())"
            state.identity = identity
            return (identity, RecordChanges([]))
        }
    }
}
