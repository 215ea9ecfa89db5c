/// Keeps what comes for one iterator, and rings when there is something.
package final class Inbox<Element: Sendable>: Sendable {
    // Only a bell, not the elements: a stream drops what it does not keep under a lock of its own,
    // and a value that dies there may run code of the user.
    private let bell: AsyncStream<Void>.Continuation
    private let waiting = Guarded(Fifo<Element>())
    private let buffering: FieldBuffering

    fileprivate init(_ bell: AsyncStream<Void>.Continuation, _ buffering: FieldBuffering) {
        (self.bell, self.buffering) = (bell, buffering)
    }

    /// Adds an element; or, where only one is kept, lets the one that waits take it in by a closure, which
    /// returns what that forgets.
    package func add<Forgotten>(
        _ element: Element,
        joining join: (inout Element) -> Forgotten
    ) {
        let (wasEmpty, forgotten) = waiting.withLock { waiting -> (Bool, Forgotten?) in
            let wasEmpty = waiting.isEmpty
            if buffering == .newest, !wasEmpty { return (false, waiting.updateNewest(join)) }
            waiting.append(element)
            return (wasEmpty, nil)
        }
        withExtendedLifetime(forgotten) {}
        if wasEmpty { bell.yield() }
    }

    /// The oldest element that waits.
    fileprivate func next() -> Element? { waiting.withLock { $0.popFirst() } }

    /// Ends the iterator when it has taken what waits.
    package func close() { bell.finish() }

    /// Says what is called when the iterator ends, whatever ends it.
    package func whenClosed(_ body: @escaping @Sendable () -> Void) {
        bell.onTermination = { _ in body() }
    }
}

/// Takes what comes into an inbox, one element after the other.
package struct InboxIterator<Element: Sendable> {
    package let inbox: Inbox<Element>
    private var bell: AsyncStream<Void>.Iterator
    private var isOver = false

    package init(_ buffering: FieldBuffering) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        inbox = Inbox(continuation, buffering)
        bell = stream.makeAsyncIterator()
    }

    /// The next element; nil when the task is cancelled, and after the last when the inbox is closed.
    package mutating func next(isolation: isolated (any Actor)?) async -> Element? {
        while true {
            if Task.isCancelled {
                inbox.close()
                return nil
            }
            if let element = inbox.next() { return element }
            if isOver { return nil }
            isOver = await bell.next(isolation: isolation) == nil
        }
    }
}
