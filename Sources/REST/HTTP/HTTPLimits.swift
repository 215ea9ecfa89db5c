/// The bounds of one exchange.
///
/// ```swift
/// let limits = HTTPLimits(deadline: .seconds(10), responseSize: 1_000_000)
/// ```
public struct HTTPLimits: Sendable {
    /// After how long it fails, from the call to the last byte; nil for never.
    public var deadline: Duration?
    /// How many bytes of a body are taken, counted when they are decompressed.
    public var responseSize: Int
    /// Called with how far the exchange is, on the thread that found out: never less than before, and not
    /// once it has ended.
    public var progress: (@Sendable (HTTPProgress) -> Void)?

    public init(
        deadline: Duration? = .seconds(60),
        responseSize: Int = 64 << 20,
        progress: (@Sendable (HTTPProgress) -> Void)? = nil
    ) {
        self.deadline = deadline
        self.responseSize = responseSize
        self.progress = progress
    }
}
