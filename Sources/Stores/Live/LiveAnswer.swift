import ModelKitModels

/// The part of a live query's iteration that is notified of commits: which ones concern it.
///
/// A commit is judged where it is made, by the values of its records alone; what it changes in the answer is kept
/// until the iteration takes it, of each record the last state. One that changes nothing wakes nobody.
final class LiveAnswer<M: Model>: CommitJudge {
    typealias Row = LiveRow<M>

    /// What identifies a record of a type or of one below it.
    typealias Key = IdentityMap.Key

    /// The last state of a record that was written: nil where it is not in the answer.
    struct Change: Sendable {
        let key: Key
        var revision = Int64.max
        /// Whether it is known by a log alone.
        var isLogged = false
        /// The state before, of a window; nil where it was not in the answer.
        var old: FoundRecord?
        var found: FoundRecord?
    }

    /// What is to be done for the next result.
    enum Work {
        case fetch
        case changes([Change])
        /// The records that were written, and those of the types that the condition looks at, by their types.
        case relations([Key], [String: Set<Identifier>])
        case nothing
    }

    /// So many changes are kept at most: more are asked for.
    static var most: Int { 10_000 }

    private struct State: Sendable {
        /// The rows that are kept, which the iteration replaces.
        var members: [Key: Row] = [:]
        /// The first and the last of them, where others may come before and after them.
        var ends: (first: Row?, last: Row?) = (nil, nil)
        /// The classes that the answer has been asked of.
        var schemas: [ModelSchema] = []
        /// By how many records the answer is longer than it was by what was dropped since, as a store was asked again.
        var grown: Int? = 0
        /// The changes since, in the order of their first commits.
        var pending: [Key: Change] = [:]
        var keys: [Key] = []
        /// The records that were written of the types that the condition looks at.
        var related: [String: Set<Identifier>] = [:]
        /// Whether nothing helps but to ask for everything.
        var isStale = true
        /// Whether the iteration is about to replace rows, so that every change may be one of theirs.
        var isReplacing = false
        var isClosed = false
        /// Whether a commit concerned the query since work was last taken.
        var hasNews = false

        mutating func keep(_ change: Change) {
            var change = change
            if let first = pending[change.key] {
                change.old = first.old
            } else {
                keys.append(change.key)
            }
            pending[change.key] = change
            if keys.count > LiveAnswer.most { isStale = true }
        }

        mutating func keep(_ related: Identifier, _ type: String) {
            self.related[type, default: []].insert(related)
            if self.related[type]?.count ?? 0 > LiveAnswer.most { isStale = true }
        }

        /// By how many records what is kept has made the answer longer.
        var growth: Int {
            pending.values.reduce(0) {
                $0 + ($1.found == nil ? 0 : 1) - ($1.old == nil ? 0 : 1)
            }
        }

        mutating func dropPending() { (pending, keys, related) = ([:], [], [:]) }
    }

    private let state = Guarded(State())
    private let test: RecordTest?
    private let order: RowOrder
    /// The types whose records decide, too, which ones are in the answer.
    let partners: Set<String>
    /// Whether commits say enough to change the answer by them.
    let isIncremental: Bool
    /// Whether it has to be known how many records are before those that are kept, and after them.
    private let isWindow: Bool
    private let wake: @Sendable () -> Void

    init(
        _ query: RecordQuery,
        isIncremental: Bool,
        isWindow: Bool,
        wake: @escaping @Sendable () -> Void
    ) {
        partners = Set(query.filter?.partners(of: M.schema).map(\.name) ?? [])
        test = query.filter.map { RecordTest($0, of: M.schema) }
        order = RowOrder(query, M.schema)
        // Of a page it is not known what comes before it; and more is asked of what is related.
        let isTooDeep = query.filter?.isDeeper(than: RecordFilter.deepest - 1) ?? false
        self.isIncremental =
            isIncremental && query.after == nil && (partners.isEmpty || !isTooDeep && !isWindow)
        self.isWindow = isWindow
        self.wake = wake
    }

    /// Whether a record says by its own values whether it is in the answer.
    private var isJudged: Bool { isIncremental && partners.isEmpty }

    // MARK: Committing

    var schema: ModelSchema { M.schema }

    func needsRows(of schema: ModelSchema) -> Bool {
        isJudged
            && state.withLock { state in
                schema === M.schema || state.schemas.contains { $0 === schema }
            }
    }

    var needsOldRows: Bool { isWindow && isJudged }

    func take(_ changes: RecordChanges?) {
        let names = changes?.names(below: M.schema) ?? []
        state.withLock { state in
            if changes?.changes.isEmpty ?? false { state.isClosed = true }
            if changes?.changes.isEmpty ?? true { (state.isStale, state.hasNews) = (true, true) }
            for change in changes?.changes ?? [] { judge(change, names, &state) }
            if state.isStale { state.dropPending() }
        }
    }

    func notify() { if hasNews { wake() } }

    /// Takes one change; the lock is held.
    private func judge(
        _ change: RecordChanges.Change,
        _ names: Set<String>,
        _ state: inout State
    ) {
        let isRelated = partners.contains(change.type)
        let schema = state.schemas.first { $0.name == change.type }
        // A class may be used for the first time.
        let isNew = schema == nil && change.mayBe(ofClassBelow: M.schema, names)
        guard isRelated || isNew || schema != nil else { return }
        guard !state.isStale, !isNew, isIncremental, let written = change.written,
            !isRelated || !written.isDeletion
        else {
            (state.isStale, state.hasNews) = (true, true)
            return
        }
        if isRelated { state.keep(written.identifier, change.type) }
        if let schema, var judged = judge(change, written, schema, state) {
            judged.isLogged = change.made == nil
            // Another program has made the record anew, with a revision of before.
            let known = state.members[judged.key]?.found.record.revision
            if judged.isLogged, let known, let found = judged.found, found.record.revision < known {
                state.isStale = true
            }
            state.keep(judged)
        }
        state.hasNews = state.hasNews || !state.keys.isEmpty || !state.related.isEmpty
        if partners.isEmpty, change.row.isUnknown || isWindow && change.old.isUnknown {
            (state.isStale, state.hasNews) = (true, true)
        }
    }

    /// What a change of a record of the query's type has to do with the answer; nil if nothing.
    private func judge(
        _ change: RecordChanges.Change,
        _ written: LoggedWrite,
        _ schema: ModelSchema,
        _ state: State
    ) -> Change? {
        let key = Key(schema, written.identifier)
        if !partners.isEmpty { return Change(key: key) }
        let isKnown = state.isReplacing || state.pending[key] != nil || state.members[key] != nil
        let found = found(change.row, schema)
        let revision = change.row.record?.revision ?? written.revision
        if isWindow {
            let old = self.found(change.old, schema)
            let matters = isKnown || (old == nil) != (found == nil)
            if !matters, found.map({ isBeside($0, old ?? $0, state.ends) }) ?? true { return nil }
            return Change(key: key, revision: revision, old: old, found: found)
        }
        if !isKnown {
            guard let found else { return nil }
            if let last = state.ends.last, order.precedes(last.found, found) { return nil }
        }
        return Change(key: key, revision: revision, found: found)
    }

    /// The record of a row, if it is in the answer.
    private func found(_ row: RecordChanges.Change.Row, _ schema: ModelSchema) -> FoundRecord? {
        guard let record = row.record, test?.holds(for: record) ?? true else { return nil }
        return FoundRecord(schema: schema, record: record)
    }

    /// Whether two states of a record come both before or both after the rows that are kept.
    private func isBeside(
        _ new: FoundRecord,
        _ old: FoundRecord,
        _ ends: (first: Row?, last: Row?)
    ) -> Bool {
        if let first = ends.first?.found, order.precedes(new, first), order.precedes(old, first) {
            return true
        }
        guard let last = ends.last?.found else { return false }
        return order.precedes(last, new) && order.precedes(last, old)
    }

    // MARK: The iteration

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether a commit concerned the query since work was last taken.
    var hasNews: Bool { state.withLock { $0.hasNews } }

    /// Notes the moment in which the store is asked for rows to take the place of those that are kept.
    ///
    /// - Parameter schemas: The classes that it is asked of.
    /// - Returns: By how many records the answer is longer by what was kept until then; nil where that is not known.
    func begin(_ schemas: [ModelSchema]) -> Int? {
        state.withLock { state in
            let isKnown = !state.isStale && state.schemas.count == schemas.count
            if let grown = state.grown { state.grown = isKnown ? grown + state.growth : nil }
            (state.isStale, state.isReplacing, state.schemas) = (false, true, schemas)
            state.hasNews = false
            state.dropPending()
            return state.grown
        }
    }

    /// Notes the moment of what is asked for, in which all is that was judged before.
    func noteMoment() { state.withLock { $0.dropPending() } }

    /// Takes what is to be done, which has to end with new rows, or a failure.
    ///
    /// - Parameter isMoved: Whether other rows are to be shown, so that there is something to be done.
    /// - Returns: What.
    func takeWork(isMoved: Bool) -> Work {
        let schemas = ClassHierarchy(of: M.self).schemas
        return state.withLock { state in
            (state.grown, state.hasNews) = (0, false)
            if state.isStale || state.schemas.count != schemas.count {
                (state.isStale, state.isReplacing, state.schemas) = (false, true, schemas)
                state.dropPending()
                return .fetch
            }
            if state.keys.isEmpty, state.related.isEmpty, !isMoved { return .nothing }
            state.isReplacing = true
            defer { state.dropPending() }
            if !partners.isEmpty, !(state.keys.isEmpty && state.related.isEmpty) {
                return .relations(state.keys, state.related)
            }
            return .changes(state.keys.compactMap { state.pending[$0] })
        }
    }

    /// The row of a record that is kept.
    subscript(key: Key) -> Row? { state.withLock { $0.members[key] } }

    /// Has everything be fetched by the next work.
    func fail() {
        state.withLock { ($0.isStale, $0.isReplacing) = (true, false) }
    }

    /// Takes an answer in place of the rows.
    func replace(with rows: [Row], ends: (Row?, Row?)) {
        let members = Dictionary(rows.map { ($0.found.key, $0) }, uniquingKeysWith: { $1 })
        let old = state.withLock { state in
            defer { (state.members, state.ends, state.isReplacing) = (members, ends, false) }
            return (state.members, state.ends)
        }
        // Models are released after the lock.
        withExtendedLifetime(old) {}
    }

    /// Takes rows in place of those of their keys; at the end, when all is done that was to be done.
    func update(_ rows: [(key: Key, row: Row?)], ends: (Row?, Row?), isEnd: Bool = true) {
        var old: [Row?] = []
        old.reserveCapacity(rows.count + 2)
        state.withLock { state in
            for (key, row) in rows {
                if let row {
                    old.append(state.members.updateValue(row, forKey: key))
                } else {
                    old.append(state.members.removeValue(forKey: key))
                }
            }
            old += [state.ends.first, state.ends.last]
            (state.ends, state.isReplacing) = (ends, !isEnd)
        }
        withExtendedLifetime(old) {}
    }
}

/// What a filter without relations says of records.
// Safe: it is used under the lock of the judge that has it, alone.
final class RecordTest: @unchecked Sendable {
    private let test: FilterTest

    init(_ filter: RecordFilter, of schema: ModelSchema) {
        test = FilterTest(filter, of: schema) { _, _ in nil }
    }

    func holds(for record: Record) -> Bool { test.holds(for: record) }
}
