import ModelKitFields
public import ModelKitModels
import ModelKitPromises

/// A query whose answer is delivered now, and again after every commit that changes it.
///
/// ```swift
/// let adults = store.observe(Person.self, where: \.age >= 18, orderBy: .ascending(\.name))
/// for try await result in adults {
///     print(result.models.count, "adults;", result.edits.count, "edits since")
/// }
/// ```
///
/// Each iteration begins with what is stored at its start. Only what was committed is delivered, never
/// the middle of a transaction; commits that come while a result is being used are delivered together by the
/// next one, and those that change nothing in the answer by none. Models are the instances in use. An
/// iteration ends when its task is cancelled, and with an error when the store is closed.
///
/// A store that keeps its records here judges each record that was written by its own values: what that costs does not
/// depend on how many there are. The whole answer is asked for again, which the store's events call `.refetch`, after
/// commits of more than 10 000 records and those of others, and by `skippingDamaged` and over REST after each that may
/// matter. Where the condition looks through relations, the store is asked for the records that were written, and those
/// that lead to one. What others write to a file is seen within 50 ms where stores share it, else with the next commit
/// of this one, by `skippingDamaged` with the next that may matter, and by a store that only reads never.
public struct LiveQuery<M: Model>: AsyncSequence, Sendable {
    public typealias Element = LiveResult<M>

    package let query: RecordQuery
    let records: any RecordStore
    let session: StoreSession

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iteration over the results.
    ///
    /// ```swift
    /// var results = store.observe(Person.self).makeAsyncIterator()
    /// let first = try await results.next()
    /// ```
    public final class Iterator: AsyncIteratorProtocol {
        private typealias Row = LiveRow<M>

        private let live: LiveQuery
        private let answer: LiveAnswer<M>
        private let commits: AsyncStream<Void>.Iterator
        private var observation: RecordObservation?
        private var rows: LiveRows<M>
        /// The models of the last result; nil before the first one.
        private var delivered: LiveList<M>?
        /// Whether nothing is tried before the next commit.
        private var hasFailed = false
        private var isOver = false

        init(_ live: LiveQuery) {
            self.live = live
            let (stream, signal) = AsyncStream.makeStream(
                of: Void.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            commits = stream.makeAsyncIterator()
            rows = LiveRows(live.query)
            let isIncremental = live.records is any JudgedRecords
            answer = LiveAnswer(live.query, isIncremental: isIncremental) { signal.yield() }
        }

        /// The next result; nil when the task is cancelled, and after the error of a store that was closed.
        ///
        /// - Throws: A `StoreError`. Where the store was not closed, another call tries again after the next commit.
        public func next() async throws -> LiveResult<M>? {
            try await next(isolation: #isolation)
        }

        /// The next result, as `next()`.
        public func next(isolation: isolated (any Actor)?) async throws -> LiveResult<M>? {
            if isOver { return nil }
            do {
                try begin()
                var commits = commits
                if hasFailed { _ = await commits.next(isolation: isolation) }
                while true {
                    try Task.checkCancellation()
                    switch answer.takeWork() {
                    case .fetch:
                        let result = try await fetch(isolation)
                        hasFailed = false
                        if let result { return result }
                    case .changes(let changes):
                        if let result = try await apply(changes, isolation) { return result }
                    case .relations(let keys, let related):
                        let changes = try await judge(keys, related, isolation)
                        if let result = try await apply(changes, isolation) { return result }
                    case .nothing: _ = await commits.next(isolation: isolation)
                    }
                }
            } catch {
                return try fail(error)
            }
        }

        private func begin() throws {
            if observation != nil { return }
            if let refusal = live.query.limitRefusal {
                isOver = true
                throw refusal
            }
            if let judged = live.records as? any JudgedRecords {
                observation = judged.observers.add(answer)
                judged.beginJudging()
                return
            }
            // Where nothing is judged, everything is asked for after each commit.
            observation = live.records.observeChanges { [answer] changes in
                answer.take(changes)
                answer.notify()
            }
            if observation == nil {
                isOver = true
                throw StoreError.unsupported("live queries, as the store does not report changes")
            }
        }

        private func fail(_ error: any Error) throws -> LiveResult<M>? {
            answer.fail()
            hasFailed = true
            var isCancelled = error is CancellationError
            if case StoreError.cancelled = error { isCancelled = true }
            isOver = isOver || isCancelled || answer.isClosed
            if isOver { observation = nil }
            if isCancelled { return nil }
            throw error
        }

        // MARK: Results

        /// Asks for everything.
        private func fetch(_ isolation: isolated (any Actor)?) async throws -> LiveResult<M>? {
            var query = live.query
            if answer.isIncremental, let wanted = rows.wanted { query.limit = wanted }
            let old = delivered
            let event = old == nil ? nil : live.session.events?.begin(.refetch(M.self))
            let new: [Row]
            do {
                new = try await findAll(&query, isolation)
                event?.end(.success(new.count))
            } catch {
                event?.end(.failure(error))
                throw error
            }
            rows.replace(with: new, isComplete: query.limit.map { new.count < $0 } ?? true)
            answer.replace(with: new, last: rows.last)
            let models = rows.models
            delivered = models
            guard let old else { return LiveResult(first: models) }
            let before = Dictionary(
                old.shown.map { (ObjectIdentifier($0.model), $0) },
                uniquingKeysWith: { $1 }
            )
            let updated = models.shown.filter { row in
                before[ObjectIdentifier(row.model)].map { !$0.isSame(row) } ?? false
            }
            return result(
                ArrayChange(from: Array(old), to: Array(models)).edits,
                updated.map(\.model),
                old
            )
        }

        /// The rows of a query; only those that are shown, if one of the others is damaged.
        private func findAll(
            _ query: inout RecordQuery,
            _ isolation: isolated (any Actor)?
        ) async throws -> [Row] {
            do {
                return try await find(query, isolation)
            } catch let error as StoreError
                where error.isOfOneRecord && query.limit != live.query.limit
            {}
            query.limit = live.query.limit
            return try await find(query, isolation)
        }

        /// The rows of a query.
        private func find(
            _ query: RecordQuery,
            _ isolation: isolated (any Actor)?
        ) async throws -> [Row] {
            let (records, session) = (live.records, live.session)
            // Writes and transactions that were made are noted before: their models are the ones in use.
            try await session.settled().value
            let asked = session.now
            let found = try await records.find(query, below: M.schema).value
            // What was found may have been committed a moment ago, and not be judged yet.
            try await session.settled().value
            return try records.models(of: found) {
                Row(try session.model(M.self, from: $0, asked: asked), $0)
            }
        }

        /// Asks the store for records that were written, and for those that have a relation to one that was.
        private func judge(
            _ written: [LiveAnswer<M>.Key],
            _ related: [String: Set<Identifier>],
            _ isolation: isolated (any Actor)?
        ) async throws -> [LiveAnswer<M>.Change] {
            guard let filter = live.query.filter, let identity = M.schema.identifier else {
                return []
            }
            var keys = written
            let leading = filter.leading(to: related)
            if !leading.isEmpty {
                let query = RecordQuery(filter: .or(leading))
                let found = try await live.records.find(query, below: M.schema).value
                keys += found.map { LiveAnswer.Key($0.schema, $0.record.identifier) }
            }
            if keys.count > LiveAnswer<M>.most {
                answer.fail()
                return []
            }
            let values = Set(keys.map(\.identifier)).map(\.attributeValue)
            let query = RecordQuery(filter: .and([.isIn(identity.key, values), filter]))
            let found = try await live.records.find(query, below: M.schema).value
            let members = Dictionary(
                found.map { (LiveAnswer<M>.Key($0.schema, $0.record.identifier), $0) },
                uniquingKeysWith: { $1 }
            )
            return Set(keys).map { LiveAnswer.Change(key: $0, found: members[$0]) }
        }

        /// Makes the changes of some records.
        private func apply(
            _ changes: [LiveAnswer<M>.Change],
            _ isolation: isolated (any Actor)?
        ) async throws -> LiveResult<M>? {
            try await live.session.settled().value
            let shown = rows
            var (edits, written): ([ArrayEdit<M>], [(old: Row, new: Row)]) = ([], [])
            var taken: [(key: LiveAnswer<M>.Key, row: Row?)] = []
            for change in changes {
                let old = answer[change.key]
                // What was found may have been written later.
                if let old, change.revision < old.found.record.revision { continue }
                let new = try change.found.map {
                    Row(try live.session.model(M.self, from: $0, asked: 0), $0)
                }
                if old == nil && new == nil { continue }
                if let old, let new {
                    if old.isSame(new) { continue }
                    if old.model === new.model { written.append((old, new)) }
                }
                let replaced = rows.replace(old, by: new)
                edits += replaced.edits
                taken.append((change.key, replaced.isKept ? new : nil))
            }
            for row in rows.trim() { taken.append((LiveAnswer.Key(row), nil)) }
            if rows.lacksRows {
                answer.update(taken, last: rows.last, isEnd: false)
                taken = []
                var query = live.query
                query.after = rows.last.map {
                    PageCursor(after: $0.found, in: query, below: M.schema)
                }
                query.limit = rows.wanted
                let found: [Row]
                do {
                    found = try await find(query, isolation)
                } catch let error as StoreError where error.isOfOneRecord {
                    // It may be one that is not shown.
                    return try await fetch(isolation)
                }
                let more = found.filter { answer[LiveAnswer.Key($0)] == nil }
                edits += rows.append(more, isComplete: found.count < query.limit ?? .max)
                taken = more.map { (LiveAnswer.Key($0), $0) }
            }
            answer.update(taken, last: rows.last)
            let updated = written.filter { shown.shows($0.old) && rows.shows($0.new) }
            let old = delivered ?? shown.models
            delivered = rows.models
            return result(edits, updated.map(\.new.model), old)
        }

        private func result(
            _ edits: [ArrayEdit<M>],
            _ updated: [M],
            _ old: LiveList<M>
        ) -> LiveResult<M>? {
            if edits.isEmpty, updated.isEmpty { return nil }
            return LiveResult(
                models: rows.models,
                edits: edits,
                updated: updated,
                isFirst: false,
                old: old
            )
        }
    }
}

extension StoreError {
    /// Whether it is one record that cannot be read.
    fileprivate var isOfOneRecord: Bool {
        switch self {
        case .decoding, .corrupt: true
        default: false
        }
    }
}
