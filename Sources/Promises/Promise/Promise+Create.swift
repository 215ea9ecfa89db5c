extension Promise {
    /// A promise that has its value.
    ///
    /// ```swift
    /// let page = cache[url].map { .value($0) } ?? download(url)
    /// ```
    @inlinable
    public static func value(_ value: Value) -> Promise {
        Promise(settled: .success(value))
    }

    /// A promise that has failed.
    @inlinable
    public static func failed(_ error: any Error) -> Promise {
        Promise(settled: .failure(error))
    }

    /// A settled promise of what `body` returns or throws; `body` is called once, at once.
    ///
    /// ```swift
    /// let number = Promise.attempt { try parse("42") }
    /// ```
    @inlinable
    public static func attempt(_ body: () throws -> Value) -> Promise {
        Promise(settled: Result(catching: body))
    }

    /// The promise that `body` returns, or one that has failed with what it throws; `body` is called once, at once.
    @inlinable
    package static func trying(_ body: () throws -> Promise) -> Promise {
        do { return try body() } catch { return .failed(error) }
    }

    /// A pending promise, and the one who settles it.
    ///
    /// ```swift
    /// let (promise, resolver) = Promise<String>.withResolvers()
    /// fetch(url) { page, error in resolver.resolve(page, error) }
    /// ```
    @inlinable
    public static func withResolvers() -> (promise: Promise, resolver: Resolver<Value>) {
        let promise = Promise()
        return (promise, Resolver(promise))
    }

    /// A promise that is settled by `body`, through the resolver that it is given.
    ///
    /// `body` is called once, at once; if it throws, the promise fails with that error, unless it was
    /// settled before.
    ///
    /// ```swift
    /// let answer = Promise<Int> { resolver in queue.async { resolver.fulfill(42) } }
    /// ```
    @inlinable
    public convenience init(_ body: (Resolver<Value>) throws -> Void) {
        self.init()
        let resolver = Resolver(self)
        do { try body(resolver) } catch { resolver.reject(error) }
    }

    /// A promise of what `operation` will return, run in a task of its own.
    ///
    /// The task starts at once, isolated as the closure says (`{ @MainActor in … }`), else to
    /// nothing. Cancelling the promise cancels the task.
    ///
    /// ```swift
    /// let page = Promise { try await fetch(url) }
    /// ```
    public convenience init(
        _ operation: sending @escaping @isolated(any) () async throws -> Value
    ) {
        self.init()
        let task = Task {
            do {
                settle(value: try await operation(), nil)
            } catch {
                settle(error: error, nil)
            }
        }
        onCancel { task.cancel() }
    }
}
