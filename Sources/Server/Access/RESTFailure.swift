public import ModelKitREST

/// A request that failed for a reason that its answer does not have.
///
/// ```swift
/// handler.failed = { failure in log.error("\(failure.request): \(failure.error)") }
/// ```
public struct RESTFailure: Sendable {
    public let request: HTTPRequest
    /// The status of the answer: 500 or more, but where what was asked for is done, and only its
    /// representation or its record for repetitions failed.
    public let status: Int
    public let error: any Error
}
