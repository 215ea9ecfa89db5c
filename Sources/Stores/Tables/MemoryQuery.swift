import ModelKitModels

/// A query of one table: by an index where one helps, otherwise row by row.
///
/// A class, as all that it holds would be copied for each closure.
final class MemoryQuery {
    private let table: MemoryTable
    private let tables: RecordTables
    private let test: RowTest?
    private let order: [SortTerm]
    /// How many rows the answer has at most, and how many there are with those before it.
    private let count: Int
    private let limit: Int
    /// How many rows to come are before the answer.
    private var skipped: Int
    private let after: PageCursor?
    /// The records that can be found at all, if some of the filter says which.
    private var candidates: Candidates?

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

    init(_ query: RecordQuery, of table: MemoryTable, in tables: RecordTables) {
        (self.table, self.tables) = (table, tables)
        skipped = query.offset
        count = max(0, query.limit ?? .max)
        let (end, isBeyond) = count.addingReportingOverflow(skipped)
        limit = isBeyond ? .max : end
        after = query.after
        order = query.sortTerms(of: table.schema)
        test = query.filter.map { RowTest($0, of: table, in: tables) }
        candidates = query.filter.flatMap { self.candidates(of: $0.conjuncts) }
    }

    // MARK: Planning

    private func candidates(of filters: [RecordFilter]) -> Candidates? {
        let identity = table.schema.fields[table.identity]
        let (key, kind) = (identity.key, identity.kind)
        for filter in filters {
            switch filter {
            case .compare(key, .equal, let value):
                return .identifiers(Identifier(equalTo: value, kind).map { [$0] } ?? [])
            case .isIn(key, let values):
                // In their order, so that doubles add up alike each time.
                var seen: Set<Identifier> = []
                let identifiers = values.compactMap { Identifier(equalTo: $0, kind) }
                return .identifiers(identifiers.filter { seen.insert($0).inserted })
            default: continue
            }
        }
        var best: Candidates?
        for index in table.indexes {
            guard let spans = spans(of: index, filters) else { continue }
            let found = Candidates.spans(index, spans)
            if found.count < best?.count ?? .max { best = found }
        }
        return best
    }

    /// The parts of an index in which all records stand that fulfil some filters; nil if they say nothing
    /// of it.
    private func spans(of index: FieldIndex, _ filters: [RecordFilter]) -> [FieldSpan]? {
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
                points = identifiers(inner, of: partner)
            default: continue
            }
        }
        guard let points else { return span.map { [$0] } }
        return index.spans(of: points, in: span)
    }

    /// The identifiers of the related models that fulfil a filter, if it is less work to find them first
    /// than to look at each record; else nil.
    private func identifiers(
        _ filter: RecordFilter,
        of partner: ModelSchema
    ) -> [AttributeValue]? {
        guard let other = try? tables.table(of: partner) else { return nil }
        let query = MemoryQuery(RecordQuery(filter: filter), of: other, in: tables)
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
        let found = firstRows()
        return skipped > 0 ? Array(found.dropFirst(skipped)) : found
    }

    private func firstRows() -> [MemoryRow] {
        if count == 0 { return [] }
        if order.isEmpty {
            guard let count = candidates?.count, count * 2 <= work(for: count) else {
                return inOrderOfCreation()
            }
        }
        if let (index, spans) = sorted { return along(index, spans) }
        var found: [MemoryRow] = []
        let test = test
        forEachCandidate { row in
            guard row.fulfils(test) == true, isAfterCursor(row.pointee) else { return }
            found.append(row.pointee)
            // More than enough: those that come too late are left out.
            if limit < 1_000_000, found.count >= limit * 2 + 64 { found = first(of: found) }
        }
        return first(of: found)
    }

    /// As many of some rows as the limit says, in their order.
    private func first(of rows: [MemoryRow]) -> [MemoryRow] {
        if rows.count < 2 { return rows }
        let sorted = rows.sorted { [order] left, right in
            if order.isEmpty { return left.place < right.place }
            for term in order {
                let isFirst = term.precedes(left.values[term.slot], right.values[term.slot])
                if let isFirst { return isFirst }
            }
            return left.identifier.precedes(right.identifier)
        }
        return sorted.count > limit ? Array(sorted.prefix(limit)) : sorted
    }

    private func inOrderOfCreation() -> [MemoryRow] {
        var found: [MemoryRow] = []
        let start = after.map { after in table.rows.partition { $0.pointee.place <= after.place } }
        let test = test
        table.rows.forEach(from: start ?? table.rows.start, to: table.rows.end) { row in
            if isSkipped() || row.fulfils(test) != true { return true }
            if skipped > 0 { skipped -= 1 } else { found.append(row.pointee) }
            return found.count < count
        }
        return found
    }

    /// Whether a row is before the answer, which nobody has to look at for that.
    private func isSkipped() -> Bool {
        if test != nil || skipped == 0 { return false }
        skipped -= 1
        return true
    }

    /// Calls a closure with each row that fulfils the filter, in any order.
    func forEachRow(_ body: (UnsafePointer<MemoryRow>) -> Void) {
        let test = test
        forEachCandidate { if $0.fulfils(test) == true { body($0) } }
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
        for (term, value) in zip(order, after.values) {
            if let isBefore = term.precedes(row.values[term.slot], value) { return !isBefore }
        }
        return after.identifier.precedes(row.identifier)
    }

    /// The rows of some parts of an index, in its order or against it.
    private func along(_ index: FieldIndex, _ spans: [FieldSpan]) -> [MemoryRow] {
        var found: [MemoryRow] = []
        let test = test
        func take(_ lower: FieldIndex.Position, _ upper: FieldIndex.Position) -> Bool {
            index.entries.forEach(from: lower, to: upper) { entry in
                if isSkipped() { return true }
                let row = table.row(at: entry.pointee.place)
                if withUnsafePointer(to: row, { $0.fulfils(test) != true }) { return true }
                if skipped > 0 { skipped -= 1 } else { found.append(row) }
                return found.count < count
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
            var end = min(span.upper, nulls)
            if let cursor, let last {
                let group = FieldSpan(lower: last, upper: index.end(of: cursor.0))
                    .intersection(FieldSpan(lower: span.lower, upper: end))
                if group.lower < group.upper, !take(group.lower, group.upper) { return found }
                end = min(end, index.start(of: cursor.0))
            }
            while span.lower < end, let previous = index.entries.position(before: end) {
                let value = index.entries[previous].value
                let before = index.entries.position(before: previous)
                let isAlone = before.map { index.entries[$0].value.listOrder(value) != .equal }
                let start = isAlone ?? true ? previous : max(span.lower, index.start(of: value))
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
        switch kind.holdsNumberTexts ? value.numberForm(of: kind) : value {
        case .int(let number)?: self = .int(number)
        case .string(let text)?: self = .string(text)
        case .double(let number)?:
            guard let whole = Int64(exactly: number) else { return nil }
            self = .int(whole)
        default: return nil
        }
    }
}
