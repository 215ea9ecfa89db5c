import ModelKitModels
import ModelKitPromises

/// The part of a live value's iteration that is notified of commits: how they change the totals.
///
/// Where totals are exact, what each record has made before a commit is taken away, and what it makes after it is
/// added, by its values alone; else a commit that may matter has them be asked for.
final class LiveTotals: CommitJudge {
    /// What records make together, and how many there are in each group.
    struct Sums: Sendable {
        var totals: RecordTotals
        /// Nil where there are no groups, or the totals are their sizes.
        var sizes: RecordTotals?

        init(_ aggregate: RecordAggregate, of schema: ModelSchema) {
            totals = RecordTotals(aggregate, of: schema)
            sizes = Self.sizes(aggregate).map { RecordTotals($0, of: schema) }
        }

        init(_ totals: RecordTotals, _ sizes: RecordTotals?) {
            (self.totals, self.sizes) = (totals, sizes)
        }

        /// What asks for the sizes of the groups.
        static func sizes(_ aggregate: RecordAggregate) -> RecordAggregate? {
            guard let key = aggregate.groupKey, aggregate.function != .count else { return nil }
            return RecordAggregate(.count, by: key, filter: aggregate.filter)
        }

        mutating func add(_ record: Record) {
            totals.add(record)
            sizes?.add(record)
        }

        /// Adds what commits have added, and takes away what they have taken away.
        mutating func move(by change: Change) {
            totals.add(change.added.totals)
            totals.subtract(change.removed.totals)
            guard let added = change.added.sizes, let removed = change.removed.sizes else { return }
            sizes?.add(added)
            sizes?.subtract(removed)
            if let sizes { totals.removeGroups(of: change.removed.totals, without: sizes) }
        }
    }

    typealias Change = (added: Sums, removed: Sums)

    /// What is to be done for the next value.
    enum Work {
        case fetch
        case change(Change)
        case nothing
    }

    private struct State: Sendable {
        var change: Change
        /// The classes that the totals have been asked of.
        var schemas: [ModelSchema] = []
        var isChanged = false
        var isStale = true
        var isClosed = false
        /// Whether a commit concerned the value since work was last taken.
        var hasNews = false
    }

    private let state: Guarded<State>
    private let aggregate: RecordAggregate
    let schema: ModelSchema
    private let test: RecordTest?
    /// The types whose records decide, too, which ones are counted.
    let partners: Set<String>
    private let isIncremental: Bool
    /// The places of the fields that the totals are made of.
    private let slots: [Int]
    private let none: Sums
    private let wake: @Sendable () -> Void

    init(
        _ aggregate: RecordAggregate,
        of schema: ModelSchema,
        isJudged: Bool,
        wake: @escaping @Sendable () -> Void
    ) {
        (self.aggregate, self.schema, self.wake) = (aggregate, schema, wake)
        partners = Set(aggregate.filter?.partners(of: schema).map(\.name) ?? [])
        test = aggregate.filter.map { RecordTest($0, of: schema) }
        none = Sums(aggregate, of: schema)
        slots = [none.totals.slot, none.totals.groupSlot].compactMap { $0 }
        isIncremental = isJudged && partners.isEmpty && none.totals.isExact
        state = Guarded(State(change: (none, none)))
    }

    // MARK: Committing

    func needsRows(of schema: ModelSchema) -> Bool {
        // Where all is asked for again, a commit after that brings the records again.
        isIncremental
            && state.withLock { state in
                !state.isStale
                    && (schema === self.schema || state.schemas.contains { $0 === schema })
            }
    }

    var needsOldRows: Bool { isIncremental }

    func take(_ changes: RecordChanges?) {
        let names = changes?.names(below: schema) ?? []
        let dropped = state.withLock { state -> Change? in
            if let changes, !changes.changes.isEmpty {
                judge(changes.changes, names, &state)
            } else {
                state.isClosed = state.isClosed || changes != nil
                (state.isStale, state.hasNews) = (true, true)
            }
            if !state.isStale || !state.isChanged { return nil }
            defer { (state.change, state.isChanged) = ((none, none), false) }
            return state.change
        }
        // Groups are released after the lock.
        withExtendedLifetime(dropped) {}
    }

    /// Takes the changes of a commit; the lock is held.
    private func judge(
        _ changes: [RecordChanges.Change],
        _ names: Set<String>,
        _ state: inout State
    ) {
        // A record that was written twice is the same in both.
        var seen: Set<IdentityMap.Key> = []
        for change in changes {
            let schema = state.schemas.first { $0.name == change.type }
            if schema == nil, !partners.contains(change.type),
                !change.mayBe(ofClassBelow: self.schema, names)
            {
                continue
            }
            guard !state.isStale, isIncremental, let schema, let written = change.written,
                !change.row.isUnknown, !change.old.isUnknown
            else {
                (state.isStale, state.hasNews) = (true, true)
                continue
            }
            let key = IdentityMap.Key(type: schema.type, identifier: written.identifier)
            if changes.count == 1 || seen.insert(key).inserted { judge(change, &state) }
        }
    }

    /// Takes the change of a record; the lock is held.
    private func judge(_ change: RecordChanges.Change, _ state: inout State) {
        func counted(_ row: RecordChanges.Change.Row) -> Record? {
            row.record.flatMap { test?.holds(for: $0) ?? true ? $0 : nil }
        }
        let (old, new) = (counted(change.old), counted(change.row))
        if old == nil, new == nil { return }
        if let old, let new {
            // A foreign key that has become a canonically equal text, as another form of "é", stays what it was.
            if slots.allSatisfy({ old[$0, schema] == new[$0, schema] }) { return }
        }
        if let new { state.change.added.add(new) }
        if let old { state.change.removed.add(old) }
        (state.isChanged, state.hasNews) = (true, true)
        let groups = max(
            state.change.added.totals.groupCount,
            state.change.removed.totals.groupCount
        )
        // More are asked for, as after a commit of as many records.
        if groups > RecordChanges.mostRows { state.isStale = true }
    }

    func notify() { if hasNews { wake() } }

    // MARK: The iteration

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether a commit concerned the value since work was last taken.
    var hasNews: Bool { state.withLock { $0.hasNews } }

    /// Has everything be fetched by the next work.
    func fail() { state.withLock { $0.isStale = true } }

    /// Takes what is to be done.
    func takeWork() -> Work {
        let schemas = ClassHierarchy(of: schema).schemas
        let (isStale, isChanged, change) = state.withLock { state in
            let isStale = state.isStale || state.schemas.count != schemas.count
            return (isStale, state.isChanged, begin(schemas, &state))
        }
        return isStale ? .fetch : isChanged ? .change(change) : .nothing
    }

    /// Forgets what was judged, and gives it, to be released after the lock.
    private func begin(_ schemas: [ModelSchema], _ state: inout State) -> Change {
        defer {
            (state.change, state.schemas) = ((none, none), schemas)
            (state.isChanged, state.isStale, state.hasNews) = (false, false, false)
        }
        return state.change
    }

    /// Asks for what there is, to be moved by what is judged after that.
    func fetch(from records: any RecordStore) async throws -> Sums {
        guard isIncremental, let judged = records as? any JudgedRecords else {
            return Sums(try await records.totals(aggregate, below: schema).value, nil)
        }
        let schemas = ClassHierarchy(of: schema).schemas
        return try await judged.read(schemas) { [self] in
            _ = state.withLock { begin(schemas, &$0) }
        } _: { [aggregate, schema] _, reading in
            func all(_ aggregate: RecordAggregate) throws -> RecordTotals {
                try schemas.reduce(into: RecordTotals(aggregate, of: schema)) {
                    $0.add(try reading.totals(aggregate, of: $1))
                }
            }
            return Sums(try all(aggregate), try Sums.sizes(aggregate).map(all))
        }.value
    }
}
