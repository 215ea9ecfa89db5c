import ModelKitEssentials
import Synchronization

/// The thread that runs the body of a store's transaction, where the store itself must not be used: it
/// would wait for the end of the body.
package final class TransactionBody: Sendable {
    /// 0 while none is run.
    private let thread = Atomic<UInt>(0)

    package init() {}

    /// Runs the body of a transaction.
    package func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        thread.store(Self.currentThread, ordering: .relaxed)
        defer { thread.store(0, ordering: .relaxed) }
        return try body()
    }

    /// Why the store cannot be used here; nil if it can.
    package var refusal: StoreError? {
        // Only the thread itself could have stored its number, so the order does not matter.
        let thread = thread.load(ordering: .relaxed)
        if thread == 0 || thread != Self.currentThread { return nil }
        return .unsupported(
            "the body of a transaction uses the transaction, not the store, which waits for it"
        )
    }

    /// A number of the calling thread that no other running one has; never 0.
    package static var currentThread: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
