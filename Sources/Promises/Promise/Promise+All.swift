extension Promise {
    /// A promise of all values, in the order of `promises`; of `[]` at once if there are none.
    ///
    /// It fails with the error of the first that fails. Then, and when it is cancelled, it stops
    /// waiting for the others: those that nobody else waits for are cancelled.
    ///
    /// ```swift
    /// let count = Promise.all(people.map { store.create($0) }).map { $0.count }
    /// ```
    @inlinable
    public static func all(_ promises: [Promise]) -> Promise<[Value]> {
        PromiseParts(promises, decidedBy: .failure) {
            .success(promises.map(\.settledValue))
        }.start()
    }

    /// A promise of all outcomes, in the order of `promises`; of `[]` at once if there are none.
    ///
    /// It does not fail, unless it is cancelled; then those that nobody else waits for are, too. The
    /// errors count as handled.
    ///
    /// ```swift
    /// let outcomes = Promise.allSettled(people.map { store.create($0) })
    /// ```
    @inlinable
    public static func allSettled(
        _ promises: [Promise]
    ) -> Promise<[Result<Value, any Error>]> {
        PromiseParts(promises, decidedBy: .neither) {
            .success(promises.map(\.settledResult))
        }.start()
    }
}

/// A promise of the values of promises of different types.
///
/// It fails with the error of the first that fails. Then, and when it is cancelled, it stops waiting
/// for the others: those that nobody else waits for are cancelled.
///
/// ```swift
/// let text = zip(download(url), Promise.value(3)).map { page, count in
///     "\(count) of \(page)"
/// }
/// ```
@inlinable
public func zip<each Value: Sendable>(
    _ promises: repeat Promise<each Value>
) -> Promise<(repeat each Value)> {
    let all = (repeat each promises)
    var cores: [PromiseCore] = []
    for promise in repeat each all { cores.append(promise) }
    return PromiseParts<(repeat each Value)>(cores, decidedBy: .failure) {
        .success((repeat (each all).settledValue))
    }.start()
}
