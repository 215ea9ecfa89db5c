public import Dispatch

extension ValueSource {
    /// This value as a dispatch queue sees it: its observers are called there.
    ///
    /// ```swift
    /// let indexing = DispatchQueue(label: "indexing")
    /// person.name.on(indexing) --> { name in index.update(name) }
    /// ```
    ///
    /// Every change is delivered when the queue comes to it, also one that is made on the queue. Of pending
    /// changes only the newest is delivered, with the old value of the oldest, so an observer never receives
    /// a value that was superseded. An observer is called once at a time, even if the queue is
    /// concurrent. One that is cancelled on the queue is not called there again.
    public func on(_ queue: DispatchQueue) -> ObserverList<Value> {
        ObserverList(observerList.field, in: .queue(queue))
    }
}
