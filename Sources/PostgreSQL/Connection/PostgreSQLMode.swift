/// What a store may rely on between it and the server.
///
/// ```swift
/// let options = PostgreSQLOptions(mode: .pooled)
/// ```
public enum PostgreSQLMode: String, Sendable, Hashable, CaseIterable {
    /// Each connection is one of PostgreSQL's own, for as long as it is open.
    case direct
    /// A pooler such as pgbouncer gives a connection for each transaction: nothing is kept on it beyond that.
    case pooled
    /// What speaks PostgreSQL's protocol and has its SQL, but not all of its functions.
    case portable
}
