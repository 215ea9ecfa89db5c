import Foundation
import ModelKitREST
import ModelKitStores

/// A server of HTTP/1.1 that does what a test says, and counts what came.
///
/// A closure is given each request, and the number that it has on its connection, from 1; connections are kept
/// open. It is stopped with the last reference to it.
final class LoopbackServer: Sendable {
    /// What is done with a request.
    enum Answer: Sendable {
        /// A correct answer.
        case response(HTTPResponse)
        /// These bytes, as they are; then the connection is closed, or kept.
        case raw(String, thenClose: Bool = true)
        case bytes([UInt8], thenClose: Bool = true)
        /// One byte after the other of a body, with pauses, behind a correct head.
        case drip(count: Int, pause: Duration)
        /// Bytes without end, behind this head.
        case flood(head: String)
        /// Nothing: the connection is closed.
        case close
        /// Nothing: the connection is reset.
        case reset
        /// Nothing, until the other end closes the connection.
        case hang
    }

    let origin: String
    private let listener: Socket
    private let log = Log()

    /// What came.
    // Safe: the variables are guarded by the lock.
    private final class Log: @unchecked Sendable {
        let lock = NSLock()
        var requests: [HTTPRequest] = []
        var connections: [Socket] = []
        var hangups = 0
    }

    init(_ answer: @escaping @Sendable (HTTPRequest, _ number: Int) -> Answer) throws {
        let port: UInt16
        (listener, port) = try Socket.listening()
        origin = "http://127.0.0.1:\(port)"
        Thread.detachNewThread { [listener, log] in
            while let socket = listener.next() {
                log.lock.withLock { log.connections.append(socket) }
                Thread.detachNewThread { Self.serve(socket, log, answer) }
            }
        }
    }

    /// A server of correct answers.
    convenience init(
        handler: @escaping @Sendable (HTTPRequest) -> Promise<HTTPResponse>
    ) throws {
        try self.init { request, _ in
            do { return .response(try handler(request).wait()) } catch { return .close }
        }
    }

    deinit {
        listener.shut()
        for socket in log.lock.withLock({ log.connections }) { socket.shut() }
    }

    /// The requests of which the head has come, without their bodies.
    var requests: [HTTPRequest] { log.lock.withLock { log.requests } }

    /// How many requests for a target have come.
    func count(of target: String) -> Int { requests.count { $0.target == target } }

    /// How many connections were made.
    var connectionCount: Int { log.lock.withLock { log.connections.count } }

    /// How many connections were closed by the other end while an answer was on its way.
    var hangups: Int { log.lock.withLock { log.hangups } }

    private static func serve(
        _ socket: Socket,
        _ log: Log,
        _ answer: (HTTPRequest, Int) -> Answer
    ) {
        var reader = RequestReader(socket)
        var number = 0
        defer { socket.shut() }
        while let request = reader.next(whenBegun: { request in
            log.lock.withLock { log.requests.append(request) }
        }) {
            number += 1
            let isKept =
                switch answer(request, number) {
                case .response(let response): socket.write(response.bytes(to: request.method))
                case .raw(let text, let thenClose): socket.write(Array(text.utf8)) && !thenClose
                case .bytes(let bytes, let thenClose): socket.write(bytes) && !thenClose
                case .drip(let count, let pause): drip(socket, count, pause, log)
                case .flood(let head): flood(socket, head, log)
                case .close: false
                case .reset: reset(socket)
                case .hang: hang(socket, log)
                }
            if !isKept { return }
        }
    }

    private static func drip(_ socket: Socket, _ count: Int, _ pause: Duration, _ log: Log) -> Bool
    {
        socket.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8))
        for _ in 0..<count {
            Thread.sleep(forTimeInterval: pause / .seconds(1))
            if !socket.write([0x78]) { return hungUp(log) }
        }
        return true
    }

    private static func flood(_ socket: Socket, _ head: String, _ log: Log) -> Bool {
        socket.write(Array(head.utf8))
        let chunk = [UInt8](repeating: 0x78, count: 65_536)
        // As fast as a fast network, not as this machine, where what is on its way would be more than it has.
        while socket.write(chunk) { Thread.sleep(forTimeInterval: 0.001) }
        return hungUp(log)
    }

    private static func reset(_ socket: Socket) -> Bool {
        socket.resetAtEnd()
        return false
    }

    private static func hang(_ socket: Socket, _ log: Log) -> Bool {
        while socket.read() != nil {}
        return hungUp(log)
    }

    private static func hungUp(_ log: Log) -> Bool {
        log.lock.withLock { log.hangups += 1 }
        return false
    }
}

extension HTTPResponse {
    /// It as it goes over a connection.
    fileprivate func bytes(to method: HTTPMethod) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(status)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        let hasBody = status >= 200 && status != 204 && status != 304
        if hasBody, headers["Content-Length"] == nil {
            head += "Content-Length: \(body.count)\r\n"
        }
        return Array((head + "\r\n").utf8) + (hasBody && method != .head ? Array(body) : [])
    }
}
