public import ModelKitFields
public import ModelKitModels
public import ModelKitPromises

// Of the members of a relation that are stored, without loading it.
extension ModelStore {
    /// How many members of a relation fulfil a condition.
    public func count<Other: Model>(
        _ relation: ModelArrayField<Other>,
        where condition: Condition<Other>? = nil
    ) -> Promise<Int> {
        ask(relation, condition) { Aggregate(count: $0) }
    }

    /// The sum of a field of the members; 0 where none has a value.
    ///
    /// ```swift
    /// let balance = try await store.sum(account.entries, of: \.amount).value
    /// ```
    public func sum<Other: Model, Number: SummableValue>(
        _ relation: ModelArrayField<Other>,
        of field: KeyPath<Other, Field<Number>>,
        where condition: Condition<Other>? = nil
    ) -> Promise<Number.Sum> {
        ask(relation, condition) { Aggregate(sum: field, $0) }
    }

    /// The mean of a field of the members; nil where none has a value.
    public func average<Other: Model, Number: SummableValue>(
        _ relation: ModelArrayField<Other>,
        of field: KeyPath<Other, Field<Number>>,
        where condition: Condition<Other>? = nil
    ) -> Promise<Number.Average?> {
        ask(relation, condition) { Aggregate(average: field, $0) }
    }

    /// The least value of a field of the members; nil where none has one.
    public func min<Other: Model, Value: SortableValue>(
        _ relation: ModelArrayField<Other>,
        of field: KeyPath<Other, Field<Value>>,
        where condition: Condition<Other>? = nil
    ) -> Promise<Value?> {
        ask(relation, condition) { Aggregate(minimum: field, $0) }
    }

    /// The greatest value of a field of the members; nil where none has one.
    public func max<Other: Model, Value: SortableValue>(
        _ relation: ModelArrayField<Other>,
        of field: KeyPath<Other, Field<Value>>,
        where condition: Condition<Other>? = nil
    ) -> Promise<Value?> {
        ask(relation, condition) { Aggregate(maximum: field, $0) }
    }

    /// What `count(_:where:)` gives of a relation, now and after every commit that changes it.
    ///
    /// The relation is not loaded. Its owner is the one of this moment, also when its identifier changes.
    public func observe<Other: Model>(
        count relation: ModelArrayField<Other>,
        where condition: Condition<Other>? = nil
    ) -> LiveValue<Int> {
        live(relation, condition) { Aggregate(count: $0) }
    }

    /// What `sum(_:of:where:)` gives of a relation, now and after every commit that changes it.
    ///
    /// ```swift
    /// for try await balance in store.observe(sum: \.amount, of: account.entries) { show(balance) }
    /// ```
    public func observe<Other: Model, Number: SummableValue>(
        sum field: KeyPath<Other, Field<Number>>,
        of relation: ModelArrayField<Other>,
        where condition: Condition<Other>? = nil
    ) -> LiveValue<Number.Sum> {
        live(relation, condition) { Aggregate(sum: field, $0) }
    }

    private func live<Other: Model, Value>(
        _ relation: ModelArrayField<Other>,
        _ condition: Condition<Other>?,
        _ make: (RecordFilter?) -> Aggregate<Other, Value>
    ) -> LiveValue<Value> {
        let filter = Result { () throws(StoreError) in
            try relation.memberFilter(and: condition?.filter)
        }
        var request = make(try? filter.get()).whole
        if case .failure(let error) = filter { request.refusal = error }
        return live(request)
    }

    private func ask<Other: Model, Value>(
        _ relation: ModelArrayField<Other>,
        _ condition: Condition<Other>?,
        _ make: (RecordFilter?) -> Aggregate<Other, Value>
    ) -> Promise<Value> {
        .trying { ask(make(try relation.memberFilter(and: condition?.filter)).whole) }
    }
}
