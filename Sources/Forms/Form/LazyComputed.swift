import ModelKitFields

/// A computed field that is made when somebody asks for it: in a process that has one, reading any
/// field costs more.
// Safe: `made` is guarded by `lock`.
final class LazyComputed<Value: Equatable & Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var made: Computed<Value>?

    var isMade: Bool { lock.withLock { made != nil } }

    func get(_ body: @escaping @Sendable () -> Value?) -> Computed<Value> {
        if let made = lock.withLock({ made }) { return made }
        let new = Computed(body)
        return lock.withLock {
            if let made { return made }
            made = new
            return new
        }
    }
}
