import ModelKitModels

/// One import, by the task that reads.
final class ImportRun: Sendable {
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
                var summary = try await TransactionFeed.$current.withValue(feed) {
                    try await readAll(elements, element)
                }
                summary.danglingKeys =
                    summary.createdCount == 0 ? [] : await keys.dangling(in: records)
                return summary
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
                open.withLock { $0 } ?? ImportTransaction(records, session, feed, schema, keys)
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
        func commit() async throws {
            try await checkRead()
            while !checks.withLock({ $0.tasks.isEmpty }) { try await takeChecked() }
            try await handOver()
            // A sequence may end quietly when its task is cancelled.
            try Task.checkCancellation()
            try await open.withLock { $0 }?.commit()
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
            try await commit()
        } catch {
            // Whatever it calls of the models' is not to be called any more afterwards.
            cancelChecks()
            for task in checks.withLock({ $0.tasks }) { _ = await task.result }
            throw error
        }
        return summary
    }
}
