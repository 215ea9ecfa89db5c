import ModelKitModels

/// What a filter says of the values of a row, of which there is one for each field; nil is unknown.
struct RowTest: Sendable {
    typealias Function = @Sendable (UnsafePointer<AttributeValue>) -> Bool?

    /// What most filters are, and no more than that.
    enum Plain: Sendable {
        case number(slot: Int, RecordFilter.Comparison, Int64)
        case text(slot: Int, String)
    }

    let plain: Plain?
    let function: Function

    init(
        _ filter: RecordFilter,
        of table: MemoryTable,
        in tables: RecordTables
    ) throws(StoreError) {
        guard case .compare(let key, let comparison, let other) = filter,
            let slot = table.slot(of: key)
        else {
            function = try tables.test(filter, of: table)
            plain = nil
            return
        }
        let areNumbers = table.schema.fields[slot].kind.holdsNumberTexts
        function = RecordTables.comparison(slot, comparison, other, areNumbers)
        switch (other, comparison) {
        case _ where areNumbers: plain = nil
        case (.int(let number), _): plain = .number(slot: slot, comparison, number)
        case (.string(let text), .equal): plain = .text(slot: slot, text)
        default: plain = nil
        }
    }
}

extension RecordTables {
    /// A filter as a function of the rows of a type, in which no key has to be looked for.
    ///
    /// Throws where two types of one name meet.
    func test(_ filter: RecordFilter, of table: MemoryTable) throws(StoreError) -> RowTest.Function
    {
        switch filter {
        case .compare(let key, let comparison, let other):
            guard let slot = table.slot(of: key) else { return { _ in nil } }
            let areNumbers = table.schema.fields[slot].kind.holdsNumberTexts
            return Self.comparison(slot, comparison, other, areNumbers)
        case .isNull(let key):
            guard let slot = table.slot(of: key) else { return { _ in true } }
            return { $0[slot].isNull }
        case .isIn(let key, let others):
            if others.isEmpty { return { _ in false } }
            guard let slot = table.slot(of: key) else { return { _ in nil } }
            if table.schema.fields[slot].kind.holdsNumberTexts {
                let list = ValueList(others.map(\.numberListKey))
                return { list.contains($0[slot].numberListKey) }
            }
            let list = ValueList(others)
            return { list.contains($0[slot]) }
        case .contains(let key, let other):
            return Self.containment(table.slot(of: key), [other])
        case .hasPrefix(let key, let prefix):
            return Self.text(table.slot(of: key)) { $0.utf8.starts(with: prefix.utf8) }
        case .hasSuffix(let key, let suffix):
            return Self.text(table.slot(of: key)) { $0.hasSuffixBytes(suffix) }
        case .hasSubstring(let key, let part):
            return Self.text(table.slot(of: key)) { $0.hasBytes(part) }
        case .has(let key, let partner, let filter):
            guard let slot = table.slot(of: key) else { return { _ in nil } }
            let related = try related(filter, of: partner)
            return { related($0[slot]) }
        case .hasAny(let key, let partner, let filter):
            guard let slot = table.slot(of: key) else { return { _ in false } }
            let related = try related(filter, of: partner)
            return { values in
                guard case .array(let elements) = values[slot] else { return false }
                return elements.contains { related($0) == true }
            }
        case .and(let filters):
            let tests = try filters.map { (filter) throws(StoreError) in try test(filter, of: table)
            }
            return { values in
                var isKnown = true
                for test in tests {
                    switch test(values) {
                    case false?: return false
                    case true?: continue
                    case nil: isKnown = false
                    }
                }
                return isKnown ? true : nil
            }
        case .or(let filters):
            if let (key, others) = filter.contained {
                return Self.containment(table.slot(of: key), others)
            }
            let tests = try filters.map { (filter) throws(StoreError) in try test(filter, of: table)
            }
            return { values in
                var isKnown = true
                for test in tests {
                    switch test(values) {
                    case true?: return true
                    case false?: continue
                    case nil: isKnown = false
                    }
                }
                return isKnown ? false : nil
            }
        case .not(let filter):
            let test = try test(filter, of: table)
            return { test($0).map(!) }
        }
    }

    fileprivate static func comparison(
        _ slot: Int,
        _ comparison: RecordFilter.Comparison,
        _ other: AttributeValue,
        _ areNumbers: Bool
    ) -> RowTest.Function {
        if areNumbers {
            guard let other = other.number else { return { _ in nil } }
            // What is stored was checked.
            return { values in
                if values[slot].isNull { return nil }
                return values[slot].compareNumber(other).map(comparison.holds)
            }
        }
        switch other {
        case .int(let number):
            return { values in
                if case .int(let value) = values[slot] {
                    return comparison.holds(ValueOrder(value, number))
                }
                return values[slot].compare(other).map(comparison.holds)
            }
        case .string(let text) where comparison == .equal:
            return { values in
                guard case .string(let value) = values[slot] else { return nil }
                return value.hasSameBytes(as: text)
            }
        default:
            return { $0[slot].compare(other).map(comparison.holds) }
        }
    }

    /// Whether an array has one of some values.
    private static func containment(
        _ slot: Int?,
        _ others: [AttributeValue]
    ) -> RowTest.Function {
        guard let slot else { return { _ in nil } }
        let list = ValueList(others)
        return { values in
            guard case .array(let elements) = values[slot] else { return nil }
            return elements.contains { list.contains($0) == true }
        }
    }

    private static func text(
        _ slot: Int?,
        _ test: @escaping @Sendable (String) -> Bool
    ) -> RowTest.Function {
        guard let slot else { return { _ in nil } }
        return { values in
            guard case .string(let text) = values[slot] else { return nil }
            return test(text)
        }
    }

    /// What a filter says of the model that a value stands for.
    private func related(
        _ filter: RecordFilter,
        of partner: ModelSchema
    ) throws(StoreError) -> @Sendable (AttributeValue) -> Bool? {
        // A model that is kept inside may be of a type that the store has no records of.
        guard partner.identifier != nil else {
            return { value in
                guard case .dictionary(let model) = value else { return nil }
                return filter.evaluate(ModelFacts(model: model, schema: partner, outer: self))
            }
        }
        let table = try table(of: partner)
        let test = try RowTest(filter, of: table, in: self)
        return { value in
            switch value {
            case .dictionary(let model):
                return filter.evaluate(ModelFacts(model: model, schema: partner, outer: self))
            default:
                guard let identifier = try? Identifier(attributeValue: value) else { return nil }
                guard let row = table.row(identifier) else { return nil }
                return withUnsafePointer(to: row) { $0.fulfils(test) }
            }
        }
    }
}

extension AttributeValue {
    /// A number as the text that stands for it in lists; null if it is none.
    fileprivate var numberListKey: AttributeValue { numberKey.map { .string($0) } ?? .null }
}

extension RecordTables: FilterFacts {
    var schema: ModelSchema? { nil }

    func known(_ key: FieldKey) -> AttributeValue? { nil }

    func find(_ identifier: Identifier, _ schema: ModelSchema) -> RecordValues? {
        (try? table(of: schema))?[identifier]?.storage
    }
}
