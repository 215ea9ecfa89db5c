public import ModelKitFields
public import ModelKitModels

/// Whether the field has the value; with nil, whether it has none.
public func == <M: Model, Value: AttributeConvertible>(
    field: KeyPath<M, Field<Value>>,
    value: Value?
) -> Condition<M> {
    compare(field, .equal, value)
}

/// Whether the field has another value; with nil, whether it has any.
public func != <M: Model, Value: AttributeConvertible>(
    field: KeyPath<M, Field<Value>>,
    value: Value?
) -> Condition<M> {
    compare(field, .notEqual, value)
}

/// Whether the field's value is less.
public func < <M: Model, Value: SortableValue>(
    field: KeyPath<M, Field<Value>>,
    value: Value
) -> Condition<M> {
    compare(field, .less, value)
}

/// Whether the field's value is less or the same.
public func <= <M: Model, Value: SortableValue>(
    field: KeyPath<M, Field<Value>>,
    value: Value
) -> Condition<M> {
    compare(field, .lessOrEqual, value)
}

/// Whether the field's value is greater.
public func > <M: Model, Value: SortableValue>(
    field: KeyPath<M, Field<Value>>,
    value: Value
) -> Condition<M> {
    compare(field, .greater, value)
}

/// Whether the field's value is greater or the same.
public func >= <M: Model, Value: SortableValue>(
    field: KeyPath<M, Field<Value>>,
    value: Value
) -> Condition<M> {
    compare(field, .greaterOrEqual, value)
}

/// Whether both conditions hold.
public func && <M: Model>(left: Condition<M>, right: Condition<M>) -> Condition<M> {
    Condition(.and(left.filter.conjuncts + right.filter.conjuncts))
}

/// Whether one of the conditions holds.
public func || <M: Model>(left: Condition<M>, right: Condition<M>) -> Condition<M> {
    Condition(.or(left.filter.alternatives + right.filter.alternatives))
}

/// Whether a condition does not hold.
///
/// Where it is unknown, so is this.
public prefix func ! <M: Model>(condition: Condition<M>) -> Condition<M> {
    Condition(.not(condition.filter))
}

private func compare<M: Model, Value: AttributeConvertible>(
    _ path: KeyPath<M, Field<Value>>,
    _ comparison: RecordFilter.Comparison,
    _ value: Value?
) -> Condition<M> {
    let field = prototype(path)
    guard let value else {
        let isNull = RecordFilter.isNull(key(of: path, field))
        return Condition(comparison == .equal ? isNull : .not(isNull))
    }
    // In the form that the field stores.
    let form =
        field.hasKnownForm ? value.attributeValue : field.attributeValue(of: value) ?? .null
    return Condition(.compare(key(of: path, field), comparison, form))
}

extension RecordFilter {
    /// What all have to hold, so that a long chain of `&&` is no deeper than a short one.
    package var conjuncts: [RecordFilter] {
        if case .and(let filters) = self { filters } else { [self] }
    }

    fileprivate var alternatives: [RecordFilter] {
        if case .or(let filters) = self { filters } else { [self] }
    }
}
