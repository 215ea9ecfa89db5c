public import ModelKitSQL
import ModelKitModels
import ModelKitStores

/// A change of what a PostgreSQL database holds, made once in each schema of it, before a store uses that.
///
/// ```swift
/// let store = try PostgreSQLModelStore(
///     "postgres:///people",
///     migrations: [
///         PostgreSQLMigration("2026-10 names") { migration in
///             try migration.rename("fullName", to: "name", in: "Person")
///         },
///         PostgreSQLMigration("2026-11 cities in capitals") { migration in
///             if try migration.columns(of: "Person").contains("city") {
///                 try migration.execute("UPDATE \"Person\" SET city = upper(city)")
///             }
///         },
///     ]
/// )
/// ```
///
/// The list only grows at its end: which of it have run, and in which order, is kept in the schema. A migration names
/// types and fields as they were when it was written, by texts, and never uses the model classes, which go on to change.
///
/// Each runs in a transaction of its own. If it throws, it is rolled back as a whole, those before it stay, and every use
/// of the store fails with its error; it is tried again with the next use. Of several servers that begin at once one runs
/// it, and the others wait. No lock is waited for longer than two seconds, as others would wait behind it: then all of the
/// migration runs again, up to ten times.
///
/// A new schema has nothing to change: its tables are made from the current types. There migrations are only noted.
public struct PostgreSQLMigration: SQLMigration {
    /// How far the migrations of a schema are.
    public typealias Progress = SQLMigrationProgress

    /// By what it is known in the schemas in which it has run.
    public let name: String

    let body: @Sendable (Context) throws -> Void

    /// - Parameters:
    ///   - name: Unlike the names of all others, and never changed.
    ///   - body: Makes the change; it is called on a thread of the store's, and may be called again.
    public init(_ name: String, _ body: @escaping @Sendable (Context) throws -> Void) {
        self.name = name
        self.body = body
    }
}

extension PostgreSQLMigration {
    /// What a migration works with: the schema of the database, in the migration's transaction.
    ///
    /// A type's table has its name, a field's column that of its key; the names of a nested key are joined by `_`. As a
    /// table is made when its type is first used, and a column when it is first missed, a schema need not have them;
    /// where there is nothing to change, nothing is changed and the answer is false. SQL of your own asks `columns(of:)`
    /// before; it finds tables without the name of their schema.
    ///
    /// Every function may throw `PostgreSQLError` and `StoreError`.
    ///
    /// ```swift
    /// PostgreSQLMigration("2026-12 ages") { migration in
    ///     try migration.change("age", in: "Person", to: .int) { age in
    ///         guard case .string(let text) = age, let number = Int64(text) else { return .null }
    ///         return .int(number)
    ///     }
    /// }
    /// ```
    public struct Context {
        let connection: PostgreSQLConnection
        /// The schema of the database.
        let space: String
        let run: SQLMigrationRun
        let changed: ChangedTypes

        /// The types whose records are others than before.
        final class ChangedTypes {
            var names: Set<String> = []
        }
    }
}

// MARK: SQL

extension PostgreSQLMigration.Context {
    /// Runs one statement with values, which `$1`, `$2` and so on stand for, and returns how many rows it changed.
    ///
    /// Integers are `bigint`, numbers `double precision`, texts `text`, dates `timestamp with time zone`, arrays and
    /// dictionaries `json`: for another type they are cast, as by `$1::uuid`. A statement that is about transactions
    /// (`BEGIN`, `COMMIT`, `ROLLBACK`, `SAVEPOINT` and so on) is refused with `.unsupported` before it runs.
    @discardableResult
    public func execute(_ sql: String, _ values: [AttributeValue] = []) throws -> Int {
        try answer(sql, values).affectedRows
    }

    /// The rows that a statement answers with, each by the names of its columns.
    ///
    /// Values come as booleans, integers, numbers, texts, data, dates, and as the arrays and dictionaries of JSON;
    /// `numeric` and `uuid` as texts. Another type is to be cast, as by `born::text`.
    public func rows(
        _ sql: String,
        _ values: [AttributeValue] = []
    ) throws -> [[String: AttributeValue]] {
        let result = try answer(sql, values)
        let names = (0..<result.columnCount).map { result.name(ofColumn: $0) }
        let known = Dictionary(grouping: names, by: \.self)
        if let name = known.first(where: { $1.count > 1 })?.key {
            throw StoreError.isNamedTwice(name, in: sql)
        }
        return try (0..<result.rowCount).map { row in
            var values: [String: AttributeValue] = [:]
            for (column, name) in names.enumerated() {
                do throws(ColumnDamage) {
                    values[name] = try result.value(row, column)
                } catch {
                    throw StoreError.unsupported("\(name) \(error.reason): \(sql)")
                }
            }
            return values
        }
    }

    private func answer(_ sql: String, _ values: [AttributeValue]) throws -> PostgreSQLResult {
        try SQLVerb(of: sql).checkMigration(sql)
        var parameters = PostgreSQLParameters()
        for (index, value) in values.enumerated() {
            do throws(ValueRefusal) {
                try parameters.append(anyKind: value)
            } catch {
                throw StoreError.unsupported("$\(index + 1) \(error.reason): \(sql)")
            }
        }
        return try send(sql, parameters)
    }

    /// Runs a statement of which nothing is kept, as tables change.
    @discardableResult
    func send(
        _ sql: String,
        _ parameters: PostgreSQLParameters = PostgreSQLParameters()
    ) throws -> PostgreSQLResult {
        try run.check()
        return try connection.run(PostgreSQLStatement(sql, parameters, isPrepared: false))
    }
}
