import ModelKitModels
import ModelKitStores

/// The records that were found so far.
struct SQLiteAnswer {
    private let connection: SQLiteConnection
    private var found: SQLAnswer
    /// Whether it is noted how the rows are found.
    var isExplained = false
    private(set) var explanation: [String] = []

    init(to query: SQLiteQuery, skippingDamaged report: ((StoreError) -> Void)? = nil) {
        let (connection, partners) = (query.connection, query.partners)
        self.connection = connection
        let related = RelatedRecords { try partners[$1]?.record($0, connection) }
        found = SQLAnswer(to: query.query, of: query.table.schema, query.rest, related)
        found.reportDamage = report
    }

    var records: [Record] { found.records }
    var isFull: Bool { found.isFull }
    var left: Int? { found.left }
    /// Whether damaged rows, of which nobody knows how many there are, are left out.
    var skipsDamage: Bool { found.reportDamage != nil }

    /// How many of the rows to come are before the answer.
    var skipped: Int {
        get { found.skipped }
        set { found.skipped = newValue }
    }

    mutating func trim() { found.trim() }
    mutating func sortByPlace() { found.sortByPlace() }

    private static let manyRows = 512

    /// Notes how SQLite finds the rows of a statement.
    mutating func explain(_ sql: String) throws {
        let lines = try connection.rows("EXPLAIN QUERY PLAN \(sql)") { try $0.string(at: 3) }
        explanation.append(lines.joined(separator: "; "))
    }

    /// Adds the rows of a statement that fulfil what SQLite could not ask for.
    mutating func take(_ select: SQLiteStatement, from table: SQLiteTable) throws {
        let before = records.count
        // An array that grows takes and leaves ever larger pieces of memory, for which malloc tidies up the
        // small ones. A query that is asked again mostly finds as many rows.
        found.reserveCapacity(min(select.lastRowCount, Self.manyRows))
        defer { select.lastRowCount = records.count - before }
        while !isFull, try select.step() {
            try found.add { try table.read(select) }
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
