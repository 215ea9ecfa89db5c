import Dispatch

extension Promise {
    /// A promise that fails with ``PromiseError/timedOut`` unless this one is settled in time.
    ///
    /// Then this one loses a consumer, and is cancelled if that was the last. Time begins with the
    /// call, and stands still while the machine sleeps, but for clocks such as `ContinuousClock`; a
    /// limit of zero or less is over as soon as possible. If this promise is in time, or the new one is
    /// cancelled, the timer is.
    ///
    /// ```swift
    /// let page = download(url).timeout(.seconds(10))
    /// ```
    public final func timeout(
        _ limit: Duration,
        clock: any Clock<Duration> = SuspendingClock()
    ) -> Promise {
        if isSettled { return self }
        let end = Promise<Void>.timer(limit, clock).map { () throws -> Value in
            throw PromiseError.timedOut
        }
        return .race([self, end])
    }

    /// A promise of the value, which comes later than this one by `duration`; errors come at once.
    ///
    /// ```swift
    /// let later = Promise.value("again").delay(.milliseconds(10))
    /// ```
    public final func delay(
        _ duration: Duration,
        clock: any Clock<Duration> = SuspendingClock()
    ) -> Promise {
        then { value in Promise<Void>.timer(duration, clock).map { value } }
    }
}

extension Promise where Value == Void {
    /// A promise that is settled when the time is over, on a thread of the system's pool; cancelling
    /// it frees the timer.
    package static func timer(_ duration: Duration, _ clock: any Clock<Duration>) -> Promise {
        // The only one that timers know: it stands still while the machine sleeps.
        guard clock is SuspendingClock else {
            return Promise { try await clock.sleep(for: duration.countable) }
        }
        let (promise, resolver) = withResolvers()
        // Sources may be used from any thread.
        nonisolated(unsafe) let timer = DispatchSource.makeTimerSource()
        timer.setEventHandler { resolver.fulfill() }
        resolver.onCancel { timer.cancel() }
        timer.schedule(deadline: .now(after: duration))
        timer.activate()
        return promise
    }
}

extension DispatchTime {
    static func now(after duration: Duration) -> DispatchTime {
        let (seconds, attoseconds) = duration.countable.components
        return .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
    }
}

extension Duration {
    /// What of it is ahead, and does not overflow: a century is for ever.
    fileprivate var countable: Duration { min(max(self, .zero), .seconds(100 * 366 * 86_400)) }
}
