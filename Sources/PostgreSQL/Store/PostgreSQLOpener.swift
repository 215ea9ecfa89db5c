import Dispatch
import ModelKitModels
import ModelKitEssentials
import ModelKitPromises
import ModelKitSQL
import ModelKitStores
import ModelKitValues
import Synchronization

/// Makes what a database lacks of tables, on connections of its own.
///
/// Of several servers that begin at once one does it, and the others wait. Tables and columns are made in a transaction,
/// for one table at a time, which waits for no other one for long, as everybody who comes later would wait behind it;
/// indexes of a table that is there are made beside those who write. Each use waits until its deadline, and what it has
/// waited for goes on without it.
final class PostgreSQLOpener: Sendable {
    let pool: PostgreSQLPool
    let space: String
    private let log: PostgreSQLLog
    let lock: PostgreSQLLock
    let events: StoreEvents?
    private let isReadOnly: Bool
    /// What is under way: the opening of a table, by its schema, the making of the log, by the type of logs, and without
    /// either what comes before every use.
    private let underWay = Guarded<[Work: UnderWay]>([:])
    private let group = DispatchGroup()
    private struct Work: Hashable {
        var part: ObjectIdentifier?
        /// The columns of the table that are used as texts.
        var textUUIDs: Set<String> = []
    }

    private struct UnderWay {
        var promise: Promise<Void>?
        /// How many wait for it.
        var count = 0
        /// Why it has failed, where nobody has waited for that.
        var failure: (any Error)?
    }

    private let isClosing = Atomic(false)
    /// One table after the other.
    private let queue = DispatchQueue(label: "ModelKitPostgreSQL tables")
    /// Of `queue`.
    private let isPrepared = Confined(false)
    private let migrator: SQLMigrator<PostgreSQLMigration>
    /// By what migrations are stopped.
    private let cancellation: PostgreSQLCancellation

    init(
        _ pool: PostgreSQLPool,
        _ space: String,
        _ log: PostgreSQLLog,
        _ migrator: SQLMigrator<PostgreSQLMigration> = SQLMigrator([]),
        _ cancellation: PostgreSQLCancellation = PostgreSQLCancellation(),
        _ events: StoreEvents? = nil
    ) throws {
        (self.pool, self.space, self.log, self.events) = (pool, space, log, events)
        (self.migrator, self.cancellation) = (migrator, cancellation)
        lock = try PostgreSQLLock(in: space)
        isReadOnly = pool.options.isReadOnly
    }

    /// Makes what the database lacks of a table; the thread waits, as long as a connection may be used.
    ///
    /// Indexes that only make answers faster are waited for no longer than `patience`.
    ///
    /// - Throws: `.schema` for a table of another form, and where a field is to be unique whose values are not.
    func open(_ table: PostgreSQLTable, for user: PostgreSQLConnection) throws {
        let work = Work(part: ObjectIdentifier(table.schema), textUUIDs: table.textUUIDs)
        try wait(for: work, user) { [self] opening in
            // Not before its turn, which may be late, as after a migration.
            let (connection, lack) = try queue.sync {
                let connection = try connect()
                do {
                    return (connection, try makeTable(table, connection))
                } catch {
                    connection.close()
                    throw error
                }
            }
            defer { connection.close() }
            if !lack.isEmpty { try makeIndexes(of: table, lack, connection, opening) }
        }
    }

    /// Makes the table and its columns.
    ///
    /// - Returns: What is lacking still.
    private func makeTable(
        _ table: PostgreSQLTable,
        _ connection: PostgreSQLConnection
    ) throws -> PostgreSQLLack {
        try prepare(connection)
        connection.deadline = .now + pool.options.deadline
        let lack = try self.lack(of: table, connection)
        if isReadOnly {
            if lack.isReadable { return PostgreSQLLack() }
            throw StoreError.unsupported(
                "the database lacks a part of the table \(table.schema.name), and is not to be written"
            )
        }
        guard lack.isWhole || !lack.columns.isEmpty else { return lack }
        try locking(connection) { try complete(table, connection) }
        return try self.lack(of: table, connection)
    }

    /// Does what comes before every use; the thread waits, as long as a connection may be used.
    func prepare(for user: PostgreSQLConnection) throws {
        try wait(for: Work(), user) { [self] _ in try prepare() }
    }

    /// Does what comes before every use; the thread waits for as long as that takes.
    func prepare() throws {
        try queue.sync {
            let connection = try connect()
            defer { connection.close() }
            try prepare(connection)
        }
    }

    /// Waits for what is under way, or begins it, until the time of a connection is over, or its use is cancelled.
    private func wait(
        for key: Work,
        _ user: PostgreSQLConnection,
        _ body: @escaping @Sendable (Resolver<Void>) throws -> Void
    ) throws {
        let (promise, resolver) = try underWay.withLock { underWay in
            if let failure = underWay[key]?.failure {
                underWay[key] = nil
                throw failure
            }
            underWay[key, default: UnderWay()].count += 1
            if let known = underWay[key]?.promise { return (known, Resolver<Void>?.none) }
            let (promise, resolver) = Promise<Void>.withResolvers()
            underWay[key]?.promise = promise
            return (promise, resolver)
        }
        if let resolver {
            DispatchQueue(label: "ModelKitPostgreSQL opening").async(group: group) { [self] in
                let result = Result { try body(resolver) }
                // Before: who comes after a failure begins anew, unless nobody has got it.
                underWay.withLock { underWay in
                    let count = underWay[key]?.count ?? 0
                    underWay[key] = nil
                    // What is wrong with the table is so still; a server may be there again.
                    if case .failure(let error as StoreError) = result, count == 0,
                        !resolver.promise.isSettled
                    {
                        underWay[key] = UnderWay(failure: error)
                    }
                }
                resolver.resolve(result)
            }
        }
        let end = DispatchSemaphore(value: 0)
        promise.observe { _ in end.signal() }
        do {
            while end.wait(timeout: .now() + 0.05) == .timedOut { try user.checkTime() }
        } catch {
            underWay.withLock { if $0[key]?.promise === promise { $0[key]?.count -= 1 } }
            throw error
        }
        try promise.result?.get()
    }

    /// Is there when nothing is made any more; what others have in hand is left to them.
    func settled() -> Promise<Void> {
        isClosing.store(true, ordering: .relaxed)
        let (promise, resolver) = Promise<Void>.withResolvers()
        group.notify(queue: .global()) { resolver.fulfill() }
        return promise
    }

    /// Makes the log where it is lacking, or begins it anew, as after another server has come in the place of the first;
    /// the thread waits.
    func makeLog() throws {
        try queue.sync {
            let connection = try connect()
            defer { connection.close() }
            connection.deadline = .now + pool.options.deadline
            try makeLog(connection)
        }
    }

    /// The same; the thread waits as long as a connection may be used.
    func makeLog(for user: PostgreSQLConnection) throws {
        try wait(for: Work(part: ObjectIdentifier(PostgreSQLLog.self)), user) { [self] _ in
            try makeLog()
        }
    }

    /// Throws where it is waited for others, and the store is being closed.
    func checkIsOpen() throws(StoreError) {
        if isClosing.load(ordering: .relaxed) { throw .unavailable("it was closed", .notApplied) }
    }

    // MARK: Steps

    /// Connects, and tries that again while the server is away, for as long as connecting may take.
    private func connect() throws(PostgreSQLError) -> PostgreSQLConnection {
        let end = ContinuousClock.now + min(pool.options.connectTimeout, pool.options.deadline)
        var reason: PostgreSQLError?
        while true {
            let attempt = Result { () throws(PostgreSQLError) in
                try pool.connectBeside(until: end)
            }
            guard case .failure(let error) = attempt else { return try attempt.get() }
            guard error.isTransient, .now < end else { throw error.asReason(after: reason) }
            reason = error.asReason(after: reason)
            sleep(forSeconds: .random(in: 0.02...0.1))
        }
    }

    /// Has what is done on a connection take as long as it takes, whatever the settings of the role say.
    func removeLimits(of connection: PostgreSQLConnection) throws {
        connection.deadline = nil
        guard connection.mode == .direct else { return }
        var limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
        if connection.serverVersion >= 170_000 { limits.append("transaction_timeout") }
        for limit in limits { try connection.execute("SET \(limit) = 0") }
    }

    func lack(
        of table: PostgreSQLTable,
        _ connection: PostgreSQLConnection
    ) throws -> PostgreSQLLack {
        try connection.repeating { try table.lack(connection.run(table.inspection)) }
    }

    /// Makes the log and runs migrations, once.
    private func prepare(_ connection: PostgreSQLConnection) throws {
        if isPrepared.state { return }
        connection.deadline = .now + pool.options.deadline
        let schema = PostgreSQLMigratedSchema(connection: connection, space: space, log: log) {
            // That something has a name is not an error of others there.
            try self.locking(connection, againAfter: \.isOfLocks, $0)
        }
        if isReadOnly {
            try migrator.check(schema)
        } else {
            try makeLog(connection)
            try removeLimits(of: connection)
            connection.cancellation = cancellation
            try migrator.migrate(schema)
            connection.cancellation = nil
        }
        isPrepared.state = true
    }

    private func makeLog(_ connection: PostgreSQLConnection) throws {
        let parts = log.parts + (connection.mode == .direct ? [] : [(lock.name, lock.definition)])
        func isLacking(_ part: (name: String, definition: String)) throws -> Bool {
            var parameters = PostgreSQLParameters()
            parameters.append(part.name)
            let find = PostgreSQLStatement("SELECT to_regclass($1) IS NULL", parameters)
            return try connection.run(find).isTrue
        }
        if try connection.repeating({ try parts.contains(where: isLacking) }) {
            try makeSchema(connection)
            try locking(connection) {
                // Another process may have made it meanwhile, whose it is then.
                for part in parts where try isLacking(part) {
                    try connection.execute(part.definition)
                }
            }
        }
        if connection.mode != .portable { try beginLog(connection) }
    }

    /// Makes the schema, and what is locked by there, if they are lacking.
    private func makeSchema(_ connection: PostgreSQLConnection) throws {
        var name = PostgreSQLParameters()
        name.append(space)
        let isThere = "SELECT to_regnamespace(quote_ident($1)) IS NOT NULL"
        // Several may make them at once, as what is locked by is made here.
        try retrying(connection) {
            if try !connection.run(PostgreSQLStatement(isThere, name)).isTrue {
                try connection.execute("CREATE SCHEMA IF NOT EXISTS \(space.checkedName())")
            }
            if connection.mode == .portable { try connection.execute(lock.definition) }
        }
    }

    /// Begins a log that is new, or was copied from another server.
    private func beginLog(_ connection: PostgreSQLConnection) throws {
        func find() throws -> (lacksState: Bool, isCopied: Bool) {
            let result = try connection.run(PostgreSQLStatement(log.inspection))
            return (result.bytes(0, 0).isTrue, result.bytes(0, 1).isTrue)
        }
        guard try find() != (false, false) else { return }
        try locking(connection) {
            // Another process may have done it meanwhile.
            if try find().isCopied { try connection.execute(log.removalOfCopied) }
            try connection.execute(log.beginning)
        }
    }

    /// Makes the table, or adds what columns it lacks.
    private func complete(_ table: PostgreSQLTable, _ connection: PostgreSQLConnection) throws {
        // Another server may have made them meanwhile.
        let lack = try table.lack(connection.run(table.inspection))
        if lack.isWhole {
            for sql in table.definitions { try connection.execute(sql) }
            for index in table.indexes { try connection.execute(index.definition()) }
        }
        for column in lack.columns {
            for sql in try table.addition(of: column) { try connection.execute(sql) }
        }
    }
}

extension PostgreSQLLack {
    /// Whether what is there can be read.
    fileprivate var isReadable: Bool { !isWhole && columns.isEmpty }
}
