public import ModelKitREST

/// What identifies a request among others, so that its repetitions are recognised.
///
/// ```swift
/// let key = IdempotencyKey(principal: "ada", value: "8e03978e-40d5-43dd-bc93-6894a57f9324")
/// ```
public struct IdempotencyKey: Hashable, Sendable {
    /// Whose request it is.
    public let principal: String
    /// What the request has as its `Idempotency-Key`.
    public let value: String

    public init(principal: String, value: String) {
        self.principal = principal
        self.value = value
    }
}

/// What is known of a key when a request comes with it.
public enum IdempotencyState: Sendable {
    /// Nothing: the request is the first, and under way from now on.
    case new
    /// The first request is under way.
    case underWay
    /// The first request was another one.
    case mismatch
    /// What the first request was answered.
    case answered(HTTPResponse)
    /// No more keys can be kept now.
    case full
}

/// Where the answers to requests with an `Idempotency-Key` are kept, so that a repetition gets the same one.
///
/// ```swift
/// handler.idempotency = MemoryIdempotencyStore(capacity: 10_000)
/// ```
///
/// One that several servers share has to decide in `begin` at one place which request is the first.
public protocol IdempotencyStore: Sendable {
    /// Begins a request, unless its key is known.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - fingerprint: A number that other requests hardly have.
    /// - Returns: What is known of the key.
    /// - Throws: What is answered by 500.
    func begin(_ key: IdempotencyKey, fingerprint: UInt64) async throws -> IdempotencyState

    /// Ends a request that was begun.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - response: What is answered to repetitions; nil if the request has left nothing behind and may be
    ///     made anew.
    /// - Throws: What is answered by 500.
    func end(_ key: IdempotencyKey, with response: HTTPResponse?) async throws
}
