import ModelKitModels

/// Looks for the keys of imported records that lead to none, once all are written.
///
/// What was there before is left out by its place. A field with one key is looked through by one query; one with
/// several by reading the records.
final class ImportKeys: Sendable {
    fileprivate struct Key {
        let owner: ModelSchema
        let entry: ModelSchema.Entry
        /// The type that it leads to, and those below it.
        let partners: [ModelSchema]
    }

    private struct State {
        /// The last places of each type before the first batch.
        var places: [String: Int64]?
        var found: [DanglingKey] = []
    }

    private let keys: [Key]
    private let state = Guarded(State())

    init(of schema: ModelSchema) {
        keys = ClassHierarchy(of: schema).schemas.flatMap { owner in
            owner.fields.compactMap { entry in
                guard entry.isForeignKey, let partner = entry.partnerSchema,
                    partner.identifier != nil
                else { return nil }
                return Key(
                    owner: owner,
                    entry: entry,
                    partners: ClassHierarchy(of: partner).schemas
                )
            }
        }
    }

    /// The types that are read.
    var schemas: [ModelSchema] { keys.flatMap { [$0.owner] + $0.partners } }

    var isEmpty: Bool { keys.isEmpty }

    /// What was found.
    var found: [DanglingKey] { state.withLock { $0.found } }

    /// Notes what is there before the first batch.
    func begin(_ transaction: any RecordTransaction) throws {
        if isEmpty || state.withLock({ $0.places != nil }) { return }
        let places = Dictionary(
            try keys.map { key in
                let records = transaction as? any EffectfulTransaction
                return (key.owner.name, try records?.lastPlace(of: key.owner) ?? .min)
            }
        ) { $1 }
        state.withLock { $0.places = places }
    }

    /// Looks through what has come since then.
    func check(_ transaction: any RecordTransaction) throws {
        let places = state.withLock { $0.places } ?? [:]
        var found: [DanglingKey] = []
        for key in keys {
            let room = ImportSummary.keptRefusals - found.count
            if room == 0 { break }
            found += try key.dangling(transaction, after: places[key.owner.name] ?? .min, room)
        }
        state.withLock { [found] in $0.found = found }
    }
}

extension ImportKeys.Key {
    /// The first that lead to no record.
    func dangling(
        _ transaction: any RecordTransaction,
        after place: Int64,
        _ count: Int
    ) throws -> [DanglingKey] {
        let isSet = RecordFilter.not(.isNull(entry.key))
        let isList = entry.kind == .array
        let isDangling = partners.map { RecordFilter.not(.hasAny(entry.key, $0, .and([]))) }
        var query = RecordQuery(
            filter: isList ? isSet : .and([isSet] + isDangling),
            limit: isList ? 500 : count
        )
        query.after = PageCursor(mark: [], after: place, in: query, of: owner)
        var dangling: [DanglingKey] = []
        while true {
            let records = try transaction.fetch(query, of: owner)
            let known = isList ? try known(records, transaction) : []
            for record in records {
                for (path, target) in targets(of: record) where !known.contains(target) {
                    dangling.append(
                        DanglingKey(
                            type: owner.name,
                            identifier: record.identifier,
                            path: path,
                            target: target
                        )
                    )
                }
            }
            guard isList, dangling.count < count, let last = records.last else {
                return Array(dangling.prefix(count))
            }
            query.after = PageCursor(after: last, in: query, of: owner)
        }
    }

    /// Those to which keys of some records lead.
    private func known(
        _ records: [Record],
        _ transaction: any RecordTransaction
    ) throws -> Set<Identifier> {
        let wanted = Set(records.flatMap { targets(of: $0).map(\.target) })
        if wanted.isEmpty { return [] }
        var known: Set<Identifier> = []
        for partner in partners {
            let key = try partner.identity().key
            let filter = RecordFilter.isIn(key, wanted.map(\.attributeValue))
            let found = try transaction.fetch(RecordQuery(filter: filter), of: partner)
            known.formUnion(found.map(\.identifier))
        }
        return known
    }

    private func targets(of record: Record) -> [(path: FieldPath, target: Identifier)] {
        guard let value = record[entry.key] else { return [] }
        guard case .array(let values) = value else {
            return (try? Identifier(attributeValue: value)).map { [(entry.path, $0)] } ?? []
        }
        return values.enumerated().compactMap { index, value in
            (try? Identifier(attributeValue: value)).map {
                (entry.path.appending([.index(index)]), $0)
            }
        }
    }
}
