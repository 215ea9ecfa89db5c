import ModelKitModels
import ModelKitPromises
import ModelKitStores

/// The tables of a store that were opened, by a connection of their own: so they are there at once for everybody,
/// also where the transaction that needs one first is rolled back.
final class PostgreSQLTables: Sendable {
    private struct State {
        /// By their schemas, which they keep.
        var tables: [ObjectIdentifier: PostgreSQLTable] = [:]
    }

    private let state = Guarded(State())
    /// Opens them one after the other.
    private let opener: PostgreSQLOpener
    private let schema: String

    init(in schema: String, _ opener: PostgreSQLOpener) {
        (self.schema, self.opener) = (schema, opener)
    }

    /// Does what comes before every use, if it is not done; the thread waits for as long as that takes.
    func prepare() throws { try opener.prepare() }

    /// The same; the thread waits as long as a connection may be used.
    func prepare(for user: PostgreSQLConnection) throws { try opener.prepare(for: user) }

    /// Makes the log where it is lacking, and begins it anew where it was copied from another server; the thread waits.
    func makeLog() throws { try opener.makeLog() }

    /// The same; the thread waits as long as a connection may be used.
    func makeLog(for user: PostgreSQLConnection) throws { try opener.makeLog(for: user) }

    /// Is there when nothing is made any more of what uses have waited for.
    func settled() -> Promise<Void> { opener.settled() }

    /// The table of a type, which is opened at its first use; the thread waits for that as long as a connection may be
    /// used.
    func open(_ type: ModelSchema, for user: PostgreSQLConnection) throws -> PostgreSQLTable {
        if let table = try find(type) { return table }
        var table = try PostgreSQLTable(of: type, in: schema)
        do {
            do {
                try opener.open(table, for: user)
            } catch let texts as PostgreSQLTextUUIDs {
                table = try PostgreSQLTable(of: type, in: schema, textUUIDs: texts.columns)
                try opener.open(table, for: user)
            }
        } catch let error as PostgreSQLError where error.isLost {
            // Of what needs the table nothing was done.
            throw PostgreSQLNotApplied(error: error)
        }
        return state.withLock { state in
            if let table = state.tables[ObjectIdentifier(type)] { return table }
            state.tables[ObjectIdentifier(type)] = table
            return table
        }
    }

    /// The same, for what asks for types later.
    func opening(
        for user: PostgreSQLConnection
    ) -> (ModelSchema) throws -> PostgreSQLTable {
        { [self] type in try open(type, for: user) }
    }

    /// The table of the type of a name, if it was opened.
    func find(named name: String) -> PostgreSQLTable? {
        state.withLock { $0.tables.values.first { $0.schema.name == name } }
    }

    /// The names of the types whose tables were opened.
    var types: Set<String> { Set(state.withLock { $0.tables.values.map(\.schema.name) }) }

    /// The table of a type, if it was opened.
    func find(_ type: ModelSchema) throws(StoreError) -> PostgreSQLTable? {
        let (table, all) = state.withLock { state in
            let table = state.tables[ObjectIdentifier(type)]
            return (table, table == nil ? Array(state.tables.values) : [])
        }
        if let table { return table }
        guard let table = all.first(where: { $0.schema.name == type.name }) else { return nil }
        try type.check(isOf: table.schema)
        return table
    }
}
