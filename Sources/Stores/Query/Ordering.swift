public import ModelKitFields
public import ModelKitModels

/// A field that models are sorted by.
///
/// Those without a value come last, both ways. Values are sorted in the form that the field stores, an
/// enum by its raw value.
///
/// ```swift
/// store.list(Person.self, orderBy: .ascending(\.name), .descending(\.age))
/// ```
public struct Ordering<M: Model>: Sendable, Hashable {
    public let order: RecordQuery.Order

    /// The least value first.
    public static func ascending<Value: SortableValue>(
        _ field: KeyPath<M, Field<Value>>
    ) -> Ordering {
        Ordering(order: RecordQuery.Order(key(of: field)))
    }

    /// The greatest value first.
    public static func descending<Value: SortableValue>(
        _ field: KeyPath<M, Field<Value>>
    ) -> Ordering {
        Ordering(order: RecordQuery.Order(key(of: field), isDescending: true))
    }
}
