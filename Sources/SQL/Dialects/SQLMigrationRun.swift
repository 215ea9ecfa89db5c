package import ModelKitStores

/// Who watches migrations run, and can stop them.
package struct SQLMigrationWatch: Sendable {
    package var events: StoreEvents?
    package var progress: (@Sendable (SQLMigrationProgress) -> Void)?
    /// Whether they are to be stopped.
    package var isCancelled: @Sendable () -> Bool

    package init(
        events: StoreEvents? = nil,
        progress: (@Sendable (SQLMigrationProgress) -> Void)? = nil,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.events, self.progress, self.isCancelled) = (events, progress, isCancelled)
    }
}

/// One that runs, on its thread.
package final class SQLMigrationRun {
    /// After so many rows progress is reported.
    package static let step = 500

    private let watch: SQLMigrationWatch
    private var progress: SQLMigrationProgress
    private let event: StoreEvents.Running?

    var name: String { progress.name }

    init(_ progress: SQLMigrationProgress, _ watch: SQLMigrationWatch) throws(StoreError) {
        (self.progress, self.watch) = (progress, watch)
        if watch.isCancelled() { throw .cancelled(.notApplied) }
        event = watch.events?.beginMigration(progress.name)
        watch.progress?(progress)
    }

    /// Reports that it was made.
    func end() { event?.end(.success(nil)) }

    /// Reports that it was not made, and gives the error with its name.
    func end(_ error: any Error) -> StoreError {
        let text = "the migration \"\(progress.name)\" failed: "
        let failure: StoreError =
            switch error {
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
    package func check() throws(StoreError) {
        if watch.isCancelled() { throw .cancelled(.notApplied) }
    }

    /// Counts the rows that a body goes through, of each of which it calls the closure that it is given.
    package func countRows(
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
