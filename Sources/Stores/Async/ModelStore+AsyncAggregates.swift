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
        try await (count(type, where: condition) as Promise<Int>).value
    }

    /// The same for each value of a field.
    public nonisolated(nonsending) func count<M: Model, Key: AttributeConvertible & Hashable>(
        _ type: M.Type,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Key?: Int] {
        try await (count(type, by: group, where: condition) as Promise<[Key?: Int]>).value
    }

    /// The same for each model that a foreign key has.
    public nonisolated(nonsending) func count<M: Model, Other: Model>(
        _ type: M.Type,
        by group: KeyPath<M, ModelField<Other>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Identifier?: Int] {
        try await (count(type, by: group, where: condition) as Promise<[Identifier?: Int]>).value
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
        try await (sum(type, of: field, where: condition) as Promise<Number.Sum>).value
    }

    /// The same for each value of a field.
    public nonisolated(nonsending) func sum<
        M: Model,
        Number: SummableValue,
        Key: AttributeConvertible & Hashable
    >(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Key?: Number.Sum] {
        try await (sum(type, of: field, by: group, where: condition) as Promise<[Key?: Number.Sum]>)
            .value
    }

    /// The same for each model that a foreign key has.
    public nonisolated(nonsending) func sum<M: Model, Number: SummableValue, Other: Model>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        by group: KeyPath<M, ModelField<Other>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Identifier?: Number.Sum] {
        try await
            (sum(type, of: field, by: group, where: condition) as Promise<[Identifier?: Number.Sum]>)
            .value
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
        try await (average(type, of: field, where: condition) as Promise<Number.Average?>).value
    }

    /// The same for each value of a field.
    public nonisolated(nonsending) func average<
        M: Model,
        Number: SummableValue,
        Key: AttributeConvertible & Hashable
    >(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Key?: Number.Average?] {
        try await
            (average(type, of: field, by: group, where: condition)
            as Promise<[Key?: Number.Average?]>).value
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
    public nonisolated(nonsending) func min<M: Model, Value: AttributeConvertible & Comparable>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Value>>,
        where condition: Condition<M>? = nil
    ) async throws -> Value? {
        try await (min(type, of: field, where: condition) as Promise<Value?>).value
    }

    /// The same for each value of a field.
    public nonisolated(nonsending) func min<
        M: Model,
        Value: AttributeConvertible & Comparable,
        Key: AttributeConvertible & Hashable
    >(
        _ type: M.Type,
        of field: KeyPath<M, Field<Value>>,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Key?: Value?] {
        try await (min(type, of: field, by: group, where: condition) as Promise<[Key?: Value?]>)
            .value
    }

    /// The least value of a field of the members; nil where none has one.
    public nonisolated(nonsending) func min<Other: Model, Value: AttributeConvertible & Comparable>(
        _ relation: ModelArrayField<Other>,
        of field: KeyPath<Other, Field<Value>>,
        where condition: Condition<Other>? = nil
    ) async throws -> Value? {
        try await (min(relation, of: field, where: condition) as Promise<Value?>).value
    }

    /// The greatest value of a field of the models; nil where none has one.
    public nonisolated(nonsending) func max<M: Model, Value: AttributeConvertible & Comparable>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Value>>,
        where condition: Condition<M>? = nil
    ) async throws -> Value? {
        try await (max(type, of: field, where: condition) as Promise<Value?>).value
    }

    /// The same for each value of a field.
    public nonisolated(nonsending) func max<
        M: Model,
        Value: AttributeConvertible & Comparable,
        Key: AttributeConvertible & Hashable
    >(
        _ type: M.Type,
        of field: KeyPath<M, Field<Value>>,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) async throws -> [Key?: Value?] {
        try await (max(type, of: field, by: group, where: condition) as Promise<[Key?: Value?]>)
            .value
    }

    /// The greatest value of a field of the members; nil where none has one.
    public nonisolated(nonsending) func max<Other: Model, Value: AttributeConvertible & Comparable>(
        _ relation: ModelArrayField<Other>,
        of field: KeyPath<Other, Field<Value>>,
        where condition: Condition<Other>? = nil
    ) async throws -> Value? {
        try await (max(relation, of: field, where: condition) as Promise<Value?>).value
    }
}
