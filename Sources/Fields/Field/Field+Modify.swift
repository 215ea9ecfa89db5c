import ModelKitValues

extension Field {
    /// Changes the value by a closure, without losing a set of another thread: the closure gets the
    /// value, and what it leaves is set.
    ///
    /// ```swift
    /// counter.modify { $0 = ($0 ?? 0) + 1 }
    /// let last = stack.modify { $0?.popLast() }
    /// ```
    ///
    /// No lock is held meanwhile, so the closure may read and set fields. If this one was set before
    /// the closure ended, it is run again with the new value; so it must not set this field itself,
    /// and what it does elsewhere may be done more than once. It is one set, also where the value
    /// stays the same, and none if the closure throws.
    ///
    /// - Returns: What the closure returned when its value was set.
    @discardableResult
    public final func modify<Result, Failure: Error>(
        _ body: (_ value: inout Value?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        while true {
            let (before, revision) = lock.withLock { (storage, lastRevision) }
            var value = before
            let result = try body(&value)
            if commit(value, at: revision) != nil { return result }
        }
    }
}
