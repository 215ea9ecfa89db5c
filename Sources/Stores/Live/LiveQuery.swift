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
/// next one, and those that change nothing in the answer by none, but for the first one after an error. Models are the
/// instances in use. An iteration ends when its task is cancelled, and with an error when the store is closed.
///
/// A store that keeps its records here judges each record that was written by its own values: what that costs does not
/// depend on how many there are. Where the condition looks through relations, the store is asked for the records that
/// were written, and those that lead to one. The whole answer is asked for again, which the store's events call
/// `.refetch`, after commits of more than 10 000 records and those that delete a related one, and by `skippingDamaged`,
/// over REST and in PostgreSQL's mode `.portable` after each that may matter.
///
/// What others write is judged by a change log, which a file that stores share gets when one that observes first sees
/// others write. It is seen within 50 ms there, and in PostgreSQL within 0.1 s, half a second at most. Where a store has
/// its file for itself, it is seen with the next commit of this one, for which everything is asked for again, so by a
/// store that only reads never. A shared file that was moved, removed or replaced is an error within 50 ms, once, and
/// then there is a result again when it is back.
public struct LiveQuery<M: Model>: AsyncSequence, Sendable {
    public typealias Element = LiveResult<M>

    package let query: RecordQuery
    let records: any RecordStore
    let session: StoreSession
    /// What of the answer is shown; nil for all of it.
    package var frame: WindowFrame?

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
        /// Has a waiting iteration go on.
        private let wake: @Sendable () -> Void
        private var observation: RecordObservation?
        private var moves: RecordObservation?
        private var rows: LiveRows<M>
        /// What the last result was made of; nil before the first one.
        private var delivered: (models: LiveList<M>, range: Range<Int>, total: Int)?
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
            wake = { signal.yield() }
            rows = LiveRows(live.query, live.frame?.window)
            answer = LiveAnswer(
                live.query,
                isIncremental: live.records is any JudgedRecords,
                isWindow: live.frame != nil,
                wake: wake
            )
        }

        /// Whether other rows are to be shown.
        private var isMoved: Bool { live.frame.map { $0.window != rows.window } ?? false }

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
                // The signal of the commit that has failed may still be there.
                while hasFailed, !answer.hasNews, !isMoved {
                    try Task.checkCancellation()
                    _ = await commits.next(isolation: isolation)
                }
                while true {
                    try Task.checkCancellation()
                    switch answer.takeWork(isMoved: isMoved) {
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
            if let refusal = live.query.limitRefusal ?? live.windowRefusal {
                isOver = true
                throw refusal
            }
            moves = live.frame?.add(wake)
            observation = live.records.observe(by: answer)
            if observation == nil {
                isOver = true
                throw StoreError.unsupported("live queries, as the store does not report changes")
            }
        }

        private func fail(_ error: any Error) throws -> LiveResult<M>? {
            answer.fail()
            hasFailed = true
            isOver = isOver || error.saysCancelled || answer.isClosed
            if isOver { (observation, moves) = (nil, nil) }
            if error.saysCancelled { return nil }
            throw error
        }

        // MARK: Results

        /// Asks for everything; or for some rows of a window, where it is known how many the answer has.
        private func fetch(
            of total: Int? = nil,
            _ isolation: isolated (any Actor)?
        ) async throws -> LiveResult<M>? {
            let label = total == nil ? StoreEvent.Label.refetch(M.self) : .page(M.self)
            let event = delivered == nil ? nil : live.session.events?.begin(label)
            do {
                let found: Found =
                    if let frame = live.frame {
                        try await findPart(frame.window, of: total, isolation)
                    } else {
                        try await findAll(isolation)
                    }
                rows.replace(with: found.rows, before: found.before, after: found.after)
                answer.replace(with: found.rows, ends: (rows.first, rows.last))
                event?.end(.success(found.rows.count))
            } catch {
                event?.end(.failure(error))
                throw error
            }
            guard let old = delivered?.models else { return result([], []) }
            let before = Dictionary(old.shown.map { (ObjectIdentifier($0.model), $0) }) { $1 }
            let models = rows.models
            let updated = models.shown.filter { row in
                before[ObjectIdentifier(row.model)].map { !$0.isSame(row) } ?? false
            }
            return result(
                ArrayChange(from: Array(old), to: Array(models)).edits,
                updated.map(\.model)
            )
        }

        /// Rows that are found, and how many come before and after them; nil where there may be some.
        private typealias Found = (rows: [Row], before: Int, after: Int?)

        /// Asks for what a window shows, and more rows on both sides of it; for fewer where one of those is damaged.
        private func findPart(
            _ window: Range<Int>,
            of total: Int?,
            _ isolation: isolated (any Actor)?
        ) async throws -> Found {
            rows.show(window)
            var spare = rows.spare
            while true {
                do {
                    let asked = try await settled(isolation)
                    let part = try await live.part(window, spare, of: total, answer)
                    let rows = try await self.rows(of: part.found, asked: asked, isolation)
                    if !part.isWhole { return (rows, part.before, part.after) }
                    let lacking = window.upperBound - rows.count
                    if lacking > 0, part.after > 0 {
                        // Of those that were asked for, some are damaged.
                        spare += Swift.max(spare, lacking)
                        continue
                    }
                    let places = window.places(and: spare, of: rows.count)
                    let rest = rows.count - places.upperBound
                    return (Array(rows[places]), places.lowerBound, rest + part.after)
                } catch let error as StoreError where error.isOfOneRecord && spare > 0 {
                    spare /= 4
                }
            }
        }

        /// Asks for a list; only for the rows that are shown, if one of the others is damaged.
        private func findAll(_ isolation: isolated (any Actor)?) async throws -> Found {
            var query = live.query
            if answer.isIncremental, let wanted = rows.wanted { query.limit = wanted }
            while true {
                do {
                    let found = try await findTogether(query, isolation)
                    let isComplete = query.limit.map { found.count < $0 } ?? true
                    return (found, 0, isComplete ? 0 : nil)
                } catch let error as StoreError
                    where error.isOfOneRecord && query.limit != live.query.limit
                {
                    query.limit = live.query.limit
                }
            }
        }

        /// The rows of a query, of one moment, which what is judged later is not older than.
        private func findTogether(
            _ query: RecordQuery,
            _ isolation: isolated (any Actor)?
        ) async throws -> [Row] {
            guard answer.isIncremental, let judged = live.records as? any JudgedRecords,
                judged.areJudgedLater
            else { return try await find(query, isolation) }
            let asked = try await settled(isolation)
            let hierarchy = ClassHierarchy(of: M.self)
            let types = hierarchy.schemas + (query.filter?.partners(of: M.schema) ?? [])
            let found = try await judged.read(types) { [answer] in
                answer.noteMoment()
            } _: { _, reading in
                let lists = try hierarchy.schemas.map { schema in
                    try reading.answer(hierarchy.query(query, of: schema), of: schema)
                }
                return hierarchy.merge(lists, query)
            }.value
            return try await rows(of: found, asked: asked, isolation)
        }

        /// The rows of a query.
        private func find(
            _ query: RecordQuery,
            _ isolation: isolated (any Actor)?
        ) async throws -> [Row] {
            let asked = try await settled(isolation)
            let found = try await live.records.find(query, below: M.schema).value
            return try await rows(of: found, asked: asked, isolation)
        }

        /// Waits until writes and transactions that were made are noted: their models are the ones in use.
        ///
        /// - Returns: The time of what is asked for now.
        private func settled(_ isolation: isolated (any Actor)?) async throws -> UInt64 {
            try await live.session.settled().value
            return live.session.now
        }

        /// The rows of records that were found.
        private func rows(
            of found: [FoundRecord],
            asked: UInt64,
            _ isolation: isolated (any Actor)?
        ) async throws -> [Row] {
            let (records, session) = (live.records, live.session)
            // What was found may have been committed a moment ago, and not be judged yet.
            try await session.settled().value
            return try records.models(of: found) {
                Row(try session.model(M.self, from: $0, asked: asked), $0)
            }
        }

        /// Asks the store for records that were written, and for those that have a relation to one that was.
        private func judge(
            _ written: [IdentityMap.Key],
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
                keys += found.map(\.key)
            }
            if keys.count > LiveAnswer<M>.most {
                answer.fail()
                return []
            }
            let values = Set(keys.map(\.identifier)).map(\.attributeValue)
            let query = RecordQuery(filter: .and([.isIn(identity.key, values), filter]))
            let found = try await live.records.find(query, below: M.schema).value
            let members = Dictionary(found.map { ($0.key, $0) }) { $1 }
            return Set(keys).map { LiveAnswer.Change(key: $0, found: members[$0]) }
        }

        /// Makes the changes of some records.
        private func apply(
            _ changes: [LiveAnswer<M>.Change],
            _ isolation: isolated (any Actor)?
        ) async throws -> LiveResult<M>? {
            try await live.session.settled().value
            let shown = rows
            var (edits, written): ([ArrayEdit<M>], [LiveRows<M>.Written]) = ([], [])
            var taken: [(key: IdentityMap.Key, row: Row?)] = []
            do {
                for change in changes {
                    let old = answer[change.key]
                    // What was found may have been written later.
                    if let old, change.revision < old.found.record.revision { continue }
                    if old == nil && change.found == nil && change.old == nil { continue }
                    if let old, let found = change.found, old.found.isSame(found) { continue }
                    if change.isLogged, isOlder(change.found) { return try await fetch(isolation) }
                    let replaced = try rows.replace(old, change.old, by: change.found) {
                        Row(try live.session.model(M.self, from: $0, asked: 0), $0)
                    }
                    written.append((old, replaced.new))
                    edits += replaced.edits
                    taken.append((change.key, replaced.new))
                }
            } catch let error as StoreError where error.isOfOneRecord {
                // It may be one that is not shown.
                return try await fetch(isolation)
            }
            if let window = live.frame?.window { rows.show(window) }
            if rows.lacksRows, live.frame != nil {
                return try await fetch(of: rows.total, isolation)
            }
            for row in rows.trim() { taken.append((row.found.key, nil)) }
            if rows.lacksRows {
                let keys = taken.map(\.key)
                answer.update(taken, ends: (rows.first, rows.last), isEnd: false)
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
                let more = found.filter { answer[$0.found.key] == nil }
                rows.append(more, isComplete: found.count < query.limit ?? .max)
                taken = more.map { ($0.found.key, $0) }
                // They may have moved there.
                let moved = Dictionary(more.map { ($0.found.key, $0) }) { $1 }
                for (index, key) in zip(written.indices, keys) where written[index].new == nil {
                    written[index].new = moved[key]
                }
            }
            answer.update(taken, ends: (rows.first, rows.last))
            if !(shown.isWhole && rows.isWhole) { edits = rows.edits(since: shown, written) }
            return result(edits, written.compactMap { rows.stay(since: shown, $0) })
        }

        /// Whether a record was made anew by another program, with a revision that its object in use has had.
        private func isOlder(_ found: FoundRecord?) -> Bool {
            let isJudgedLater = (live.records as? any JudgedRecords)?.areJudgedLater ?? false
            guard let found, !isJudgedLater,
                let model = live.session.object(found.schema, found.record.identifier),
                let known = live.session.known(model)
            else { return false }
            return known.revision > found.record.revision
        }

        /// What is delivered of the rows as they are now; nil where that is what was delivered before.
        private func result(_ edits: [ArrayEdit<M>], _ updated: [M]) -> LiveResult<M>? {
            let old = delivered
            let (models, range) = (rows.models, rows.range)
            let total = live.frame == nil ? models.count : rows.total
            delivered = (models, range, total)
            // After an error it is what holds again.
            if let old, edits.isEmpty, updated.isEmpty, old.range == range, old.total == total,
                !hasFailed
            {
                return nil
            }
            return LiveResult(
                models: models,
                range: range,
                total: total,
                edits: old == nil ? [.reset(Array(models))] : edits,
                updated: updated,
                isFirst: old == nil,
                old: old?.models ?? LiveList(SharedList(), 0..<0)
            )
        }
    }
}
