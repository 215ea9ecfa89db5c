/// A database, and who connects to it.
///
/// It contains the password, if there is one, so nothing prints it.
package struct PostgreSQLTarget: Sendable, CustomStringConvertible, CustomReflectable {
    let library: PostgreSQLLibrary
    package let mode: PostgreSQLMode
    typealias Parameters = [(keyword: String, value: String)]

    /// What is given to libpq; what comes later counts.
    let parameters: Parameters
    /// What is given to it besides for each of several hosts; nothing for one alone.
    let hosts: [Parameters]
    /// How long each of them may take.
    let hostTimeout: Duration?
    let notice: (@Sendable (String) -> Void)?

    package var description: String { "a PostgreSQL database" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// - Parameters:
    ///   - connection: libpq's connection string or URL.
    ///   - library: What connects.
    ///   - mode: What may be relied on.
    ///   - isReadOnly: Whether also a server that is only read will do.
    ///   - notice: Is called with what the server sends beside its answers, on a queue of its own for each connection.
    /// - Throws: What is wrong with the string, without anything of it.
    package init(
        _ connection: String,
        library: PostgreSQLLibrary,
        mode: PostgreSQLMode,
        isReadOnly: Bool = false,
        notice: (@Sendable (String) -> Void)? = nil
    ) throws(PostgreSQLError) {
        (self.library, self.mode, self.notice) = (library, mode, notice)
        let options = try Self.read(connection, library.functions)
        try Self.check(connection, options, mode)
        hosts = Self.hosts(options)
        // As libpq takes it: what is no number of seconds, or zero, is no limit.
        let timeout = options["connect_timeout"].flatMap { Int($0) } ?? 0
        hostTimeout = timeout > 0 ? .seconds(timeout) : nil
        parameters = [
            ("fallback_application_name", "ModelKit"),
            ("target_session_attrs", isReadOnly ? "any" : "read-write"),
            // So that what has no deadline, as the making of an index, does not wait for a network that is gone.
            ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("dbname", connection),
            ("client_encoding", "UTF8"),
        ]
    }

    /// What the string says of each option.
    private static func read(
        _ connection: String,
        _ functions: PostgreSQLLibrary.Functions
    ) throws(PostgreSQLError) -> [String: String] {
        if connection.hasZeroByte { throw refusal("it has a zero byte") }
        var reason: PostgreSQLLibrary.Functions.Bytes = nil
        guard let list = functions.conninfoParse(connection, &reason) else {
            defer { functions.freemem(reason) }
            // What it quotes may be a part of the password.
            throw refusal(reason.map { String(cString: $0).onOneLine.withoutQuotedPart } ?? "")
        }
        defer { functions.conninfoFree(list) }
        var options: [String: String] = [:]
        // An array of structures that begin with the keyword and have the value as their fourth pointer.
        let size = 7 * MemoryLayout<UnsafePointer<CChar>>.stride
        var option = UnsafeRawPointer(list)
        while let keyword = option.load(as: UnsafePointer<CChar>?.self) {
            let value = option.load(
                fromByteOffset: 3 * MemoryLayout<UnsafePointer<CChar>>.stride,
                as: UnsafePointer<CChar>?.self
            )
            if let value { options[String(cString: keyword)] = String(cString: value) }
            option += size
        }
        return options
    }

    /// Several hosts each by itself, unless it is libpq that decides about their order.
    private static func hosts(_ options: [String: String]) -> [Parameters] {
        let lists = ["host", "hostaddr", "port"].compactMap { keyword in
            options[keyword].map { value in
                (keyword, value.split(separator: ",", omittingEmptySubsequences: false))
            }
        }
        let count = lists.map(\.1.count).max() ?? 1
        let hasOrder =
            options["target_session_attrs"] == "prefer-standby"
            || options["load_balance_hosts"] == "random"
        // What is empty libpq takes for something else.
        let areFitting = lists.allSatisfy { keyword, values in
            !values.contains("")
                && (values.count == count || keyword == "port" && values.count == 1)
        }
        if count == 1 || hasOrder || !areFitting { return [[]] }
        return (0..<count).map { index in
            lists.map { keyword, values in
                (keyword, String(values[min(index, values.count - 1)]))
            }
        }
    }

    private static func check(
        _ connection: String,
        _ options: [String: String],
        _ mode: PostgreSQLMode
    ) throws(PostgreSQLError) {
        // A password that is not percent-encoded ends up there, and errors name host and port.
        if options["host"]?.dropFirst().contains("@") ?? false {
            throw refusal("there is an @ in the name of the host; in a password it is written %40")
        }
        let ports = (options["port"] ?? "").split(separator: ",")
        if ports.contains(where: { Int($0) == nil }) {
            throw refusal("the port is no number; in a password : and / are written %3A and %2F")
        }
        // What comes after an @ in a password is a part of no host either.
        if ["postgres://", "postgresql://"].contains(where: connection.hasPrefix),
            connection.prefix(while: { $0 != "?" }).count(where: { $0 == "@" }) > 1
        {
            throw refusal("there is more than one @; in a password it is written %40, and / is %2F")
        }
        if options["options"] != nil, mode != .direct {
            throw refusal("options can be used in the mode .direct only")
        }
    }

    private static func refusal(_ reason: String) -> PostgreSQLError {
        PostgreSQLError(.notSupported, "the connection string cannot be used: \(reason)")
    }
}
