package import ModelKitModels
package import ModelKitStores

/// The records that were found so far.
package struct SQLAnswer {
    package private(set) var records: [Record] = []
    /// Takes the error of a row that is damaged, which is left out; nil fails with it.
    package var reportDamage: ((StoreError) -> Void)?
    /// How many of the rows to come are before the answer.
    package var skipped: Int
    private let limit: Int
    /// What the database could not be asked for.
    private let test: FilterTest?
    private let related: RelatedRecords

    /// - Parameters:
    ///   - query: What is asked for.
    ///   - schema: The type.
    ///   - rest: The filters that are left for us.
    ///   - related: What foreign keys lead to.
    package init(
        to query: RecordQuery,
        of schema: ModelSchema,
        _ rest: [RecordFilter],
        _ related: RelatedRecords
    ) {
        limit = max(0, query.limit ?? .max)
        skipped = query.offset
        test = rest.isEmpty ? nil : FilterTest(.and(rest), of: schema, find: related.find)
        self.related = related
    }

    package var isFull: Bool { records.count >= limit }

    /// How many are left to be found; nil if there is no limit.
    package var left: Int? { limit == .max ? nil : limit - records.count }

    /// Makes room for the first of so many records, if they are.
    package mutating func reserveCapacity(_ count: Int) {
        if records.isEmpty { records.reserveCapacity(min(count, limit)) }
    }

    /// Gives back the room that is not needed.
    package mutating func trim() {
        if records.capacity / 2 > records.count { records = records.map { $0 } }
    }

    /// Brings them into the order of creation, which they mostly are in.
    package mutating func sortByPlace() { records.sort { $0.place < $1.place } }

    /// Adds the record of a row if it fulfils what the database could not ask for.
    package mutating func add(_ read: () throws -> Record) throws {
        let record: Record
        do {
            record = try read()
        } catch let error as StoreError {
            guard let reportDamage, case .corrupt = error else { throw error }
            return reportDamage(error)
        }
        if let test {
            let isFound = test.holds(for: record)
            if let error = related.error { throw error }
            if !isFound { return }
        }
        if skipped > 0 {
            skipped -= 1
        } else {
            records.append(record)
        }
    }
}

/// The records to which foreign keys lead, each read once.
package final class RelatedRecords {
    private let read: (Identifier, ModelSchema) throws -> Record?
    private var known: [ModelSchema: [Identifier: Record?]] = [:]
    package private(set) var error: (any Error)?

    package init(_ read: @escaping (Identifier, ModelSchema) throws -> Record?) { self.read = read }

    /// Those of some that were not read.
    package func unknown(
        _ identifiers: Set<Identifier>,
        of schema: ModelSchema
    ) -> Set<Identifier> {
        identifiers.filter { known[schema]?[$0] == nil }
    }

    /// Takes the records that were found of some identifiers.
    package func add(
        _ records: [Record],
        of schema: ModelSchema,
        for identifiers: Set<Identifier>
    ) {
        for identifier in identifiers { known[schema, default: [:]][identifier] = .some(nil) }
        for record in records { known[schema, default: [:]][record.identifier] = record }
    }

    func find(_ identifier: Identifier, _ schema: ModelSchema) -> Record? {
        if let record = known[schema]?[identifier] { return record }
        do {
            let record = try read(identifier, schema)
            known[schema, default: [:]][identifier] = .some(record)
            return record
        } catch {
            self.error = error
            return nil
        }
    }
}
