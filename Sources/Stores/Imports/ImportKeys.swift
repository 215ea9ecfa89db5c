import ModelKitFields
import ModelKitModels
import ModelKitPromises

/// Looks for the keys of imported records that lead to none, once all are committed.
///
/// What was there before is left out by its place. A field with one key is looked through by one query; one with
/// several by reading the records.
final class ImportKeys: Sendable {
    private let schema: ModelSchema
    /// The last places of the types before the first batch; nil before that, and in a store that gives none.
    private let places = Guarded<[String: Int64]?>(nil)

    init(of schema: ModelSchema) { self.schema = schema }

    private var keys: [ImportedKey] {
        ClassHierarchy(of: schema).schemas.flatMap { owner in
            owner.fields.compactMap { ImportedKey(owner, $0) }
        }
    }

    /// Notes what is there before the first batch.
    func begin(_ transaction: any RecordTransaction) throws {
        guard let records = transaction as? any EffectfulTransaction,
            places.withLock({ $0 == nil })
        else { return }
        var found: [String: Int64] = [:]
        for key in keys where found[key.owner.name] == nil {
            found[key.owner.name] = try records.lastPlace(of: key.owner)
        }
        places.withLock { [found] in $0 = found }
    }

    /// Looks through what has come since then; nil where that is not known, or could not be read.
    func dangling(in records: any RecordStore) async -> [DanglingKey]? {
        guard let places = places.withLock({ $0 }) else { return nil }
        var found: [DanglingKey] = []
        for key in keys {
            let room = ImportSummary.keptRefusals - found.count
            guard room > 0, let place = places[key.owner.name] else { continue }
            guard let more = try? await key.dangling(in: records, after: place, room) else {
                return nil
            }
            found += more
        }
        return found
    }
}

/// A field of imported records that has foreign keys.
private struct ImportedKey {
    let owner: ModelSchema
    private let entry: ModelSchema.Entry
    private let partner: ModelSchema

    /// Nil for a field without.
    init?(_ owner: ModelSchema, _ entry: ModelSchema.Entry) {
        guard entry.isForeignKey, let partner = entry.partnerSchema, partner.identifier != nil
        else { return nil }
        (self.owner, self.entry, self.partner) = (owner, entry, partner)
    }

    /// The first so many that lead to no record.
    func dangling(
        in records: any RecordStore,
        after place: Int64,
        _ count: Int
    ) async throws -> [DanglingKey] {
        let isSet = RecordFilter.not(.isNull(entry.key))
        let isDangling = RecordFilter.not(.isStored(entry.key, partner))
        let isList = entry.kind == .array
        var query = RecordQuery(
            filter: isList ? isSet : .and([isSet, isDangling]),
            limit: isList ? 500 : count
        )
        query.after = PageCursor(mark: [], after: place, in: query, of: owner)
        var dangling: [DanglingKey] = []
        while true {
            try Task.checkCancellation()
            let page = try await records.fetch(query, of: owner).value
            let known = isList ? try await known(page, in: records) : []
            for record in page {
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
            guard isList, dangling.count < count, let last = page.last else {
                return Array(dangling.prefix(count))
            }
            query.after = PageCursor(after: last, in: query, of: owner)
        }
    }

    /// Those to which keys of some records lead.
    private func known(
        _ page: [Record],
        in records: any RecordStore
    ) async throws -> Set<Identifier> {
        let wanted = Set(page.flatMap { targets(of: $0).map(\.target) })
        var known: Set<Identifier> = []
        for partner in ClassHierarchy(of: partner).schemas where !wanted.isEmpty {
            let key = try partner.identity().key
            let filter = RecordFilter.isIn(key, wanted.map(\.attributeValue))
            let found = try await records.fetch(RecordQuery(filter: filter), of: partner).value
            known.formUnion(found.map(\.identifier))
        }
        return known
    }

    private func targets(of record: Record) -> [(path: FieldPath, target: Identifier)] {
        func target(_ value: AttributeValue, _ path: FieldPath) -> (FieldPath, Identifier)? {
            (try? Identifier(attributeValue: value)).map { (path, $0) }
        }
        guard case .array(let values)? = record[entry.key] else {
            return record[entry.key].flatMap { target($0, entry.path) }.map { [$0] } ?? []
        }
        return values.enumerated().compactMap { target($1, entry.path.appending(index: $0)) }
    }
}
