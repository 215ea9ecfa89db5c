public import ModelKitModels

/// What a store is asked of many records at once: how many there are, or what their values make together.
///
/// A value that is nil is skipped; as a group, nil is one of its own. Of no values the sum is 0, and what else
/// is asked of them is nil. Groups are those of equal values in Swift, and of dates to the microsecond.
///
/// ```swift
/// let perCategory = RecordAggregate(.sum("amount"), by: "category", filter: .isNull("account"))
/// ```
public struct RecordAggregate: Sendable, Hashable {
    /// What is made of the values of a field, by its key.
    ///
    /// ```swift
    /// let function = RecordAggregate.Function.maximum("amount")
    /// ```
    public enum Function: Sendable, Hashable {
        /// How many records there are.
        case count
        /// The sum of numbers: exact, but for doubles, which are added with compensation.
        case sum(FieldKey)
        /// Their mean: of decimals to 38 digits, half to even, of other numbers a double.
        case average(FieldKey)
        /// The least value in the order that `RecordQuery.Order` sorts by.
        case minimum(FieldKey)
        case maximum(FieldKey)
    }

    public var function: Function
    /// The field by whose values the records are grouped; nil where they are all one.
    public var groupKey: FieldKey?
    public var filter: RecordFilter?

    public init(
        _ function: Function,
        by groupKey: FieldKey? = nil,
        filter: RecordFilter? = nil
    ) {
        self.function = function
        self.groupKey = groupKey
        self.filter = filter
    }

    /// The field whose values are taken.
    package var key: FieldKey? {
        switch function {
        case .count: nil
        case .sum(let key), .average(let key), .minimum(let key), .maximum(let key): key
        }
    }

    /// Throws what a query of its filter does, `.schema` for a key that no field has, and `.unsupported` for
    /// values that cannot be added up or compared.
    package func check(of schema: ModelSchema) throws(StoreError) {
        try RecordQuery(filter: filter).check(of: schema)
        try schema.check(keys: [key, groupKey].compactMap { $0 })
        guard let key, let entry = schema.fields.first(where: { $0.key == key }) else { return }
        let isPossible =
            switch function {
            case .count: true
            case .sum, .average: [.int, .unsigned, .decimal, .double].contains(entry.kind)
            case .minimum, .maximum: entry.kind != .array && entry.kind != .dictionary
            }
        if isPossible { return }
        throw refusal(of: schema, "\(key) is declared as \(entry.kind)")
    }

    /// The error of what cannot be made of a type's records.
    func refusal(of schema: ModelSchema, _ reason: String) -> StoreError {
        .unsupported("there is no way to give \(self) of \(schema.name): \(reason)")
    }
}

extension RecordAggregate: CustomStringConvertible {
    /// Such as `the sum of amount by category`.
    public var description: String {
        let what =
            switch function {
            case .count: "the count"
            case .sum(let key): "the sum of \(key)"
            case .average(let key): "the average of \(key)"
            case .minimum(let key): "the minimum of \(key)"
            case .maximum(let key): "the maximum of \(key)"
            }
        return groupKey.map { "\(what) by \($0)" } ?? what
    }
}
