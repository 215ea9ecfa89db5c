public import ModelKitFields

extension LiveQuery {
    /// What is called with each result.
    public typealias Handler = @Sendable (Result<LiveResult<M>, any Error>) -> Void

    /// What is called with the edits of each result.
    public typealias EditsHandler = @Sendable (Result<[ArrayEdit<M>], any Error>) -> Void

    /// Calls `body` with each result, one after the other, on a thread of the system's pool, until the
    /// observation is cancelled or released.
    ///
    /// An error of the store is delivered like a result, and the next commit is tried again; that of a store
    /// which was closed is the last.
    ///
    /// ```swift
    /// let observation = store.observe(Person.self).observe { result in
    ///     if let models = try? result.get().models { print(models.count) }
    /// }
    /// ```
    public func observe(_ body: @escaping Handler) -> LiveObservation {
        LiveObservation(Task { await deliver(to: body) })
    }

    /// Calls `body` with each result, where the caller runs, until the task is cancelled or the store closed.
    private func deliver(
        isolation: isolated (any Actor)? = #isolation,
        to body: (Result<LiveResult<M>, any Error>) -> Void
    ) async {
        let results = makeAsyncIterator()
        while !Task.isCancelled {
            do {
                guard let result = try await results.next(isolation: isolation) else { return }
                if !Task.isCancelled { body(.success(result)) }
            } catch {
                if !Task.isCancelled { body(.failure(error)) }
            }
        }
    }

    /// Calls `body` with the edits of each result, as a table view takes them; the first are one `.reset`.
    ///
    /// ```swift
    /// let observation = store.observe(Person.self).observeEdits { edits in
    ///     for edit in (try? edits.get()) ?? [] { print(edit) }
    /// }
    /// ```
    public func observeEdits(_ body: @escaping EditsHandler) -> LiveObservation {
        observe { body($0.map(\.edits)) }
    }

    /// The same query, whose results are delivered on the main actor.
    public var onMain: OnMain { OnMain(query: self) }

    /// A live query whose results are delivered on the main actor.
    ///
    /// ```swift
    /// observation = store.observe(Person.self).onMain.observe { [weak list] result in
    ///     list?.show(result)
    /// }
    /// ```
    public struct OnMain: Sendable {
        let query: LiveQuery

        /// Calls `body` with each result, as `LiveQuery.observe`; never after a `cancel()` on the main actor.
        public func observe(
            _ body: @escaping @MainActor @Sendable (Result<LiveResult<M>, any Error>) -> Void
        ) -> LiveObservation {
            LiveObservation(Task { @MainActor in await query.deliver { body($0) } })
        }

        /// Calls `body` with the edits of each result, as `LiveQuery.observeEdits`.
        public func observeEdits(
            _ body: @escaping @MainActor @Sendable (Result<[ArrayEdit<M>], any Error>) -> Void
        ) -> LiveObservation {
            observe { body($0.map(\.edits)) }
        }
    }
}

/// The observation of a live query's results, which ends when this is released.
///
/// ```swift
/// let observation = store.observe(Person.self).observe { print($0) }
/// observation.cancel()
/// ```
public final class LiveObservation: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    deinit { task.cancel() }

    /// Ends it, as releasing it does; a call of the closure that has begun goes on.
    ///
    /// Cancelling twice does nothing.
    public func cancel() { task.cancel() }
}
