/// What only some fields of a value type have.
///
/// Nothing here depends on how large a value is, and empty arrays are made by
/// `none()`, not by a literal: else the runtime looks up the types of all of them when one is made or freed.
@usableFromInline
final class FieldState<Value: Equatable & Sendable>: FieldDetails {
    @exclusivity(unchecked) var asyncRules: [AsyncRule<Value>] = none()
    @exclusivity(unchecked) @usableFromInline var transformer: FieldTransformer<Value>?
    /// The transformers for contexts, by the names of these.
    @exclusivity(unchecked) @usableFromInline
    var contextual: [(name: String, transformer: FieldTransformer<Value>)] = none()
    @exclusivity(unchecked) @usableFromInline var domain: Domain<Value>?
    /// The newest value that a binding has brought while somebody was editing.
    @exclusivity(unchecked) var parked: Parked<Value>?
    /// Whether two values are the same, if that is not `==`.
    @exclusivity(unchecked) @usableFromInline var equality: (@Sendable (Value, Value) -> Bool)?
    /// The changes that wait.
    @exclusivity(unchecked) @usableFromInline var queue = ChangeQueue<Value>()
    /// Where the change begins that observers are to be given next, if commits since the last
    /// delivered one were not queued: in a batch, or because their delivery would not end.
    @exclusivity(unchecked) @usableFromInline var withheld: Withheld<Value>?

    @usableFromInline
    override init() { super.init() }

    deinit { queue.deallocate() }

    override var isSettled: Bool { !isDraining && firstWaiting == .max }

    @inlinable @inline(__always)
    var isIdle: Bool { !isDraining && queue.isEmpty }
}

/// What a propagation has brought while somebody was editing.
final class Parked<Value: Equatable & Sendable> {
    var parcel: Parcel<Value>
    /// That of the value, as it is for the field.
    let order: Order

    init(_ parcel: Parcel<Value>, _ order: Order) { (self.parcel, self.order) = (parcel, order) }
}

/// A value on its way along a binding.
struct Parcel<Value: Equatable & Sendable>: Sendable {
    let value: Value?
    let order: Order
    let stamp: Stamp
    var options = PropagationOptions()
    /// The revision of the field that it comes from, when that held the value.
    let held: UInt64
    /// The field that the revision begins at, if that does not have it itself.
    let origin: ObjectIdentifier?
}

/// An array without elements, made without the metadata of these, which `Array()` looks up in code of any type.
// Safe: the standard library has one object that all empty arrays are, whatever their elements.
@inline(__always)
private func none<Element>() -> [Element] { unsafeBitCast([] as [Int], to: [Element].self) }
