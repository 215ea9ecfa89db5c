import ModelKitFields
import ModelKitStores
import Testing

/// Keeps what a store notifies of.
final class LogNotes: Sendable {
    private let changes = Guarded<[RecordChanges.Change]>([])

    var all: [RecordChanges.Change] { changes.withLock { $0 } }

    /// How often each record was named, by its identifier.
    var counts: [String: Int] {
        all.reduce(into: [:]) { counts, change in
            counts[change.identifier.map { "\($0)" } ?? "any \(change.type)", default: 0] += 1
        }
    }

    func observe(_ store: some RecordModelStore) -> RecordObservation? {
        store.records.observeChanges { new in self.changes.withLock { $0 += new.changes } }
    }

    /// Waits until some identifiers were named, for two minutes at most.
    func wait(for identifiers: some Sequence<String>) async throws {
        let wanted = Set(identifiers)
        for _ in 0..<12_000 {
            if wanted.isSubset(of: counts.keys) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("\(wanted.subtracting(counts.keys).sorted().prefix(10)) were not seen")
    }
}
