import ModelKitFields

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
        object["title"] = .string(Self.title(of: status))
        return object
    }

    private static func title(of status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 409: "Conflict"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 431: "Request Header Fields Too Large"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: status < 500 ? "Bad Request" : "Internal Server Error"
        }
    }
}
