import ModelKitFields
import ModelKitModels

/// What is asked of the models of a type, and how the answer is read.
struct Aggregate<M: Model, Value: Sendable & Equatable>: Sendable {
    let record: RecordAggregate
    /// Why it cannot be asked.
    var refusal: StoreError?
    let read: @Sendable (AttributeValue) throws -> Value
}

extension Aggregate {
    /// How many models there are.
    init(count filter: RecordFilter?) where Value == Int {
        self.init(record: RecordAggregate(.count, filter: filter)) { try Int(attributeValue: $0) }
    }

    init<Number: SummableValue>(
        sum path: KeyPath<M, Field<Number>>,
        _ filter: RecordFilter?
    ) where Value == Number.Sum {
        let record = RecordAggregate(.sum(key(of: path)), filter: filter)
        self.init(record: record) { try Self.number($0, record) }
        refusal = Self.refusal(path, record)
    }

    init<Number: SummableValue>(
        average path: KeyPath<M, Field<Number>>,
        _ filter: RecordFilter?
    ) where Value == Number.Average? {
        let record = RecordAggregate(.average(key(of: path)), filter: filter)
        self.init(record: record) { $0.isNull ? nil : try Self.number($0, record) }
        refusal = Self.refusal(path, record)
    }

    init<Wrapped: SortableValue>(
        minimum path: KeyPath<M, Field<Wrapped>>,
        _ filter: RecordFilter?
    ) where Value == Wrapped? {
        let read = reader(of: path)
        self.init(record: RecordAggregate(.minimum(key(of: path)), filter: filter), read: read)
    }

    init<Wrapped: SortableValue>(
        maximum path: KeyPath<M, Field<Wrapped>>,
        _ filter: RecordFilter?
    ) where Value == Wrapped? {
        let read = reader(of: path)
        self.init(record: RecordAggregate(.maximum(key(of: path)), filter: filter), read: read)
    }

    private static func number<Number: AttributeConvertible>(
        _ value: AttributeValue,
        _ record: RecordAggregate
    ) throws(StoreError) -> Number {
        do {
            return try Number(attributeValue: value)
        } catch {
            throw record.refusal(of: M.schema, error.message)
        }
    }

    /// The sum of numbers in another form need not be the form of their sum.
    private static func refusal<Number>(
        _ path: KeyPath<M, Field<Number>>,
        _ record: RecordAggregate
    ) -> StoreError? {
        if prototype(path).hasStandardForm(in: nil) { return nil }
        return record.refusal(of: M.schema, "the field has a form of its own")
    }
}

/// What is asked, of all models at once or by groups.
struct AggregateRequest<M: Model, Answer: Sendable & Equatable>: Sendable {
    let record: RecordAggregate
    var refusal: StoreError?
    let read: @Sendable (RecordTotals) throws -> Answer
}

extension Aggregate {
    /// Of all models at once.
    var whole: AggregateRequest<M, Value> {
        AggregateRequest(record: record, refusal: refusal) { [read] in try read($0.value()) }
    }

    /// By the values of a field.
    func by<Key: GroupingValue>(
        _ path: KeyPath<M, Field<Key>>
    ) -> AggregateRequest<M, [Key?: Value]> {
        by(key(of: path), reader(of: path))
    }

    /// By the identifiers that a foreign key has.
    func by<Other: Model>(
        _ path: KeyPath<M, ModelField<Other>>
    ) -> AggregateRequest<M, [Identifier?: Value]> {
        var request = by(key(of: path)) { value in
            value.isNull ? nil : try Identifier(attributeValue: value)
        }
        if entry(of: path)?.isForeignKey != true {
            let reason = "the field is no foreign key"
            request.refusal = request.record.refusal(of: M.schema, reason)
        }
        return request
    }

    private func by<Key: Hashable & Sendable>(
        _ key: FieldKey,
        _ group: @escaping @Sendable (AttributeValue) throws -> Key?
    ) -> AggregateRequest<M, [Key?: Value]> {
        let record = RecordAggregate(record.function, by: key, filter: record.filter)
        return AggregateRequest(record: record, refusal: refusal) { [read] totals in
            try totals.values(by: group).mapValues(read)
        }
    }
}

/// What makes the value of a field of the form in which it is stored; nil of null.
private func reader<M: Model, Value: AttributeConvertible & Equatable>(
    of path: KeyPath<M, Field<Value>>
) -> @Sendable (AttributeValue) throws -> Value? {
    let field = prototype(path)
    let key = key(of: path, field)
    return { stored in
        if stored.isNull { return nil }
        var scope = ImportScope()
        scope.nullIsNil = true
        if let value = field.transformer?.read(stored, key.path, &scope) { return value }
        let issues = scope.issues.map { "\($0)" }.joined(separator: ", ")
        throw StoreError.corrupt("\(M.schema.name).\(key) is \(stored.shown): \(issues)")
    }
}
