public import ModelKitFields

/// A value by which models are grouped, as in `store.count(Person.self, by: \.city)`.
public typealias GroupingValue = AttributeConvertible & Hashable

/// A value by which models are sorted and compared, as in `store.max(Person.self, of: \.age)`.
public typealias SortableValue = AttributeConvertible & Comparable
