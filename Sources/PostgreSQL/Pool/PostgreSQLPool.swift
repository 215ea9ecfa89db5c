import Dispatch
package import ModelKitPromises
package import ModelKitStores

/// Connections to a server, each for one use at a time, which has a thread for itself; but a use that is one round trip
/// is sent by its caller, and one thread waits for the answers to all of these.
///
/// They are made when they are needed, up to a limit; beyond that uses wait in the order in which they came. The one that
/// was used last is used first, and one that nobody needs is closed after a time. While the server is away, it is looked
/// for again and again, and each use waits until its deadline; where there was none ever, no longer than connecting may
/// take.
package final class PostgreSQLPool: Sendable {
    /// Makes a connection until a time.
    package typealias Connect =
        @Sendable (ContinuousClock.Instant) throws(PostgreSQLError) ->
        PostgreSQLConnection

    package let options: PostgreSQLOptions
    private let connect: Connect
    private let turns: Guarded<PostgreSQLTurns>
    /// The queues on which nothing runs now.
    private let queues = Guarded<[DispatchQueue]>([])
    /// A queue has by it the body of a transaction that runs on it.
    private let key = DispatchSpecificKey<TransactionBody>()
    private let closing = Promise<Void>.withResolvers()
    private let outage: PostgreSQLOutage
    private let loop = PostgreSQLLoop()

    /// When a timer ends; nil if there is none.
    private let alarm = Guarded<ContinuousClock.Instant?>(nil)

    /// Connects when that is needed.
    ///
    /// - Parameters:
    ///   - connection: libpq's connection string or URL.
    ///   - options: How many connections there are, and how long they are used and waited for.
    ///   - events: What is notified of times in which there is no server.
    /// - Throws: `PostgreSQLError` where the string is not one; `PostgreSQLLibraryError` where there is no libpq.
    package convenience init(
        _ connection: String,
        _ options: PostgreSQLOptions = PostgreSQLOptions(),
        events: StoreEvents? = nil
    ) throws {
        let target = try PostgreSQLTarget(
            connection,
            library: options.library ?? .system,
            mode: options.mode,
            isReadOnly: options.isReadOnly,
            notice: options.notice
        )
        self.init(options, events) { deadline throws(PostgreSQLError) in
            try PostgreSQLConnection.open(target, until: deadline)
        }
    }

    /// - Parameters:
    ///   - options: How many connections there are, and how long they are used and waited for.
    ///   - events: What is notified of times in which there is no server.
    ///   - connect: What makes a connection.
    package init(
        _ options: PostgreSQLOptions,
        _ events: StoreEvents? = nil,
        connect: @escaping Connect
    ) {
        (self.options, self.connect) = (options, connect)
        outage = PostgreSQLOutage(events)
        turns = Guarded(
            PostgreSQLTurns(
                limit: options.connections,
                idleTime: options.idleTime,
                patience: options.connectTimeout
            )
        )
    }

    deinit { loop.stop() }

    /// Connects beside the connections of the pool, as for what takes one for long; the thread waits.
    package func connectBeside(
        until end: ContinuousClock.Instant? = nil
    ) throws(PostgreSQLError) -> PostgreSQLConnection {
        let limit = ContinuousClock.now + min(options.connectTimeout, options.deadline)
        let connection = try connect(min(limit, end ?? limit))
        connection.deadline = nil
        return connection
    }

    /// Runs the body with a connection that nobody else uses meanwhile, on a thread for this use.
    ///
    /// A transaction that it leaves open is rolled back. The promise is settled on that thread, too, when the
    /// connection can be used by others. The body must not wait for another use of the pool, which may wait for it.
    ///
    /// - Parameters:
    ///   - deadline: How long it may take, with its waiting; nil for that of the options.
    ///   - isCancellable: Whether a body that has begun is cancelled with the promise, on the server as well; one that
    ///     waits always is.
    ///   - roundTrip: What is sent in place of the body, on the thread that has the connection's turn come, and must not
    ///     wait; nil where the body is run. The promise is settled on a thread that waits for all answers.
    ///   - body: What is done with the connection, which must not be kept.
    /// - Returns: What the body gives, or its error.
    package func run<Value: Sendable>(
        deadline: Duration? = nil,
        isCancellable: Bool = false,
        sending roundTrip: (
            @Sendable (PostgreSQLConnection) throws -> PostgreSQLRoundTrip<Value>?
        )? = nil,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
    ) -> Promise<Value> {
        if let refusal = refusalOfUse { return .failed(refusal) }
        let (promise, resolver) = Promise<Value>.withResolvers()
        let cancellation = PostgreSQLCancellation()
        resolver.whenCancelled { [loop] in
            guard cancellation.cancel() else { return nil }
            loop.hurry(cancellation)
            return PostgreSQLError.cancellation
        }
        let send = roundTrip.map { make in
            { @Sendable (connection: PostgreSQLConnection) -> PostgreSQLSentUse? in
                // What is wrong with it the body finds, too.
                guard let roundTrip = try? make(connection) else { return nil }
                if !isCancellable {
                    guard cancellation.close() else { return nil }
                    connection.cancellation = nil
                }
                return roundTrip.sent(by: connection, resolver)
            }
        }
        let use = PostgreSQLUse(
            deadline: .now + (deadline ?? options.deadline),
            cancellation: cancellation,
            send: send
        ) { connection in
            let result = Result {
                if !isCancellable {
                    guard cancellation.close() else { throw PostgreSQLError.cancellation }
                    connection.cancellation = nil
                }
                return try body(connection)
            }
            return { _ = resolver.resolve(result) }
        } fail: { [self] error in
            // As long as it waits, it keeps the pool.
            withExtendedLifetime(self) { _ = resolver.reject(error) }
        }
        turns.withLock { $0.wait(use) }
        goOn()
        return promise
    }

    /// Closes all connections when everything has ended that was asked for before; whatever comes later fails.
    package func close() -> Promise<Void> {
        if let refusal { return .failed(refusal) }
        turns.withLock { $0.close() }
        goOn()
        return closing.promise.map {}
    }

    private var closingRefusal: (any Error)? {
        turns.withLock { $0.isClosed }
            ? PostgreSQLError(.cannotConnect, "it was closed") : nil
    }

    /// Runs the body of a user's transaction, inside of what `run` runs; in it nothing else is run here, as the body
    /// might wait for it, and it for the body.
    package func runTransactionBody<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard let place = DispatchQueue.getSpecific(key: key) else { return try body() }
        return try place.run(body)
    }

    /// Why nothing can be run here by the caller now; nil if it can.
    package var refusalOfUse: (any Error)? {
        closingRefusal ?? refusal ?? TransactionFeed.refusal(by: self)
    }

    /// Why nothing can be run on this thread now; nil if it can.
    package var refusal: (any Error)? { DispatchQueue.getSpecific(key: key)?.refusal }

    // MARK: Steps

    /// Does what is to be done now.
    private func goOn() {
        while let step = turns.withLock({ $0.next(.now) }) { perform(step) }
        guard let wake = turns.withLock({ $0.wake }) else { return }
        let isSooner = alarm.withLock { alarm in
            if let alarm, alarm <= wake { return false }
            alarm = wake
            return true
        }
        if !isSooner { return }
        Promise<Void>.timer(ContinuousClock.now.duration(to: wake), SuspendingClock()).observe {
            [weak self] _ in
            // One that ends later than another finds that there is nothing to do.
            self?.alarm.withLock { if $0 == wake { $0 = nil } }
            self?.goOn()
        }
    }

    private func perform(_ step: PostgreSQLTurns.Step) {
        switch step {
        case .serve(let use, let lease):
            if use.send == nil || !send(use, lease) {
                runOnQueue { [self] in serve(use, lease) }
            }
        case .fail(let use, let error): use.fail(error)
        case .connect: open(PostgreSQLLease())
        case .close(let lease):
            runOnQueue { [self] in
                lease.close()
                change { turns, _ in turns.lost() }
            }
        case .end:
            loop.stop()
            outage.end(.failure(StoreError.unavailable("it was closed", .notApplied)))
            closing.resolver.fulfill()
        }
    }

    /// Runs what waits for the server, on a queue on which nothing else runs: not on one of the connection, as a handler
    /// of its use before may still block that.
    private func runOnQueue(_ body: @escaping @Sendable () -> Void) {
        let queue = queues.withLock { $0.popLast() } ?? makeQueue()
        queue.async(execute: body)
        // After the body is released, too: the end of an object that it alone has had may wait for another use.
        queue.async { [self] in queues.withLock { $0.append(queue) } }
    }

    private func makeQueue() -> DispatchQueue {
        let queue = DispatchQueue(label: "ModelKitPostgreSQL")
        queue.setSpecific(key: key, value: TransactionBody())
        return queue
    }

    private func serve(_ use: PostgreSQLUse, _ lease: PostgreSQLLease) {
        guard lease.check() else {
            lease.close()
            return change { turns, _ in turns.lost(use) }
        }
        let (settle, isUsable) = lease.run(use)
        conclude(lease, isUsable, settle)
    }

    private func conclude(
        _ lease: PostgreSQLLease,
        _ isUsable: Bool,
        _ settle: @Sendable () -> Void
    ) {
        let hasEnded = !isUsable && !lease.check()
        if !isUsable { lease.close() }
        // Before: whoever waits for this finds the connection free.
        change { turns, now in
            isUsable ? turns.returned(lease, now) : turns.lost(hasEnded: hasEnded)
        }
        settle()
    }

    /// Sends a use that is one round trip.
    ///
    /// - Returns: False if it is to be run instead.
    private func send(_ use: PostgreSQLUse, _ lease: PostgreSQLLease) -> Bool {
        guard lease.check(), let sent = lease.send(use) else { return false }
        guard case .success(let exchange) = sent.exchange, lease.isSent(), lease.socket >= 0 else {
            goOn(sent, lease)
            return true
        }
        let wait = PostgreSQLLoop.Wait(
            number: lease.number,
            socket: lease.socket,
            cancellation: use.cancellation,
            deadline: use.deadline
        ) {
            lease.take(exchange)
        } end: { [self] isThere in
            if !isThere { return goOn(sent, lease) }
            let result = lease.end(exchange)
            let settle = (try? result.get()).flatMap(sent.settle)
            guard let settle else { return goOn(sent, lease, isAnswered: true, result.failure) }
            if lease.mayWaitToReset {
                return runOnQueue { [self] in conclude(lease, lease.reset(), settle) }
            }
            conclude(lease, lease.reset(), settle)
        }
        loop.add(wait)
        // It may have been cancelled before.
        if use.cancellation.isCancelled { loop.hurry(use.cancellation) }
        return true
    }

    /// Waits for the answer where that was not done, and does what it is not all of.
    private func goOn(
        _ sent: PostgreSQLSentUse,
        _ lease: PostgreSQLLease,
        isAnswered: Bool = false,
        _ error: PostgreSQLError? = nil
    ) {
        runOnQueue { [self] in
            var (settle, error) = (Optional<@Sendable () -> Void>.none, error)
            if !isAnswered {
                let result = sent.exchange.flatMap(lease.end)
                (settle, error) = ((try? result.get()).flatMap(sent.settle), result.failure)
            }
            let settling = settle ?? lease.goOn(sent, after: error)
            conclude(lease, lease.reset(), settling)
        }
    }

    private func open(_ lease: PostgreSQLLease) {
        runOnQueue { [self] in
            do throws(PostgreSQLError) {
                try lease.open { () throws(PostgreSQLError) in
                    try connect(.now + options.connectTimeout)
                }
                outage.end()
                change { turns, now in turns.opened(lease, now) }
            } catch {
                outage.begin()
                change { turns, now in turns.refused(error, now) }
            }
        }
    }

    private func change(_ body: (inout PostgreSQLTurns, ContinuousClock.Instant) -> Void) {
        turns.withLock { body(&$0, .now) }
        goOn()
    }
}

extension PostgreSQLRoundTrip {
    /// Sends it, to have a promise be settled later.
    fileprivate func sent(
        by connection: PostgreSQLConnection,
        _ resolver: Resolver<Value>
    ) -> PostgreSQLSentUse {
        PostgreSQLSentUse(
            exchange: Result { () throws(PostgreSQLError) in try connection.begin(statements) }
        ) { results in
            do {
                guard let value = try value(results) else { return nil }
                return { _ = resolver.fulfill(value) }
            } catch {
                return { _ = resolver.reject(error) }
            }
        } goOn: { connection, error in
            let result = Result { try otherwise(connection, error) }
            return { _ = resolver.resolve(result) }
        }
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
