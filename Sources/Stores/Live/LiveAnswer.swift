import ModelKitModels

/// What one iteration of a live query knows on the side of those who commit: which commits concern it.
///
/// A commit is judged where it is made, by the values of its records alone; what it changes in the answer is kept
/// until the iteration takes it, of each record the last state. One that changes nothing wakes nobody.
final class LiveAnswer<M: Model>: CommitJudge {
    typealias Row = LiveRow<M>

    /// What identifies a record of a type or of one below it.
    struct Key: Hashable, Sendable {
        let type: ObjectIdentifier
        let identifier: Identifier

        init(_ schema: ModelSchema, _ identifier: Identifier) {
            (type, self.identifier) = (schema.type, identifier)
        }

        init(_ row: Row) { self.init(row.found.schema, row.found.record.identifier) }
    }

    /// The last state of a record that was written: nil where it is not in the answer.
    struct Change: Sendable {
        let key: Key
        let revision: Int64
        let found: FoundRecord?
    }

    /// What is to be done for the next result.
    enum Work {
        case fetch
        case changes([Change])
        case nothing
    }

    private struct State: Sendable {
        /// The rows that are kept, which the iteration replaces.
        var members: [Key: Row] = [:]
        /// The last of them, where others may come after it.
        var last: Row?
        /// The classes that the answer has been asked of.
        var schemas: [ModelSchema] = []
        /// The changes since, in the order of their first commits.
        var pending: [Key: Change] = [:]
        var keys: [Key] = []
        /// Whether nothing helps but to ask for everything.
        var isStale = true
        /// Whether the iteration is about to replace rows, so that every change may be one of theirs.
        var isReplacing = false
        var isClosed = false
    }

    private let state = Guarded(State())
    private let test: RecordTest?
    private let order: RowOrder
    /// The types whose records decide, too, which ones are in the answer.
    private let partners: Set<String>
    /// Whether a record says by its own values whether it is in the answer.
    private let isJudged: Bool
    private let wake: @Sendable () -> Void

    init(_ query: RecordQuery, wake: @escaping @Sendable () -> Void) {
        partners = Set(query.filter?.partners(of: M.schema).map(\.name) ?? [])
        test = query.filter.map { RecordTest($0, of: M.schema) }
        order = RowOrder(query, M.schema)
        // Of a page nothing is known before its begin.
        isJudged = partners.isEmpty && query.after == nil
        self.wake = wake
    }

    // MARK: Committing

    func needsRows(of schema: ModelSchema) -> Bool {
        isJudged && (schema === M.schema || state.withLock { $0.schemas.contains { $0 === schema } })
    }

    func take(_ changes: RecordChanges) {
        state.withLock { state in
            if changes.changes.isEmpty { (state.isClosed, state.isStale) = (true, true) }
            for change in changes.changes {
                if state.isStale { break }
                judge(change, &state)
            }
            if state.isStale { (state.pending, state.keys) = ([:], []) }
        }
    }

    func notify() {
        if state.withLock({ $0.isStale || !$0.keys.isEmpty }) { wake() }
    }

    /// Takes one change; the lock is held.
    private func judge(_ change: RecordChanges.Change, _ state: inout State) {
        guard let schema = state.schemas.first(where: { $0.name == change.type }) else {
            // A class may be used for the first time.
            let isBelow =
                change.made.map { $0.write.schema.bases.contains(M.schema.type) }
                ?? (M.schema.prototype is ModelObject)
            if isBelow || partners.contains(change.type) { state.isStale = true }
            return
        }
        guard isJudged, let made = change.made else {
            state.isStale = true
            return
        }
        let key = Key(schema, made.receipt.identifier)
        let isKnown = state.isReplacing || state.pending[key] != nil || state.members[key] != nil
        var found: FoundRecord?
        switch change.row {
        case .unknown:
            state.isStale = true
            return
        case .gone: break
        case .stored(let record):
            if test?.holds(for: record) ?? true {
                found = FoundRecord(schema: schema, record: record)
            }
        }
        if !isKnown {
            guard let found else { return }
            if let last = state.last, order.precedes(last.found, found) { return }
        }
        let revision = found?.record.revision ?? made.receipt.revision
        if state.pending.updateValue(
            Change(key: key, revision: revision, found: found),
            forKey: key
        ) == nil {
            state.keys.append(key)
        }
    }

    // MARK: The iteration

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Takes what is to be done, which has to end with new rows, or a failure.
    func takeWork() -> Work {
        let schemas = ClassHierarchy(of: M.self).schemas
        return state.withLock { state in
            if state.isStale || state.schemas.count != schemas.count {
                (state.isStale, state.isReplacing, state.schemas) = (false, true, schemas)
                (state.pending, state.keys) = ([:], [])
                return .fetch
            }
            if state.keys.isEmpty { return .nothing }
            defer { (state.pending, state.keys, state.isReplacing) = ([:], [], true) }
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
    func replace(with rows: [Row], last: Row?) {
        let members = Dictionary(rows.map { (Key($0), $0) }, uniquingKeysWith: { $1 })
        let old = state.withLock { state in
            defer { (state.members, state.last, state.isReplacing) = (members, last, false) }
            return (state.members, state.last)
        }
        // Models are released after the lock.
        withExtendedLifetime(old) {}
    }

    /// Takes rows in place of those of their keys.
    func update(_ rows: [(key: Key, row: Row?)], last: Row?) {
        var old: [Row?] = []
        old.reserveCapacity(rows.count + 1)
        state.withLock { state in
            for (key, row) in rows {
                if let row {
                    old.append(state.members.updateValue(row, forKey: key))
                } else {
                    old.append(state.members.removeValue(forKey: key))
                }
            }
            old.append(state.last)
            (state.last, state.isReplacing) = (last, false)
        }
        withExtendedLifetime(old) {}
    }
}

/// What a filter without relations says of records.
// Safe: it is used under the lock of the answer that has it, alone.
private final class RecordTest: @unchecked Sendable {
    private let test: FilterTest

    init(_ filter: RecordFilter, of schema: ModelSchema) {
        test = FilterTest(filter, of: schema) { _, _ in nil }
    }

    func holds(for record: Record) -> Bool { test.holds(for: record) }
}
