import ModelKitEssentials

/// Reads what the log has got since it was last read.
///
/// What was read is known by a snapshot: new is what was not visible in it, whenever that transaction began. So nothing
/// is skipped that is committed late, and nobody waits for a transaction that stays open.
struct PostgreSQLLogReader {
    /// Until where a log was read, and which one that was.
    struct Cursor {
        var snapshot: String
        /// The server and its timeline, which is another one after it was restored; nil where it does not say that.
        var place: String?
        /// When the server was started, as it may have files of another time since, by which it says to be the same.
        var start: String?
        /// The log's own identifier; nil where there is no log yet.
        let log: String?
        /// The last transaction whose rows were removed.
        let pruned: Int64
    }

    /// What a statement has written.
    struct Entry {
        let type: String
        /// Which records; nil for any.
        let keys: [String]?
        let revisions: [Int64]
        let isDeletion: Bool
        /// Whether the store has written it itself.
        let isOwn: Bool
    }

    struct News {
        let cursor: Cursor
        let entries: [Entry]
        /// Whether there may be more, of which the log says nothing any more.
        let isIncomplete: Bool
        /// Whether that is so as it may be another server, or another log.
        let isOther: Bool
    }

    let log: PostgreSQLLog
    let tokens: PostgreSQLTokens
    /// Whether the server says what it is.
    let hasPlace: Bool

    init(
        _ log: PostgreSQLLog,
        _ tokens: PostgreSQLTokens,
        _ connection: PostgreSQLConnection
    ) throws {
        (self.log, self.tokens) = (log, tokens)
        hasPlace = try connection.saysPlace()
    }

    /// Reads what others have committed since a cursor, of which nothing is new where there is none.
    ///
    /// - Parameters:
    ///   - cursor: The cursor.
    ///   - isWhole: Whether also what the store itself has committed, within a transaction of one moment, which stays
    ///     open.
    ///   - connection: The connection.
    /// - Returns: What is new.
    /// - Throws: What the server refuses.
    func read(
        after cursor: Cursor?,
        isWhole: Bool = false,
        by connection: PostgreSQLConnection
    ) throws -> News {
        while true {
            do {
                let begin = isWhole ? [PostgreSQLStatement.snapshot] : []
                let statement = statement(after: cursor, isWhole: isWhole)
                // Whoever has a lock on a table keeps nobody waiting but those who ask for it.
                let limit = isWhole ? [PostgreSQLStatement.lockLimit] : []
                let results = try connection.run(begin + [statement] + limit)
                return try news(results[begin.count], after: cursor)
            } catch let error as PostgreSQLError where error.kind == .noSuchTable {
                connection.endTransaction()
                if let news = try newsOfNoLog(after: cursor, connection) { return news }
            }
        }
    }

    private func news(_ result: PostgreSQLResult, after cursor: Cursor?) throws -> News {
        // The numbers of transactions that a copy of the server gives are not its own.
        if result.isTrue(0, 4) {
            throw PostgreSQLError(.readOnly, "the log of a server in recovery is not read")
        }
        let now = Cursor(
            snapshot: result.text(0, 0) ?? "",
            place: result.text(0, 1),
            start: result.text(0, 9),
            log: result.text(0, 2),
            pruned: result.bytes(0, 3).int64
        )
        let entries = (0..<result.rowCount).compactMap { row in
            result.text(row, 7).map { type in
                Entry(
                    type: type,
                    keys: result.texts(row, 8),
                    revisions: result.elements(row, 10).map(\.int64),
                    isDeletion: result.isTrue(row, 11),
                    isOwn: result.isTrue(row, 12)
                )
            }
        }
        guard let cursor else {
            return News(cursor: now, entries: [], isIncomplete: false, isOther: false)
        }
        let isOther =
            now.place != cursor.place || now.start != cursor.start
            || cursor.log.map { $0 != now.log } ?? false
            // The files are those of another time.
            || result.isTrue(0, 6)
        return News(
            cursor: now,
            entries: entries,
            isIncomplete: isOther || result.isTrue(0, 5),
            isOther: isOther
        )
    }

    /// The news where there is no log; nil if there is one by now.
    private func newsOfNoLog(
        after cursor: Cursor?,
        _ connection: PostgreSQLConnection
    ) throws -> News? {
        var parameters = PostgreSQLParameters()
        parameters.append(log.name)
        // It is looked for after the snapshot was taken, so that all of its rows are newer.
        let result = try connection.run(
            PostgreSQLStatement(
                """
                SELECT pg_current_snapshot()::text, \(place), NULL::text, 0::bigint, \
                pg_is_in_recovery(), false, false, NULL::text, NULL::text[], \(Self.start), \
                to_regclass($1) IS NULL
                """,
                parameters,
                isPrepared: false
            )
        )
        return result.isTrue(0, 10) ? try news(result, after: cursor) : nil
    }

    /// It is planned each time, as by then it is known that few rows are new.
    func statement(after cursor: Cursor?, isWhole: Bool = false) -> PostgreSQLStatement {
        var parameters = PostgreSQLParameters()
        if let cursor {
            parameters.append(cursor.snapshot)
        } else {
            parameters.appendNull(.text)
        }
        parameters.append(tokens.own.first)
        parameters.append(tokens.own.last)
        let unsettled = tokens.allUnsettled
        parameters.append(.uuidArray) { bytes in
            bytes.append(arrayOf: .uuid, count: unsettled.count) { index, bytes in
                withUnsafeBytes(of: unsettled[index].uuid) { bytes.append(contentsOf: $0) }
                return true
            }
        }
        let own = "(token BETWEEN $2 AND $3 AND token <> ALL($4))"
        let many = "count > \(PostgreSQLLog.mostKeys)"
        return PostgreSQLStatement(
            """
            WITH fresh AS (SELECT type, kind, keys, revisions, \(own) AS own, sum(cardinality(keys)) \
            OVER (PARTITION BY \(own)) AS count \
            FROM \(log.name) WHERE (xid >= pg_snapshot_xmax($1::pg_snapshot) \
            OR xid = ANY(ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))) AND kind > 0 \
            AND (\(isWhole) OR NOT \(own))) \
            SELECT pg_current_snapshot()::text, \(place), state.token::text, state.revisions[1], \
            pg_is_in_recovery(), \(isPruned), \
            pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax($1::pg_snapshot), \
            entries.type, entries.keys, \(Self.start), \
            entries.revisions, entries."isDeletion", entries.own FROM (SELECT) AS one \
            LEFT JOIN \(log.name) AS state ON \(log.isState("state")) LEFT JOIN (SELECT DISTINCT type, own, \
            CASE WHEN \(many) THEN NULL ELSE keys END AS keys, \
            CASE WHEN \(many) THEN NULL ELSE revisions END AS revisions, \
            \(many) OR kind = \(PostgreSQLLog.Kind.deletion.rawValue) AS "isDeletion" \
            FROM fresh) AS entries ON true
            """,
            parameters,
            isPrepared: false
        )
    }

    /// Whether rows may be removed that the cursor has not seen: of later transactions, or one that ended since.
    private var isPruned: String {
        let pruned = "state.revisions[1]::text::xid8"
        return """
            \(pruned) >= pg_snapshot_xmax($1::pg_snapshot) OR EXISTS (SELECT \
            FROM pg_snapshot_xip($1::pg_snapshot) AS x WHERE x <= \(pruned) \
            AND pg_visible_in_snapshot(x, pg_current_snapshot()))
            """
    }

    private var place: String { hasPlace ? PostgreSQLLog.place : "NULL::text" }

    private static let start = "extract(epoch FROM pg_postmaster_start_time())::text"
}

extension PostgreSQLConnection {
    /// Whether the server says what it is, which some keep to its owner.
    func saysPlace() throws(PostgreSQLError) -> Bool {
        do {
            try run(PostgreSQLStatement("SELECT \(PostgreSQLLog.place)", isPrepared: false))
            return true
        } catch {
            guard error.isRefusal else { throw error }
            return false
        }
    }
}

extension PostgreSQLResult {
    fileprivate func isTrue(_ row: Int, _ column: Int) -> Bool { bytes(row, column).isTrue }

    /// A text; nil for null.
    func text(_ row: Int, _ column: Int) -> String? {
        isNull(row, column) ? nil : bytes(row, column).read { String(decoding: $0, as: UTF8.self) }
    }

    /// An array of texts; nil for null.
    fileprivate func texts(_ row: Int, _ column: Int) -> [String]? {
        isNull(row, column)
            ? nil : elements(row, column).map { $0.read { String(decoding: $0, as: UTF8.self) } }
    }
}
