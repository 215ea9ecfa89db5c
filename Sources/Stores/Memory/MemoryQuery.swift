import ModelKitModels

extension RecordTables {
    /// The answer to a query.
    func answer(_ query: RecordQuery, of schema: ModelSchema) throws(StoreError) -> [Record] {
        try query.check(of: schema)
        let table = try table(of: schema)
        let rows = try MemoryQuery(query, of: table, in: self).rows()
        return rows.map(table.layout.record)
    }
}

/// A query of one table: by an index where one helps, otherwise row by row.
///
/// A class, as all that it holds would be copied for each closure.
final class MemoryQuery {
    private let table: MemoryTable
    private let test: RowTest?
    private let order: [SlotOrder]
    private let limit: Int
    private let after: PageCursor?
    /// The records that can be found at all, if some of the filter says which.
    private let candidates: Candidates?

    /// Where the records of an answer are.
    private enum Candidates {
        case identifiers([Identifier])
        case spans(FieldIndex, [FieldSpan])

        var count: Int {
            switch self {
            case .identifiers(let identifiers): identifiers.count
            case .spans(let index, let spans):
                spans.reduce(0) { $0 + index.entries.distance(from: $1.lower, to: $1.upper) }
            }
        }
    }

    init(_ query: RecordQuery, of table: MemoryTable, in tables: RecordTables) throws(StoreError) {
        self.table = table
        limit = max(0, query.limit ?? .max)
        after = query.after
        order = query.order.compactMap { order in
            table.slot(of: order.key).map { slot in
                SlotOrder(
                    slot: slot,
                    isDescending: order.isDescending,
                    areNumbers: table.schema.fields[slot].kind.holdsNumberTexts
                )
            }
        }
        if let filter = query.filter {
            test = try RowTest(filter, of: table, in: tables)
            candidates = try Self.candidates(filter.conjuncts, of: table, in: tables)
        } else {
            (test, candidates) = (nil, nil)
        }
    }

    // MARK: Planning

    private static func candidates(
        _ filters: [RecordFilter],
        of table: MemoryTable,
        in tables: RecordTables
    ) throws(StoreError) -> Candidates? {
        let (key, kind) = (
            table.schema.fields[table.identity].key, table.schema.fields[table.identity].kind
        )
        for filter in filters {
            switch filter {
            case .compare(key, .equal, let value):
                return .identifiers(Identifier(equalTo: value, kind).map { [$0] } ?? [])
            case .isIn(key, let values):
                return .identifiers(Array(Set(values.compactMap { Identifier(equalTo: $0, kind) })))
            default: continue
            }
        }
        var best: Candidates?
        for index in table.indexes {
            guard let spans = try spans(of: index, filters, of: table, in: tables) else { continue }
            let found = Candidates.spans(index, spans)
            if found.count < best?.count ?? .max { best = found }
        }
        return best
    }

    /// The parts of an index in which all records stand that fulfil some filters; nil if they say nothing
    /// of it.
    private static func spans(
        of index: FieldIndex,
        _ filters: [RecordFilter],
        of table: MemoryTable,
        in tables: RecordTables
    ) throws(StoreError) -> [FieldSpan]? {
        let entry = table.schema.fields[index.slot]
        if index.holdsElements {
            return filters.lazy.compactMap(\.contained).first { $0.key == entry.key }
                .map { index.spans(of: $0.values) }
        }
        var span: FieldSpan?
        var points: [AttributeValue]?
        func narrow(_ other: FieldSpan) { span = span?.intersection(other) ?? other }
        for filter in filters {
            switch filter {
            case .compare(entry.key, let comparison, let value) where comparison != .notEqual:
                guard let key = index.key(of: value), let found = index.span(comparison, key)
                else { return [] }
                narrow(found)
            case .hasPrefix(entry.key, let prefix) where !index.holdsNumberTexts:
                narrow(index.span(ofPrefix: prefix))
            case .isNull(entry.key): narrow(FieldSpan(lower: index.nulls, upper: index.entries.end))
            case .isIn(entry.key, let values) where points == nil: points = values
            case .has(entry.key, let partner, let inner) where points == nil && entry.isForeignKey:
                points = try identifiers(inner, of: partner, for: table, in: tables)
            default: continue
            }
        }
        guard let points else { return span.map { [$0] } }
        return index.spans(of: points, in: span)
    }

    /// The identifiers of the related models that fulfil a filter, if it is less work to find them first
    /// than to look at each record; else nil.
    private static func identifiers(
        _ filter: RecordFilter,
        of partner: ModelSchema,
        for table: MemoryTable,
        in tables: RecordTables
    ) throws(StoreError) -> [AttributeValue]? {
        let other = try tables.table(of: partner)
        let query = try MemoryQuery(RecordQuery(filter: filter), of: other, in: tables)
        guard (query.candidates?.count ?? other.count) * 2 <= table.count else { return nil }
        let found = query.rows()
        // Each of them is looked for.
        guard found.count * 16 <= table.count else { return nil }
        return found.map(\.identifier.attributeValue)
    }

    /// The index in whose order the answer is, if it is less work to go along it than to sort.
    private var sorted: (index: FieldIndex, spans: [FieldSpan])? {
        guard order.count == 1,
            let index = table.indexes.first(where: {
                $0.slot == order[0].slot && !$0.holdsElements
            })
        else { return nil }
        if case .spans(let other, let spans)? = candidates, other.slot == index.slot {
            return (index, spans)
        }
        let whole = [FieldSpan(lower: index.entries.start, upper: index.entries.end)]
        guard let count = candidates?.count else {
            // To sort all is more work than to find each where it is, but not to choose a few.
            return test == nil || limit < .max ? (index, whole) : nil
        }
        return work(for: count) < count * 2 ? (index, whole) : nil
    }

    /// How many rows are looked at before a page is full, if so many of all are candidates.
    private func work(for count: Int) -> Int {
        let all = table.count
        return limit < all ? min(all, (limit + 1) * all / max(count, 1)) : all
    }

    // MARK: Answering

    func rows() -> [MemoryRow] {
        if limit == 0 { return [] }
        if order.isEmpty { return inOrderOfCreation() }
        if let (index, spans) = sorted { return along(index, spans) }
        var found = Found(order: order, limit: limit)
        forEachCandidate { row in
            if matches(row), isAfterCursor(row.pointee) { found.add(row.pointee) }
        }
        return found.rows()
    }

    private func inOrderOfCreation() -> [MemoryRow] {
        var found: [MemoryRow] = []
        if let candidates, candidates.count * 2 <= work(for: candidates.count) {
            forEachCandidate { row in
                if matches(row), isAfterCursor(row.pointee) { found.append(row.pointee) }
            }
            found.sort { $0.place < $1.place }
            return found.count > limit ? Array(found.prefix(limit)) : found
        }
        let start = after.map { after in table.rows.partition { $0.pointee.place <= after.place } }
        table.rows.forEach(from: start ?? table.rows.start, to: table.rows.end) { row in
            if matches(row) { found.append(row.pointee) }
            return found.count < limit
        }
        return found
    }

    private func matches(_ row: UnsafePointer<MemoryRow>) -> Bool {
        guard let test else { return true }
        return row.fulfils(test) == true
    }

    private func forEachCandidate(_ body: (UnsafePointer<MemoryRow>) -> Void) {
        func look(at row: MemoryRow) { withUnsafePointer(to: row, body) }
        switch candidates {
        case nil:
            table.rows.forEach(from: table.rows.start, to: table.rows.end) {
                body($0)
                return true
            }
        case .identifiers(let identifiers)?:
            for identifier in identifiers {
                if let row = table.row(identifier) { look(at: row) }
            }
        case .spans(let index, let spans)?:
            // A record stands at each of its elements.
            let mayMeetAgain = index.holdsElements && spans.count > 1
            var seen: Set<Int64> = []
            for span in spans {
                index.entries.forEach(from: span.lower, to: span.upper) {
                    let place = $0.pointee.place
                    if !mayMeetAgain || seen.insert(place).inserted {
                        look(at: table.row(at: place))
                    }
                    return true
                }
            }
        }
    }

    private func isAfterCursor(_ row: MemoryRow) -> Bool {
        guard let after else { return true }
        if order.isEmpty { return row.place > after.place }
        for (order, value) in zip(order, after.values) {
            switch order.compare(row.values[order.slot], value) {
            case .less: return false
            case .greater: return true
            case .equal: continue
            }
        }
        return after.identifier.precedes(row.identifier)
    }

    /// The rows of some parts of an index, in its order or against it.
    private func along(_ index: FieldIndex, _ spans: [FieldSpan]) -> [MemoryRow] {
        var found: [MemoryRow] = []
        func take(_ lower: FieldIndex.Position, _ upper: FieldIndex.Position) -> Bool {
            index.entries.forEach(from: lower, to: upper) { entry in
                let row = table.row(at: entry.pointee.place)
                if withUnsafePointer(to: row, matches) { found.append(row) }
                return found.count < limit
            }
        }
        let nulls = index.nulls
        let cursor = after.flatMap { after in
            after.values.first.map { (index.sortKey(of: $0), after.identifier) }
        }
        let last = cursor.map { index.position(after: $0, $1) }
        if !order[0].isDescending {
            for span in spans where !take(max(span.lower, last ?? span.lower), span.upper) {
                return found
            }
            return found
        }
        // Against the order, but where values are equal along it, and the nulls last.
        let isAmongNulls = cursor?.0.isNull ?? false
        for span in spans.reversed() where !isAmongNulls {
            // The end of a piece is the start of the next one, but comes before it.
            let lower = index.entries.place(of: span.lower)
            var end = min(span.upper, nulls)
            if let cursor, let last {
                let group = FieldSpan(lower: last, upper: index.end(of: cursor.0))
                    .intersection(FieldSpan(lower: lower, upper: end))
                if group.lower < group.upper, !take(group.lower, group.upper) { return found }
                end = min(end, index.start(of: cursor.0))
            }
            while lower < end, let previous = index.entries.position(before: end) {
                let value = index.entries[previous].value
                let before = index.entries.position(before: previous)
                let isAlone = before.map { index.entries[$0].value.listOrder(value) != .equal }
                let start = isAlone ?? true ? previous : max(lower, index.start(of: value))
                if !take(start, end) { return found }
                end = start
            }
        }
        let start = isAmongNulls ? last ?? nulls : nulls
        for span in spans where !take(max(span.lower, start), span.upper) { return found }
        return found
    }
}

extension Identifier {
    /// The only one of a kind that a value is equal to in queries; nil if there is none.
    fileprivate init?(equalTo value: AttributeValue, _ kind: AttributeKind) {
        switch kind.holdsNumberTexts ? value.number ?? .null : value {
        case .int(let number) where kind == .decimal: self = .string(String(number))
        case .string(let text) where kind == .unsigned:
            self = Int64(text).map { .int($0) } ?? .string(text)
        case .int(let number): self = .int(number)
        case .string(let text): self = .string(text)
        case .double(let number):
            guard let whole = Int64(exactly: number) else { return nil }
            self = .int(whole)
        default: return nil
        }
    }
}

/// One field that rows are sorted by.
private struct SlotOrder {
    let slot: Int
    let isDescending: Bool
    /// Whether the values are numbers of which some or all are texts.
    let areNumbers: Bool

    /// The order of two values in an answer: null last, both ways.
    func compare(_ left: AttributeValue, _ right: AttributeValue) -> ValueOrder {
        let order = left.listOrder(right, asNumbers: areNumbers)
        if !isDescending || left.isNull || right.isNull { return order }
        return order == .less ? .greater : order == .greater ? .less : .equal
    }
}

/// Rows that were found, of which the first ones in an order are kept.
private struct Found {
    let order: [SlotOrder]
    let limit: Int
    private var found: [MemoryRow] = []

    init(order: [SlotOrder], limit: Int) {
        (self.order, self.limit) = (order, limit)
    }

    mutating func add(_ row: MemoryRow) {
        found.append(row)
        // More than enough: those that come too late are left out.
        if limit < 1_000_000, found.count >= limit * 2 + 64 { found = rows() }
    }

    func rows() -> [MemoryRow] {
        let sorted = found.sorted(by: precedes)
        return sorted.count > limit ? Array(sorted.prefix(limit)) : sorted
    }

    private func precedes(_ left: MemoryRow, _ right: MemoryRow) -> Bool {
        for order in order {
            switch order.compare(left.values[order.slot], right.values[order.slot]) {
            case .less: return true
            case .greater: return false
            case .equal: continue
            }
        }
        return left.identifier.precedes(right.identifier)
    }
}
