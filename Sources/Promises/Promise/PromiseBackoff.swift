import ModelKitEssentials

/// How long to wait between one attempt and the next.
///
/// ```swift
/// let backoff = PromiseBackoff.exponential(from: .milliseconds(100), upTo: .seconds(5))
/// let pauses = (1...7).map(backoff.pause)  // 0.1, 0.2, 0.4, 0.8, 1.6, 3.2 and 5 seconds
/// ```
public struct PromiseBackoff: Sendable {
    private let rule: @Sendable (Int) -> Duration

    /// No pause.
    public static let none = constant(.zero)

    /// The same pause each time.
    public static func constant(_ pause: Duration) -> PromiseBackoff {
        custom { _ in pause }
    }

    /// A pause that grows by `factor` each time, up to `limit`.
    public static func exponential(
        from first: Duration,
        by factor: Double = 2,
        upTo limit: Duration = .seconds(60)
    ) -> PromiseBackoff {
        let first = first.inSeconds, most = limit.inSeconds
        return custom { attempt in
            let pause = first * pow(factor, Double(max(1, attempt) - 1))
            guard pause > 0 else { return .zero }
            return pause < most ? .seconds(pause) : limit
        }
    }

    /// The pause that `rule` gives for the number of the attempt that failed, from 1.
    public static func custom(
        _ rule: @escaping @Sendable (_ attempt: Int) -> Duration
    ) -> PromiseBackoff {
        PromiseBackoff(rule: rule)
    }

    /// Any pause from none to that of this one, by chance, so that many clients do not come back
    /// all at once.
    ///
    /// The "full jitter" of Brooker, Exponential Backoff and Jitter (2015).
    public func jittered() -> PromiseBackoff {
        .custom { [self] attempt in
            let most = pause(after: attempt)
            return most > .zero ? most * .random(in: 0...1) : .zero
        }
    }

    /// The pause after an attempt; they are numbered from 1.
    public func pause(after attempt: Int) -> Duration {
        rule(attempt)
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
