package import ModelKitPromises
import Synchronization

/// Whether work has begun, after which it cannot be cancelled, or was cancelled, after which it is not done.
///
/// ```swift
/// let gate = CancellationGate()
/// gate.decide(resolver)
/// queue.async { if gate.begin() { resolver.fulfill(work()) } }
/// ```
package final class CancellationGate: Sendable {
    private enum State: UInt8, AtomicRepresentable {
        case waiting, begun, cancelled
    }

    private let state = Atomic(State.waiting)

    package init() {}

    /// Begins, unless it was cancelled.
    package func begin() -> Bool { move(to: .begun) }

    /// Has a promise fail with `.cancelled(.notApplied)` if it is cancelled before the work has begun, and
    /// stay as it is afterwards.
    package func decide<Value>(_ resolver: Resolver<Value>) {
        resolver.whenCancelled { [self] in
            move(to: .cancelled) ? StoreError.cancelled(.notApplied) : nil
        }
    }

    private func move(to new: State) -> Bool {
        state.compareExchange(expected: .waiting, desired: new, ordering: .acquiringAndReleasing)
            .exchanged
    }
}
