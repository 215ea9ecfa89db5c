extension Promise {
    /// The promise as the main actor sees it: its handlers are isolated to the main actor.
    ///
    /// ```swift
    /// download(url).onMain.observe { label.text = (try? $0.get()) ?? "no page" }
    /// ```
    public final var onMain: OnMain { OnMain(promise: self) }

    /// A promise whose handlers run on the main actor.
    ///
    /// They are always put into the main queue, in the order in which they were added, also from the
    /// main thread and if the promise is settled; so none is called inside the call that adds it.
    ///
    /// ```swift
    /// let shown = download(url).onMain.map { page in label.text = page }
    /// ```
    public struct OnMain: Sendable {
        let promise: Promise

        /// ``Promise/map(on:_:)`` on the main actor.
        public func map<Next: Sendable>(
            _ transform: @escaping @MainActor @Sendable (Value) throws -> Next
        ) -> Promise<Next> {
            promise.map(on: .main) { value in
                try MainActor.assumeIsolated { try transform(value) }
            }
        }

        /// ``Promise/then(on:_:)`` on the main actor.
        public func then<Next: Sendable>(
            _ next: @escaping @MainActor @Sendable (Value) throws -> Promise<Next>
        ) -> Promise<Next> {
            promise.then(on: .main) { value in
                try MainActor.assumeIsolated { try next(value) }
            }
        }

        /// ``Promise/recover(on:_:)`` on the main actor.
        public func recover(
            _ replacement: @escaping @MainActor @Sendable (any Error) throws -> Value
        ) -> Promise {
            promise.recover(on: .main) { error in
                try MainActor.assumeIsolated { try replacement(error) }
            }
        }

        /// ``Promise/recoverWith(on:_:)`` on the main actor.
        public func recoverWith(
            _ replacement: @escaping @MainActor @Sendable (any Error) throws -> Promise
        ) -> Promise {
            promise.recoverWith(on: .main) { error in
                try MainActor.assumeIsolated { try replacement(error) }
            }
        }

        /// ``Promise/catch(on:_:)`` on the main actor.
        @discardableResult
        public func `catch`(
            _ body: @escaping @MainActor @Sendable (any Error) -> Void
        ) -> Promise<Void> {
            promise.catch(on: .main) { error in MainActor.assumeIsolated { body(error) } }
        }

        /// ``Promise/tap(on:_:)`` on the main actor.
        public func tap(
            _ body: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void
        ) -> Promise {
            promise.tap(on: .main) { result in MainActor.assumeIsolated { body(result) } }
        }

        /// ``Promise/finally(on:_:)`` on the main actor.
        public func finally(_ body: @escaping @MainActor @Sendable () -> Void) -> Promise {
            promise.finally(on: .main) { MainActor.assumeIsolated { body() } }
        }

        /// ``Promise/observe(on:_:)`` on the main actor.
        public func observe(
            _ body: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void
        ) {
            promise.observe(on: .main) { result in MainActor.assumeIsolated { body(result) } }
        }
    }
}
