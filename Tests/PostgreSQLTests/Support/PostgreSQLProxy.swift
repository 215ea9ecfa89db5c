import Foundation
import ModelKitFields

/// A socket between clients and a server, which cuts a connection at a byte, or swallows what comes after it; an engine
/// may change what is said.
final class PostgreSQLProxy: Sendable {
    enum Direction { case toServer, toClient }

    enum Fault {
        /// Both sides of the connection are closed, once.
        case cut
        /// Nothing more comes through in that direction, and nobody notices.
        case swallow
    }

    private struct State {
        var counts: [Direction: Int] = [:]
        /// What happens after how many bytes of a direction.
        var fault: (fault: Fault, direction: Direction, count: Int)?
        var connections: [WeakConnection] = []
        /// The folder of what it connects to.
        var server: String
    }

    /// What a client takes for the folder of the server.
    let folder: String
    private let engine: PostgreSQLEngine?
    private let listener: Int32
    private let state: Guarded<State>

    convenience init(to server: PostgreSQLServer, _ engine: PostgreSQLEngine? = nil) throws {
        try self.init(to: server.folder, in: server, engine)
    }

    /// - Parameters:
    ///   - folder: Where the socket is of what it connects to.
    ///   - server: What it ends with.
    ///   - engine: What changes what is said.
    /// - Throws: What keeps it from listening.
    init(to folder: String, in server: PostgreSQLServer, _ engine: PostgreSQLEngine? = nil) throws {
        state = Guarded(State(server: folder))
        self.engine = engine
        self.folder = "\(server.folder)/\(UUID().uuidString.prefix(8))"
        let folder = self.folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        listener = Connection.socket()
        guard Connection.withAddress(of: folder, { bind(listener, $0, $1) }) == 0,
            listen(listener, 64) == 0
        else { throw POSIXError(.EADDRNOTAVAIL) }
        // A pooler is another user.
        chmod("\(folder)/.s.PGSQL.5432", 0o777)
        Thread { [listener, weak self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                let connection = Connection(client)
                self?.serve(connection)
            }
            close(listener)
        }.start()
    }

    /// The listener ends; connections go on until they are cut or closed.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    func connection(_ database: String = "postgres") -> String {
        "host=\(folder) user=postgres dbname=\(database)"
    }

    /// Has something happen after so many more bytes of a direction, over all connections.
    func fail(_ fault: Fault, _ direction: Direction, after count: Int) {
        state.withLock { state in
            state.fault = (fault, direction, state.counts[direction, default: 0] + count)
        }
    }

    /// Lets everything through again.
    func heal() { state.withLock { $0.fault = nil } }

    /// The bytes that have come through.
    func count(_ direction: Direction) -> Int {
        state.withLock { $0.counts[direction, default: 0] }
    }

    /// Has new connections be those of another server.
    func lead(to folder: String) { state.withLock { $0.server = folder } }

    /// Cuts all connections that there are.
    func cutAll() {
        for connection in state.withLock({ $0.connections.compactMap(\.connection) }) {
            connection.cut()
        }
    }

    /// Ends all connections that there are for the clients alone, which the server does not notice.
    func leaveAll() {
        for connection in state.withLock({ $0.connections.compactMap(\.connection) }) {
            connection.leave()
        }
    }

    /// Has all connections that there are end when a client sends something, and not before.
    func forgetAll() {
        for connection in state.withLock({ $0.connections.compactMap(\.connection) }) {
            connection.forget()
        }
    }

    private func serve(_ connection: Connection) {
        guard connection.connect(to: state.withLock(\.server)) else { return }
        state.withLock { state in
            state.connections.removeAll { $0.connection == nil }
            state.connections.append(WeakConnection(connection: connection))
        }
        let conversation = engine?.makeConversation()
        for direction in [Direction.toServer, .toClient] {
            Thread { [self] in
                connection.pass(direction) {
                    conversation?.change($0, direction) ?? $0
                } _: {
                    allow($0, direction)
                }
                connection.end()
            }.start()
        }
    }

    /// How many of some bytes come through, and what happens then.
    private func allow(_ count: Int, _ direction: Direction) -> (count: Int, isCut: Bool) {
        state.withLock { state in
            var (allowed, isCut) = (count, false)
            let before = state.counts[direction, default: 0]
            if let (fault, place, limit) = state.fault, place == direction,
                before + count >= limit
            {
                allowed = max(0, limit - before)
                isCut = fault == .cut
                if isCut { state.fault = nil }
            }
            state.counts[direction] = before + allowed
            return (allowed, isCut)
        }
    }
}

private struct WeakConnection: Sendable {
    weak let connection: Connection?
}

/// The sockets of a client and of the server, which are closed when no thread has them any more.
private final class Connection: Sendable {
    private let client: Int32
    private let server = Connection.socket()
    private let isLeft = Guarded(false)
    private let isForgotten = Guarded(false)

    init(_ client: Int32) { self.client = client }

    deinit { for socket in [client, server] { close(socket) } }

    func cut() { for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) } }

    /// Closes the side of the client.
    func leave() {
        isLeft.withLock { $0 = true }
        shutdown(client, Int32(SHUT_RDWR))
    }

    /// Has it end when the client sends something.
    func forget() { isForgotten.withLock { $0 = true } }

    /// Cuts it; but one that was left stays open until the server ends it.
    func end() {
        var buffer = [UInt8](repeating: 0, count: 1 << 10)
        while isLeft.withLock({ $0 }), read(server, &buffer, buffer.count) > 0 {}
        cut()
    }

    func connect(to folder: String) -> Bool {
        Self.withAddress(of: folder) { Foundation.connect(server, $0, $1) } == 0
    }

    /// Passes on what comes from one side, as far as it is allowed.
    func pass(
        _ direction: PostgreSQLProxy.Direction,
        _ change: ([UInt8]) -> [UInt8],
        _ allow: (Int) -> (count: Int, isCut: Bool)
    ) {
        let (source, target) = direction == .toServer ? (client, server) : (server, client)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(source, &buffer, buffer.count), count > 0 {
            if direction == .toServer, isForgotten.withLock({ $0 }) { return }
            let bytes = change(Array(buffer[..<count]))
            let (allowed, isCut) = allow(bytes.count)
            var rest = bytes[..<allowed]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if sent <= 0 { return }
                rest.removeFirst(sent)
            }
            if isCut { return }
        }
    }

    static func socket() -> Int32 {
        #if canImport(Darwin)
        Foundation.socket(AF_UNIX, SOCK_STREAM, 0)
        #else
        Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    /// The address of the server's socket in a folder.
    static func withAddress(
        of folder: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: "\(folder)/.s.PGSQL.5432".utf8.prefix(path.count - 1))
        }
        return withUnsafeBytes(of: address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                address.baseAddress.map { body($0, socklen_t(bytes.count)) } ?? -1
            }
        }
    }
}
