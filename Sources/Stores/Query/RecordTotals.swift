public import ModelKitModels

/// What records make together, for a `RecordAggregate`.
///
/// A store of your own that cannot have it computed adds the records that it finds, in any order:
///
/// ```swift
/// var totals = RecordTotals(RecordAggregate(.sum("amount")), of: Entry.schema)
/// for record in found { totals.add(record) }
/// print(try totals.value())
/// ```
public struct RecordTotals: Sendable {
    private let aggregate: RecordAggregate
    private let schema: ModelSchema
    private let kind: AttributeKind
    private let method: Accumulator.Method
    /// The places of the fields in the schema.
    let slot: Int?
    let groupSlot: Int?
    private var whole = Accumulator()
    private var groups: [AttributeValue: Accumulator] = [:]
    /// A value that is no number, where there can only be such.
    private var misfit: AttributeValue?

    /// Those of no records.
    public init(_ aggregate: RecordAggregate, of schema: ModelSchema) {
        (self.aggregate, self.schema) = (aggregate, schema)
        slot = aggregate.key.flatMap { key in schema.fields.firstIndex { $0.key == key } }
        groupSlot = aggregate.groupKey.flatMap { key in schema.fields.firstIndex { $0.key == key } }
        kind = slot.map { schema.fields[$0].kind } ?? .any
        method =
            switch aggregate.function {
            case .count: .count
            case .sum, .average: kind == .double ? .compensated : .exact
            case .minimum: .least(areNumbers: kind.holdsNumberTexts)
            case .maximum: .greatest(areNumbers: kind.holdsNumberTexts)
            }
    }

    /// Adds what a record has; whether it fulfils the filter is for the store to say.
    public mutating func add(_ record: Record) {
        let value = slot.flatMap { record[$0, schema] } ?? .null
        add(value, to: groupSlot.map { record[$0, schema] ?? .null })
    }

    /// Adds a value to its group, or what so many values make together.
    package mutating func add(
        _ value: AttributeValue,
        of count: Int = 1,
        to group: AttributeValue?
    ) {
        let fits =
            if let group {
                groups[group.rounded, default: Accumulator()].add(value, of: count, method)
            } else {
                whole.add(value, of: count, method)
            }
        if !fits { misfit = value }
    }

    /// Adds the number whose digits a text says; false if it says none.
    package mutating func add(
        digits: UnsafeBufferPointer<UInt8>,
        to group: AttributeValue?
    ) -> Bool {
        guard let group else { return whole.add(digits) }
        return groups[group.rounded, default: Accumulator()].add(digits)
    }

    /// Adds what other records make, as those of a subclass.
    mutating func add(_ other: RecordTotals) {
        whole.add(other.whole, method)
        for (group, accumulator) in other.groups {
            groups[group, default: Accumulator()].add(accumulator, method)
        }
        misfit = misfit ?? other.misfit
    }

    /// How many groups there are.
    var groupCount: Int { groups.count }

    /// Whether what a record makes can be taken away again.
    var isExact: Bool {
        switch method {
        case .count, .exact: true
        case .compensated, .least, .greatest: false
        }
    }

    /// Takes away what records make that were added, where that is exact; a group that has no record is gone if records
    /// are counted.
    mutating func subtract(_ other: RecordTotals) {
        whole.subtract(other.whole)
        for (group, accumulator) in other.groups {
            groups[group, default: Accumulator()].subtract(accumulator)
            if case .count = method, groups[group]?.count == 0 { groups[group] = nil }
        }
        misfit = misfit ?? other.misfit
    }

    /// Forgets the groups of some that others have not.
    mutating func removeGroups(of some: RecordTotals, without others: RecordTotals) {
        for group in some.groups.keys where others.groups[group] == nil { groups[group] = nil }
    }

    /// What all records make, where they are not grouped; `.null` where no values make anything.
    ///
    /// - Throws: `.unsupported` for a sum that the field's kind cannot hold, `.corrupt` for a value that is no
    ///   number.
    public func value() throws(StoreError) -> AttributeValue { try value(of: whole) }

    /// What the records of each group make; that of those without a value has the key `.null`.
    ///
    /// - Throws: What `value()` throws.
    public func valuesByGroup() throws(StoreError) -> [AttributeValue: AttributeValue] {
        var values: [AttributeValue: AttributeValue] = [:]
        for (group, accumulator) in groups { values[group] = try value(of: accumulator) }
        return values
    }

    /// The same by keys that are made of the groups; those with equal ones are put together.
    func values<Key: Hashable>(
        by key: (AttributeValue) throws -> Key
    ) throws -> [Key: AttributeValue] {
        var merged: [Key: Accumulator] = [:]
        for (group, accumulator) in groups {
            merged[try key(group), default: Accumulator()].add(accumulator, method)
        }
        return try merged.mapValues { try value(of: $0) }
    }

    private func value(of accumulator: Accumulator) throws(StoreError) -> AttributeValue {
        if let misfit {
            let field = "\(schema.name).\(aggregate.key ?? "")"
            throw .corrupt("\(field) is \(misfit.shown), which is no number of its kind")
        }
        switch aggregate.function {
        case .count: if accumulator.count < .max { return .int(Int64(accumulator.count)) }
        case .minimum, .maximum: return accumulator.extreme.rounded
        case .average:
            if accumulator.count == 0 { return .null }
            if kind == .decimal {
                let text = accumulator.digits.flatMap { NumberText.quotient($0, accumulator.count) }
                if let text { return .string(text) }
            } else if let sum = double(accumulator) {
                return .double(sum / Double(accumulator.count))
            }
        case .sum:
            if kind == .double {
                if let sum = double(accumulator) { return .double(sum) }
            } else if let digits = accumulator.digits {
                let sum = AttributeValue.string(digits)
                if kind == .decimal { return sum }
                if let number = Int64(digits) { return .int(number) }
                if kind == .unsigned { return sum }
                throw aggregate.refusal(of: schema, "\(digits) is beyond Int64")
            }
        }
        throw aggregate.refusal(of: schema, "it is out of range")
    }

    /// The sum as a double; nil if it is none.
    private func double(_ accumulator: Accumulator) -> Double? {
        let sum =
            kind == .double ? accumulator.compensated : accumulator.digits.flatMap { Double($0) }
        return sum.flatMap { $0.isFinite ? $0 : nil }
    }
}

/// What the values of one group make.
struct Accumulator: Sendable {
    enum Method {
        case count, exact, compensated
        case least(areNumbers: Bool)
        case greatest(areNumbers: Bool)
    }

    /// How many values there were, or records where these are counted; the greatest number where there were more.
    private(set) var count = 0
    private var exact = ExactSum()
    /// Doubles, and what was lost of their sum (Neumaier, 1974).
    private var sum = 0.0
    private var compensation = 0.0
    private(set) var extreme = AttributeValue.null

    /// The text of an exact sum.
    var digits: String? { exact.text }

    /// The sum of doubles.
    var compensated: Double { sum + compensation }

    /// Adds what so many values make together; false if it is no number where one has to be.
    mutating func add(_ value: AttributeValue, of count: Int, _ method: Method) -> Bool {
        switch (method, value) {
        case (.count, _): break
        case (_, .null): return true
        case (.exact, .int(let number)): exact.add(number)
        case (.exact, .string(let text)): if !text.withBytes({ exact.add($0) }) { return false }
        case (.compensated, .double(let number)): add(number)
        case (.compensated, .int(let number)): add(Double(number))
        case (.least(let areNumbers), _): take(value, if: .less, areNumbers)
        case (.greatest(let areNumbers), _): take(value, if: .greater, areNumbers)
        default: return false
        }
        add(count: count)
        return true
    }

    mutating func add(_ digits: UnsafeBufferPointer<UInt8>) -> Bool {
        count += 1
        return exact.add(digits)
    }

    mutating func add(_ other: Accumulator, _ method: Method) {
        _ = add(other.extreme, of: 0, method)
        add(count: other.count)
        exact.add(other.exact)
        add(other.sum)
        compensation += other.compensation
    }

    /// Takes away what was added, of counts and exact sums.
    mutating func subtract(_ other: Accumulator) {
        count -= other.count
        exact.subtract(other.exact)
    }

    private mutating func add(count other: Int) {
        let (sum, isBeyond) = count.addingReportingOverflow(other)
        count = isBeyond ? .max : sum
    }

    private mutating func add(_ number: Double) {
        let next = sum + number
        compensation +=
            sum.magnitude >= number.magnitude ? sum - next + number : number - next + sum
        sum = next
    }

    private mutating func take(
        _ value: AttributeValue,
        if order: ValueOrder,
        _ areNumbers: Bool
    ) {
        if extreme.isNull || value.listOrder(extreme, asNumbers: areNumbers) == order {
            extreme = value
        }
    }
}

extension AttributeValue {
    /// The same, but for the parts of a date below a microsecond, which not every store keeps.
    package var rounded: AttributeValue {
        guard case .date(let date) = self else { return self }
        return .date(Timestamp.date(microseconds: Timestamp.microseconds(of: date)))
    }
}
