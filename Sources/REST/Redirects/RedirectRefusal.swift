/// Why a redirect is not followed.
///
/// ```swift
/// do {
///     _ = try RedirectPolicy().next(after: request, response)
/// } catch .insecure {
///     print("It leads away from https.")
/// }
/// ```
public enum RedirectRefusal: Error, Hashable, Sendable {
    /// There were as many before it as are followed.
    case tooMany(limit: Int)
    /// It leads back to where it came from.
    case loop
    /// It leads from https to http.
    case insecure
    /// It leads to another server than the policy allows.
    case otherOrigin
    /// The request would have an effect, and it is not said that it is to be sent elsewhere as it is.
    case unsafeMethod(HTTPMethod, status: Int)
    /// It leads to no address of a server.
    case invalidLocation
}

extension RedirectRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooMany(let limit): "redirect refused: there were \(limit) before it"
        case .loop: "redirect refused: it leads back to where it came from"
        case .insecure: "redirect refused: it leads from https to http"
        case .otherOrigin: "redirect refused: it leads to another server"
        case .unsafeMethod(let method, let status):
            "redirect refused: a \(method) is not sent elsewhere for a \(status)"
        case .invalidLocation: "redirect refused: it leads to no address of a server"
        }
    }
}
