import ModelKitFields
public import ModelKitModels

extension RecordModelStore {
    /// Adds the models of a sequence, and leaves out those that are refused: by their rules, and as their identifier
    /// or the value of a unique field is stored already.
    ///
    /// ```swift
    /// let summary = try await store.importModels(Person.stream(contentsOf: url).elements) { refusal in
    ///     print(refusal)   // [3]: name cannot be blank
    /// }
    /// print(summary.createdCount, "stored")
    /// ```
    ///
    /// It reads ahead of what is written by at most two batches of 500, and lets go of models as they are written:
    /// so the memory that it takes does not grow with their number in a store that writes as it goes, as SQLite and
    /// PostgreSQL do. Others gather what is to be written, and write it at the end. At most 80 models wait to be checked,
    /// fewer where they are large: about two megabytes of them, or two, once it has met such.
    ///
    /// The models stand for no records afterwards: they are nobody's, `afterCreate` is not called, and one without
    /// an identifier is not given the one that its record has. `beforeSave` is called.
    ///
    /// All is kept at the end, or nothing, as in `transaction`: it comes after all writes that were asked for
    /// before, and later ones after it, while reads see what was there before. In a store of one writer, as SQLite is,
    /// nobody else can write from the first batch to the end, unless `count` is given. Live queries fetch once.
    /// Loaded relations with members of the type are not loaded any more, but for those with members that are not
    /// stored yet, or have edits, which stay as they are. Where the task is cancelled, the sequence or the store fails, nothing is there; a sequence
    /// that does not notice the cancelling is waited for, but keeps nobody from writing. Foreign keys that lead
    /// to no record are kept, and reported in the summary.
    ///
    /// From the first batch on the sequence must not wait for what comes after the import, which fails with
    /// `.unsupported`: writes, other imports, closing, backups and live queries of the same store. Its reads see what
    /// was committed, but fail alike where only the connection that writes can make them: in a database in memory, or
    /// one without a write-ahead log, as `severalProcesses` may have; in PostgreSQL with one connection; as the first
    /// use of a type; and while reads are held back to empty a long log. So it is better to read before the import what the sequence needs.
    ///
    /// - Important: A task that was begun before the import, such as the one that fills an `AsyncStream`, is not
    ///   known to belong to it: if it waits for a write, and the import for its next element, neither ends.
    ///
    /// - Parameters:
    ///   - elements: The models, or what is wrong with what should be one, each with its place.
    ///   - count: After how many elements what was written is committed, so that others can write in between; nil for
    ///     at the end alone. What was committed stays, whatever happens later.
    ///   - refused: Is called with each refusal, in the order of the elements, by the task that reads.
    ///   - progress: Is called after each batch, by the same task, with what was made so far.
    /// - Returns: What was made.
    /// - Throws: A `StoreError`, what the sequence throws, what `beforeSave` throws if that are no issues, and
    ///   `CancellationError`; of a store without transactions `.unsupported`.
    @concurrent
    @discardableResult
    public func importModels<M: Model, Elements: AsyncSequence & Sendable>(
        _ elements: Elements,
        commitEvery count: Int? = nil,
        refused: @escaping @Sendable (ImportRefusal) -> Void = { _ in },
        progress: @escaping @Sendable (ImportSummary) -> Void = { _ in }
    ) async throws -> ImportSummary where Elements.Element == ImportElement<M> {
        let run = ImportRun(self, M.schema, commitEvery: count, refused, progress)
        return try await run.read(elements) { element, _ in element }
    }

    /// Adds the models of a sequence, whose places are their indexes; see the form that takes elements.
    ///
    /// ```swift
    /// let summary = try await store.importModels(Person.stream(contentsOf: url))
    /// ```
    @concurrent
    @discardableResult
    public func importModels<M: Model, Models: AsyncSequence & Sendable>(
        _ models: Models,
        commitEvery count: Int? = nil,
        refused: @escaping @Sendable (ImportRefusal) -> Void = { _ in },
        progress: @escaping @Sendable (ImportSummary) -> Void = { _ in }
    ) async throws -> ImportSummary where Models.Element == M {
        let run = ImportRun(self, M.schema, commitEvery: count, refused, progress)
        return try await run.read(models) { model, index in
            ImportElement(path: [.index(index)], .success(model))
        }
    }
}

/// One import, by the task that reads.
private final class ImportRun: Sendable {
    private let records: any RecordStore
    private let session: StoreSession
    private let schema: ModelSchema
    private let limit: Int
    private let refused: @Sendable (ImportRefusal) -> Void
    private let progress: @Sendable (ImportSummary) -> Void
    private let feed = TransactionFeed()
    private let keys: ImportKeys
    /// What is cancelled with the task.
    private let open = Guarded<ImportTransaction?>(nil)

    private struct Checks {
        /// Check what was read, one after the other, while more is read; until that is taken.
        var tasks: [Task<ImportBatch.Contents, any Error>] = []
        /// How many of the tasks are done.
        var doneCount = 0
        /// About how many bytes the models take that the next one has checked.
        var weight = 0

        /// Whether reading on would keep back what is known, or models that are much larger than those before.
        var areToBeTaken: Bool { doneCount > 0 || weight > 2 << 20 }
    }

    private let checks = Guarded(Checks())

    init(
        _ store: some RecordModelStore,
        _ schema: ModelSchema,
        commitEvery limit: Int?,
        _ refused: @escaping @Sendable (ImportRefusal) -> Void,
        _ progress: @escaping @Sendable (ImportSummary) -> Void
    ) {
        (records, session, self.schema) = (store.records, store.session, schema)
        (self.limit, self.refused, self.progress) = (max(1, limit ?? .max), refused, progress)
        keys = ImportKeys(of: schema)
    }

    /// Reads the sequence and has it written.
    func read<M: Model, Elements: AsyncSequence & Sendable>(
        _ elements: Elements,
        _ element: (Elements.Element, _ index: Int) -> ImportElement<M>
    ) async throws -> ImportSummary {
        try await withTaskCancellationHandler {
            do {
                return try await TransactionFeed.$current.withValue(feed) {
                    try await readAll(elements, element)
                }
            } catch {
                await open.withLock { $0 }?.abandon(after: error)
                // One that waits for its turn fails by the store.
                if case StoreError.cancelled = error { try Task.checkCancellation() }
                throw error
            }
        } onCancel: {
            cancelChecks()
            open.withLock { $0 }?.cancel()
        }
    }

    /// Has no more models checked.
    private func cancelChecks() {
        for task in checks.withLock({ $0.tasks }) { task.cancel() }
    }

    /// Has models checked once those before are.
    private func check(_ read: [ImportElement<some Model>]) {
        let last = checks.withLock { $0.tasks.last }
        let task: Task<ImportBatch.Contents, any Error> = Task {
            defer { checks.withLock { ($0.doneCount, $0.weight) = ($0.doneCount + 1, 0) } }
            // The hooks of the models are called in their order.
            _ = try await last?.value
            let takesJSON = records.waiting != nil
            return try ImportBatch.Contents(of: read, session, takingJSON: takesJSON) { weight in
                checks.withLock { $0.weight = weight }
            }
        }
        checks.withLock { $0.tasks.append(task) }
        // Whoever has cancelled it meanwhile may not have found the task.
        if Task.isCancelled { cancelChecks() }
    }

    private func newTransaction() -> ImportTransaction {
        ImportTransaction(records, session, feed, schema, keys)
    }

    private func readAll<M: Model, Elements: AsyncSequence>(
        _ elements: Elements,
        _ element: (Elements.Element, _ index: Int) -> ImportElement<M>
    ) async throws -> ImportSummary {
        var summary = ImportSummary()
        /// What is read, but not checked; so few that hardly any models are there at once.
        var read: [ImportElement<M>] = []
        var pace = (groupSize: 1, groupCount: 1)
        /// What is checked and not handed over.
        var contents = ImportBatch.Contents()
        var handedOver: [ImportBatch] = []
        var (index, uncommitted) = (0, 0)
        func report() async throws {
            for refusal in try await handedOver.removeFirst().add(to: &summary) { refused(refusal) }
            progress(summary)
        }
        func handOver() async throws {
            if contents.count == 0 { return }
            try Task.checkCancellation()
            let transaction =
                open.withLock { $0 } ?? newTransaction()
            open.withLock { $0 = transaction }
            let batch = ImportBatch(contents)
            contents = ImportBatch.Contents()
            transaction.take(batch)
            handedOver.append(batch)
            // Whoever has cancelled it meanwhile may not have found the transaction.
            if Task.isCancelled { transaction.cancel() }
            while transaction.isWaiting, handedOver.count > 1 { try await report() }
        }
        func takeChecked() async throws {
            try Task.checkCancellation()
            guard let task = checks.withLock({ $0.tasks.first }) else { return }
            let checked = try await task.value
            _ = checks.withLock { checks in
                checks.doneCount -= 1
                return checks.tasks.removeFirst()
            }
            pace = checked.pace ?? pace
            contents.append(checked)
            if contents.isFull { try await handOver() }
        }
        func checkRead() async throws {
            try Task.checkCancellation()
            if read.isEmpty { return }
            // Bytes come in chunks of several groups.
            while checks.withLock({ $0.tasks.count }) >= pace.groupCount { try await takeChecked() }
            check(read)
            read = []
        }
        func commit(isLast: Bool = false) async throws {
            try await checkRead()
            while !checks.withLock({ $0.tasks.isEmpty }) { try await takeChecked() }
            try await handOver()
            // A sequence may end quietly when its task is cancelled.
            try Task.checkCancellation()
            if isLast, index > 0, !keys.isEmpty { open.withLock { $0 = $0 ?? newTransaction() } }
            try await open.withLock { $0 }?.commit(isLast: isLast)
            open.withLock { $0 = nil }
            while !handedOver.isEmpty { try await report() }
            uncommitted = 0
        }
        do {
            for try await next in elements {
                while checks.withLock({ $0.areToBeTaken }) { try await takeChecked() }
                read.append(element(next, index))
                (index, uncommitted) = (index + 1, uncommitted + 1)
                if uncommitted >= limit {
                    try await commit()
                } else if read.count >= pace.groupSize {
                    try await checkRead()
                }
            }
            try await commit(isLast: true)
        } catch {
            // Whatever it calls of the models' is not to be called any more afterwards.
            cancelChecks()
            for task in checks.withLock({ $0.tasks }) { _ = await task.result }
            throw error
        }
        summary.danglingKeys = keys.found
        return summary
    }
}
