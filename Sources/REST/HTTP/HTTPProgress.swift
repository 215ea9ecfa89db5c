/// How far an exchange is.
///
/// ```swift
/// let limits = HTTPLimits(progress: { print($0.fraction, $0.received, "bytes") })
/// ```
public struct HTTPProgress: Hashable, Sendable {
    /// How many bytes of the request's body are sent: handed to the system, not yet acknowledged.
    public var sent: Int
    /// How many bytes the request's body has.
    public var toSend: Int
    /// How many bytes of the answer's body are here.
    public var received: Int
    /// How many bytes the answer's body will have; nil as long as nobody knows, as with a compressed one.
    public var toReceive: Int?

    public init(sent: Int = 0, toSend: Int = 0, received: Int = 0, toReceive: Int? = nil) {
        self.sent = sent
        self.toSend = toSend
        self.received = received
        self.toReceive = toReceive
    }

    /// How much of it is done, from 0 to 1; of a request with a body, to send it is the first half.
    ///
    /// What is received does not count before it is known how much that will be.
    public var fraction: Double {
        let answer = toReceive.map { $0 > 0 ? min(Double(received) / Double($0), 1) : 1 } ?? 0
        if toSend <= 0 { return answer }
        if answer > 0 { return 0.5 + answer / 2 }
        return min(Double(sent) / Double(toSend), 1) / 2
    }
}
