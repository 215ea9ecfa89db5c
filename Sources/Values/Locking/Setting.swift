/// A value that threads share and may replace; the one before is released outside of the lock.
@usableFromInline
package final class Setting<Value: Sendable>: Sendable {
    @usableFromInline let current: Guarded<Value>

    @inlinable
    package init(_ value: Value) {
        current = Guarded(value)
    }

    @inlinable package var value: Value {
        get { current.withLock { $0 } }
        set {
            let old = current.exchange(newValue)
            withExtendedLifetime(old) {}
        }
    }
}
