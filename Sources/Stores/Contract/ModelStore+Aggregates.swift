public import ModelKitFields
public import ModelKitModels
public import ModelKitPromises

extension ModelStore {
    /// Asks for what the models make.
    func ask<M: Model, Answer>(_ request: AggregateRequest<M, Answer>) -> Promise<Answer> {
        if let refusal = request.refusal { return .failed(refusal) }
        return totals(M.self, of: request.record, reading: request.read)
    }

    func live<M: Model, Answer>(
        _ request: AggregateRequest<M, Answer>
    ) -> LiveValue<Answer> {
        var live = observe(M.self, totals: request.record, reading: request.read)
        live.refusal = request.refusal
        return live
    }
}

extension ModelStore {
    /// How many models fulfil a condition.
    ///
    /// Nothing of the models is read.
    ///
    /// ```swift
    /// let adults = try await store.count(Person.self, where: \.age >= 18).value
    /// ```
    public func count<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil
    ) -> Promise<Int> {
        ask(Aggregate<M, Int>(count: condition?.filter).whole)
    }

    /// The sum of a field of the models that fulfil a condition; 0 where none has a value.
    ///
    /// It is exact, whatever the order of the models, for integers and decimals; doubles are added with
    /// compensation. A sum that its type cannot hold is an `.unsupported` error, which names the field; so is that
    /// of a field with a transformer of its own.
    ///
    /// ```swift
    /// let total = try await store.sum(Entry.self, of: \.amount, where: \.account == account).value
    /// ```
    public func sum<M: Model, Number: SummableValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        where condition: Condition<M>? = nil
    ) -> Promise<Number.Sum> {
        ask(Aggregate(sum: field, condition?.filter).whole)
    }

    /// The mean of a field; nil where none of the models has a value.
    ///
    /// That of decimals is rounded to 38 digits, half to even.
    public func average<M: Model, Number: SummableValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        where condition: Condition<M>? = nil
    ) -> Promise<Number.Average?> {
        ask(Aggregate(average: field, condition?.filter).whole)
    }

    /// The least value of a field; nil where none of the models has one.
    ///
    /// Values are compared in the form that the field stores, as lists are sorted.
    public func min<M: Model, Value: SortableValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Value>>,
        where condition: Condition<M>? = nil
    ) -> Promise<Value?> {
        ask(Aggregate(minimum: field, condition?.filter).whole)
    }

    /// The greatest value of a field; nil where none of the models has one.
    public func max<M: Model, Value: SortableValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Value>>,
        where condition: Condition<M>? = nil
    ) -> Promise<Value?> {
        ask(Aggregate(maximum: field, condition?.filter).whole)
    }
}

// By groups. Models without a value in the field are the group nil; there is none without models.
extension ModelStore {
    /// The same as `count(_:where:)`, for each value of a field.
    public func count<M: Model, Key: GroupingValue>(
        _ type: M.Type,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) -> Promise<[Key?: Int]> {
        ask(Aggregate<M, Int>(count: condition?.filter).by(group))
    }

    /// The same for the identifier of each model that a foreign key has.
    public func count<M: Model, Other: Model>(
        _ type: M.Type,
        by group: KeyPath<M, ModelField<Other>>,
        where condition: Condition<M>? = nil
    ) -> Promise<[Identifier?: Int]> {
        ask(Aggregate<M, Int>(count: condition?.filter).by(group))
    }

    /// The same as `sum(_:of:where:)`, for each value of a field.
    ///
    /// ```swift
    /// let sums = try await store.sum(Entry.self, of: \.amount, by: \.category).value
    /// ```
    public func sum<M: Model, Number: SummableValue, Key: GroupingValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) -> Promise<[Key?: Number.Sum]> {
        ask(Aggregate(sum: field, condition?.filter).by(group))
    }

    /// The same for the identifier of each model that a foreign key has.
    public func sum<M: Model, Number: SummableValue, Other: Model>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        by group: KeyPath<M, ModelField<Other>>,
        where condition: Condition<M>? = nil
    ) -> Promise<[Identifier?: Number.Sum]> {
        ask(Aggregate(sum: field, condition?.filter).by(group))
    }

    /// The same as `average(_:of:where:)`, for each value of a field.
    public func average<M: Model, Number: SummableValue, Key: GroupingValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Number>>,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) -> Promise<[Key?: Number.Average?]> {
        ask(Aggregate(average: field, condition?.filter).by(group))
    }

    /// The same as `min(_:of:where:)`, for each value of a field.
    public func min<M: Model, Value: SortableValue, Key: GroupingValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Value>>,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) -> Promise<[Key?: Value?]> {
        ask(Aggregate(minimum: field, condition?.filter).by(group))
    }

    /// The same as `max(_:of:where:)`, for each value of a field.
    public func max<M: Model, Value: SortableValue, Key: GroupingValue>(
        _ type: M.Type,
        of field: KeyPath<M, Field<Value>>,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) -> Promise<[Key?: Value?]> {
        ask(Aggregate(maximum: field, condition?.filter).by(group))
    }
}

// Live.
extension ModelStore {
    /// What `count(_:where:)` gives, now and after every commit that changes it.
    public func observe<M: Model>(
        count type: M.Type,
        where condition: Condition<M>? = nil
    ) -> LiveValue<Int> {
        live(Aggregate<M, Int>(count: condition?.filter).whole)
    }

    /// What `count(_:by:where:)` gives, now and after every commit that changes it.
    public func observe<M: Model, Key: GroupingValue>(
        count type: M.Type,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) -> LiveValue<[Key?: Int]> {
        live(Aggregate<M, Int>(count: condition?.filter).by(group))
    }

    /// The same for the identifier of each model that a foreign key has.
    public func observe<M: Model, Other: Model>(
        count type: M.Type,
        by group: KeyPath<M, ModelField<Other>>,
        where condition: Condition<M>? = nil
    ) -> LiveValue<[Identifier?: Int]> {
        live(Aggregate<M, Int>(count: condition?.filter).by(group))
    }

    /// What `sum(_:of:where:)` gives, now and after every commit that changes it.
    ///
    /// ```swift
    /// let balance = store.observe(sum: \.amount, of: Entry.self, where: \.account == account)
    /// for try await sum in balance { print(sum) }
    /// ```
    public func observe<M: Model, Number: SummableValue>(
        sum field: KeyPath<M, Field<Number>>,
        of type: M.Type,
        where condition: Condition<M>? = nil
    ) -> LiveValue<Number.Sum> {
        live(Aggregate(sum: field, condition?.filter).whole)
    }

    /// What `sum(_:of:by:where:)` gives, now and after every commit that changes it.
    public func observe<M: Model, Number: SummableValue, Key: GroupingValue>(
        sum field: KeyPath<M, Field<Number>>,
        of type: M.Type,
        by group: KeyPath<M, Field<Key>>,
        where condition: Condition<M>? = nil
    ) -> LiveValue<[Key?: Number.Sum]> {
        live(Aggregate(sum: field, condition?.filter).by(group))
    }

    /// The same for the identifier of each model that a foreign key has.
    public func observe<M: Model, Number: SummableValue, Other: Model>(
        sum field: KeyPath<M, Field<Number>>,
        of type: M.Type,
        by group: KeyPath<M, ModelField<Other>>,
        where condition: Condition<M>? = nil
    ) -> LiveValue<[Identifier?: Number.Sum]> {
        live(Aggregate(sum: field, condition?.filter).by(group))
    }

    /// What `average(_:of:where:)` gives, now and after every commit that changes it.
    public func observe<M: Model, Number: SummableValue>(
        average field: KeyPath<M, Field<Number>>,
        of type: M.Type,
        where condition: Condition<M>? = nil
    ) -> LiveValue<Number.Average?> {
        live(Aggregate(average: field, condition?.filter).whole)
    }

    /// What `min(_:of:where:)` gives, now and after every commit that changes it.
    public func observe<M: Model, Value: SortableValue>(
        min field: KeyPath<M, Field<Value>>,
        of type: M.Type,
        where condition: Condition<M>? = nil
    ) -> LiveValue<Value?> {
        live(Aggregate(minimum: field, condition?.filter).whole)
    }

    /// What `max(_:of:where:)` gives, now and after every commit that changes it.
    public func observe<M: Model, Value: SortableValue>(
        max field: KeyPath<M, Field<Value>>,
        of type: M.Type,
        where condition: Condition<M>? = nil
    ) -> LiveValue<Value?> {
        live(Aggregate(maximum: field, condition?.filter).whole)
    }
}
