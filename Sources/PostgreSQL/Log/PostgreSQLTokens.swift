import ModelKitEssentials
import ModelKitValues
import Synchronization

/// Makes the tokens of a store's transactions, by which it also knows its own rows in the log.
///
/// The first half of a token is the store's, made by chance, and the second one counts.
final class PostgreSQLTokens: Sendable {
    private let store = UInt64.random(in: 0 ... .max)
    private let last = Atomic<UInt64>(0)
    private let unsettled = Guarded<[UUID]>([])

    /// Older ones were long settled, or never will be.
    private static let mostUnsettled = 100

    func next() -> UUID { token(last.add(1, ordering: .relaxed).newValue) }

    /// The tokens that are the store's.
    var own: (first: UUID, last: UUID) { (token(0), token(.max)) }

    /// What distinguishes the store from all others.
    var name: String { String(store, radix: 16) }

    /// Notes one whose transaction may be committed without anybody here learning of that, but from the log.
    func noteUnsettled(_ token: UUID) {
        unsettled.withLock { tokens in
            if tokens.count == Self.mostUnsettled { tokens.removeFirst() }
            tokens.append(token)
        }
    }

    /// Those that were noted.
    var allUnsettled: [UUID] { unsettled.withLock { $0 } }

    private func token(_ number: UInt64) -> UUID {
        withUnsafeBytes(of: (store.bigEndian, number.bigEndian)) { bytes in
            UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
        }
    }
}
