/// An answer that something went wrong, as RFC 9457 has it, with members for what stores say.
///
/// ```json
/// {"status": 422, "title": "Unprocessable Content", "code": "validation", "model": "Person",
///  "issues": [{"pointer": "/first_name", "code": "required", "message": "is required"}]}
/// ```
package struct Problem: Error, Hashable, Sendable {
    package static let mediaType = "application/problem+json"
    /// How many issues are reported at most: nobody reads more.
    package static let mostIssues = 100

    package var status: Int
    /// The members but `status` and `title`.
    package var members: AttributeDictionary
    /// Fields of the answer's head.
    package let headers: HTTPHeaders

    package init(
        _ status: Int,
        code: String,
        detail: String? = nil,
        headers: HTTPHeaders = [:]
    ) {
        self.status = status
        self.headers = headers
        members = ["code": .string(code)]
        members["detail"] = detail.map { .string($0) }
    }

    package var object: AttributeDictionary {
        var object = members
        object["status"] = .int(Int64(status))
        let other = status < 500 ? "Bad Request" : "Internal Server Error"
        object["title"] = .string(Self.titles[status] ?? other)
        return object
    }

    private static let titles = [
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 409: "Conflict",
        412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 422: "Unprocessable Content",
        431: "Request Header Fields Too Large", 503: "Service Unavailable",
        504: "Gateway Timeout",
    ]
}
