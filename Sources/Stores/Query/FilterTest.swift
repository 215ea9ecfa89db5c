import ModelKitFields
package import ModelKitModels

/// A filter that records are asked by, made a function for the first of them.
package final class FilterTest {
    /// Finds the record that a foreign key leads to.
    package typealias Find = (Identifier, ModelSchema) -> Record?

    private let filter: RecordFilter
    private let schema: ModelSchema?
    private let keys: [FieldKey]
    private let find: Find
    private lazy var function = FilterRows(
        schema: schema,
        keys: keys,
        areStored: false,
        related: { [find] in FilterTest($0, of: $1, find: find).result }
    )
    .function(of: filter)

    /// - Parameters:
    ///   - filter: The filter.
    ///   - schema: The type of what is asked; nil if it is not known.
    ///   - find: Finds records of other types.
    package init(_ filter: RecordFilter, of schema: ModelSchema?, find: @escaping Find) {
        (self.filter, self.schema, self.find) = (filter, schema, find)
        var known: Set<FieldKey> = []
        keys = filter.keys.filter { known.insert($0).inserted }
    }

    /// Whether a record fulfils it: true, and not unknown.
    package func holds(for record: Record) -> Bool { result { record[$0] } == true }

    /// What it says of the model that a value stands for: the model itself, or its identifier.
    func result(of value: AttributeValue) -> Bool? {
        if case .dictionary(let model) = value { return result(model.value(atKey:)) }
        guard let schema, let identifier = try? Identifier(attributeValue: value) else {
            return nil
        }
        return find(identifier, schema).flatMap { record in result { record[$0] } }
    }

    private func result(_ value: (FieldKey) -> AttributeValue?) -> Bool? {
        keys.map { value($0) ?? .null }.withUnsafeBufferPointer(function)
    }
}

/// Rows of values that filters are made functions of, in which no key has to be looked for.
struct FilterRows {
    /// What a filter says of the values of a row; nil is unknown.
    typealias Function = (UnsafeBufferPointer<AttributeValue>) -> Bool?

    /// The type that the values are of; nil if it is not known.
    let schema: ModelSchema?
    /// The keys of the values, in their order.
    let keys: [FieldKey]
    /// Whether the texts of numbers were checked.
    let areStored: Bool
    /// What a filter says of the related model of a type that a value stands for.
    let related: (RecordFilter, ModelSchema) -> (AttributeValue) -> Bool?

    func function(of filter: RecordFilter) -> Function {
        switch filter {
        case .and(let filters): return function(of: filters, until: false)
        case .or(let filters):
            if let (key, others) = filter.contained, let slot = keys.firstIndex(of: key) {
                return containment(slot, others)
            }
            return function(of: filters, until: true)
        case .not(let filter):
            let function = function(of: filter)
            return { function($0).map(!) }
        default:
            // Of a key that there is not, nothing is known.
            guard let key = filter.key, let slot = keys.firstIndex(of: key) else {
                return { _ in nil }
            }
            return function(of: filter, slot)
        }
    }

    private func function(of filter: RecordFilter, _ slot: Int) -> Function {
        switch filter {
        case .compare(_, let comparison, let other): return self.comparison(slot, comparison, other)
        case .isNull: return { $0[slot].isNull }
        case .isIn(_, let others):
            if others.isEmpty { return { _ in false } }
            if holdsNumberTexts(slot) {
                let list = ValueList(others.map(\.numberListKey))
                return { list.contains($0[slot].numberListKey) }
            }
            let list = ValueList(others)
            return { list.contains($0[slot]) }
        case .contains(_, let other): return containment(slot, [other])
        case .hasPrefix(_, let prefix): return text(slot) { $0.utf8.starts(with: prefix.utf8) }
        case .hasSuffix(_, let suffix): return text(slot) { $0.hasSuffixBytes(suffix) }
        case .hasSubstring(_, let part): return text(slot) { $0.hasBytes(part) }
        case .has(_, let partner, let filter):
            let related = related(filter, partner)
            return { related($0[slot]) }
        case .hasAny(_, let partner, let filter):
            let related = related(filter, partner)
            return { row in
                guard case .array(let elements) = row[slot] else {
                    return related(row[slot]) == true
                }
                return elements.contains { related($0) == true }
            }
        case .and, .or, .not: return function(of: filter)
        }
    }

    /// What several filters say: `decisive` if one does, else unknown if one is, else the opposite.
    private func function(of filters: [RecordFilter], until decisive: Bool) -> Function {
        let functions = filters.map { function(of: $0) }
        return { row in
            var isKnown = true
            for function in functions {
                let result = function(row)
                if result == decisive { return decisive }
                if result == nil { isKnown = false }
            }
            return isKnown ? !decisive : nil
        }
    }

    private func comparison(
        _ slot: Int,
        _ comparison: RecordFilter.Comparison,
        _ other: AttributeValue
    ) -> Function {
        if holdsNumberTexts(slot) {
            guard let other = other.number else { return { _ in nil } }
            if areStored { return { $0[slot].compareNumber(other).map(comparison.holds) } }
            return { $0[slot].number?.compareNumber(other).map(comparison.holds) }
        }
        switch other {
        case .int(let number):
            return { row in
                if case .int(let value) = row[slot] {
                    return comparison.holds(ValueOrder(value, number))
                }
                return row[slot].compare(other).map(comparison.holds)
            }
        case .string(let text) where comparison == .equal:
            return { row in
                guard case .string(let value) = row[slot] else { return nil }
                return value.hasSameBytes(as: text)
            }
        default: return { $0[slot].compare(other).map(comparison.holds) }
        }
    }

    /// Whether an array has one of some values.
    private func containment(_ slot: Int, _ others: [AttributeValue]) -> Function {
        let list = ValueList(others)
        return { row in
            guard case .array(let elements) = row[slot] else { return nil }
            return elements.contains { list.contains($0) == true }
        }
    }

    private func text(_ slot: Int, _ test: @escaping (String) -> Bool) -> Function {
        { row in
            guard case .string(let text) = row[slot] else { return nil }
            return test(text)
        }
    }

    private func holdsNumberTexts(_ slot: Int) -> Bool {
        schema?.holdsNumberTexts(keys[slot]) ?? false
    }
}

extension AttributeValue {
    /// A number as the text that stands for it in lists; null if it is none.
    fileprivate var numberListKey: AttributeValue { numberKey.map { .string($0) } ?? .null }
}
