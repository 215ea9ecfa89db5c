import Dispatch

/// Collects values from any thread.
final class Collector<Value: Sendable>: Sendable {
    private let queue = DispatchQueue(label: "collector")
    nonisolated(unsafe) private var storage: [Value] = []  // used on the queue alone

    func add(_ value: Value) { queue.sync { storage.append(value) } }
    var values: [Value] { queue.sync { storage } }
}
