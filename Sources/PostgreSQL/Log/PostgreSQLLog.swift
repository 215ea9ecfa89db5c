import ModelKitEssentials
import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// The change log of a database schema: a row for each statement of a transaction that has changed records, in that
/// transaction.
///
/// It proves the outcome of a transaction whose answer was lost, by the transaction's token, and has what was changed
/// for others. Its key is the transaction and a number in it, as a sequence would make writers wait for each other.
/// Keys are the texts of identifiers; a statement that changes very many records says only that the type has changed.
///
/// Where the process that serves a connection cannot be known, tokens are unique, for the sake of `PostgreSQLSettlement`:
/// the first row of a transaction has the number 0, and no other row of that token has. Rows of `.direct` begin with 1, so
/// an index of the rows with 0 costs them nothing, and stores of both modes share the log. In `.portable` there is a
/// table with the token in place of the transaction, which is of use for nothing but outcomes.
struct PostgreSQLLog: Sendable {
    /// What a statement has done with records.
    enum Kind: Int16 {
        case creation = 1
        case update, deletion
    }

    /// A row as it is read back.
    struct Entry: Sendable {
        let keys: [String]
        let revisions: [Int64]
    }

    static let tableName = "_modelkit_log"
    /// The index of its key.
    static let keyName = tableName + "_pkey"
    static let outcomesName = "_modelkit_outcomes"

    /// The kind of a row that is of no statement: a transaction has its token by it, or can never be committed.
    static let mark: Int16 = 0
    static let void: Int16 = -1

    /// Of more records than these in a statement, no more is said than their type.
    static let mostKeys = 10_000
    /// So many of them share a row.
    static let keysInRow = 1_000

    /// The name as it is written in SQL.
    let name: String
    let mode: PostgreSQLMode
    private let schema: String

    init(in schema: String, _ mode: PostgreSQLMode = .direct) throws {
        self.mode = mode
        self.schema = try schema.checkedName()
        let table = mode == .portable ? Self.outcomesName : Self.tableName
        name = "\(self.schema).\(quoted(name: table))"
    }

    /// The tables and indexes that it needs, by their names as they are written in SQL, with what makes each.
    var parts: [(name: String, definition: String)] {
        let columns = """
            n integer NOT NULL, token uuid NOT NULL, type text COLLATE "C" NOT NULL, \
            kind smallint NOT NULL, keys text[] COLLATE "C", revisions bigint[], \
            at timestamptz NOT NULL DEFAULT clock_timestamp()
            """
        let isPortable = mode == .portable
        let first = isPortable ? "" : "xid xid8 NOT NULL DEFAULT pg_current_xact_id(), "
        let key = isPortable ? "token" : "xid"
        // To compress them takes the server about as long as to write the records.
        let storage = ["keys", "revisions"].map { "ALTER \($0) SET STORAGE EXTERNAL" }
        let table = (
            name,
            "CREATE TABLE IF NOT EXISTS \(name) (\(first)\(columns), PRIMARY KEY (\(key), n))"
                + (isPortable ? "" : "; ALTER TABLE \(name) \(storage.joined(separator: ", "))")
        )
        guard mode == .pooled else { return [table] }
        let index = quoted(name: "\(Self.tableName)_token")
        return [
            table,
            (
                "\(schema).\(index)",
                "CREATE UNIQUE INDEX IF NOT EXISTS \(index) ON \(name) (token) WHERE n = 0"
            ),
        ]
    }

    /// Whether tokens are unique, so that an outcome can be found out by one.
    var hasUniqueTokens: Bool { mode != .direct }

    /// A statement that takes a token for a transaction, or from it.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - kind: `mark` or `void`.
    /// - Returns: The statement, which fails with 23505 where the token was taken.
    func taking(_ token: UUID, _ kind: Int16) -> PostgreSQLStatement {
        var parameters = PostgreSQLParameters()
        parameters.append(token)
        return PostgreSQLStatement(
            "INSERT INTO \(name) (n, token, type, kind) VALUES (0, $1, '', \(kind))",
            parameters
        )
    }

    /// A statement that reads what was logged under a token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - first: The first transaction that may have it, where tokens are not unique.
    /// - Returns: The statement, which gives kinds, keys and revisions in their order.
    func rows(of token: UUID, since first: UInt64? = nil) -> PostgreSQLStatement {
        var parameters = PostgreSQLParameters()
        parameters.append(token)
        var condition = "token = $1"
        if let first {
            parameters.append("\(first)")
            condition += " AND xid >= $2::xid8"
        } else if mode == .pooled {
            // By the index of tokens, and by the key.
            condition += " AND xid = (SELECT xid FROM \(name) WHERE token = $1 AND n = 0)"
        }
        return PostgreSQLStatement(
            "SELECT kind, keys, revisions FROM \(name) WHERE \(condition) ORDER BY n",
            parameters
        )
    }

    /// What has the `keys` and `revisions` of the rows of a part `made`, each of which has a `key` and a `revision`.
    static let collected =
        "(SELECT array_agg(key) AS keys, array_agg(revision) AS revisions FROM made)"

    /// A part of a statement that logs the rows of its part `made`, which have a `key` and a `revision`.
    ///
    /// - Parameters:
    ///   - kind: What was done.
    ///   - token: The placeholder of the token; the next one is that of the first number.
    ///   - type: The name of the type, as a literal of SQL.
    ///   - isOne: Whether there is one at most.
    ///   - arrays: What has their `keys` and `revisions` in one row.
    /// - Returns: The statement of the part.
    func insertion(
        _ kind: Kind,
        token: Int,
        type: String,
        isOne: Bool = false,
        of arrays: String = "\(collected) AS collected"
    ) -> String {
        if isOne {
            return """
                INSERT INTO \(name) (n, token, type, kind, keys, revisions) \
                SELECT $\(token + 1), $\(token), \(type), \(kind.rawValue), \
                ARRAY[key::text], ARRAY[revision] FROM made
                """
        }
        let isKnown = "cardinality(keys) <= \(Self.mostKeys)"
        // Nobody follows a table of outcomes, so its rows may be long, and not every server divides arrays.
        let isDivided = mode != .portable
        let part = isDivided ? "[p * \(Self.keysInRow) + 1:(p + 1) * \(Self.keysInRow)]" : ""
        let parts = """
            , generate_series(0, CASE WHEN \(isKnown) \
            THEN (cardinality(keys) - 1) / \(Self.keysInRow) ELSE 0 END) AS p
            """
        return """
            INSERT INTO \(name) (n, token, type, kind, keys, revisions) \
            SELECT $\(token + 1)\(isDivided ? " + p" : ""), $\(token), \(type), \(kind.rawValue), \
            CASE WHEN \(isKnown) THEN keys\(part)::text[] END, \
            CASE WHEN \(isKnown) THEN revisions\(part) END \
            FROM \(arrays)\(isDivided ? parts : "") WHERE keys IS NOT NULL
            """
    }

    /// A statement that logs that very many records of a type were written.
    func insertion(ofManyIn type: String, _ kind: Kind, token: Int) -> String {
        """
        INSERT INTO \(name) (n, token, type, kind) \
        VALUES ($\(token + 1), $\(token), \(type), \(kind.rawValue))
        """
    }

    /// How many rows a statement logs at most that changes so many records.
    static func rowCount(of count: Int) -> Int32 {
        count > mostKeys ? 1 : Int32((count + keysInRow - 1) / keysInRow)
    }
}
