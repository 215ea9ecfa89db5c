/// How a store uses a server.
///
/// ```swift
/// let options = PostgreSQLOptions(connections: 16, deadline: .seconds(5))
/// ```
public struct PostgreSQLOptions: Sendable {
    /// How many connections there are at most, from 1 to 64.
    public var connections: Int { didSet { connections = min(max(connections, 1), 64) } }
    public var mode: PostgreSQLMode
    /// How long one attempt to connect may take.
    public var connectTimeout: Duration
    /// How long anything may take that says nothing else, together with its waiting for a connection.
    public var deadline: Duration
    /// After how much time a connection is closed that nobody has used.
    public var idleTime: Duration
    /// Whether nothing is written, so that also a server that only follows another one will do.
    public var isReadOnly: Bool
    /// How long the change log keeps what was written, at least ten minutes and twice the deadline.
    public var logAge: Duration
    /// How many bytes the change log may take, about; of more the oldest part is removed.
    public var logSize: Int
    /// Is called with the notices of the server, on a thread of its own, in order for each connection.
    public var notice: (@Sendable (String) -> Void)?
    /// Nil for that of the system.
    public var library: PostgreSQLLibrary?

    public init(
        connections: Int = 8,
        mode: PostgreSQLMode = .direct,
        connectTimeout: Duration = .seconds(5),
        deadline: Duration = .seconds(30),
        idleTime: Duration = .seconds(60),
        isReadOnly: Bool = false,
        logAge: Duration = .seconds(7 * 86_400),
        logSize: Int = 1 << 30,
        notice: (@Sendable (String) -> Void)? = nil,
        library: PostgreSQLLibrary? = nil
    ) {
        self.connections = min(max(connections, 1), 64)
        self.mode = mode
        self.connectTimeout = connectTimeout
        self.deadline = deadline
        self.idleTime = idleTime
        self.isReadOnly = isReadOnly
        self.logAge = logAge
        self.logSize = logSize
        self.notice = notice
        self.library = library
    }
}
