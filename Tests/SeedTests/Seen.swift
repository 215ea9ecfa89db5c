import Dispatch

/// Collects the values that an observer received, from any thread.
final class Seen<Value: Sendable>: Sendable {
    private let queue = DispatchQueue(label: "seen")
    nonisolated(unsafe) private var storage: [Value?] = []  // used on the queue alone

    func add(_ value: Value?) { queue.sync { storage.append(value) } }
    var values: [Value?] { queue.sync { storage } }
}
