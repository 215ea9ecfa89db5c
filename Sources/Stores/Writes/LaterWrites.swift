import ModelKitFields
import ModelKitModels

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
// Safe: the variable is guarded by the lock.
final class LaterWrites: @unchecked Sendable {
    private let search: CascadeSearch
    private let lock = Lock()
    private var writes = SentWrites()

    init(after search: CascadeSearch) {
        self.search = search
    }

    /// What was sent; nothing yet, while it is being read.
    var sent: SentWrites { lock.withLock { writes } }

    /// Reads, and then makes the writes; none of them if it is cancelled before.
    func perform(
        _ prepared: [PreparedWrite],
        _ records: any RecordStore,
        _ session: StoreSession
    ) -> Promise<[RecordReceipt]> {
        let (promise, resolver) = Promise<[RecordReceipt]>.withResolvers()
        let begun = Begun()
        begun.decide(resolver)
        Self.finish(search, records, session).observe { [self] result in
            guard begun.begin() else { return }
            do {
                let new = try SentWrites(prepared, session, result.get().found)
                lock.withLock { writes = new }
                resolver.follow(records.perform(new.parts.flatMap { $0 }))
            } catch {
                resolver.reject(error)
            }
        }
        return promise
    }

    private static func finish(
        _ search: CascadeSearch,
        _ records: any RecordStore,
        _ session: StoreSession
    ) -> Promise<CascadeSearch> {
        if search.wanted.isEmpty { return .value(search) }
        return Promise<(any Model)?>.all(search.wanted.map { $0.find(records, session) })
            .then { models in
                var search = search
                try search.take(models, session)
                return finish(search, records, session)
            }
    }
}
