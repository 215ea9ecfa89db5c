/// How a set is to be stored wherever bindings bring it.
@usableFromInline
struct PropagationOptions: Sendable {
    /// Whether it tells of the inside of a value, which has changed although the value is the same.
    @usableFromInline var isForced = false
    /// Whether its time is that of a clock which the task has brought, and may be behind earlier ones.
    @usableFromInline var hasOwnTime = false

    @inlinable
    init(hasOwnTime: Bool = false) { self.hasOwnTime = hasOwnTime }
}
