public import ModelKitModels

/// What a commit has changed.
///
/// ```swift
/// let observation = store.records.observeChanges { changes in
///     if changes.types.contains("Person") { reload() }
/// }
/// ```
public struct RecordChanges: Sendable, Hashable {
    /// A record that was written; or, without an identifier, any number of those of its type.
    ///
    /// ```swift
    /// let change = RecordChanges.Change(type: "Person", identifier: "p1")
    /// ```
    public struct Change: Sendable, Hashable {
        public let type: String
        public let identifier: Identifier?
        /// What was written; nil where the store says no more than that.
        package let made: MadeWrite?

        public init(type: String, identifier: Identifier?) {
            self.type = type
            self.identifier = identifier
            made = nil
        }

        init(_ made: MadeWrite) {
            type = made.write.schema.name
            identifier = made.receipt.identifier
            self.made = made
        }

        /// Whether both are of the same record, whatever was written.
        public static func == (left: Change, right: Change) -> Bool {
            left.type == right.type && left.identifier == right.identifier
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(type)
            hasher.combine(identifier)
        }
    }

    /// In the order of the writes; a record that was written twice is there twice.
    ///
    /// None are delivered once, as the last, when the store is closed.
    public let changes: [Change]

    /// The names of the types whose records were written.
    public var types: Set<String> { Set(changes.map(\.type)) }

    public init(_ changes: [Change]) {
        self.changes = changes
    }

    /// What writes have changed.
    package init(_ writes: [RecordWrite], _ receipts: [RecordReceipt]) {
        changes = zip(writes, receipts).map { Change(MadeWrite(write: $0, receipt: $1)) }
    }
}

/// A write of a record, and what it has left behind.
package struct MadeWrite: Sendable {
    package let write: RecordWrite
    package let receipt: RecordReceipt

    /// Whether it has made the record, which an update never does, whatever its receipt says.
    var isNew: Bool {
        if write.isCreation { return true }
        if case .update = write.action { return false }
        return receipt.isNew
    }
}

/// The observers of what a record store commits.
///
/// A store that is built on records has one, and notifies it of every commit.
///
/// ```swift
/// final class MyRecords: RecordStore {
///     private let observers = RecordObservers()
///
///     func observeChanges(
///         _ handler: @escaping @Sendable (RecordChanges) -> Void
///     ) -> RecordObservation? {
///         observers.add(handler)
///     }
/// }
/// ```
public final class RecordObservers: Sendable {
    private struct State {
        /// In the order in which they were added.
        var handlers: [(number: UInt64, handler: @Sendable (RecordChanges) -> Void)] = []
        var last: UInt64 = 0
    }

    private let state = Guarded(State())

    public init() {}

    /// Adds a handler that is called after every commit from now on, until the observation is ended or gone.
    public func add(
        _ handler: @escaping @Sendable (RecordChanges) -> Void
    ) -> RecordObservation {
        let number = state.withLock { state in
            state.last += 1
            state.handlers.append((state.last, handler))
            return state.last
        }
        return RecordObservation { [weak self] in self?.remove(number) }
    }

    /// Whether nobody has to be notified.
    public var isEmpty: Bool { state.withLock { $0.handlers.isEmpty } }

    /// Notifies of a commit, on the calling thread.
    public func notify(_ changes: @autoclosure () -> RecordChanges) {
        let handlers = state.withLock { $0.handlers }
        if handlers.isEmpty { return }
        let changes = changes()
        if changes.changes.isEmpty { return }
        for (_, handler) in handlers { handler(changes) }
    }

    /// Notifies that the store was closed, by a change of nothing, and then of nothing more.
    ///
    /// Call it once uses of the store fail.
    public func close() {
        let handlers = state.withLock { state in
            defer { state.handlers = [] }
            return state.handlers
        }
        for (_, handler) in handlers { handler(RecordChanges([])) }
    }

    private func remove(_ number: UInt64) {
        let handler = state.withLock { state in
            state.handlers.firstIndex { $0.number == number }.map { state.handlers.remove(at: $0) }
        }
        withExtendedLifetime(handler) {}
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
