import ModelKitFields
import ModelKitModels

extension RecordWrite {
    /// The creation of a model that nobody has afterwards.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - session: The session of the store.
    ///   - takesJSON: Whether the store takes JSON in place of models.
    /// - Throws: `.validation` with what is wrong with the model, and what its `beforeSave` throws.
    init(
        importing model: some Model,
        _ session: StoreSession,
        takingJSON takesJSON: Bool
    ) throws {
        try model.beforeSave()
        let issues = model.validationIssues()
        if issues.isBlocking { throw StoreError.validation(issues) }
        let unsaved = ModelWrite.create(model).unsavedKeys()
        if unsaved.isBlocking { throw StoreError.validation(unsaved) }
        session.reportUnsavedMembers(of: model)
        let schema = model.classSchema
        let (row, texts) = Snapshot.row(of: model, schema, takingJSON: takesJSON)
        let given = Snapshot.identifier(in: row, schema)
        let identifier = try given ?? Identifier.make(for: schema)
        self.init(.create(identifier, [:]), row, texts: texts, of: schema, from: nil)
    }

    /// About how many bytes a creation takes, and its model.
    var weights: (record: Int, model: Int) {
        let values = creation?.row.reduce(0) { $0 + ($1?.weight ?? 0) } ?? 0
        let json = texts.values.reduce(0) { $0 + 32 + $1.utf8.count }
        // JSON takes about a twelfth of the attribute values that it stands for, and models no less than those.
        return (values + json, values + 12 * json)
    }
}

extension AttributeValue {
    fileprivate var weight: Int {
        switch self {
        case .string(let text): 32 + text.utf8.count
        case .data(let data): 32 + data.count
        case .array(let values): values.reduce(64) { $0 + $1.weight }
        case .dictionary(let values): values.reduce(64) { $0 + 64 + $1.value.weight }
        default: 32
        }
    }
}
