import ModelKitFields
import ModelKitModels
package import ModelKitStores

// A value that JSON and the record have in common, as a text, is taken as it is; all others go by a model.

extension RecordCoder {
    /// The object of some values, with null for each that is null if that is asked for.
    package func object(
        of values: [FieldKey: AttributeValue],
        writesNull: Bool
    ) throws(StoreError) -> AttributeDictionary {
        var object = AttributeDictionary(minimumCapacity: values.count)
        var others: [FieldKey: AttributeValue] = [:]
        for (entry, plain) in zip(schema.fields, plain) {
            guard let value = values[entry.key] else { continue }
            guard let plain, value.isNull || value.isOfKind(entry.kind) else {
                others[entry.key] = value
                continue
            }
            if !value.isNull || writesNull || context.explicitNull { object[plain.name] = value }
        }
        if others.isEmpty { return object }
        let models = ScratchModels()
        defer { withExtendedLifetime(models) {} }
        let model = try model(of: Record(identifier: "", revision: 1, values: others), in: models)
        let rest = self.object(of: model, Set(others.keys), writesNull: writesNull)
        return object.merging(rest) { _, rest in rest }
    }

    /// What is read of an object: a value for each field that it has.
    struct Found {
        fileprivate(set) var row: ContiguousArray<AttributeValue?>
        fileprivate let coder: RecordCoder

        /// The identifier that the object has.
        var identifier: Identifier? {
            coder.identity.flatMap { row[$0] }.flatMap { try? Identifier(attributeValue: $0) }
        }

        subscript(key: FieldKey) -> AttributeValue? {
            get { coder.schema.fields.firstIndex { $0.key == key }.flatMap { row[$0] } }
            set {
                guard let slot = coder.schema.fields.firstIndex(where: { $0.key == key }) else {
                    return
                }
                row[slot] = newValue
            }
        }

        var hash: Int { row.hashValue }

        /// Whether the fields that are there are null, by their places.
        var nulls: [Int: Bool] {
            var nulls: [Int: Bool] = [:]
            for (slot, value) in row.enumerated() { nulls[slot] = value?.isNull }
            return nulls
        }

        /// Gives the fields that are not there null.
        mutating func complete() {
            for slot in row.indices where row[slot] == nil { row[slot] = .null }
        }

        mutating func identify(by identifier: Identifier) {
            if let slot = coder.identity { row[slot] = identifier.attributeValue }
        }

        /// The values by the keys that the fields are declared with.
        var dictionary: AttributeDictionary {
            var dictionary: AttributeDictionary = [:]
            for (entry, value) in zip(coder.schema.fields, row) {
                if let value { dictionary.set(value, at: entry.key.names[...]) }
            }
            return dictionary
        }

        /// The record of the values, with what was read of the other sides of keys.
        func record(
            _ identifier: Identifier,
            revision: Int64,
            place: Int64,
            members: [FieldKey: AttributeValue]
        ) -> Record {
            let whole = ContiguousArray(row.lazy.compactMap { $0 })
            // From a row a session takes no members: it may be one of a table.
            if whole.count == row.count, members.isEmpty {
                let layout = coder.layout
                return Record(
                    identifier: identifier,
                    revision: revision,
                    layout,
                    whole,
                    place: place
                )
            }
            var values = members
            for (entry, value) in zip(coder.schema.fields, row) { values[entry.key] = value }
            return Record(identifier: identifier, revision: revision, values: values, place: place)
        }
    }

    /// Reads an object.
    ///
    /// - Throws: An `ImportError` with what does not fit, by the keys in the object.
    func read(_ object: AttributeDictionary) throws(ImportError) -> Found {
        var row = ContiguousArray<AttributeValue?>()
        row.reserveCapacity(keys.count)
        var others: AttributeDictionary = [:]
        for (plain, key) in zip(plain, keys) {
            guard let plain else {
                let name = key.names[0]
                if let value = object[name] { others[name] = value }
                row.append(nil)
                continue
            }
            guard let value = object[plain.name] else {
                row.append(nil)
                continue
            }
            let taken = value.taken(as: plain.entry.kind)
            if taken == nil { others[plain.name] = value }
            row.append(taken)
        }
        if !others.isEmpty {
            let values = try values(of: others)
            for (slot, entry) in schema.fields.enumerated() {
                if let value = values[entry.key] { row[slot] = value }
            }
        }
        return Found(row: row, coder: self)
    }
}

extension AttributeValue {
    /// The value of a plain field of a kind, as JSON has it; nil where a model has to find out.
    fileprivate func taken(as kind: AttributeKind) -> AttributeValue? {
        switch (self, kind) {
        case (.null, _), (.string, .string), (.int, .int), (.double, .double), (.bool, .bool):
            return self
        case (.string, .decimal), (.string, .unsigned), (.int, .unsigned):
            return isStorable(as: kind) ? self : nil
        case (.int(let number), .double): return Double(exactly: number).map { .double($0) }
        case (.string(let text), .date): return Timestamp.date(from: text).map { .date($0) }
        case (.array(let elements), .array):
            // Of numbers it is not known here whether they are integers.
            let isOfTexts = elements.allSatisfy { if case .string = $0 { true } else { false } }
            guard isOfTexts else { return nil }
            return self
        default: return nil
        }
    }
}
