import ModelKitModels
import ModelKitPromises

/// A value that is made of what is stored, now and again after every commit that changes it.
///
/// ```swift
/// let balance = store.observe(sum: \.amount, of: Entry.self, where: \.account == account)
/// for try await sum in balance { label.text = "\(sum)" }
/// ```
///
/// Each iteration begins with what is stored at its start. A store that keeps its records here moves a count, and a sum
/// or an average of integers or decimals, also of groups, by what each record that was written was before and is now,
/// where the condition looks at no other records: that costs the same however many there are. All else is computed anew
/// by the store after commits that may change it, once for all that came meanwhile, which the store's events call
/// `.refetch`, as it is after those of others, which are seen as by a `LiveQuery`. A value is delivered if it
/// differs from the one before. An iteration ends when its task is cancelled, and with an error when the store is closed.
public struct LiveValue<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let aggregate: RecordAggregate
    let schema: ModelSchema
    /// Nil where there are none that report commits.
    var records: (any RecordStore)?
    var events: StoreEvents?
    let read: @Sendable (RecordTotals) throws -> Value

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iteration over the values.
    ///
    /// ```swift
    /// var counts = store.observe(count: Person.self).makeAsyncIterator()
    /// let first = try await counts.next()
    /// ```
    public final class Iterator: AsyncIteratorProtocol {
        private let live: LiveValue
        private let judge: LiveTotals
        private let commits: AsyncStream<Void>.Iterator
        private var observation: RecordObservation?
        /// What is stored, as far as commits were judged; nil before it was first asked for.
        private var sums: LiveTotals.Sums?
        private var last: Value?
        /// Whether nothing is tried before the next commit.
        private var hasFailed = false
        private var isOver = false

        init(_ live: LiveValue) {
            self.live = live
            let (stream, signal) = AsyncStream.makeStream(
                of: Void.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            commits = stream.makeAsyncIterator()
            judge = LiveTotals(
                live.aggregate,
                of: live.schema,
                isJudged: live.records is any JudgedRecords
            ) { signal.yield() }
        }

        /// The next value; nil when the task is cancelled, and after the error of a store that was closed.
        ///
        /// - Throws: A `StoreError`. Where the store was not closed, another call tries again after the next commit.
        public func next() async throws -> Value? { try await next(isolation: #isolation) }

        /// The next value, as `next()`.
        public func next(isolation: isolated (any Actor)?) async throws -> Value? {
            if isOver { return nil }
            do {
                try begin()
                var commits = commits
                if hasFailed { _ = await commits.next(isolation: isolation) }
                while true {
                    try Task.checkCancellation()
                    switch judge.takeWork() {
                    case .fetch: sums = try await fetch(isolation)
                    case .change(let change): sums?.move(by: change)
                    case .nothing:
                        _ = await commits.next(isolation: isolation)
                        continue
                    }
                    hasFailed = false
                    guard let new = try sums.map({ try live.read($0.totals) }), new != last else {
                        continue
                    }
                    last = new
                    return new
                }
            } catch {
                return try fail(error)
            }
        }

        private func begin() throws {
            if observation != nil { return }
            observation = live.records?.observe(by: judge)
            if observation == nil {
                isOver = true
                throw StoreError.unsupported("live values, as the store does not report changes")
            }
        }

        private func fetch(_ isolation: isolated (any Actor)?) async throws -> LiveTotals.Sums? {
            guard let records = live.records else { return nil }
            let label = StoreEvent.Label(operation: .refetch, type: live.schema.name)
            let event = sums == nil ? nil : live.events?.begin(label)
            do {
                let sums = try await judge.fetch(from: records)
                event?.end(.success(nil))
                return sums
            } catch {
                event?.end(.failure(error))
                throw error
            }
        }

        private func fail(_ error: any Error) throws -> Value? {
            judge.fail()
            hasFailed = true
            isOver = isOver || error.isCancellation || judge.isClosed
            if isOver { observation = nil }
            if error.isCancellation { return nil }
            throw error
        }
    }
}
