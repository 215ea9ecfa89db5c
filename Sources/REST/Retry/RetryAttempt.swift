public import ModelKitEssentials

/// What is known when an attempt has ended and the next is to be decided about.
///
/// ```swift
/// let attempt = RetryAttempt(number: 1, .get, .failure(HTTPFailure(.refused, mayBeSent: false)))
/// ```
public struct RetryAttempt: Sendable {
    /// Which attempt has ended, from 1.
    public var number: Int
    public var method: HTTPMethod
    public var outcome: Result<HTTPResponse, HTTPFailure>
    /// Whether the request has an `Idempotency-Key`, and the server is known to honour it.
    public var isKeyHonoured: Bool
    /// Whether an attempt before this one may have had its effect.
    public var mayBeRepeated: Bool
    /// The time since the first attempt began.
    public var elapsed: Duration
    /// The time that all attempts have together; nil for any.
    public var deadline: Duration?
    /// The time of day, for a server that names one.
    public var date: Date

    public init(
        number: Int,
        _ method: HTTPMethod,
        _ outcome: Result<HTTPResponse, HTTPFailure>,
        isKeyHonoured: Bool = false,
        mayBeRepeated: Bool = false,
        elapsed: Duration = .zero,
        deadline: Duration? = nil,
        date: Date = Date()
    ) {
        self.number = number
        self.method = method
        self.outcome = outcome
        self.isKeyHonoured = isKeyHonoured
        self.mayBeRepeated = mayBeRepeated
        self.elapsed = elapsed
        self.deadline = deadline
        self.date = date
    }

    /// Whether the request can be sent again without the risk that it is carried out twice.
    ///
    /// That is so if nothing was sent, or sending it twice is sending it once: by its method, or by a key
    /// that the server honours.
    public var isRepeatable: Bool {
        if method.isIdempotent || isKeyHonoured { return true }
        guard case .failure(let failure) = outcome else { return false }
        return !failure.mayBeSent && !mayBeRepeated
    }
}

/// What comes after an attempt.
///
/// ```swift
/// if case .retry(let pause) = RetryPolicy().decision(after: attempt, jitter: 0.5) { print(pause) }
/// ```
public enum RetryDecision: Hashable, Sendable {
    /// The outcome of the attempt is that of all.
    case giveUp
    case retry(after: Duration)
}
