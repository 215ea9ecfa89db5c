extension HTTPRequest {
    /// Throws what is wrong with it: what could be taken for the end of a field, of the head or of the
    /// message, and what would be sent as something else.
    ///
    /// A transport calls it before a byte is sent. Nothing that may be secret is in the failure, which is an
    /// `.invalidRequest`. The origin is not looked at, as not every transport has a use for it.
    ///
    /// ```swift
    /// try HTTPRequest(.get, "https://example.com", "/people/../admin").check()  // throws
    /// ```
    public func check() throws(HTTPFailure) {
        guard method.rawValue.isToken else { throw .invalid("the method is no name") }
        try checkTarget()
        for (name, value) in headers {
            guard name.isToken else { throw .invalid("a field has a name that is none") }
            guard value.hasOnly({ $0 != 0 && $0 != 0x0A && $0 != 0x0D }) else {
                throw .invalid("the field \(name) has a line end or a NUL in its value")
            }
        }
        if let length = headers["Content-Length"], Int(length) != body?.count ?? 0 {
            throw .invalid("Content-Length is not that of the body")
        }
        if headers["Transfer-Encoding"] != nil {
            throw .invalid("Transfer-Encoding is for the transport to decide")
        }
    }

    /// A target is a path from the root, percent-encoded, and perhaps a query (RFC 9112, 3.2.1).
    private func checkTarget() throws(HTTPFailure) {
        let target = Array(target.utf8)
        guard target.first == UInt8(ascii: "/") else {
            throw .invalid("the target does not begin with a slash")
        }
        // Whether what is sent of a fragment, or of a path with dots, is what was asked for, depends on who
        // sends it; libcurl takes the dots away.
        guard target.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }) else {
            throw .invalid("the target is not percent-encoded")
        }
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        for segment in path.split(separator: UInt8(ascii: "/"))
        where segment.count < 3 && segment.allSatisfy({ $0 == UInt8(ascii: ".") }) {
            throw .invalid("the target has a segment of dots")
        }
        var bytes = target.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "%") else { continue }
            guard bytes.next()?.hexValue != nil, bytes.next()?.hexValue != nil else {
                throw .invalid("the target has a percent sign that encodes nothing")
            }
        }
    }
}

extension HTTPFailure {
    static func invalid(_ reason: String) -> HTTPFailure {
        HTTPFailure(.invalidRequest(reason), mayBeSent: false)
    }
}

extension String {
    /// Whether it is a token (RFC 9110, 5.6.2).
    fileprivate var isToken: Bool { !utf8.isEmpty && hasOnly { $0.isOfToken } }

    /// Whether all bytes are so.
    fileprivate func hasOnly(_ isRight: (UInt8) -> Bool) -> Bool {
        var text = self
        return text.withUTF8 { $0.allSatisfy(isRight) }
    }
}

extension UInt8 {
    fileprivate var isOfToken: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }
}
