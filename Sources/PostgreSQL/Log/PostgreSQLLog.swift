import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// The change log of a database schema: a row for each statement of a transaction that has changed records, in that
/// transaction.
///
/// It proves the outcome of a transaction whose answer was lost, by the transaction's token, and has what was changed
/// for others. Its key is the transaction and a number in it, as a sequence would make writers wait for each other.
/// Keys are the texts of identifiers; a statement that changes very many records says only that the type has changed.
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

    /// Of more records than these in a statement, no more is said than their type.
    static let mostKeys = 10_000
    /// So many of them share a row.
    static let keysInRow = 1_000

    /// The name as it is written in SQL.
    let name: String

    init(in schema: String) throws {
        name = "\(try schema.checkedName()).\(quoted(name: Self.tableName))"
    }

    /// What makes the table.
    var definition: String {
        """
        CREATE TABLE IF NOT EXISTS \(name) (xid xid8 NOT NULL DEFAULT pg_current_xact_id(), \
        n integer NOT NULL, token uuid NOT NULL, type text COLLATE "C" NOT NULL, \
        kind smallint NOT NULL, keys text[] COLLATE "C", revisions bigint[], \
        at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (xid, n))
        """
    }

    /// A part of a statement that logs the rows of its part `made`, which have a `key` and a `revision`.
    ///
    /// - Parameters:
    ///   - kind: What was done.
    ///   - token: The placeholder of the token; the next one is that of the first number.
    ///   - type: The name of the type, as a literal of SQL.
    ///   - isOne: Whether there is one at most.
    /// - Returns: The statement of the part.
    func insertion(_ kind: Kind, token: Int, type: String, isOne: Bool = false) -> String {
        if isOne {
            return """
                INSERT INTO \(name) (n, token, type, kind, keys, revisions) \
                SELECT $\(token + 1), $\(token), \(type), \(kind.rawValue), \
                ARRAY[key::text], ARRAY[revision] FROM made
                """
        }
        return """
            INSERT INTO \(name) (n, token, type, kind, keys, revisions) \
            SELECT $\(token + 1) + p, $\(token), \(type), \(kind.rawValue), \
            CASE WHEN max(c) <= \(Self.mostKeys) THEN array_agg(key::text ORDER BY o) END, \
            CASE WHEN max(c) <= \(Self.mostKeys) THEN array_agg(revision ORDER BY o) END \
            FROM (SELECT key, revision, o, c, \
            CASE WHEN c <= \(Self.mostKeys) THEN (o - 1) / \(Self.keysInRow) ELSE 0 END AS p \
            FROM (SELECT key, revision, row_number() OVER () AS o, count(*) OVER () AS c FROM made) \
            AS counted) AS logged GROUP BY p
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
