import ModelKitModels
import ModelKitPromises

/// What is sent for some writes.
struct SentWrites: Sendable {
    /// By the writes that it is for.
    var parts: [[RecordWrite]] = []
    /// When that was known.
    var asked: UInt64 = 0

    init() {}

    init(
        _ prepared: [PreparedWrite],
        _ session: StoreSession,
        _ found: [[any Model]] = []
    ) throws(StoreError) {
        asked = session.now
        parts = try prepared.records(session, found)
    }
}

/// Writes that are known only when something was read.
final class LaterWrites: Sendable {
    private let search: CascadeSearch
    private let writes = Guarded(SentWrites())
    /// Is there when the store was asked for the writes, or will not be.
    let asked: Promise<Void>
    private let askedResolver: Resolver<Void>

    init(after search: CascadeSearch) {
        self.search = search
        (asked, askedResolver) = Promise<Void>.withResolvers()
    }

    /// What was sent; nothing yet, while it is being read.
    var sent: SentWrites { writes.withLock { $0 } }

    /// Reads, and then makes the writes; none of them if it is cancelled before.
    func perform(
        _ prepared: [PreparedWrite],
        _ records: any RecordStore,
        _ session: StoreSession
    ) -> Promise<[RecordReceipt]> {
        let (promise, resolver) = Promise<[RecordReceipt]>.withResolvers()
        let gate = CancellationGate()
        gate.decide(resolver)
        search.finished(records, session).observe { [self] result in
            guard gate.begin() else { return }
            do {
                let new = try SentWrites(prepared, session, result.get().found)
                writes.withLock { $0 = new }
                let made = records.perform(new.parts.flatMap { $0 })
                askedResolver.fulfill()
                // Whether it can be cancelled is up to the store from here on.
                resolver.whenCancelled {
                    made.decidesCancelling ? made.cancelled() : nil
                }
                made.observe { resolver.resolve($0) }
            } catch {
                resolver.reject(error)
            }
        }
        promise.observe { [askedResolver] _ in askedResolver.fulfill() }
        return promise
    }
}
