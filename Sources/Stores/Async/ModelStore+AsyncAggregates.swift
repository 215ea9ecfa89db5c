public import ModelKitFields
public import ModelKitModels
import ModelKitPromises

// Aggregates in async code; see the forms that give promises.
extension ModelStore {
    /// How many models fulfil a condition.
    public nonisolated(nonsending) func count<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil
    ) async throws -> Int {
        try await ask(Aggregate<M, Int>(count: condition?.filter).whole).value
    }

    /// The same for each value of a field.
    public nonisolated(nonsending) func count<M: Model, Key: GroupingValue>(
        _ type: M.Type,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Key?: Int] {
        try await ask(Aggregate<M, Int>(count: condition?.filter).by(group)).value
    }

    /// The same for each model that a foreign key has.
    public nonisolated(nonsending) func count<M: Model, Other: Model>(
        _ type: M.Type,
        by group: KeyPath<M, ModelField<Other>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Identifier?: Int] {
        try await ask(Aggregate<M, Int>(count: condition?.filter).by(group)).value
    }

    /// How many members of a relation fulfil a condition.
    public nonisolated(nonsending) func count<Other: Model>(
        _ relation: ModelArrayField<Other>,
        where condition: Condition<Other>? = nil
    ) async throws -> Int {
        try await (count(relation, where: condition) as Promise<Int>).value
    }

    /// The sum of a field of the models; 0 where none has a value.
    public nonisolated(nonsending) func sum<M: Model, Number: SummableValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        where condition: Condition<M>? = nil
    ) async throws -> Number.Sum {
        try await ask(Aggregate(sum: field, condition?.filter).whole).value
    }

    /// The same for each value of a field.
    public nonisolated(nonsending) func sum<M: Model, Number: SummableValue, Key: GroupingValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Key?: Number.Sum] {
        try await ask(Aggregate(sum: field, condition?.filter).by(group)).value
    }

    /// The same for each model that a foreign key has.
    public nonisolated(nonsending) func sum<M: Model, Number: SummableValue, Other: Model>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        by group: KeyPath<M, ModelField<Other>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Identifier?: Number.Sum] {
        try await ask(Aggregate(sum: field, condition?.filter).by(group)).value
    }

    /// The sum of a field of the members; 0 where none has a value.
    public nonisolated(nonsending) func sum<Other: Model, Number: SummableValue>(
        _ relation: ModelArrayField<Other>,
        of field: KeyPath<Other, Field<Number>>,
        where condition: Condition<Other>? = nil
    ) async throws -> Number.Sum {
        try await (sum(relation, of: field, where: condition) as Promise<Number.Sum>).value
    }

    /// The mean of a field of the models; nil where none has a value.
    public nonisolated(nonsending) func average<M: Model, Number: SummableValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        where condition: Condition<M>? = nil
    ) async throws -> Number.Average? {
        try await ask(Aggregate(average: field, condition?.filter).whole).value
    }

    /// The same for each value of a field.
    public nonisolated(nonsending) func average<
        M: Model,
        Number: SummableValue,
        Key: GroupingValue
    >(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Key?: Number.Average?] {
        try await ask(Aggregate(average: field, condition?.filter).by(group)).value
    }

    /// The mean of a field of the members; nil where none has a value.
    public nonisolated(nonsending) func average<Other: Model, Number: SummableValue>(
        _ relation: ModelArrayField<Other>,
        of field: KeyPath<Other, Field<Number>>,
        where condition: Condition<Other>? = nil
    ) async throws -> Number.Average? {
        try await (average(relation, of: field, where: condition) as Promise<Number.Average?>).value
    }

    /// The least value of a field of the models; nil where none has one.
    public nonisolated(nonsending) func min<M: Model, Value: SortableValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Value>>,
        where condition: Condition<M>? = nil
    ) async throws -> Value? {
        try await ask(Aggregate(minimum: field, condition?.filter).whole).value
    }

    /// The same for each value of a field.
    public nonisolated(nonsending) func min<M: Model, Value: SortableValue, Key: GroupingValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Value>>,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Key?: Value?] {
        try await ask(Aggregate(minimum: field, condition?.filter).by(group)).value
    }

    /// The least value of a field of the members; nil where none has one.
    public nonisolated(nonsending) func min<Other: Model, Value: SortableValue>(
        _ relation: ModelArrayField<Other>,
        of field: KeyPath<Other, Field<Value>>,
        where condition: Condition<Other>? = nil
    ) async throws -> Value? {
        try await (min(relation, of: field, where: condition) as Promise<Value?>).value
    }

    /// The greatest value of a field of the models; nil where none has one.
    public nonisolated(nonsending) func max<M: Model, Value: SortableValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Value>>,
        where condition: Condition<M>? = nil
    ) async throws -> Value? {
        try await ask(Aggregate(maximum: field, condition?.filter).whole).value
    }

    /// The same for each value of a field.
    public nonisolated(nonsending) func max<M: Model, Value: SortableValue, Key: GroupingValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Value>>,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Key?: Value?] {
        try await ask(Aggregate(maximum: field, condition?.filter).by(group)).value
    }

    /// The greatest value of a field of the members; nil where none has one.
    public nonisolated(nonsending) func max<Other: Model, Value: SortableValue>(
        _ relation: ModelArrayField<Other>,
        of field: KeyPath<Other, Field<Value>>,
        where condition: Condition<Other>? = nil
    ) async throws -> Value? {
        try await (max(relation, of: field, where: condition) as Promise<Value?>).value
    }
}
