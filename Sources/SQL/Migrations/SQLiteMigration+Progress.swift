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
    var cancellation = SQLiteCancellation()
}

/// One that runs, on its thread.
final class SQLiteMigrationRun {
    /// After so many rows progress is reported.
    static let step = 500

    private let watch: SQLiteMigrationWatch
    private var progress: SQLiteMigration.Progress
    private let event: StoreEvents.Running?

    init(_ progress: SQLiteMigration.Progress, _ watch: SQLiteMigrationWatch) throws(StoreError) {
        try watch.cancellation.check()
        (self.progress, self.watch) = (progress, watch)
        event = watch.events?.beginMigration(progress.name)
        watch.progress?(progress)
    }

    /// Reports that it was made.
    func end() { event?.end(.success(nil)) }

    /// Reports that it was not made, and gives the error with its name.
    func end(_ error: any Error) -> StoreError {
        let text = "the migration \"\(progress.name)\" failed: "
        let failure: StoreError =
            switch error is SQLiteError ? StoreError(error) : error {
            case StoreError.corrupt(let reason): .corrupt(text + reason)
            case StoreError.unsupported(let reason): .unsupported(text + reason)
            case StoreError.unavailable(let reason, let outcome):
                .unavailable(text + reason, outcome)
            case StoreError.cancelled(let outcome): .cancelled(outcome)
            case let error as StoreError: .schema(text + error.description)
            default: .schema("\(text)\(error)")
            }
        event?.end(.failure(failure))
        return failure
    }

    /// Throws if it is to be stopped.
    func check() throws(StoreError) { try watch.cancellation.check() }

    /// Counts the rows that a body goes through, of each of which it calls the closure that it is given.
    func countRows(
        of count: @autoclosure () throws -> Int64,
        _ body: (_ seen: () throws -> Void) throws -> Void
    ) throws {
        if let report = watch.progress {
            (progress.rows, progress.rowCount) = (0, Int(try count()))
            report(progress)
        }
        defer { (progress.rows, progress.rowCount) = (0, nil) }
        var seen = 0
        try body {
            seen += 1
            if seen.isMultiple(of: Self.step) { try add(Self.step) }
        }
        try add(seen % Self.step)
    }

    private func add(_ rows: Int) throws(StoreError) {
        try check()
        progress.rows += rows
        if rows > 0 { watch.progress?(progress) }
    }
}
