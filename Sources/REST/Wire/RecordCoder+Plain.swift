import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitEssentials

/// A field that has the same form in a context as in a record.
struct PlainMember: Sendable {
    /// The place of the field in the schema.
    let slot: Int
    let entry: ModelSchema.Entry
    let name: String
    /// The key in JSON, with its quotes and a colon.
    fileprivate let written: [UInt8]

    /// nil for a field that has another form.
    init?(
        _ slot: Int,
        _ entry: ModelSchema.Entry,
        _ key: FieldKey,
        of schema: ModelSchema,
        in context: ValueTransformerContext
    ) {
        guard key.names.count == 1, entry.isPlain(of: schema, in: context.registry),
            let name = try? AttributeValue.string(key.names[0]).jsonData()
        else { return nil }
        (self.slot, self.entry, self.name) = (slot, entry, key.names[0])
        written = Array(name) + Array(":".utf8)
    }
}

extension RecordCoder {
    /// The JSON of a record; nil if a field has another form, or a value is not of the kind that its field says.
    func plainJSON(of record: Record, _ note: RecordNote) -> Data? {
        guard let sorted else { return nil }
        var json = JSONMembers()
        let writesNull = context.explicitNull
        for member in sorted {
            let value = record[member.slot, schema] ?? .null
            if value.isNull, !writesNull { continue }
            guard member.entry.isForeignKey ? value.isReference : value.isOfKind(member.entry.kind)
            else { return nil }
            json.append(member.written, value)
        }
        json.append(RecordNote.name, json: note.json)
        return json.data()
    }
}

extension ModelSchema.Entry {
    /// Whether values have the form of their type, and JSON says it all.
    func isPlain(of schema: ModelSchema, in registry: TransformerRegistry?) -> Bool {
        let field = field(in: schema.prototype)
        func isPlain<Value: Equatable & Sendable>(_ type: Value.Type) -> Bool? {
            (field as? Field<Value>)?.hasStandardForm(in: registry, withoutDomain: true)
        }
        if let partner = partnerSchema {
            guard isForeignKey, registry.map({ !$0.transformsTypes }) ?? true,
                let identity = partner.identifier, identity.partnerSchema == nil,
                identity.isPlain(of: partner, in: registry)
            else { return false }
            func isAsDeclared<M: Model>(_ model: M) -> Bool {
                let one = (field as? Field<M>)?.hasContextualForms
                return (one ?? (field as? Field<[M]>)?.hasContextualForms) == false
            }
            return registry == nil || isAsDeclared(partner.prototype)
        }
        return isPlain(String.self) ?? isPlain(Int.self) ?? isPlain(Double.self)
            ?? isPlain(Bool.self) ?? isPlain(Date.self) ?? isPlain(Data.self)
            ?? isPlain([String].self) ?? isPlain([Int].self) ?? isPlain([Double].self) ?? false
    }
}

extension AttributeValue {
    /// Whether it is an identifier, or an array of such.
    fileprivate var isReference: Bool {
        switch self {
        case .null, .int, .string: true
        case .array(let elements):
            elements.allSatisfy {
                switch $0 {
                case .int, .string: true
                default: false
                }
            }
        default: false
        }
    }
}
