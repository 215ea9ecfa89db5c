public import ModelKitModels
public import ModelKitStores

/// An answer as it was read.
///
/// ```swift
/// func constructResponse(_ response: HTTPResponse, to request: HTTPRequest) -> RESTResponse {
///     var answer = RESTResponse(response)
///     // This server says 200 whatever happens.
///     if case .dictionary(let members)? = answer.value, members["error"] != nil {
///         answer.error = .unsupported("the server refuses it")
///     }
///     return answer
/// }
/// ```
public struct RESTResponse: Sendable {
    public var http: HTTPResponse
    /// The JSON of the body; nil where there is none.
    public var value: AttributeValue?
    /// Why it is no success, whatever its status says; nil leaves that to the status.
    public var error: StoreError?

    /// Reads an answer.
    ///
    /// A body is read whatever its type is said to be, unless it is said to be HTML.
    ///
    /// - Parameters:
    ///   - http: The answer.
    ///   - options: How deep its JSON may be.
    public init(_ http: HTTPResponse, options: JSONOptions = JSONOptions()) {
        self.http = http
        if !http.body.isEmpty, !http.isMarkup {
            value = try? AttributeValue(json: http.body, options: options)
        }
    }
}

extension HTTPResponse {
    /// Whether the body is said to be a page for people.
    fileprivate var isMarkup: Bool { isOfType("text/html", "application/xhtml") }

    /// Whether the body is said to be a text.
    var isPlainText: Bool { isOfType("text/plain") }

    private func isOfType(_ prefixes: StaticString...) -> Bool {
        guard let type = headers["Content-Type"] else { return false }
        return prefixes.contains { type.hasASCIIPrefix($0) }
    }
}

extension String {
    /// Whether it begins with a text in small letters, in whatever case.
    fileprivate func hasASCIIPrefix(_ prefix: StaticString) -> Bool {
        var text = self
        return text.withUTF8 { bytes in
            prefix.withUTF8Buffer { prefix in
                prefix.count <= bytes.count
                    && zip(prefix, bytes).allSatisfy { byte, next in
                        byte == (0x41...0x5A ~= next ? next | 0x20 : next)
                    }
            }
        }
    }
}

/// How what is sent is put into a request.
///
/// Parameters, which forms are as well, have no empty arrays and dictionaries: those of a new model are left
/// out, and an update with one fails with `.unsupported`, as the server would keep what it has.
///
/// ```swift
/// func encodingForMethod(_ method: HTTPMethod) -> RESTEncoding { method == .post ? .form : .json }
/// ```
public enum RESTEncoding: Hashable, Sendable {
    /// As the body, in JSON.
    case json
    /// As the body, as browsers send forms.
    case form
    /// As parameters in the address.
    case query
}
