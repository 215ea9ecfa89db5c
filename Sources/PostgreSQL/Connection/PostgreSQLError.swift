/// A failure that the server or the connection to it has reported.
///
/// The description is one line for a person, without values: neither those of parameters, which are never part of an
/// error, nor those that the server quotes in `detail`.
package struct PostgreSQLError: Error, Hashable, Sendable {
    package var kind: Kind
    /// The code of the server, such as `23505` for a unique index; nil where the server has not answered.
    package var sqlState: String?
    /// What the server or libpq said.
    package var message: String
    /// More of it, which may quote what is stored.
    package var detail: String?
    package var hint: String?
    package var schema: String?
    package var table: String?
    package var column: String?
    package var constraint: String?
    /// The character of the statement where the error is, from 1.
    package var position: Int?
    /// The statement that has failed, and which it is of those that were run together.
    package var sql: String?
    package var statementIndex: Int?
    /// Whether the server may have seen anything of what was to be run: if it has not answered, nobody knows whether
    /// it was done.
    package var wasSent = false
    /// Whether the server has ended the connection by it.
    package var isFatal = false
    /// Whether nobody has answered, which is less of a reason than an answer.
    package var isSilence = false
    /// Whether a compiled statement does not fit the tables any more, or is gone, so that it has to be compiled again.
    package var isStale = false
    /// Whether an entry of an index is too large to be made, of which the server does not name the index.
    package var isOfEntry = false

    /// Whether the server has said no, after which the connection goes on.
    var isRefusal: Bool { sqlState != nil && !isFatal }

    package init(_ kind: Kind, _ message: String, wasSent: Bool = false) {
        (self.kind, self.message, self.wasSent) = (kind, message, wasSent)
    }

    /// Of what was cancelled before anything was sent.
    static let cancellation = PostgreSQLError(.cancelled, "it was cancelled")

    /// What the server has refused.
    init(_ result: PostgreSQLResult) {
        let state = result.field("C")
        self.init(Kind(sqlState: state), result.field("M") ?? "", wasSent: true)
        sqlState = state
        (detail, hint) = (result.field("D"), result.field("H"))
        (schema, table, column) = (result.field("s"), result.field("t"), result.field("c"))
        constraint = result.field("n")
        position = result.field("P").flatMap(Int.init)
        isFatal = ["FATAL", "PANIC"].contains(result.field("V"))
        // The other codes of that function are of other failures.
        isStale =
            state == "26000" || state == "0A000" && result.field("R") == "RevalidateCachedQuery"
        // Not by the message, which is in the language of the server.
        isOfEntry =
            state == "54000" && result.field("R")?.hasPrefix("index_form_tuple") ?? false
    }
}
