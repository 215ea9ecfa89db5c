public import ModelKitModels

/// What a store keeps of a model: values that can go anywhere, unlike the model itself.
///
/// ```swift
/// let record = Record(identifier: "p1", revision: 1, values: ["name": "Bob"])
/// ```
public struct Record: Sendable, Hashable {
    public var identifier: Identifier
    /// A number that grows by 1 with every write of the record, from 1 on.
    ///
    /// A write that expects another one is a conflict. A new record begins above the greatest revision that a
    /// deleted record of its type had, so that one that is deleted and made anew never has a revision again.
    public var revision: Int64
    /// The values by the keys of the fields.
    ///
    /// One that a store gives has a value for every field; `.null` is nil, whether it was set to nil
    /// or never set, also of a field whose values may be `.null` themselves. In a write an absent key is null for a new record, and is left alone in another.
    ///
    /// Stores may keep them otherwise, and make a dictionary when it is asked for: `record[key]` is quicker.
    public var values: [FieldKey: AttributeValue] {
        get { storage.dictionary }
        set { storage = .dictionary(newValue) }
    }
    private(set) var storage: RecordValues
    /// The place in the order of creation, which the store gives: greater than that of every record
    /// that it created before.
    public var place: Int64

    public init(
        identifier: Identifier,
        revision: Int64,
        values: [FieldKey: AttributeValue],
        place: Int64 = 0
    ) {
        self.identifier = identifier
        self.revision = revision
        storage = .dictionary(values)
        self.place = place
    }

    /// A record with the values in the order of the fields, and those of keys that no field has.
    package init(
        identifier: Identifier,
        revision: Int64,
        _ layout: RecordLayout,
        _ row: ContiguousArray<AttributeValue>,
        others: [FieldKey: AttributeValue]? = nil,
        place: Int64
    ) {
        self.identifier = identifier
        self.revision = revision
        storage = others.map { .extendedRow(layout, row, others: $0) } ?? .row(layout, row)
        self.place = place
    }

    /// Whether it has the values of a row of a table, and is not what somebody has put together.
    var isOfTable: Bool { if case .dictionary = storage { false } else { true } }

    /// The values in the order of the fields of a schema, if they stand so.
    func row(of schema: ModelSchema) -> ContiguousArray<AttributeValue>? {
        switch storage {
        case .row(let layout, let row) where layout.schema === schema: row
        case .extendedRow(let layout, let row, _) where layout.schema === schema: row
        default: nil
        }
    }

    /// The value of a key; nil where there is none.
    public subscript(key: FieldKey) -> AttributeValue? { storage[key] }

    /// The value of a field, by its place in a schema.
    package subscript(slot: Int, schema: ModelSchema) -> AttributeValue? { storage[slot, schema] }
}

/// One write to a store.
///
/// ```swift
/// let write = RecordWrite(.delete("p1", revision: nil), of: Person.schema)
/// ```
public struct RecordWrite: Sendable {
    /// What is written.
    ///
    /// ```swift
    /// let action = RecordWrite.Action.update("p1", ["name": "Bob"], revision: 1)
    /// ```
    public enum Action: Sendable {
        /// Adds a record.
        ///
        /// Without an identifier the store makes a number.
        case create(Identifier?, [FieldKey: AttributeValue])
        /// Adds a record, or does with the one of the identifier what is said for that case.
        case save(Identifier, [FieldKey: AttributeValue], OnConflict)
        /// Sets some values of a record, if it has the given revision.
        case update(Identifier, [FieldKey: AttributeValue], revision: Int64?)
        /// Removes a record, if it has the given revision.
        case delete(Identifier, revision: Int64?)
    }

    public var schema: ModelSchema { storage.schema }
    /// What is written, made anew each time for a record that a model store creates.
    public var action: Action {
        guard let (identifier, row) = creation else { return storage.action }
        var values = schema.values(of: row)
        for (slot, text) in texts {
            // Never fails: it is what the library has written, within the limits by which it reads.
            values[schema.fields[slot].key] = try? StoredJSON.value(of: text)
        }
        return .create(identifier, values)
    }
    /// The model that is written; nil of a write that no model asks for.
    package var source: RecordSource? { storage.source }
    private let storage: Storage

    /// Shared, as a write is handed on many times on its way.
    private final class Storage: Sendable {
        let schema: ModelSchema
        let action: Action
        /// The values of a creation in the order of the fields, nil where there is none, or a text; in place of those
        /// by their keys.
        let row: ContiguousArray<AttributeValue?>?
        let texts: [Int: String]
        let source: RecordSource?

        init(
            _ schema: ModelSchema,
            _ action: Action,
            _ row: ContiguousArray<AttributeValue?>?,
            _ texts: [Int: String],
            _ source: RecordSource?
        ) {
            (self.schema, self.action, self.row) = (schema, action, row)
            (self.texts, self.source) = (texts, source)
        }
    }

    public init(_ action: Action, of schema: ModelSchema) {
        self.init(action, of: schema, from: nil)
    }

    init(
        _ action: Action,
        _ row: ContiguousArray<AttributeValue?>? = nil,
        texts: [Int: String] = [:],
        of schema: ModelSchema,
        from source: RecordSource?
    ) {
        storage = Storage(schema, action, row, texts, source)
    }

    /// What is added, if its values stand in the order of the fields, so that no key has to be looked for; those
    /// that `texts` has are missing.
    package var creation: (identifier: Identifier?, row: ContiguousArray<AttributeValue?>)? {
        guard let row = storage.row, case .create(let identifier, _) = storage.action
        else { return nil }
        return (identifier, row)
    }

    /// What is added beside the row of `creation`, by the order of the fields: the JSON that `StoredJSON` writes of
    /// values; empty but for a store that keeps such.
    package var texts: [Int: String] { storage.texts }

    /// Whether it is a creation, without a copy of what is created.
    package var isCreation: Bool { storage.row != nil }

    /// Whether it removes a record.
    var isDeletion: Bool { if case .delete = storage.action { true } else { false } }

    /// The identifier of a record that may be there.
    package var knownIdentifier: Identifier? {
        switch storage.action {
        case .create: nil
        case .save(let identifier, _, _), .update(let identifier, _, _),
            .delete(let identifier, _):
            identifier
        }
    }

    /// The identifier of the record that has to be there, and the revision that it has to have; nil for any.
    var target: (identifier: Identifier, revision: Int64?)? {
        switch storage.action {
        case .create, .save: nil
        case .update(let identifier, _, let revision), .delete(let identifier, let revision):
            (identifier, revision)
        }
    }
}

extension RecordWrite {
    /// The same write, made in another way.
    package init(_ action: Action, of other: RecordWrite) {
        self.init(action, of: other.schema, from: other.source)
    }

    /// The values that the model had when the write was asked for.
    package var snapshotValues: [FieldKey: AttributeValue]? {
        source?.snapshot.map { schema.values(of: $0.row) }
    }

    /// What a save makes a record of, where there is none: all that the model has, with its default values.
    ///
    /// - Parameter values: What it makes of a record that is there.
    /// - Returns: The values.
    /// - Throws: `.validation` for rules that a record which is there may keep, and the model does not.
    package func valuesOfNew(
        _ values: [FieldKey: AttributeValue]
    ) throws(StoreError) -> [FieldKey: AttributeValue] {
        guard let source, let snapshot = source.snapshot else { return values }
        if !snapshot.gaps.isEmpty, source.lacking.isBlocking {
            throw .validation(source.lacking)
        }
        return schema.values(of: snapshot.row)
    }

    /// The same write, which is only made where a record is there.
    func needing(_ schema: ModelSchema, _ identifier: Identifier) -> RecordWrite {
        guard var source else { return self }
        source.needed = (schema, identifier)
        return RecordWrite(storage.action, storage.row, texts: texts, of: self.schema, from: source)
    }

    /// The record that has to be there for it.
    package var needed: (schema: ModelSchema, identifier: Identifier)? { storage.source?.needed }

    /// Whether the model had an identifier when the write was asked for; nil of a write that no model asks
    /// for.
    package var hasIdentifier: Bool? { source?.snapshot.map { $0.identifier != nil } }
}

extension [RecordWrite] {
    /// That a record is not there without which one of them is not to be made; to be asked before they are, in the
    /// same transaction.
    package func lacking<Failure>(
        _ isThere: (ModelSchema, Identifier) throws(Failure) -> Bool
    ) throws(Failure) -> StoreError? {
        for index in indices {
            guard let (schema, identifier) = self[index].needed else { continue }
            if try !isThere(schema, identifier) {
                return .notFound(type: schema.name, identifier: identifier)
            }
        }
        return nil
    }
}

extension ModelSchema {
    /// Values in the order of the fields by their keys.
    func values(of row: ContiguousArray<AttributeValue?>) -> [FieldKey: AttributeValue] {
        var values: [FieldKey: AttributeValue] = [:]
        values.reserveCapacity(row.count)
        for (entry, value) in zip(fields, row) {
            if let value { values[entry.key] = value }
        }
        return values
    }
}

/// The model that a write is of, for stores in which the place of a record depends on more than what is
/// written, as on its owner.
package struct RecordSource: Sendable {
    package let model: any Model
    /// The values that it had when the write was asked for; nil of a deletion.
    let snapshot: Snapshot?
    /// What it and its record agree on; nil where there is no record yet.
    let agreements: Agreements?
    /// What is wrong with the model where there is no record, of which it knows a part.
    var lacking: [Issue] = []
    /// The record of an owner, without which a member is not to be written.
    fileprivate(set) var needed: (schema: ModelSchema, identifier: Identifier)?

    /// The value that the record has in the store, as far as that is known, and not the edited one.
    package func storedValue(of entry: ModelSchema.Entry) -> AttributeValue? {
        let slot = type(of: model).schema.fields.firstIndex { $0 === entry }
        if let slot, let value = agreements?[slot].value { return value }
        return slot.flatMap { snapshot?.row[$0] } ?? entry.field(in: model).currentAttribute
    }
}

/// What a write has left behind.
///
/// ```swift
/// let receipts = try await records.perform([write]).value
/// ```
public struct RecordReceipt: Sendable, Hashable {
    public let identifier: Identifier
    /// The record's revision after the write; of a deleted one, the last it had.
    public let revision: Int64
    /// The record after the write, where the store has given it other values than it was sent; nil where
    /// it has those, or nobody knows.
    ///
    /// The model takes the values of the fields that were not edited since the write was asked for.
    public let record: Record?
    /// Whether the write has made the record, which of a save nobody else knows.
    public let isNew: Bool

    public init(
        identifier: Identifier,
        revision: Int64,
        record: Record? = nil,
        isNew: Bool = false
    ) {
        self.identifier = identifier
        self.revision = revision
        self.record = record
        self.isNew = isNew
    }
}
