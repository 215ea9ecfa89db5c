import Dispatch

/// Stops the thread that passes it for the given time, until it is opened.
final class Gate: Sendable {
    private let count: Int
    private let passes = Counter()
    private let entered = DispatchSemaphore(value: 0)
    private let leave = DispatchSemaphore(value: 0)

    init(at count: Int) { self.count = count }

    func pass() {
        passes.increment()
        guard passes.value == count else { return }
        entered.signal()
        leave.wait()
    }

    func awaitEntry() { entered.wait() }
    func open() { leave.signal() }
}

/// A value whose comparison passes a gate.
struct Gated: Equatable, Sendable {
    let number: Int
    var gate: Gate?

    static func == (left: Gated, right: Gated) -> Bool {
        // The stored value stands on the left.
        right.gate?.pass()
        return left.number == right.number
    }
}
