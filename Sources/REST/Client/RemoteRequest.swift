import ModelKitValues

/// A request before it has what all requests have.
struct RemoteRequest: Sendable {
    var method: HTTPMethod
    /// The path of the router, or, where a server has named it, of the server.
    var path: String
    var parameters: [QueryParameters.Parameter] = []
    var payload: AttributeDictionary?
    var ifMatch: EntityTag?
    /// Whether the path is one from the root of the server.
    var isFromRoot = false

    init(_ method: HTTPMethod, _ path: String) {
        self.method = method
        self.path = path
    }

    /// The path with the parameters.
    func target(_ parameters: some Sequence<QueryParameters.Parameter>) -> String {
        var bytes: [UInt8] = []
        for parameter in parameters {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            PercentEncoding.append(parameter.name, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            PercentEncoding.append(parameter.value, to: &bytes)
        }
        return Self.join(path, String(decoding: bytes, as: UTF8.self))
    }

    static func join(_ path: String, _ query: String) -> String {
        if query.isEmpty { return path }
        return path + (path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }
}

/// Where a server is, and the path before all others.
struct RemotePlace: Hashable, Sendable {
    let origin: String
    let path: String

    /// Those of a text as `https://example.com/api/v1`, with or without a slash at its end.
    init(_ text: String) {
        let bytes = text.utf8
        let slash = UInt8(ascii: "/")
        // The first slash that is neither of the two behind the scheme.
        var start = bytes.startIndex
        if let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].starts(with: "://".utf8)
        {
            start = bytes.index(colon, offsetBy: 3)
        }
        guard let end = bytes[start...].firstIndex(of: slash) else {
            origin = text
            path = ""
            return
        }
        origin = String(text[..<end])
        var rest = text[end...]
        while rest.utf8.last == slash { rest.removeLast() }
        path = String(rest)
    }
}

extension HTTPHeaders {
    /// Sets a field that is not there.
    mutating func setDefault(_ name: String, _ value: @autoclosure () -> String) {
        if self[name] == nil { add(name, value()) }
    }
}

extension UUID {
    /// The text in small letters, between quotation marks.
    fileprivate var quoted: String {
        let bytes = [
            uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5, uuid.6, uuid.7, uuid.8, uuid.9, uuid.10,
            uuid.11, uuid.12, uuid.13, uuid.14, uuid.15,
        ]
        return String(unsafeUninitializedCapacity: 38) { buffer in
            var count = 0
            func add(_ byte: UInt8) {
                buffer[count] = byte
                count += 1
            }
            func digit(_ value: UInt8) -> UInt8 {
                value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
            }
            add(UInt8(ascii: "\""))
            for (index, byte) in bytes.enumerated() {
                if [4, 6, 8, 10].contains(index) { add(UInt8(ascii: "-")) }
                add(digit(byte >> 4))
                add(digit(byte & 15))
            }
            add(UInt8(ascii: "\""))
            return count
        }
    }
}
