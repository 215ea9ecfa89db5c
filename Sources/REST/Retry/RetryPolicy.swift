/// When a request is sent again.
///
/// Never if it might be carried out twice (``RetryAttempt/isRepeatable``); and else if the outcome may
/// be another next time. A pure value: the same attempt and the same jitter give the same decision.
///
/// ```swift
/// var policy = RetryPolicy(attempts: 3, budget: .seconds(20))
/// policy.statuses.remove(500)
/// ```
public struct RetryPolicy: Hashable, Sendable {
    /// How many attempts are made, the first included.
    public var attempts: Int
    /// How long after the first attempt began the last may begin.
    public var budget: Duration
    /// The longest pause after the first attempt; it doubles with each.
    public var firstPause: Duration
    /// The longest pause of all; a server that asks for a longer one is not asked again.
    public var longestPause: Duration
    /// The statuses that may be others next time.
    ///
    /// A 409 is taken for one where an attempt may still be being carried out: after one before, if the key
    /// is honoured or the server asks to come again.
    public var statuses: Set<Int>

    /// Attempts, pauses and statuses as they suit most servers.
    ///
    /// The statuses say that a request came too slowly (408) or too soon (429), or that the server (500,
    /// 503), or what it needs (502, 504), has broken down.
    public init(
        attempts: Int = 4,
        budget: Duration = .seconds(60),
        firstPause: Duration = .milliseconds(250),
        longestPause: Duration = .seconds(60),
        statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    ) {
        self.attempts = attempts
        self.budget = budget
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.statuses = statuses
    }

    /// What comes after an attempt.
    ///
    /// - Parameters:
    ///   - attempt: The attempt that has ended.
    ///   - jitter: Which part of the longest pause is made, from 0 to 1: by chance, so that many clients
    ///     do not come back all at once (the "full jitter" of Brooker, Exponential Backoff and Jitter, 2015).
    ///     What the server asks for in `Retry-After` is waited for in any case.
    /// - Returns: `.retry`, or that it is not worth it, not safe, or too late.
    public func decision(after attempt: RetryAttempt, jitter: Double) -> RetryDecision {
        guard attempt.number < attempts, attempt.isRepeatable, isWorthIt(attempt) else {
            return .giveUp
        }
        let backoff = PromiseBackoff.exponential(from: firstPause, upTo: longestPause)
        // Not a number is none.
        let part = jitter > 0 ? min(jitter, 1) : 0
        var pause = backoff.pause(after: attempt.number) * part
        if case .success(let response) = attempt.outcome,
            let asked = response.retryAfter(at: attempt.date)
        {
            guard asked <= longestPause else { return .giveUp }
            pause = min(asked + pause, longestPause)
        }
        let limit = min(budget, attempt.deadline ?? budget)
        return attempt.elapsed + pause < limit ? .retry(after: pause) : .giveUp
    }

    private func isWorthIt(_ attempt: RetryAttempt) -> Bool {
        switch attempt.outcome {
        case .success(let response):
            // What a server answers while it carries out the same request
            // (draft-ietf-httpapi-idempotency-key-header, 2.7).
            let isConcurrent =
                response.status == 409 && attempt.mayBeRepeated
                && (attempt.isKeyHonoured || response.headers["Retry-After"] != nil)
            return isConcurrent || statuses.contains(response.status)
        case .failure(let failure):
            switch failure.reason {
            case .insecure, .tooLarge, .cancelled, .malformed, .invalidRequest, .other: return false
            default: return true
            }
        }
    }
}
