/// A closure with the owner that identifies it, as `owner { value in … }` makes it.
///
/// ```swift
/// person.name --> screen { name in print(name ?? "") }
/// ```
public struct OwnedClosure<Value: Sendable>: Sendable {
    let owner: any ObservationOwner
    let body: @Sendable (Value) -> Void
}

/// A closure for the main thread with the owner that identifies it.
///
/// ```swift
/// person.name.onMain --> screen { name in print(name ?? "") }
/// ```
public struct OwnedMainClosure<Value: Sendable>: Sendable {
    let owner: any ObservationOwner
    let body: @MainActor @Sendable (Value) -> Void
}

extension ObservationOwner {
    /// Makes the owner identify a closure, for `field --> owner { value in … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @Sendable (Value) -> Void
    ) -> OwnedClosure<Value> {
        OwnedClosure(owner: self, body: body)
    }

    /// Makes the owner identify a closure, for `field.onMain --> owner { value in … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @MainActor @Sendable (Value) -> Void
    ) -> OwnedMainClosure<Value> {
        OwnedMainClosure(owner: self, body: body)
    }
}
