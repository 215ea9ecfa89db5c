/// A value that the whole process shares and may replace.
final class Setting<Value: Sendable>: Sendable {
    private let current: Guarded<Value>

    init(_ value: Value) {
        current = Guarded(value)
    }

    var value: Value {
        get { current.withLock { $0 } }
        set {
            let old = current.withLock { current in
                defer { current = newValue }
                return current
            }
            withExtendedLifetime(old) {}
        }
    }
}
