import Foundation
import ModelKitREST

/// Takes requests from a socket: heads with a `Content-Length` or none, which is what transports send.
struct RequestReader {
    private let socket: Socket
    private var buffer: [UInt8] = []

    init(_ socket: Socket) { self.socket = socket }

    /// The next request; nil when there is none, or only the beginning of one.
    ///
    /// `whenBegun` is called with its head, before its body has come.
    mutating func next(whenBegun: (HTTPRequest) -> Void) -> HTTPRequest? {
        guard let end = readHead() else { return nil }
        let lines = String(decoding: buffer[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        buffer.removeFirst(end + 4)
        let words = lines[0].split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        var request = HTTPRequest(HTTPMethod(rawValue: words[0]), words[1])
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                .map(String.init)
            guard parts.count == 2 else { return nil }
            request.headers.add(parts[0], parts[1].trimmingCharacters(in: .whitespaces))
        }
        whenBegun(request)
        let length = request.headers["Content-Length"].flatMap { Int($0) } ?? 0
        while buffer.count < length {
            guard let bytes = socket.read() else { return nil }
            buffer += bytes
        }
        if length > 0 { request.body = Data(buffer.prefix(length)) }
        buffer.removeFirst(length)
        return request
    }

    /// Where the blank line is.
    private mutating func readHead() -> Int? {
        let blank = Array("\r\n\r\n".utf8)
        var searched = 0
        while true {
            if buffer.count >= 4 {
                for index in searched...(buffer.count - 4)
                where buffer[index..<index + 4].elementsEqual(blank) { return index }
                searched = max(buffer.count - 3, 0)
            }
            guard let bytes = socket.read() else { return nil }
            buffer += bytes
        }
    }
}
