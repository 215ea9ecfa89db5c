public import ModelKitModels

/// What a commit has changed.
///
/// ```swift
/// let observation = store.records.observeChanges { changes in
///     if changes.types.contains("Person") { reload() }
/// }
/// ```
public struct RecordChanges: Sendable, Hashable {
    /// What is called with changes.
    public typealias Handler = @Sendable (RecordChanges) -> Void

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
        /// The record after the commit, where somebody needs it.
        var row = Row.unknown
        /// The record before the commit, whatever was written before this, where somebody needs it.
        var old = Row.unknown

        /// What is known of a record before or after a commit.
        enum Row: Sendable {
            case unknown, absent
            // So that a commit which nobody judges has no room for it.
            indirect case stored(Record)

            init(_ record: Record?) { self = record.map { .stored($0) } ?? .absent }

            var record: Record? { if case .stored(let record) = self { record } else { nil } }
            var isUnknown: Bool { if case .unknown = self { true } else { false } }
        }

        /// What a log has of it.
        private var logged: LoggedWrite?

        public init(type: String, identifier: Identifier?) {
            self.type = type
            self.identifier = identifier
            (made, logged) = (nil, nil)
        }

        init(_ made: MadeWrite) {
            type = made.write.schema.name
            identifier = made.receipt.identifier
            (self.made, logged) = (made, nil)
        }

        package init(_ logged: LoggedWrite) {
            type = logged.schema.name
            identifier = logged.identifier
            (made, self.logged) = (nil, logged)
        }

        /// Whether more than names is known.
        var isWritten: Bool { made != nil || logged != nil }

        /// What was written, and of which type; nil where only names are known.
        var written: LoggedWrite? {
            guard let made else { return logged }
            return LoggedWrite(
                schema: made.write.schema,
                identifier: made.receipt.identifier,
                revision: made.receipt.revision,
                isDeletion: made.write.isDeletion
            )
        }

        /// Adds what else was written to the same record.
        fileprivate mutating func merge(_ other: Change) {
            guard let old = logged, let new = other.logged else { return }
            logged = LoggedWrite(
                schema: new.schema,
                identifier: new.identifier,
                // They come in any order.
                revision: max(old.revision, new.revision),
                isDeletion: old.isDeletion || new.isDeletion
            )
        }

        /// Whether it may be of a class below that of a schema, which may be used for the first time.
        ///
        /// - Parameters:
        ///   - schema: The schema.
        ///   - names: The names of its classes, where the change has no more than that.
        /// - Returns: Whether it may.
        func mayBe(ofClassBelow schema: ModelSchema, _ names: Set<String>) -> Bool {
            written.map { $0.schema.bases.contains(schema.type) } ?? names.contains(type)
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

    /// The changes of a log, each record once.
    package init(merging changes: [Change]) {
        var (places, merged): ([Change: Int], [Change]) = ([:], [])
        for change in changes {
            if let place = places[change] {
                merged[place].merge(change)
            } else {
                places[change] = merged.count
                merged.append(change)
            }
        }
        self.changes = merged
    }

    /// What writes have changed.
    package init(_ writes: [RecordWrite], _ receipts: [RecordReceipt]) {
        changes = zip(writes, receipts).map { Change(MadeWrite(write: $0, receipt: $1)) }
    }

    /// Of more records than these a commit says no more than their types.
    package static let mostRows = 10_000
}

/// A write of a record as a log has it.
package struct LoggedWrite: Sendable {
    package let schema: ModelSchema
    package let identifier: Identifier
    package let revision: Int64
    package let isDeletion: Bool

    package init(
        schema: ModelSchema,
        identifier: Identifier,
        revision: Int64,
        isDeletion: Bool
    ) {
        (self.schema, self.identifier) = (schema, identifier)
        (self.revision, self.isDeletion) = (revision, isDeletion)
    }
}

/// A write of a record, and what it has left behind.
package struct MadeWrite: Sendable {
    package let write: RecordWrite
    package let receipt: RecordReceipt
    /// The revision that the record had before, where that is known and the write does not expect it.
    var revisionBefore: Int64?

    /// Whether it has followed from a deletion.
    var isEffect: Bool { revisionBefore != nil }

    /// The revision that the record had before; where nobody knows, the one before its own, if it had that.
    var before: Int64 {
        revisionBefore ?? write.target?.revision ?? receipt.revision &- 1
    }

    /// Whether it has made the record, which an update never does, whatever its receipt says.
    var isNew: Bool {
        if write.isCreation { return true }
        if case .update = write.action { return false }
        return receipt.isNew
    }
}
