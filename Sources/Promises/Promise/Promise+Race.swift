extension Promise {
    /// A promise that ends as the first of `promises` that is settled.
    ///
    /// Of those that are settled already it is the first in the array. The others are not waited for
    /// any longer, and leave nothing behind where they go on: those that nobody else waits for are
    /// cancelled. With no promises it fails with ``PromiseError/noPromises``.
    ///
    /// ```swift
    /// let page = Promise.race([download(url), download(mirror)])
    /// ```
    @inlinable
    public static func race(_ promises: [Promise]) -> Promise {
        PromiseParts<Value>(promises, decidedBy: .either) {
            .failure(PromiseError.noPromises)
        }.start()
    }

    /// A promise of the value of the first of `promises` that succeeds.
    ///
    /// The others are not waited for any longer: those that nobody else waits for are cancelled. If
    /// all fail, or there are none, it fails with ``PromiseError/Aggregate``.
    ///
    /// ```swift
    /// let page = Promise.any([download(url), download(mirror)]).recover { error in
    ///     (error as? PromiseError.Aggregate)?.errors.count == 2 ? "both failed" : "cancelled"
    /// }
    /// ```
    @inlinable
    public static func any(_ promises: [Promise]) -> Promise {
        PromiseParts<Value>(promises, decidedBy: .success) {
            .failure(PromiseError.Aggregate(errors: promises.compactMap(\.error)))
        }.start()
    }
}
