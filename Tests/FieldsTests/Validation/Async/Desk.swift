/// Where async rules ask and the test answers, in whatever order.
final class Desk<Value: Sendable>: Sendable {
    /// A question, which has to be answered once.
    struct Question: Sendable {
        let value: Value
        fileprivate let continuation: CheckedContinuation<Bool, any Error>

        func answer(_ passes: Bool) { continuation.resume(returning: passes) }
        func fail(_ error: any Error) { continuation.resume(throwing: error) }
    }

    /// All that was asked about.
    let asked = Log<Value>()
    /// How many questions were cancelled.
    let cancelled = Counter()
    private let (questions, inbox) = AsyncStream<Question>.makeStream()

    /// Asks, and waits for the answer also when the task is cancelled.
    func ask(_ value: Value) async throws -> Bool {
        asked.add(value)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                inbox.yield(Question(value: value, continuation: continuation))
            }
        } onCancel: {
            cancelled.increment()
        }
    }

    /// The next question, which is waited for.
    func next() async -> Question? {
        for await question in questions { return question }
        return nil
    }
}

/// What a check throws.
struct Offline: Error {}
