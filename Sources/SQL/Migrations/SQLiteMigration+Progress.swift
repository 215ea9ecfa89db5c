import ModelKitStores

extension SQLiteMigration {
    /// How far the migrations of a file are.
    ///
    /// ```swift
    /// let store = try await SQLiteModelStore.open(path: "people.db", migrations: migrations) { progress in
    ///     print(progress)  // 2 of 3: "2026-11 ages", 1500 of 100000 rows
    /// }
    /// ```
    public struct Progress: Sendable, Hashable {
        /// The migration that runs.
        public let name: String
        /// Its place among those that run at this opening, the first at 1.
        public let number: Int
        /// How many run at this opening; more, if another process adds some meanwhile.
        public let count: Int
        /// How many rows of the table that `transform` or `change` with a closure goes through were seen, or how
        /// many of the models and identifiers that `moveChildren` goes through; 0 at the beginning, and where a
        /// migration is SQL alone.
        public internal(set) var rows = 0
        /// How many there are of these; nil where it is not known.
        public internal(set) var rowCount: Int?
    }
}

extension SQLiteMigration.Progress: CustomStringConvertible {
    public var description: String {
        let text = "\(number) of \(count): \"\(name)\""
        return rowCount.map { "\(text), \(rows) of \($0) rows" } ?? text
    }
}

/// Who watches migrations run, and can stop them.
struct SQLiteMigrationWatch: Sendable {
    var events: StoreEvents?
    var progress: (@Sendable (SQLiteMigration.Progress) -> Void)?
    var cancellation: SQLiteCancellation?

    /// Begins with a migration.
    func begin(_ progress: SQLiteMigration.Progress) throws(StoreError) -> SQLiteMigrationRun {
        try cancellation?.check()
        let run = SQLiteMigrationRun(self, progress, events?.beginMigration(progress.name))
        self.progress?(progress)
        return run
    }

    /// Runs what is stopped by cancelling.
    func interrupting(_ connection: SQLiteConnection, _ body: () throws -> Void) throws {
        guard let cancellation else { return try body() }
        try cancellation.interrupting(connection, body)
    }
}

/// One that runs, on its thread.
final class SQLiteMigrationRun {
    /// After so many rows progress is reported.
    static let step = 500

    private let watch: SQLiteMigrationWatch
    private var progress: SQLiteMigration.Progress
    private let event: StoreEvents.Running?

    fileprivate init(
        _ watch: SQLiteMigrationWatch,
        _ progress: SQLiteMigration.Progress,
        _ event: StoreEvents.Running?
    ) {
        (self.watch, self.progress, self.event) = (watch, progress, event)
    }

    /// Reports how it has ended.
    func end(_ error: StoreError? = nil) {
        event?.end(error.map { .failure($0) } ?? .success(nil))
    }

    /// Throws if it is to be stopped.
    func check() throws(StoreError) { try watch.cancellation?.check() }

    /// Begins with the rows of a table.
    func beginRows(of table: String, _ connection: SQLiteConnection) throws {
        if watch.progress == nil { return }
        beginRows(
            try connection.withStatement("SELECT count(*) FROM \(quoted(identifier: table))") {
                try $0.step() ? Int($0.int64(at: 0)) : 0
            }
        )
    }

    /// Begins with so many rows.
    func beginRows(_ count: Int) {
        progress.rows = 0
        progress.rowCount = count
        watch.progress?(progress)
    }

    /// Notes rows of the table that were seen.
    func add(_ rows: Int) throws(StoreError) {
        try check()
        progress.rows += rows
        if rows > 0 { watch.progress?(progress) }
    }

    /// Ends with the rows of the table.
    func endRows() {
        progress.rows = 0
        progress.rowCount = nil
    }
}
