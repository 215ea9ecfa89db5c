import ModelKitModels

/// The records of a table in the order of a field's values, or of the elements of those, and then of their
/// identifiers.
struct FieldIndex: Sendable {
    struct Entry: Sendable {
        let value: AttributeValue
        let identifier: Identifier
        let place: Int64
    }

    typealias Position = OrderedChunks<Entry>.Position

    /// The place of the field among those of the schema.
    let slot: Int
    let isUnique: Bool
    /// Whether the values are numbers of which some or all are texts: here all are keys, as `key` makes them.
    let holdsNumberTexts: Bool
    /// Whether a record stands at each element that its value has, and not at the value.
    let holdsElements: Bool
    private(set) var entries = OrderedChunks<Entry>()

    init(slot: Int, of entry: ModelSchema.Entry) {
        self.slot = slot
        isUnique = entry.isUnique
        holdsNumberTexts = entry.kind.holdsNumberTexts
        holdsElements = entry.isIndexedByElement
    }

    mutating func removeAll() { entries = OrderedChunks() }

    /// What stands for a value here; nil if no value of the field compares with it.
    func key(of value: AttributeValue) -> AttributeValue? {
        guard holdsNumberTexts, !value.isNull else { return value }
        return value.numberKey.map { .string($0) }
    }

    /// The same where values are sorted.
    func sortKey(of value: AttributeValue) -> AttributeValue {
        guard holdsNumberTexts else { return value }
        return value.numberSortKey.map { .string($0) } ?? .null
    }

    /// Puts a row in the place of another one of the same record, or of none.
    mutating func replace(_ old: MemoryRow?, by row: MemoryRow?) {
        if let before = old?.values[slot], let after = row?.values[slot] {
            // Any two arrays are alike in a list.
            let isSame =
                holdsElements ? before.isSame(as: after) : before.listOrder(after) == .equal
            if isSame { return }
        }
        if let old { change(old, isAdded: false) }
        if let row { change(row, isAdded: true) }
    }

    private mutating func change(_ row: MemoryRow, isAdded: Bool) {
        let value = row.values[slot]
        if !holdsElements { return change(row, at: sortKey(of: value), isAdded) }
        for element in value.elementsToCompare { change(row, at: element, isAdded) }
    }

    private mutating func change(_ row: MemoryRow, at value: AttributeValue, _ isAdded: Bool) {
        let position = position(of: value) { $0.precedes(row.identifier) }
        if !isAdded { return entries.remove(at: position) }
        let entry = Entry(value: value, identifier: row.identifier, place: row.place)
        entries.insert(entry, at: position)
    }

    /// The place after a record of a value.
    func position(after value: AttributeValue, _ identifier: Identifier) -> Position {
        position(of: value) { !identifier.precedes($0) }
    }

    /// The place among the records of a value that parts those of which something holds from the rest.
    @inline(__always)
    private func position(
        of value: AttributeValue,
        after isBefore: (Identifier) -> Bool
    ) -> Position {
        entries.partition { entry in
            switch entry.pointee.value.listOrder(value) {
            case .less: true
            case .equal: isBefore(entry.pointee.identifier)
            case .greater: false
            }
        }
    }

    /// A record that has a value, if any two values of its kind compare.
    func holder(of value: AttributeValue) -> Identifier? {
        guard !value.isNull, let value = key(of: value) else { return nil }
        let next = entries.element(after: start(of: value))
        guard let next, next.value.compare(value) == .equal else { return nil }
        return next.identifier
    }

    // MARK: Places, of keys

    /// The place before the values that equal a value.
    func start(of value: AttributeValue) -> Position {
        guard case .string(var text) = value else {
            return position(of: value) { _ in false }
        }
        // What is looked for is taken apart once.
        return text.withUTF8 { bytes in
            entries.partition { $0.pointee.value.precedes(text: bytes) }
        }
    }

    /// The place after the values that equal a value.
    func end(of value: AttributeValue) -> Position {
        position(of: value) { _ in true }
    }

    /// The place before the nulls.
    var nulls: Position { entries.partition { !$0.pointee.value.isNull } }

    /// The places around the values that stand to a value in a way; nil if none compares with it.
    func span(_ comparison: RecordFilter.Comparison, _ value: AttributeValue) -> FieldSpan? {
        guard value.isComparable else { return nil }
        let rank = value.sortRank
        return switch comparison {
        case .equal: span(of: value)
        case .less: FieldSpan(lower: start(ofRank: rank), upper: start(of: value))
        case .lessOrEqual: FieldSpan(lower: start(ofRank: rank), upper: end(of: value))
        case .greater: FieldSpan(lower: end(of: value), upper: start(ofRank: rank + 1))
        case .greaterOrEqual: FieldSpan(lower: start(of: value), upper: start(ofRank: rank + 1))
        case .notEqual: FieldSpan(lower: start(ofRank: rank), upper: start(ofRank: rank + 1))
        }
    }

    /// The places around each of some values; those that nothing compares with have none.
    func spans(of values: [AttributeValue], in whole: FieldSpan? = nil) -> [FieldSpan] {
        values.compactMap { key(of: $0) }.distinctToCompare.compactMap { value in
            let found = span(of: value)
            let span = whole?.intersection(found) ?? found
            return span.lower < span.upper ? span : nil
        }
    }

    /// The places around the values that equal one that compares.
    func span(of value: AttributeValue) -> FieldSpan {
        let lower = start(of: value)
        guard isUnique else { return FieldSpan(lower: lower, upper: end(of: value)) }
        // There is one at most, so it is not looked for again.
        guard let next = entries.element(after: lower), next.value.compare(value) == .equal else {
            return FieldSpan(lower: lower, upper: lower)
        }
        return FieldSpan(lower: lower, upper: entries.position(after: lower))
    }

    /// The place before the values of a kind and those after it.
    private func start(ofRank rank: Int) -> Position {
        entries.partition { $0.pointee.value.sortRank < rank }
    }

    /// The places around the texts that start with another.
    func span(ofPrefix prefix: String) -> FieldSpan {
        let text = AttributeValue.string(prefix)
        return FieldSpan(
            lower: start(of: text),
            upper: entries.partition { entry in
                if entry.pointee.value.listOrder(text) != .greater { return true }
                guard case .string(let value) = entry.pointee.value else { return false }
                return value.utf8.starts(with: prefix.utf8)
            }
        )
    }
}

/// A part of an index.
struct FieldSpan: Sendable {
    var lower: FieldIndex.Position
    var upper: FieldIndex.Position

    /// What is in both.
    func intersection(_ other: FieldSpan) -> FieldSpan {
        FieldSpan(lower: max(lower, other.lower), upper: min(upper, other.upper))
    }
}

extension AttributeValue {
    /// The elements of an array that compare with others, each once.
    fileprivate var elementsToCompare: [AttributeValue] {
        if case .array(let elements) = self { elements.distinctToCompare } else { [] }
    }
}

extension [AttributeValue] {
    /// The values that compare with others, in their order and each once.
    fileprivate var distinctToCompare: [AttributeValue] {
        var found: [AttributeValue] = []
        for value in filter(\.isComparable).sorted(by: { $0.listOrder($1) == .less }) {
            // Equal ones stand beside each other.
            if let last = found.last, last.listOrder(value) == .equal { continue }
            found.append(value)
        }
        return found
    }
}
