package import ModelKitModels
import Synchronization

/// The observers of what a record store commits.
///
/// A store that is built on records has one, and notifies it of every commit.
///
/// ```swift
/// final class MyRecords: RecordStore {
///     private let observers = RecordObservers()
///
///     func observeChanges(_ handler: @escaping RecordChanges.Handler) -> RecordObservation? {
///         observers.add(handler)
///     }
/// }
/// ```
public final class RecordObservers: Sendable {
    private struct State {
        /// In the order in which they were added.
        var handlers: [(number: UInt64, ofOthers: Bool, handler: RecordChanges.Handler)] = []
        var judges = CommitJudges()
        var last: UInt64 = 0
        var isClosed = false
    }

    private let state = Guarded(State())
    private let judgeCount = Atomic<Int>(0)

    public init() {}

    /// Adds a handler that is called after every commit from now on, until the observation is ended or gone; at once, of
    /// nothing, where the store was closed.
    public func add(_ handler: @escaping RecordChanges.Handler) -> RecordObservation {
        add(handler, ofOthers: true)
    }

    /// Adds a handler.
    ///
    /// - Parameters:
    ///   - handler: What is called after every commit from now on.
    ///   - ofOthers: Whether it is also called after those of others.
    /// - Returns: What ends it.
    package func add(
        _ handler: @escaping RecordChanges.Handler,
        ofOthers: Bool
    ) -> RecordObservation {
        let (number, isClosed) = state.withLock { state in
            state.last += 1
            state.handlers.append((state.last, ofOthers, handler))
            return (state.last, state.isClosed)
        }
        if isClosed { handler(RecordChanges([])) }
        return RecordObservation { [weak self] in self?.remove(number) }
    }

    /// Adds what takes every commit from now on, until the observation is ended or gone.
    package func add(_ judge: any CommitJudge) -> RecordObservation {
        let (number, isClosed) = state.withLock { state in
            state.last += 1
            state.judges.add(judge, state.last)
            judgeCount.store(state.judges.count, ordering: .sequentiallyConsistent)
            return (state.last, state.isClosed)
        }
        if isClosed { judge.take(RecordChanges([])) }
        return RecordObservation { [weak self] in self?.remove(number) }
    }

    /// Whether nobody has to be notified.
    public var isEmpty: Bool { state.withLock { $0.handlers.isEmpty && $0.judges.isEmpty } }

    /// Whether somebody has to be notified of what others commit.
    package var isForOthers: Bool {
        state.withLock { !$0.judges.isEmpty || $0.handlers.contains(where: \.ofOthers) }
    }

    /// Whether commits are judged, which costs one load to know.
    package var isJudged: Bool { judgeCount.load(ordering: .relaxed) > 0 }

    /// The same, of whoever has begun before what the caller did last was visible.
    package var isStillJudged: Bool { judgeCount.load(ordering: .sequentiallyConsistent) > 0 }

    /// What takes the records as they are before a commit, which has just begun; nil where nobody judges it.
    ///
    /// Who begins to judge only after that is notified that something was written, and of no more.
    package var oldRecords: OldRecords? {
        if !isJudged { return nil }
        return OldRecords(self, areNeeded: state.withLock { $0.judges.needOldRows })
    }

    /// Whether somebody needs the records of a type, as they are or as they were.
    func needsRows(of schema: ModelSchema, old isOld: Bool = false) -> Bool {
        // Under the lock, as whoever has a copy of the list may be the last to have a judge, and its models.
        state.withLock { state in
            state.judges.contains(of: schema) {
                (!isOld || $0.needsOldRows) && $0.needsRows(of: schema)
            }
        }
    }

    /// Whether the records of a type suffice to somebody who needs them, without what they were before.
    package func needsNewRows(of schema: ModelSchema) -> Bool {
        state.withLock { state in
            state.judges.contains(of: schema) { !$0.needsOldRows && $0.needsRows(of: schema) }
        }
    }

    /// What a commit changes, with the records that are judged, to be called before it is visible.
    ///
    /// Where asking for a record throws, those who judge it ask the store for everything.
    package func readingRows(
        _ changes: RecordChanges,
        _ old: OldRecords? = nil,
        _ record: (ModelSchema, Identifier) throws -> Record?
    ) -> RecordChanges {
        if changes.changes.count > RecordChanges.mostRows { return changes }
        var (changes, needed) = (changes.changes, [ObjectIdentifier: Bool]())
        for index in changes.indices {
            guard let written = changes[index].written else { continue }
            let (schema, identifier) = (written.schema, written.identifier)
            let type = ObjectIdentifier(schema)
            // Who asks for everything, as it is not known what was there before, needs none.
            let isNeeded =
                needed[type] ?? (old == nil ? needsNewRows(of: schema) : needsRows(of: schema))
            needed[type] = isNeeded
            guard isNeeded else { continue }
            if let row = try? record(schema, identifier) as Record?? {
                changes[index].row = .init(row)
            }
            if let row = old?[schema, identifier] { changes[index].old = row }
        }
        return RecordChanges(changes)
    }

    /// Hands a commit to those who judge it; call it in the order of the commits, and `notify` after it.
    ///
    /// - Parameter changes: What it changes; nil where others have written, nobody knows what.
    /// - Returns: Those, who are to be released without a lock: one of them may be the last to have a model.
    package func judge(_ changes: RecordChanges?) -> [any CommitJudge] {
        if !isJudged || changes?.changes.isEmpty ?? false { return [] }
        let judges = state.withLock { $0.judges.concerned(by: changes) }
        for judge in judges { judge.take(changes) }
        return judges
    }

    /// Notes that others have written, nobody knows what.
    package func noteOthers() {
        for judge in judge(nil) { judge.notify() }
    }

    /// Notifies of a commit, on the calling thread.
    public func notify(_ changes: @autoclosure () -> RecordChanges) {
        notify(changes(), judged: nil)
    }

    /// Notifies of a commit that some have judged before; nil if they do now.
    package func notify(
        _ changes: @autoclosure () -> RecordChanges,
        judged: [any CommitJudge]?,
        ofOthers: Bool = false
    ) {
        let (handlers, isJudged) = state.withLock { state in
            let handlers = ofOthers ? state.handlers.filter(\.ofOthers) : state.handlers
            return (handlers, !state.judges.isEmpty)
        }
        if handlers.isEmpty, !isJudged { return }
        let changes = changes()
        if changes.changes.isEmpty { return }
        let judges = judged ?? state.withLock { $0.judges.concerned(by: changes) }
        if judged == nil { for judge in judges { judge.take(changes) } }
        for (_, _, handler) in handlers { handler(changes) }
        for judge in judges { judge.notify() }
    }

    /// Notifies that the store was closed, by a change of nothing, and then of nothing more.
    ///
    /// Call it once uses of the store fail.
    public func close() {
        let (handlers, judges) = state.withLock { state in
            defer { (state.handlers, state.judges) = ([], CommitJudges()) }
            state.isClosed = true
            judgeCount.store(0, ordering: .sequentiallyConsistent)
            return (state.handlers, state.judges.everyone)
        }
        for (_, _, handler) in handlers { handler(RecordChanges([])) }
        for judge in judges {
            judge.take(RecordChanges([]))
            judge.notify()
        }
    }

    private func remove(_ number: UInt64) {
        let removed = state.withLock { state -> (Any?, Any?) in
            let handler = state.handlers.firstIndex { $0.number == number }
                .map { state.handlers.remove(at: $0) }
            let judge = state.judges.remove(number)
            judgeCount.store(state.judges.count, ordering: .sequentiallyConsistent)
            return (handler, judge)
        }
        withExtendedLifetime(removed) {}
    }
}

/// The observation of changes, which ends when this is released.
///
/// ```swift
/// let observation = store.records.observeChanges { print($0.types) }
/// observation?.end()
/// ```
public final class RecordObservation: Sendable {
    private let remove: Guarded<(@Sendable () -> Void)?>

    /// - Parameter remove: Ends it; called once.
    public init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = Guarded(remove)
    }

    deinit { end() }

    /// Ends it; a call of the handler that has begun goes on.
    public func end() {
        remove.withLock { $0.take() }?()
    }
}
