package import ModelKitFields
package import ModelKitModels
package import ModelKitStores
package import ModelKitEssentials

/// Turns records of a type into the JSON objects of its models and back, as a context says.
///
/// A model that nobody else knows is in between: it takes the values of a record, and is written in the
/// context; or it reads an object in the context, and its values are taken. So every transformer and every
/// hook has its say. A foreign key is an identifier; where somebody sends the model instead, its
/// identifier counts. Fields whose values may be anything have dates and data as `StoredJSON` writes them.
package final class RecordCoder: Sendable {
    package let schema: ModelSchema
    package let context: ValueTransformerContext
    /// The keys of the fields in JSON, in the order of the fields.
    package let keys: [FieldKey]
    /// The same context with null for each nil.
    private let explicit: ValueTransformerContext
    private let untyped: UntypedFields
    /// The fields that have the same form in the context as in a record, so that no model is needed to write or
    /// to read them, in their order; nil for each that has another form.
    let plain: [PlainMember?]
    /// All of them in the order of JSON; nil where there are others.
    let sorted: [PlainMember]?
    let layout: RecordLayout
    /// The place of the identifier among the fields.
    let identity: Int?

    package init(_ schema: ModelSchema, in context: ValueTransformerContext) {
        self.schema = schema
        self.context = context
        keys = schema.keys(in: context)
        var explicit = context
        if !context.explicitNull { explicit.explicitNull = true }
        self.explicit = explicit
        untyped = UntypedFields(of: schema, in: context)
        plain = zip(schema.fields, keys).enumerated().map { slot, field in
            PlainMember(slot, field.0, field.1, of: schema, in: context)
        }
        let all = plain.compactMap(\.self)
        sorted =
            all.count < plain.count
            ? nil : all.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        layout = RecordLayout(of: schema)
        identity = schema.fields.firstIndex { $0 === schema.identifier }
    }

    /// A model that is no part of any relation, with the values of a record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - models: What lets go of the models that it has; nil, where they are used then.
    /// - Returns: The model.
    /// - Throws: `.decoding`, if a value does not fit its field.
    package func model(
        of record: Record,
        in models: ScratchModels? = nil
    ) throws(StoreError) -> any Model {
        var scope = ImportScope()
        scope.nullIsNil = true
        let model = Linking.alone(in: models) {
            let model = type.init()
            for (slot, entry) in schema.fields.enumerated() {
                guard let value = record[slot, schema] else { continue }
                entry.field(in: model).read(value, at: entry.path, revision: nil, in: &scope)
            }
            return model
        }
        if scope.issues.isEmpty { return model }
        throw .decoding(type: schema.name, identifier: record.identifier, scope.issues)
    }

    /// A model that is no part of any relation and has its default values.
    package func blank() -> any Model { Linking.alone { type.init() } }

    private var type: any Model.Type { Swift.type(of: schema.prototype) }

    /// The values of some fields of a model, or of all; null where there is none.
    package func values(
        of model: any Model,
        _ keys: Set<FieldKey>? = nil
    ) -> [FieldKey: AttributeValue] {
        var values: [FieldKey: AttributeValue] = [:]
        for entry in schema.fields where keys?.contains(entry.key) ?? true {
            values[entry.key] = entry.value(in: model) ?? .null
        }
        return values
    }

    /// The object of a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - keys: The fields that are written; nil for all.
    ///   - writesNull: Whether null is there for each nil that was set, whatever the context says.
    /// - Returns: The object.
    package func object(
        of model: any Model,
        _ keys: Set<FieldKey>? = nil,
        writesNull: Bool = false
    ) -> AttributeDictionary {
        let fields = keys.map { keys in
            schema.fields.filter { keys.contains($0.key) }.map { $0.field(in: model) }
        }
        let object = model.dictionaryValue(fields: fields, in: writesNull ? explicit : context)
        return untyped.isEmpty ? object : untyped.tagged(object)
    }

    /// The JSON of a record, with what is said of it.
    package func json(of record: Record, type: String? = nil) throws(StoreError) -> Data {
        let note = RecordNote(of: record, type: type)
        if let json = plainJSON(of: record, note) { return json }
        let models = ScratchModels()
        defer { withExtendedLifetime(models) {} }
        let model = try model(of: record, in: models)
        do throws(ImportError) {
            return try json(of: model, note)
        } catch {
            throw .decoding(type: schema.name, identifier: record.identifier, error.issues)
        }
    }

    /// The JSON of a model, with what is said of its record.
    package func json(of model: any Model, _ note: RecordNote) throws(ImportError) -> Data {
        var data =
            untyped.isEmpty
            ? try model.jsonData(in: context)
            : try AttributeValue.dictionary(object(of: model)).jsonData()
        let isFirst = data.count == 2
        data.removeLast()
        if !isFirst { data.append(UInt8(ascii: ",")) }
        data.append(contentsOf: RecordNote.name)
        data.append(contentsOf: note.json.utf8)
        data.append(UInt8(ascii: "}"))
        return data
    }

    /// Reads the fields that an object has into a model; keys that no field has are ignored.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - model: The model, which nobody else has.
    ///   - models: What lets go of the models that it gets.
    /// - Returns: The fields that were there.
    /// - Throws: An `ImportError` with what does not fit, by the keys in the object.
    @discardableResult
    package func read(
        _ object: AttributeDictionary,
        into model: any Model,
        in models: ScratchModels
    ) throws(ImportError) -> Set<FieldKey> {
        var object = untyped.isEmpty ? object : untyped.untagged(object)
        var found: Set<FieldKey> = []
        var issues: [Issue] = []
        for (entry, key) in zip(schema.fields, keys) {
            guard let value = object.value(atKey: key) else { continue }
            found.insert(entry.key)
            guard entry.isForeignKey, value.mayHaveModels,
                let partner = entry.partnerSchema?.identifierKey(in: context.registry),
                let identifier = value.replacingModels(by: partner, at: key.path, &issues)
            else { continue }
            // What has an issue has no other one beside it.
            let isWrong = issues.contains { $0.path.components.starts(with: key.path.components) }
            object.set(isWrong ? .null : identifier, at: key.names[...])
        }
        let read = object
        models.add(model)
        let result = Linking.alone(in: models) {
            Result { () throws(ImportError) in
                try model.read(dictionaryValue: read, in: context)
            }
        }
        if case .failure(let error) = result { issues += error.issues }
        if !issues.isEmpty { throw ImportError(issues: issues) }
        return found
    }

    /// The values of the fields that an object has.
    package func values(
        of object: AttributeDictionary
    ) throws(ImportError) -> [FieldKey: AttributeValue] {
        let (model, models) = (blank(), ScratchModels())
        defer { withExtendedLifetime(models) {} }
        let found = try read(object, into: model, in: models)
        return values(of: model, found)
    }
}

extension AttributeValue {
    /// Whether it is no identifier.
    fileprivate var mayHaveModels: Bool {
        switch self {
        case .dictionary, .array: true
        default: false
        }
    }

    /// The identifiers of models that stand for themselves; nil where there is none.
    fileprivate func replacingModels(
        by key: FieldKey,
        at path: FieldPath,
        _ issues: inout [Issue]
    ) -> AttributeValue? {
        switch self {
        case .dictionary(let model):
            if let identifier = model.value(atKey: key), !identifier.isNull { return identifier }
            issues.append(Issue(code: "identifier", path: path, message: "has no identifier"))
            return .null
        case .array(let elements):
            guard elements.contains(where: { if case .dictionary = $0 { true } else { false } })
            else { return nil }
            let replaced = elements.enumerated().map { index, element in
                let place = path.appending(index: index)
                return element.replacingModels(by: key, at: place, &issues) ?? element
            }
            return .array(replaced)
        default: return nil
        }
    }
}

extension AttributeValue {
    /// What dictionaries have inside of each other.
    func member(at path: some Sequence<String>) -> AttributeValue? {
        var value = self
        for name in path {
            guard case .dictionary(let members) = value, let next = members[name] else {
                return nil
            }
            value = next
        }
        return value
    }
}
