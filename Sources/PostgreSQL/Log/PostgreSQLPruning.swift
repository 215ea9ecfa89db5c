/// Removes old rows of the log, a few at a time, never those of its newest transaction.
///
/// Whoever removes some has locked the log's own row meanwhile, so that one process does it at a time; nobody waits for
/// another one.
struct PostgreSQLPruning {
    let log: PostgreSQLLog
    /// What is older goes.
    let age: Duration
    /// So much room the rows may take; of what takes more the oldest go, but for what is younger than this.
    let size: Int
    let leastAge: Duration

    /// How many rows are still to go because of the size, as it was found at the first step; nil before that.
    private var excess: Int?

    /// A century, of which times of the server can be made.
    private static let mostAge = Duration.seconds(3_155_760_000)
    /// So many rows are removed at once.
    static let step = 1_000

    init(_ log: PostgreSQLLog, age: Duration, size: Int, leastAge: Duration) {
        (self.log, self.age, self.size, self.leastAge) = (log, age, size, leastAge)
    }

    /// - Parameters:
    ///   - log: The log.
    ///   - options: What is to be kept. Outcomes are found by what a transaction has logged that took until its deadline.
    init(_ log: PostgreSQLLog, _ options: PostgreSQLOptions) {
        // Outcomes in `.portable` have nothing else that bounds their age.
        let least = max(
            .seconds(log.mode == .portable ? 3_600 : 600),
            min(options.deadline, Self.mostAge) * 2
        )
        let age = max(min(options.logAge, Self.mostAge), least)
        self.init(log, age: age, size: options.logSize, leastAge: least)
    }

    /// Removes some rows, if there are any to be removed.
    ///
    /// - Parameter connection: The connection.
    /// - Returns: How many were removed; there may be more unless there was none.
    /// - Throws: What the connection throws.
    mutating func prune(by connection: PostgreSQLConnection) throws(PostgreSQLError) -> Int {
        if log.mode == .portable { return try removeOutcomes(by: connection) }
        let excess: Int
        // Not at each step, as statistics take a while to follow.
        if let found = self.excess { excess = found } else { excess = try findExcess(connection) }
        let most = excess > 0 ? min(excess, Self.step) : Self.step
        let age = excess > 0 ? min(age, leastAge) : age
        var count = 0
        if try isOld(age, connection) {
            let removed = try connection.run(removal(of: most, olderThan: age))
            count = Int(removed.integer(0, 0) ?? 0 as Int64)
        }
        self.excess = count == 0 ? nil : max(0, excess - count)
        return count
    }

    /// Removes some outcomes that nobody asks for any more, of which there is no order but that of a search.
    private func removeOutcomes(
        by connection: PostgreSQLConnection
    ) throws(PostgreSQLError) -> Int {
        try connection.run(
            PostgreSQLStatement(
                """
                DELETE FROM \(log.name) WHERE token IN (SELECT token FROM \(log.name) \
                WHERE at < clock_timestamp() - interval '\(Int(leastAge / .seconds(1))) seconds' \
                LIMIT \(Self.step))
                """,
                isPrepared: false
            )
        ).affectedRows
    }

    /// How many rows are too many for the room that they may take; none where they take less.
    private func findExcess(_ connection: PostgreSQLConnection) throws(PostgreSQLError) -> Int {
        var parameters = PostgreSQLParameters()
        parameters.append(log.name)
        parameters.append(Int64(size))
        // The table keeps room that is free, so that its size says only that there may be too many. Then a part of it is
        // looked at, and statistics say how many rows there are.
        let pages = try connection.run(
            PostgreSQLStatement(
                """
                SELECT pg_relation_size(oid) / current_setting('block_size')::bigint \
                FROM to_regclass($1) AS oid WHERE pg_total_relation_size(oid) > $2
                """,
                parameters,
                isPrepared: false
            )
        )
        guard let count = pages.integer(0, 0) as Int64? else { return 0 }
        let share = min(100, 10_000 / Double(max(1, count)))
        let excess = try connection.run(
            PostgreSQLStatement(
                """
                SELECT (rows - rows * $2 / greatest(rows * size, 1))::bigint FROM \
                (SELECT pg_stat_get_live_tuples(to_regclass($1))::float8 AS rows) AS counted, \
                (SELECT avg(100 + coalesce(pg_column_size(keys), 0) \
                + coalesce(pg_column_size(revisions), 0))::float8 AS size \
                FROM \(log.name) TABLESAMPLE SYSTEM (\(share))) AS sampled WHERE rows * size > $2
                """,
                parameters,
                isPrepared: false
            )
        )
        return Int(excess.integer(0, 0) as Int64? ?? 0)
    }

    private func isOld(
        _ age: Duration,
        _ connection: PostgreSQLConnection
    ) throws(PostgreSQLError) -> Bool {
        try connection.run(
            PostgreSQLStatement(
                """
                SELECT at < \(limit(age)) FROM \(log.name) WHERE xid > '0' \
                ORDER BY xid, n LIMIT 1
                """,
                isPrepared: false
            )
        ).isTrue
    }

    /// A statement that gives how many rows it has removed, if any.
    private func removal(of most: Int, olderThan age: Duration) -> PostgreSQLStatement {
        PostgreSQLStatement(
            """
            WITH state AS (SELECT FROM \(log.name) AS log WHERE \(log.isState("log")) \
            FOR UPDATE SKIP LOCKED), \
            first AS (SELECT xid, n, at FROM \(log.name) WHERE xid > '0' \
            AND xid < (SELECT xid FROM \(log.name) ORDER BY xid DESC LIMIT 1) \
            ORDER BY xid, n LIMIT \(most)), \
            gone AS (DELETE FROM \(log.name) AS log USING first WHERE log.xid = first.xid \
            AND log.n = first.n AND first.at < \(limit(age)) AND EXISTS (SELECT FROM state) \
            RETURNING log.xid) \
            UPDATE \(log.name) AS log SET revisions = ARRAY[greatest(log.revisions[1], \
            (SELECT xid FROM gone ORDER BY xid DESC LIMIT 1)::text::bigint)] \
            WHERE \(log.isState("log")) AND EXISTS (SELECT FROM gone) \
            RETURNING (SELECT count(*) FROM gone)
            """,
            isPrepared: false
        )
    }

    private func limit(_ age: Duration) -> String {
        "clock_timestamp() - make_interval(secs => \(age / .seconds(1)))"
    }
}
