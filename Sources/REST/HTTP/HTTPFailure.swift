/// Why there is no answer.
///
/// ```swift
/// transport.send(request, HTTPLimits()).catch { error in
///     guard let failure = error as? HTTPFailure, !failure.mayBeSent else { return }
///     // The server has not seen it: it may be sent again, whatever it asks for.
/// }
/// ```
public struct HTTPFailure: Error, Hashable, Sendable {
    /// What kind of failure it is.
    ///
    /// ```swift
    /// let failure = HTTPFailure(.tooLarge(limit: 1_000), mayBeSent: true)
    /// ```
    public enum Reason: Hashable, Sendable {
        /// The machine has no network.
        case offline
        /// No server of that name.
        case unknownHost
        /// Nobody listens there, or there is no way there.
        case refused
        /// There is no secure connection to be had.
        case insecure
        /// The connection was closed before the answer began.
        case connectionLost
        /// The answer ends too early.
        case truncated
        /// The answer is longer than was allowed.
        case tooLarge(limit: Int)
        case timedOut
        case cancelled
        /// What was answered is no HTTP.
        case malformed
        /// The request cannot be sent as it is.
        case invalidRequest(String)
        case other(String)
    }

    public var reason: Reason
    /// Whether the server may have got the request; false only where it certainly has not.
    public var mayBeSent: Bool

    public init(_ reason: Reason, mayBeSent: Bool) {
        self.reason = reason
        self.mayBeSent = mayBeSent
    }
}

/// An error that is of no transport, for a request that was certainly not carried out.
///
/// `send` fails with the error itself.
struct UnsentError: Error, CustomStringConvertible {
    let error: any Error

    var description: String { "\(error)" }
}

extension HTTPFailure {
    /// An error of a request that may have been sent before.
    static func ofSent(_ error: any Error) -> any Error {
        switch error {
        case let failure as HTTPFailure: HTTPFailure(failure.reason, mayBeSent: true)
        case let unsent as UnsentError: unsent.error
        default: error
        }
    }
}

extension HTTPFailure: CustomStringConvertible {
    public var description: String {
        let text =
            switch reason {
            case .offline: "there is no network"
            case .unknownHost: "there is no server of that name"
            case .refused: "the server cannot be reached"
            case .insecure: "there is no secure connection to be had"
            case .connectionLost: "the connection was closed before the answer began"
            case .truncated: "the answer ends too early"
            case .tooLarge(let limit): "the answer is longer than \(limit) bytes"
            case .timedOut: "the answer was not there in time"
            case .cancelled: "it was cancelled"
            case .malformed: "what was answered is no HTTP"
            case .invalidRequest(let text): "the request cannot be sent: \(text)"
            case .other(let text): text
            }
        return mayBeSent ? "\(text); the server may have got the request" : text
    }
}
