/// A closure with the owner that identifies it, as `owner { value in … }` makes it.
///
/// ```swift
/// person.name --> screen { name in print(name ?? "") }
/// person.name --> screen { old, new in print(old ?? "", new ?? "") }
/// person.name --> screen { print("set") }
/// ```
public struct OwnedClosure<Value: Equatable & Sendable>: Sendable {
    let observe: @Sendable (_ list: ObserverList<Value>) -> Observation
}

/// A closure for the main thread with the owner that identifies it.
///
/// ```swift
/// person.name.onMain --> screen { name in print(name ?? "") }
/// ```
public struct OwnedMainClosure<Value: Equatable & Sendable>: Sendable {
    let observe: @Sendable (_ source: OnMain<Value>) -> Observation
}

extension ObservationOwner {
    /// Makes the owner identify a closure, for `field --> owner { value in … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @Sendable (Value?) -> Void
    ) -> OwnedClosure<Value> {
        OwnedClosure { list in list.observe(self) { _, new in body(new) } }
    }

    /// Makes the owner identify a closure, for `field --> owner { old, new in … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @Sendable (Value?, Value?) -> Void
    ) -> OwnedClosure<Value> {
        OwnedClosure { list in list.observe(self) { _, old, new in body(old, new) } }
    }

    /// Makes the owner identify a closure, for `field --> owner { … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @Sendable () -> Void
    ) -> OwnedClosure<Value> {
        OwnedClosure { list in list.observe(self) { _, _ in body() } }
    }

    /// Makes the owner identify a closure, for `field.onMain --> owner { value in … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @MainActor @Sendable (Value?) -> Void
    ) -> OwnedMainClosure<Value> {
        OwnedMainClosure { source in source.observe(self) { _, new in body(new) } }
    }

    /// Makes the owner identify a closure, for `field.onMain --> owner { old, new in … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @MainActor @Sendable (Value?, Value?) -> Void
    ) -> OwnedMainClosure<Value> {
        OwnedMainClosure { source in source.observe(self) { _, old, new in body(old, new) } }
    }

    /// Makes the owner identify a closure, for `field.onMain --> owner { … }`.
    public func callAsFunction<Value>(
        _ body: @escaping @MainActor @Sendable () -> Void
    ) -> OwnedMainClosure<Value> {
        OwnedMainClosure { source in source.observe(self) { _, _ in body() } }
    }
}
