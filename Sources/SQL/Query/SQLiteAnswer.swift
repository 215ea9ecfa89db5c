import ModelKitModels
import ModelKitStores

/// The records that were found so far.
struct SQLiteAnswer {
    private let connection: SQLiteConnection
    private(set) var records: [Record] = []
    /// Whether they are in the order of creation.
    private var isSorted = true
    private var lastPlace = Int64.min
    /// Whether it is noted how the rows are found.
    var isExplained = false
    /// Takes the error of a row that is damaged, which is left out; nil fails with it.
    var reportDamage: ((StoreError) -> Void)?
    private(set) var explanation: [String] = []
    /// How many of the rows to come are before the answer.
    var skipped: Int
    private let limit: Int
    private let rest: RecordFilter?
    private let related: Related

    init(to query: SQLiteQuery) {
        limit = max(0, query.limit ?? .max)
        skipped = query.offset
        connection = query.connection
        rest = query.rest.isEmpty ? nil : .and(query.rest)
        related = Related(query.partners, query.connection)
    }

    var isFull: Bool { records.count >= limit }

    /// How many are left to be found; nil if there is no limit.
    var left: Int? { limit == .max ? nil : limit - records.count }

    /// Gives back the room that is not needed.
    mutating func trim() {
        if records.capacity / 2 > records.count { records = records.map { $0 } }
    }

    private static let manyRows = 512

    /// Notes how SQLite finds the rows of a statement.
    mutating func explain(_ sql: String) throws {
        let lines = try connection.rows("EXPLAIN QUERY PLAN \(sql)") { try $0.string(at: 3) }
        explanation.append(lines.joined(separator: "; "))
    }

    /// Brings them into the order of creation, which they mostly are in.
    mutating func sortByPlace() {
        if !isSorted { records.sort { $0.place < $1.place } }
    }

    /// Adds the rows of a statement that fulfil what SQLite could not ask for.
    mutating func take(_ select: SQLiteStatement, from table: SQLiteTable) throws {
        let before = records.count
        // An array that grows takes and leaves ever larger pieces of memory, for which malloc tidies up the
        // small ones. A query that is asked again mostly finds as many rows.
        if before == 0 { records.reserveCapacity(min(select.lastRowCount, Self.manyRows, limit)) }
        defer { select.lastRowCount = records.count - before }
        let test = rest.map { FilterTest($0, of: table.schema, find: related.find) }
        while !isFull, try select.step() {
            let record: Record
            do {
                record = try table.read(select)
            } catch let error as StoreError {
                guard let reportDamage, case .corrupt = error else { throw error }
                reportDamage(error)
                continue
            }
            if let test {
                let isFound = test.holds(for: record)
                if let error = related.error { throw error }
                if !isFound { continue }
            }
            if skipped > 0 {
                skipped -= 1
                continue
            }
            isSorted = isSorted && lastPlace < record.place
            lastPlace = record.place
            records.append(record)
        }
    }
}

/// The records to which foreign keys lead, each read once.
private final class Related {
    private let partners: [ModelSchema: SQLiteTable]
    private let connection: SQLiteConnection
    private var known: [ModelSchema: [Identifier: Record?]] = [:]
    private(set) var error: (any Error)?

    init(_ partners: [ModelSchema: SQLiteTable], _ connection: SQLiteConnection) {
        (self.partners, self.connection) = (partners, connection)
    }

    func find(_ identifier: Identifier, _ schema: ModelSchema) -> Record? {
        if let record = known[schema]?[identifier] { return record }
        do {
            let record = try partners[schema]?.record(identifier, connection)
            known[schema, default: [:]][identifier] = .some(record)
            return record
        } catch {
            self.error = error
            return nil
        }
    }
}

extension SQLiteConnection {
    /// Has all that the body reads be of one moment.
    func withSnapshot<Value>(_ body: () throws -> Value) throws -> Value {
        try withStatement("SAVEPOINT \"_modelkit_page\"") { try $0.execute() }
        defer {
            // It has read only, so there is nothing to be lost; if it is interrupted, the pool ends it.
            try? withStatement("RELEASE \"_modelkit_page\"") { try $0.execute() }
        }
        return try body()
    }
}
