import ModelKitPromises

/// A value that is made of what is stored, now and again after every commit that changes it.
///
/// ```swift
/// let balance = store.observe(sum: \.amount, of: Entry.self, where: \.account == account)
/// for try await sum in balance { label.text = "\(sum)" }
/// ```
///
/// Each iteration begins with what is stored at its start. After commits that may change the value it is
/// computed anew by the store, once for all that came meanwhile, and delivered if it differs. An iteration ends
/// when its task is cancelled, and with the error that the store answers with, as when it was closed. What
/// other processes write is seen with the next commit of a type that matters which is made through the store.
public struct LiveValue<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    public typealias Element = Value

    /// Calls the handler after commits that the value may depend on; nil if the store reports none.
    let observe: @Sendable (_ handler: @escaping @Sendable () -> Void) -> RecordObservation?
    let fetch: @Sendable () -> Promise<Value>

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iteration over the values.
    ///
    /// ```swift
    /// var counts = store.observe(count: Person.self).makeAsyncIterator()
    /// let first = try await counts.next()
    /// ```
    public final class Iterator: AsyncIteratorProtocol {
        private let live: LiveValue
        /// That something was committed since the last time, as is what is stored already.
        private let commits: AsyncStream<Void>.Continuation
        private let signals: AsyncStream<Void>.Iterator
        private var observation: RecordObservation?
        private var last: Value?
        private var isOver = false

        init(_ live: LiveValue) {
            self.live = live
            let (stream, commits) = AsyncStream.makeStream(
                of: Void.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            (signals, self.commits) = (stream.makeAsyncIterator(), commits)
            commits.yield()
        }

        /// The next value; nil when the task is cancelled.
        ///
        /// - Throws: A `StoreError`, after which there are no more values.
        public func next() async throws -> Value? { try await next(isolation: #isolation) }

        /// The next value, as `next()`.
        public func next(isolation: isolated (any Actor)?) async throws -> Value? {
            if isOver { return nil }
            do {
                if observation == nil {
                    observation = live.observe { [commits] in commits.yield() }
                }
                if observation == nil {
                    throw StoreError.unsupported(
                        "live values, as the store does not report changes"
                    )
                }
                while true {
                    var signals = signals
                    guard await signals.next(isolation: isolation) != nil else {
                        throw CancellationError()
                    }
                    let new = try await live.fetch().value
                    if new == last { continue }
                    last = new
                    return new
                }
            } catch {
                isOver = true
                observation = nil
                if error is CancellationError { return nil }
                if case StoreError.cancelled = error { return nil }
                throw error
            }
        }
    }
}
