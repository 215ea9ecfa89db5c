/// A request that failed for a reason that its sender is not told.
///
/// ```swift
/// handler.failed = { failure in log.error("\(failure.request): \(failure.error)") }
/// ```
public struct RESTFailure: Sendable {
    public let request: HTTPRequest
    /// The status of the answer: 500 or more, but where only its record for repetitions failed.
    public let status: Int
    public let error: any Error
}
