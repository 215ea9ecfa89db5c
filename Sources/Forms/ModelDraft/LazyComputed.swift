import ModelKitFields

/// A computed field that is made when somebody asks for it: in a process that has one, reading any
/// field costs more.
final class LazyComputed<Value: Equatable & Sendable>: Sendable {
    private let made = Guarded<Computed<Value>?>(nil)

    var isMade: Bool { made.withLock { $0 != nil } }

    func get(_ body: @escaping @Sendable () -> Value?) -> Computed<Value> {
        if let made = made.withLock({ $0 }) { return made }
        let new = Computed(body)
        return made.withLock { made in
            if let made { return made }
            made = new
            return new
        }
    }
}
