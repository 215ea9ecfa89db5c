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
    package let observers = RecordObservers()
    private let body = TransactionBody()

    private struct State: Sendable {
        /// What is on the disk; nil before it was read, and when that is in doubt.
        var records: RecordTables?
        var waiting: [Change] = []
        var isClosed = false
    }

    private struct Change: Sendable {
        /// Makes the change, and returns what it was, and what reports that it is on the disk.
        let apply: @Sendable (inout RecordTables) throws -> (RecordChanges, @Sendable () -> Void)
        /// Reports why it is not.
        let fail: @Sendable (any Error) -> Void
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
                try TablesTransaction.run(state, nil, body)
            }
            state = after
            return (result, changes)
        }
    }

    public func observeChanges(_ handler: @escaping RecordChanges.Handler) -> RecordObservation? {
        observers.add(handler)
    }

    public func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        read { tables in try tables.answer(query, of: schema) }
    }

    public func totals(
        _ aggregate: RecordAggregate,
        of schema: ModelSchema
    ) -> Promise<RecordTotals> {
        read { tables in try tables.totals(aggregate, of: schema) }
    }

    public func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        read { tables in try tables.opened(schema)[identifier] }
    }

    /// Reads what is on the disk.
    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (inout RecordTables) throws -> Value
    ) -> Promise<Value> {
        if let refusal { return .failed(refusal) }
        return enqueue(CancellationGate()) { [self] in
            var records = try loaded()
            // Taken out, as a copy would be made otherwise of what is opened.
            put(nil)
            defer { put(records) }
            return try body(&records)
        }
    }

    /// Does something after what was asked for before, which is written first; once it is begun, or without a
    /// gate, it cannot be cancelled.
    private func enqueue<Value: Sendable>(
        _ gate: CancellationGate? = nil,
        _ body: @escaping @Sendable () throws -> Value
    ) -> Promise<Value> {
        let (promise, resolver) = Promise<Value>.withResolvers()
        gate?.decide(resolver)
        queue.async { [self] in
            writeWaiting()
            if gate?.begin() ?? true { resolver.resolve(Result(catching: body)) }
        }
        return promise
    }

    /// Changes the records and writes the file.
    ///
    /// - Parameter body: Makes the change, and returns what it was; what throws is to leave nothing.
    /// - Returns: What the body gives, once that is on the disk.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout RecordTables) throws -> (Value, RecordChanges)
    ) -> Promise<Value> {
        if let refusal { return .failed(refusal) }
        let (promise, resolver) = Promise<Value>.withResolvers()
        let gate = CancellationGate()
        gate.decide(resolver)
        queue.async { [self] in
            let change = Change { tables in
                guard gate.begin() else { throw StoreError.cancelled(.notApplied) }
                let (value, changes) = try body(&tables)
                return (changes, { resolver.fulfill(value) })
            } fail: {
                resolver.reject($0)
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
        return enqueue { [self] in
            try checkOpen()
            guard let previous = try file.readPrevious() else {
                throw StoreError.unavailable(
                    "there is no previous version of \(file.path)",
                    .notApplied
                )
            }
            let before = put(nil)?.changes ?? []
            try file.replace(with: previous)
            observers.notify(RecordChanges(before + previous.changes))
        }
    }

    /// Ends the use of the file after everything that was asked for before.
    func close() -> Promise<Void> {
        enqueue { [self] in
            state.withLock { $0.isClosed = true }
            put(nil)
            observers.close()
        }
    }

    private func checkOpen() throws(StoreError) {
        if state.withLock({ $0.isClosed }) {
            throw .unavailable("\(file.path) was closed", .notApplied)
        }
    }

    /// - Returns: What was there.
    @discardableResult
    private func put(_ new: RecordTables?) -> RecordTables? {
        state.withLock { state in
            defer { state.records = new }
            return state.records
        }
    }

    private func loaded() throws(StoreError) -> RecordTables {
        try checkOpen()
        if let records = state.withLock({ $0.records }) { return records }
        let read = try file.read()
        put(read)
        return read
    }

    private func writeWaiting() {
        let changes = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        if changes.isEmpty { return }
        var made: [(finish: @Sendable () -> Void, fail: @Sendable (any Error) -> Void)] = []
        var written: [RecordChanges.Change] = []
        do throws(StoreError) {
            let before = try loaded()
            var after = before
            for change in changes {
                do {
                    let (changes, finish) = try change.apply(&after)
                    written += changes.changes
                    made.append((finish, change.fail))
                } catch {
                    change.fail(error)
                }
            }
            // A transaction may only read: the file and the version before it stay as they are.
            if written.isEmpty, before.identity == after.identity {
                put(after)
            } else {
                // Until it is known what is on the disk.
                put(nil)
                try file.replace(with: after)
                put(after)
                let judged = try judged(RecordChanges(written), before, after)
                observers.notify(judged)
            }
            for change in made { change.finish() }
        } catch {
            let failed = made.isEmpty ? changes.map { $0.fail } : made.map { $0.fail }
            if error.outcome == .unknown {
                // It may be there, so that all is asked for again.
                let types = RecordChanges(written).types
                observers.notify(RecordChanges(types.map { .init(type: $0, identifier: nil) }))
            }
            for fail in failed { fail(error) }
        }
    }

    /// What was written, with the records before and after that where somebody judges them.
    private func judged(
        _ changes: RecordChanges,
        _ before: RecordTables,
        _ after: RecordTables
    ) throws(StoreError) -> RecordChanges {
        guard changes.changes.count <= RecordChanges.mostRows, let old = observers.oldRecords
        else { return changes }
        for made in changes.changes.lazy.compactMap(\.made) {
            let (schema, identifier) = (made.write.schema, made.receipt.identifier)
            try old.note(identifier, schema) { () throws(StoreError) in
                try before.record(identifier, of: schema)
            }
        }
        return observers.readingRows(changes, old) { try after.record($1, of: $0) }
    }
}

extension ArchiveRecordStore: JudgedRecords {
    package func read<Note: Sendable, Value: Sendable>(
        _ types: [ModelSchema],
        noting note: @escaping @Sendable () -> Note,
        _ body: @escaping @Sendable (Note, inout any RecordReading) throws -> Value
    ) -> Promise<Value> {
        read { tables in
            for type in types { _ = try tables.opened(type) }
            var reading: any RecordReading = tables
            return try body(note(), &reading)
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
