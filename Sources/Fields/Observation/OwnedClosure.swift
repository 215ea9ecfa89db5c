/// A closure with the owner that identifies it, as `owner { value in … }` makes it.
///
/// ```swift
/// person.name --> screen { name in print(name ?? "") }
/// person.name --> screen { old, new in print(old ?? "", new ?? "") }
/// person.name --> screen { print("set") }
/// ```
public struct OwnedClosure<Value: Sendable>: Sendable {
    enum Body: Sendable {
        case value(@Sendable (Value) -> Void)
        case change(@Sendable (Value, Value) -> Void)
        case plain(@Sendable () -> Void)
    }

    let owner: any ObservationOwner
    let body: Body
}

/// A closure for the main thread with the owner that identifies it.
///
/// ```swift
/// person.name.onMain --> screen { name in print(name ?? "") }
/// ```
public struct OwnedMainClosure<Value: Sendable>: Sendable {
    let closure: OwnedClosure<Value>
}

extension ObservationOwner {
    /// Makes the owner identify a closure, for `field --> owner { value in … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @Sendable (Value) -> Void
    ) -> OwnedClosure<Value> {
        OwnedClosure(owner: self, body: .value(body))
    }

    /// Makes the owner identify a closure, for `field --> owner { old, new in … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @Sendable (Value, Value) -> Void
    ) -> OwnedClosure<Value> {
        OwnedClosure(owner: self, body: .change(body))
    }

    /// Makes the owner identify a closure, for `field --> owner { … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @Sendable () -> Void
    ) -> OwnedClosure<Value> {
        OwnedClosure(owner: self, body: .plain(body))
    }

    /// Makes the owner identify a closure, for `field.onMain --> owner { value in … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @MainActor @Sendable (Value) -> Void
    ) -> OwnedMainClosure<Value> {
        OwnedMainClosure(
            closure: self { (value: Value) in MainActor.assumeIsolated { body(value) } }
        )
    }

    /// Makes the owner identify a closure, for `field.onMain --> owner { old, new in … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @MainActor @Sendable (Value, Value) -> Void
    ) -> OwnedMainClosure<Value> {
        OwnedMainClosure(
            closure: self { (old: Value, new: Value) in
                MainActor.assumeIsolated { body(old, new) }
            }
        )
    }

    /// Makes the owner identify a closure, for `field.onMain --> owner { … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @MainActor @Sendable () -> Void
    ) -> OwnedMainClosure<Value> {
        OwnedMainClosure(closure: self { MainActor.assumeIsolated { body() } })
    }
}
