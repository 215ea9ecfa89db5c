/// A value that the whole process shares and may replace.
// Safe: the value is read and written under the lock, and released outside of it.
final class Setting<Value: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var current: Value

    init(_ value: Value) {
        current = value
    }

    var value: Value {
        get { lock.withLock { current } }
        set {
            let old = lock.withLock {
                let old = current
                current = newValue
                return old
            }
            withExtendedLifetime(old) {}
        }
    }
}
