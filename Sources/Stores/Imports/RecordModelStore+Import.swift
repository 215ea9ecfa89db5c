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
