#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A TCP socket of the loopback interface; the calls block.
// Plain POSIX, so that tests see what is on the wire and not what a library makes of it.
final class Socket: Sendable {
    let number: CInt

    private init(number: CInt) {
        self.number = number
        var one: CInt = 1
        setsockopt(number, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        #if canImport(Darwin)
        setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<CInt>.size))
        #endif
    }

    deinit { close(number) }

    private convenience init() {
        #if canImport(Glibc)
        let stream = CInt(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        self.init(number: socket(AF_INET, stream, 0))
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    /// One that is connected to a port.
    static func connected(to port: UInt16) throws -> Socket {
        let socket = Socket()
        var address = loopback(port)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.number, $0, length) == 0
            }
        }
        guard isConnected else { throw SocketError(code: errno) }
        return socket
    }

    /// One that listens, on a port that the system chooses.
    static func listening() throws -> (socket: Socket, port: UInt16) { try bound(listens: true) }

    /// One that refuses whoever connects: its port is no other's as long as it is there.
    static func refusing() throws -> (socket: Socket, port: UInt16) { try bound(listens: false) }

    private static func bound(listens: Bool) throws -> (socket: Socket, port: UInt16) {
        let socket = Socket()
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.number, $0, length) == 0
                    && (!listens || listen(socket.number, 256) == 0)
                    && getsockname(socket.number, $0, &length) == 0
            }
        }
        guard isBound else { throw SocketError(code: errno) }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    /// The next one who connects; nil once it is shut.
    func next() -> Socket? {
        let number = accept(number, nil, nil)
        return number < 0 ? nil : Socket(number: number)
    }

    /// What has come, of which there is at least a byte; nil at the end.
    func read() -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(recv(number, buffer.baseAddress, buffer.count, 0), 0)
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Writes all; false if the other end has gone.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        #if canImport(Darwin)
        let flags: CInt = 0
        #else
        let flags = CInt(MSG_NOSIGNAL)
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(number, $0.baseAddress, $0.count, flags) }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Ends it in both directions, also for those who wait for it.
    func shut() { shutdown(number, CInt(SHUT_RDWR)) }

    /// Has it closed by a reset, when it is closed.
    func resetAtEnd() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout.size(ofValue: linger))
        setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, size)
    }
}

struct SocketError: Error {
    let code: CInt
}
