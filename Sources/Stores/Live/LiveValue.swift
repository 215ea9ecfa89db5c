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
/// `.refetch`, as it is after those of others, which are seen as by a `LiveQuery`, and after all in PostgreSQL. A value
/// is delivered if it differs from the one before, or that was an error. That of groups is a new dictionary of all of
/// them, which is made apart from the caller's actor. An iteration ends when its task is cancelled, and with an error
/// when the store is closed, or can never answer what is asked.
public struct LiveValue<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let aggregate: RecordAggregate
    let schema: ModelSchema
    /// Why it cannot be asked.
    var refusal: StoreError?
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

        /// The next value; nil when the task is cancelled, and after the error of a store that was closed, or that can
        /// never say what is asked.
        ///
        /// - Throws: A `StoreError`. But for those two, another call tries again after the next commit.
        public func next() async throws -> Value? { try await next(isolation: #isolation) }

        /// The next value, as `next()`.
        public func next(isolation: isolated (any Actor)?) async throws -> Value? {
            if isOver { return nil }
            do {
                try begin()
                var commits = commits
                // The signal of the commit that has failed may still be there.
                while hasFailed, !judge.hasNews {
                    try Task.checkCancellation()
                    _ = await commits.next(isolation: isolation)
                }
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
                    guard let totals = sums?.totals,
                        let new = try await Self.value(of: totals, after: last, live.read)
                    else { continue }
                    last = new
                    return new
                }
            } catch {
                return try fail(error)
            }
        }

        /// Another value than the last one; nil if it is the same.
        ///
        /// Groups may be many, so it is made apart from the caller's actor.
        @concurrent private static func value(
            of totals: RecordTotals,
            after last: Value?,
            _ read: @Sendable (RecordTotals) throws -> Value
        ) async throws -> Value? {
            let value = try read(totals)
            return value == last ? nil : value
        }

        private func begin() throws {
            if observation != nil { return }
            do {
                if let refusal = live.refusal { throw refusal }
                try live.aggregate.check(of: live.schema)
                observation = live.records?.observe(by: judge)
                if observation != nil { return }
                throw StoreError.unsupported("live values, as the store does not report changes")
            } catch {
                isOver = true
                throw error
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
                // A store that could not say it at first never will.
                if sums == nil, case .unsupported? = error as? StoreError { isOver = true }
                throw error
            }
        }

        private func fail(_ error: any Error) throws -> Value? {
            judge.fail()
            (hasFailed, last) = (true, nil)
            isOver = isOver || error.saysCancelled || judge.isClosed
            if isOver { observation = nil }
            if error.saysCancelled { return nil }
            throw error
        }
    }
}
