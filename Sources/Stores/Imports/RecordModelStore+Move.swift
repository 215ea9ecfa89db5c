public import ModelKitModels

/// What was moved of a type into another store.
///
/// ```swift
/// let moved = try await file.move([Person.self], to: server) { print($0) }  // 1000 of Person, 1000 of them new
/// ```
public struct MovedRecords: Sendable, Hashable, CustomStringConvertible {
    /// The name of the type.
    public let type: String
    /// How many records were gone through, which are in the other store.
    public internal(set) var count = 0
    /// How many of them were not there before.
    public internal(set) var addedCount = 0

    public var description: String { "\(count) of \(type), \(addedCount) of them new" }
}

extension RecordModelStore {
    /// Puts the models of some types, and of those below them, into another store as they are.
    ///
    /// They have their identifiers, revisions and values there, and their order of creation. Here they stay.
    ///
    /// ```swift
    /// let file = try SQLiteModelStore(path: "people.db")
    /// let server = try PostgreSQLModelStore("postgres:///people")
    /// try await file.move([Person.self, Office.self], to: server) { print($0) }
    /// ```
    ///
    /// Each thousand is kept by itself. Where it ends before the last, as the process does or by an error, it goes on when it
    /// is called again: what is there already is compared and left. At the end all of a type is read in the other store
    /// and compared by its number and a digest. Nobody else should write to either store meanwhile.
    ///
    /// - Parameters:
    ///   - types: The types.
    ///   - target: The other store: one in PostgreSQL, which alone takes revisions that it has not made.
    ///   - progress: Is called after each thousand.
    /// - Returns: What was moved of each type.
    /// - Throws: `.alreadyExists` for a model that is in the other store and is not the same there, or another one with the
    ///   value of a unique field; `.unsupported` for a value that it does not keep, and for another store; `.unavailable`
    ///   where the stores are not the same at the end; what they fail with; `CancellationError`.
    @concurrent
    @discardableResult
    public func move(
        _ types: [any Model.Type],
        to target: some RecordModelStore,
        progress: @escaping @Sendable (MovedRecords) -> Void = { _ in }
    ) async throws -> [MovedRecords] {
        guard let receiver = target.records as? any ReceivingRecords else {
            throw StoreError.unsupported("this store takes no models with their revisions")
        }
        var seen: Set<String> = []
        var moved: [MovedRecords] = []
        for schema in types.flatMap({ ClassHierarchy(of: $0.schema).schemas })
        where seen.insert(schema.name).inserted {
            var made = MovedRecords(type: schema.name)
            var (here, there) = (RecordDigest(), RecordDigest())
            try await records.forEachPage(of: schema) { page in
                let missing = try await receiver.missing(page, of: schema)
                if !missing.isEmpty { try await receiver.receive(missing, of: schema).value }
                for record in page { try here.add(record, of: schema) }
                made.count += page.count
                made.addedCount += missing.count
                progress(made)
            }
            try await receiver.forEachPage(of: schema) { page in
                for record in page { try there.add(record, of: schema) }
            }
            guard here == there else {
                throw StoreError.unavailable(
                    "\(schema.name) is not the same in both stores: \(here.count) models here, "
                        + "\(there.count) there; somebody else has written",
                    .applied
                )
            }
            moved.append(made)
        }
        return moved
    }
}

extension RecordStore {
    /// Reads all records of a type in their order of creation, a thousand at a time.
    fileprivate func forEachPage(
        of schema: ModelSchema,
        _ body: ([Record]) async throws -> Void
    ) async throws {
        var query = RecordQuery(limit: 1_000)
        while true {
            try Task.checkCancellation()
            let page = try await fetch(query, of: schema).value
            guard let last = page.last else { return }
            try await body(page)
            query.after = PageCursor(after: last, in: query, of: schema)
        }
    }

    /// Those of some records that are not there; one that is there has to be the same.
    fileprivate func missing(_ records: [Record], of schema: ModelSchema) async throws -> [Record] {
        let key = try schema.identity().key
        let filter = RecordFilter.isIn(key, records.map(\.identifier.attributeValue))
        let found = try await fetch(RecordQuery(filter: filter), of: schema).value
        let known = Dictionary(found.map { ($0.identifier, $0) }) { first, _ in first }
        return try records.filter { record in
            guard let other = known[record.identifier] else { return true }
            guard try RecordDigest(of: record, schema) == RecordDigest(of: other, schema) else {
                throw StoreError.alreadyExists(type: schema.name, identifier: record.identifier)
            }
            return false
        }
    }
}

/// A sum of records, in whichever order they come.
private struct RecordDigest: Equatable {
    private(set) var count = 0
    private var sum: UInt64 = 0

    init() {}

    init(of record: Record, _ schema: ModelSchema) throws { try add(record, of: schema) }

    mutating func add(_ record: Record, of schema: ModelSchema) throws {
        let values = schema.fields.compactMap { entry -> (String, AttributeValue)? in
            guard let value = record[entry.key], !value.isNull else { return nil }
            return ("\(entry.key)", value)
        }
        let text = try StoredJSON.text(of: .dictionary(Dictionary(values) { first, _ in first }))
        // FNV-1a of 64 bits.
        let hash = "\(record.revision) \(text)".utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        count += 1
        sum &+= hash
    }
}
