import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores

/// A type of models as a handler serves it.
final class ServedType: Sendable {
    let schema: ModelSchema
    let coder: RecordCoder
    let identity: ModelSchema.Entry
    let isSingleton: Bool
    /// The field that stands for the identifier in paths; nil for the identifier.
    let pathKey: FieldKey?

    init(
        _ schema: ModelSchema,
        _ router: RESTRouter,
        _ context: ValueTransformerContext
    ) throws(StoreError) {
        self.schema = schema
        identity = try schema.identity()
        coder = RecordCoder(schema, in: context)
        isSingleton = router.isSingleton(schema)
        pathKey = router.identifierKey(of: schema)
        if coder.keys.contains(where: { $0.names.first == RecordNote.member }) {
            throw .schema("\(schema.name) has a field \(RecordNote.member), where revisions are")
        }
    }

    /// The key of a field in JSON.
    func key(of entry: ModelSchema.Entry) -> FieldKey {
        (try? schema.wireKey(of: entry.key, in: coder.context)) ?? entry.key
    }

    /// What paths have of a record; nil of a singleton, and of one without a value in the field that counts, to
    /// which no path leads.
    func pathIdentifier(of record: Record) -> Identifier? {
        if isSingleton { return nil }
        guard let pathKey else { return record.identifier }
        return record[pathKey].flatMap { try? Identifier(attributeValue: $0) }
    }
}

/// The types of models that a handler serves, and their subclasses.
final class ServedTypes: Sendable {
    let table: RouteTable
    let context: ValueTransformerContext
    let problems: ProblemCoder
    let queries: QueryCoder
    private let router: RESTRouter
    private let batch: String
    private let known: [ObjectIdentifier: ServedType]
    private let subclasses = Guarded<[ObjectIdentifier: ServedType]>([:])

    init(
        _ types: [any Model.Type],
        _ router: RESTRouter,
        _ context: ValueTransformerContext
    ) throws(StoreError) {
        var known: [ObjectIdentifier: ServedType] = [:]
        let schemas = types.map { $0.schema }
        for schema in schemas {
            known[ObjectIdentifier(schema)] = try ServedType(schema, router, context)
        }
        self.known = known
        self.router = router
        self.context = context
        table = RouteTable(router, types)
        batch = router.batchPath
        queries = QueryCoder(in: context, types: schemas)
        let coders = known.mapValues(\.coder)
        let all = schemas + schemas.flatMap(\.subclasses)
        problems = ProblemCoder(in: context, types: all) { schema in
            coders[ObjectIdentifier(schema)] ?? RecordCoder(schema, in: context)
        }
    }

    subscript(schema: ModelSchema) -> ServedType? { known[ObjectIdentifier(schema)] }

    /// That of a type, or of a subclass of one.
    func type(of schema: ModelSchema) throws(StoreError) -> ServedType {
        let key = ObjectIdentifier(schema)
        if let type = known[key] ?? subclasses.withLock({ $0[key] }) { return type }
        let made = try ServedType(schema, router, context)
        return subclasses.withLock { subclasses in
            if let type = subclasses[key] { return type }
            subclasses[key] = made
            return made
        }
    }

    /// Whether there are paths to the models of a type, or to those of one that it inherits from.
    func serves(_ schema: ModelSchema) -> Bool {
        known[ObjectIdentifier(schema)] != nil
            || known.values.contains { $0.schema.subclasses.contains { $0 === schema } }
    }

    func isBatch(_ path: String) -> Bool { path == batch || path == batch + "/" }
}
