import ModelKitModels

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
    /// What it is about.
    let schema: ModelSchema
    /// The identifier of that, as far as it is known; nil of a collection.
    let identifier: Identifier?

    init(
        _ method: HTTPMethod,
        _ path: String,
        of schema: ModelSchema,
        _ identifier: Identifier? = nil
    ) {
        (self.method, self.path, self.schema, self.identifier) = (method, path, schema, identifier)
    }

    /// The path with the parameters.
    var target: String {
        if parameters.isEmpty { return path }
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
