public import ModelKitModels

/// What a store was asked for, or how that has ended.
///
/// ```swift
/// let store = MemoryModelStore(events: StoreEvents { event in
///     if case .ended(let time, let failure) = event.phase { print(event, time, failure ?? "ok") }
/// })
/// ```
public struct StoreEvent: Sendable {
    /// What a store is asked for.
    ///
    /// ```swift
    /// let name = StoreEvent.Operation.lookup.rawValue   // "lookup"
    /// ```
    public enum Operation: String, Sendable, Hashable {
        case create, update, save, delete, perform, lookup, list, aggregate, transaction, restore
        /// Some models of a list; also those that a live window comes to need.
        case page
        /// All models of a live query, or a live value, asked for again, as a commit does not say what it changes there.
        case refetch
        /// The body of a transaction runs again, as the store had to give up what it has done before.
        case rerun
        /// One transaction of an import.
        case `import`
        /// A migration, while the store is opened; it comes under the migration's name in place of a type.
        case migrate
        /// Indexes are made of a table that is there, which may take long where it is large.
        case index
        /// Looking for what other processes commit, while somebody observes: it ends when nobody does, or by a failure, and
        /// begins again when that is over.
        case follow
        /// No connection to a server can be made: it ends when one can, or with the store.
        case reconnect
        /// The outcome of a write is looked for whose answer was lost: it ends with the `count` 1 where the write was
        /// committed and 0 where it was not, and by a failure where that is not known.
        case settle
        /// Old rows of a change log are removed, of which there are `count`.
        case prune
    }

    /// Whether it begins or has ended.
    ///
    /// ```swift
    /// if case .ended(let time, _) = event.phase, time > .seconds(1) { print("slow:", event) }
    /// ```
    public enum Phase: Sendable {
        /// It was asked for.
        case began
        /// It has ended so much later, with an error of this case (`conflict`) or, with nil, well.
        case ended(after: Duration, failure: String?)
    }

    /// What it is called from its beginning to its end.
    struct Label: Sendable {
        let operation: Operation
        var type: String?
        var count: Int?
        var identifier: Identifier?

        static func refetch<M: Model>(_ type: M.Type) -> Label {
            Label(operation: .refetch, type: M.schema.name)
        }

        static func page<M: Model>(_ type: M.Type) -> Label {
            Label(operation: .page, type: M.schema.name)
        }
    }

    let label: Label

    /// The same for the beginning and the end of one use; greater for later ones.
    public let number: UInt64
    public let phase: Phase
    /// The error it has ended with; nil unless contents are asked for, as its texts may contain values.
    public let error: (any Error)?

    public var operation: Operation { label.operation }

    /// The name of the models' type, and of a migration its own; nil where there may be several types.
    public var type: String? { label.type }

    /// How many models are written; at the end of a list or a page, how many were found.
    public let count: Int?

    /// The identifier that is looked up, or of the one model that is written; nil unless contents are
    /// asked for.
    public var identifier: Identifier? { label.identifier }
}

extension StoreEvent: CustomStringConvertible {
    /// One line, such as `#12 update Person ended after 0.001 seconds: conflict`.
    public var description: String {
        var text = "#\(number) \(operation.rawValue)"
        if let type { text += " \(type)" }
        if let identifier { text += " \(identifier)" }
        if let count { text += " (\(count))" }
        switch phase {
        case .began: return text + " began"
        case .ended(let time, let failure):
            text += " ended after \(time)"
            if let failure { text += ": \(failure)" }
            if let error { text += ", \(error)" }
            return text
        }
    }
}
