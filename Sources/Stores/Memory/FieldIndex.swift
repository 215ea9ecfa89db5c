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

    private init(slot: Int, isUnique: Bool, holdsNumberTexts: Bool, holdsElements: Bool) {
        self.slot = slot
        self.isUnique = isUnique
        self.holdsNumberTexts = holdsNumberTexts
        self.holdsElements = holdsElements
    }

    init(slot: Int, of entry: ModelSchema.Entry) {
        self.init(
            slot: slot,
            isUnique: entry.isUnique,
            holdsNumberTexts: entry.kind.holdsNumberTexts,
            holdsElements: entry.isIndexedByElement
        )
    }

    /// The same without entries.
    var emptied: FieldIndex {
        FieldIndex(
            slot: slot,
            isUnique: isUnique,
            holdsNumberTexts: holdsNumberTexts,
            holdsElements: holdsElements
        )
    }

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

    mutating func insert(_ row: MemoryRow) {
        let value = row.values[slot]
        if !holdsElements { return insert(row, at: sortKey(of: value)) }
        for element in value.elementsToCompare { insert(row, at: element) }
    }

    private mutating func insert(_ row: MemoryRow, at value: AttributeValue) {
        entries.insert(
            Entry(value: value, identifier: row.identifier, place: row.place),
            at: position(of: value, row.identifier)
        )
    }

    mutating func remove(_ row: MemoryRow) {
        let value = row.values[slot]
        if !holdsElements {
            entries.remove(at: position(of: sortKey(of: value), row.identifier))
            return
        }
        for element in value.elementsToCompare {
            entries.remove(at: position(of: element, row.identifier))
        }
    }

    /// Puts a row in the place of another one of the same record.
    mutating func replace(_ old: MemoryRow, by row: MemoryRow) {
        let (before, after) = (old.values[slot], row.values[slot])
        // Any two arrays are alike in a list.
        if holdsElements ? before.isSame(as: after) : before.listOrder(after) == .equal { return }
        remove(old)
        insert(row)
    }

    /// The place before the entry of a record.
    private func position(of value: AttributeValue, _ identifier: Identifier) -> Position {
        entries.partition { entry in
            switch entry.pointee.value.listOrder(value) {
            case .less: true
            case .equal: entry.pointee.identifier.precedes(identifier)
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
            return entries.partition { $0.pointee.value.listOrder(value) == .less }
        }
        // What is looked for is taken apart once.
        return text.withUTF8 { bytes in
            entries.partition { $0.pointee.value.precedes(text: bytes) }
        }
    }

    /// The place after the values that equal a value.
    func end(of value: AttributeValue) -> Position {
        entries.partition { $0.pointee.value.listOrder(value) != .greater }
    }

    /// The place after a record of a value.
    func position(after value: AttributeValue, _ identifier: Identifier) -> Position {
        entries.partition { entry in
            switch entry.pointee.value.listOrder(value) {
            case .less: true
            case .equal: !identifier.precedes(entry.pointee.identifier)
            case .greater: false
            }
        }
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
        let place = entries.place(of: lower)
        return FieldSpan(
            lower: place,
            upper: Position(chunk: place.chunk, offset: place.offset + 1)
        )
    }

    /// The place before the values of a kind and those after it.
    private func start(ofRank rank: Int) -> Position {
        entries.partition { !$0.pointee.value.isNull && $0.pointee.value.sortRank < rank }
    }

    /// The places around the texts that start with another.
    func span(ofPrefix prefix: String) -> FieldSpan {
        let text = AttributeValue.string(prefix)
        return FieldSpan(
            lower: start(of: text),
            upper: entries.partition { entry in
                switch entry.pointee.value.listOrder(text) {
                case .less, .equal: true
                case .greater:
                    if case .string(let value) = entry.pointee.value {
                        value.utf8.starts(with: prefix.utf8)
                    } else {
                        false
                    }
                }
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
