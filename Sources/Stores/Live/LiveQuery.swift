import ModelKitFields
public import ModelKitModels
import ModelKitPromises

/// A query whose answer is delivered now, and again after every commit that changes it.
///
/// ```swift
/// let adults = store.observe(Person.self, where: \.age >= 18, orderBy: .ascending(\.name))
/// for try await result in adults {
///     print(result.models.count, "adults;", result.change.edits.count, "edits since")
/// }
/// ```
///
/// Each iteration begins with what is stored at its start. Only what was committed is delivered, never
/// the middle of a transaction; commits that come while a result is being used are delivered together by the
/// next one, and those that change nothing in the answer by none. Models are the instances in use. An
/// iteration ends when its task is cancelled, and with the error that the store answers with, as when it was
/// closed. Commits are those made through the store: what other processes write is seen with the next one
/// of them.
public struct LiveQuery<M: Model>: AsyncSequence, Sendable {
    public typealias Element = LiveResult<M>

    /// A model, and the version of the record that it was found with.
    struct Row: Sendable {
        let model: M
        let revision: Int64
        /// As what is deleted and made anew may have the same revision.
        let place: Int64
    }

    /// Calls the handler after commits that the answer may depend on; nil if the store reports none.
    let observe: @Sendable (_ handler: @escaping @Sendable () -> Void) -> RecordObservation?
    let fetch: @Sendable () -> Promise<[Row]>

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iteration over the results.
    ///
    /// ```swift
    /// var results = store.observe(Person.self).makeAsyncIterator()
    /// let first = try await results.next()
    /// ```
    public final class Iterator: AsyncIteratorProtocol {
        private let query: LiveQuery
        /// That something was committed since the last time, as is what is stored already.
        private let commits: AsyncStream<Void>.Continuation
        private let signals: AsyncStream<Void>.Iterator
        private var observation: RecordObservation?
        private var rows: [Row]?
        private var isOver = false

        init(_ query: LiveQuery) {
            self.query = query
            let (stream, commits) = AsyncStream.makeStream(
                of: Void.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            (signals, self.commits) = (stream.makeAsyncIterator(), commits)
            commits.yield()
        }

        /// The next result; nil when the task is cancelled.
        ///
        /// - Throws: A `StoreError`, after which there are no more results.
        public func next() async throws -> LiveResult<M>? {
            try await next(isolation: #isolation)
        }

        /// The next result, as `next()`.
        public func next(isolation: isolated (any Actor)?) async throws -> LiveResult<M>? {
            if isOver { return nil }
            do {
                while true {
                    try begin()
                    var signals = signals
                    guard await signals.next(isolation: isolation) != nil else {
                        throw CancellationError()
                    }
                    let new = try await query.fetch().value
                    if let result = update(new) { return result }
                }
            } catch {
                isOver = true
                observation = nil
                if error is CancellationError { return nil }
                if case StoreError.cancelled = error { return nil }
                throw error
            }
        }

        private func begin() throws {
            if observation != nil { return }
            observation = query.observe { [commits] in commits.yield() }
            if observation == nil {
                throw StoreError.unsupported("live queries, as the store does not report changes")
            }
        }

        /// What has changed; nil if nothing has.
        private func update(_ new: [Row]) -> LiveResult<M>? {
            let old = rows
            rows = new
            guard let old else {
                let change = ArrayChange(first: new.map(\.model))
                return LiveResult(change: change, updated: [], isFirst: true)
            }
            let before = Dictionary(
                old.map { (ObjectIdentifier($0.model), $0) },
                uniquingKeysWith: { $1 }
            )
            let updated = new.filter { row in
                before[ObjectIdentifier(row.model)]
                    .map { ($0.revision, $0.place) != (row.revision, row.place) } ?? false
            }
            let change = ArrayChange(from: old.map(\.model), to: new.map(\.model))
            if updated.isEmpty, change.edits.isEmpty { return nil }
            return LiveResult(change: change, updated: updated.map(\.model), isFirst: false)
        }
    }
}
