/// The value of a field before and after a change.
///
/// ```swift
/// for await change in person.age.changes {
///     print("from \(change.old ?? 0) to \(change.new ?? 0)")
/// }
/// ```
public struct FieldChange<Value: Equatable & Sendable>: Sendable, Equatable {
    public let old: Value?
    public let new: Value?

    public init(old: Value?, new: Value?) {
        self.old = old
        self.new = new
    }
}

extension FieldChange: Hashable where Value: Hashable {}
