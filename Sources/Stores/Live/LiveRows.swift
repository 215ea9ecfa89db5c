import ModelKitFields
import ModelKitModels

/// The rows of a live query's answer, kept in order while single ones change; a value that asks no store.
///
/// Of a query with a limit some more rows are kept than are shown, which come up when others go.
struct LiveRows<M: Model>: Sendable {
    typealias Row = LiveRow<M>

    private(set) var list = SharedList<Row>()
    /// Whether no rows of the answer come after those that are kept.
    private(set) var isComplete = true
    private let limit: Int
    private let order: RowOrder

    init(_ query: RecordQuery) {
        // No list comes near to the greatest number, to which nothing could be added.
        limit = query.limit.map { $0 < .max / 2 ? max(0, $0) : .max } ?? .max
        order = RowOrder(query, M.schema)
    }

    /// How many rows of the answer are asked for at once.
    var wanted: Int? { limit == .max ? nil : limit + Self.spare(limit) }

    private static func spare(_ limit: Int) -> Int { min(max(16, limit / 2), 512) }

    var models: LiveList<M> { LiveList(list, limit: limit) }

    /// Whether there may be rows to show that are not kept.
    var lacksRows: Bool { !isComplete && list.count < limit }

    /// Takes an answer in place of the rows.
    mutating func replace(with rows: [Row], isComplete: Bool) {
        (list, self.isComplete) = (SharedList(rows), isComplete)
    }

    /// Adds rows that come after the others.
    ///
    /// - Returns: What that changes in what is shown.
    mutating func append(_ rows: [Row], isComplete: Bool) -> [ArrayEdit<M>] {
        var edits: [ArrayEdit<M>] = []
        for row in rows {
            if list.count < limit { edits.append(.insert(row.model, at: list.count)) }
            list.insert(row, at: list.count)
        }
        self.isComplete = isComplete
        return edits
    }

    /// Has one row go and another one come.
    ///
    /// - Returns: What that changes in what is shown, and whether the new row is kept.
    mutating func replace(_ old: Row?, by new: Row?) -> (edits: [ArrayEdit<M>], isKept: Bool) {
        let shown = min(list.count, limit)
        let from = old.map { index(of: $0) }
        // What does not move stays, also as the last of those that are kept.
        if let old, let new, let from, !order.precedes(old.found, new.found),
            !order.precedes(new.found, old.found)
        {
            list[from] = new
            let isShown = from < limit
            if old.model === new.model { return ([], true) }
            let edit = ArrayEdit.replace(old.model, with: new.model, at: from)
            return (isShown ? [edit] : [], true)
        }
        // Towards the begin there are no rows that are not known.
        let isNearer =
            old.flatMap { old in new.map { order.precedes($0.found, old.found) } } ?? false
        if let from { list.remove(at: from) }
        var to: Int?
        if let new {
            let index = index(of: new)
            if isComplete || isNearer || index < list.count { to = index }
        }
        if let new, let to { list.insert(new, at: to) }
        switch (from.flatMap { $0 < limit ? $0 : nil }, to.flatMap { $0 < limit ? $0 : nil }) {
        case (let from?, let to?):
            if let old, let new, old.model === new.model {
                return (from == to ? [] : [.move(new.model, from: from, to: to)], true)
            }
            return (edits(removing: old, from) + edits(inserting: new, to), true)
        case (let from?, nil):
            let next = list.count >= limit ? list[limit - 1] : nil
            return (
                edits(removing: old, from) + edits(inserting: next, limit - 1), to != nil
            )
        case (nil, let to?):
            let last = shown == limit ? list[limit] : nil
            return (edits(removing: last, limit - 1) + edits(inserting: new, to), true)
        case (nil, nil): return ([], to != nil)
        }
    }

    private func edits(removing row: Row?, _ index: Int) -> [ArrayEdit<M>] {
        row.map { [.remove($0.model, at: index)] } ?? []
    }

    private func edits(inserting row: Row?, _ index: Int) -> [ArrayEdit<M>] {
        row.map { [.insert($0.model, at: index)] } ?? []
    }

    private func index(of row: Row) -> Int {
        list.partition { order.precedes($0.found, row.found) }
    }

    /// Whether a row is kept, and shown.
    func shows(_ row: Row) -> Bool {
        let index = index(of: row)
        return index < min(list.count, limit) && list[index] === row
    }

    /// Drops rows of which more are kept than needed.
    ///
    /// - Returns: Those.
    mutating func trim() -> [Row] {
        guard let wanted, list.count > wanted + Self.spare(limit) else { return [] }
        isComplete = false
        return (wanted..<list.count).map { _ in list.remove(at: list.count - 1) }
    }

    /// The last of the rows that are kept, where others may come after it.
    var last: Row? { isComplete || list.count == 0 ? nil : list[list.count - 1] }
}
