import ModelKitFields
import ModelKitModels

/// The rows of a live query's answer, kept in order while single ones change; a value that asks no store.
///
/// Of a query with a limit, and of a window, some more rows are kept than are shown, which come up when others go.
struct LiveRows<M: Model>: Sendable {
    typealias Row = LiveRow<M>

    private(set) var list = SharedList<Row>()
    /// How many rows of the answer come before those that are kept.
    private(set) var before = 0
    /// How many come after them; nil where that is not known, and there may be some.
    private(set) var after: Int? = 0
    /// The places in the answer that are to be shown.
    private(set) var window: Range<Int>
    /// Whether a row was to be shown that is not kept, so that the edits are not known.
    private(set) var isTorn = false
    private let isWindow: Bool
    private let order: RowOrder

    init(_ query: RecordQuery, _ window: Range<Int>?) {
        // No list comes near to the greatest number, to which nothing could be added.
        let limit = query.limit.map { $0 < .max / 2 ? max(0, $0) : .max } ?? .max
        (self.window, isWindow) = (window ?? 0..<limit, window != nil)
        order = RowOrder(query, M.schema)
    }

    /// How many rows of a list are asked for at once.
    var wanted: Int? { window.upperBound == .max ? nil : window.upperBound + spare }

    /// How many rows are kept on a side of those that are shown: more where it takes longer to go there for others.
    var spare: Int {
        max(min(max(16, window.count / 2), 512), min(window.lowerBound / 512, 1_024))
    }

    /// How many rows the answer has, as far as that is known.
    var total: Int { max(0, before + list.count + (after ?? 0)) }

    /// The places in the answer of the rows that are shown.
    var range: Range<Int> { window.clamped(to: 0..<total) }

    /// Those of them among the rows that are kept.
    private var shown: Range<Int> {
        let kept = window.clamped(to: before..<(before + list.count))
        return (kept.lowerBound - before)..<(kept.upperBound - before)
    }

    var models: LiveList<M> { LiveList(list, shown) }

    /// Whether there may be rows to show that are not kept.
    var lacksRows: Bool {
        if after == nil { return list.count < window.upperBound }
        return isTorn || shown.count < range.count
    }

    /// Takes a part of the answer in place of the rows.
    mutating func replace(with rows: [Row], before: Int = 0, after: Int?) {
        (list, self.before, self.after) = (SharedList(rows), before, after)
        isTorn = false
    }

    /// Has other places be shown.
    mutating func show(_ window: Range<Int>) { self.window = window }

    /// Adds rows that come after the others of a list.
    ///
    /// - Returns: What that changes in what is shown.
    mutating func append(_ rows: [Row], isComplete: Bool) -> [ArrayEdit<M>] {
        var edits: [ArrayEdit<M>] = []
        for row in rows {
            if list.count < window.upperBound {
                edits.append(.insert(row.model, at: list.count))
            }
            list.insert(row, at: list.count)
        }
        after = isComplete ? 0 : nil
        return edits
    }

    // MARK: Changes

    /// Has one state of a record go and another one come.
    ///
    /// - Parameters:
    ///   - old: The row that goes; nil where it is not kept.
    ///   - former: The record that goes, where it is known of one that is not kept.
    ///   - found: The record that comes.
    ///   - make: Makes its row, if it comes or goes where rows are kept.
    /// - Returns: What that changes in what is shown, and the new row if it is kept.
    mutating func replace(
        _ old: Row?,
        _ former: FoundRecord?,
        by found: FoundRecord?,
        _ make: (FoundRecord) throws -> Row
    ) rethrows -> (edits: [ArrayEdit<M>], new: Row?) {
        let shown = shown
        let from = old.map { before + index(of: $0.found) } ?? former.map { sideOfOther($0) }
        // What does not move stays, also as the last of those that are kept.
        if let old, let found, let from, !order.precedes(old.found, found),
            !order.precedes(found, old.found)
        {
            let new = try make(found)
            list[from - before] = new
            let isShown = window.contains(from)
            if old.model === new.model || !isShown { return ([], new) }
            return (
                [.replace(old.model, with: new.model, at: from - window.lowerBound)], new
            )
        }
        let first = shown.isEmpty ? nil : list[shown.lowerBound].model
        let last = shown.isEmpty ? nil : list[shown.upperBound - 1].model
        switch from {
        case nil: break
        case Place.front: before -= 1
        case Place.back: after? -= 1
        case let from?: list.remove(at: from - before)
        }
        let to = found.map { place(of: $0, movedFrom: old?.found) }
        let isKept = to.map { $0 != Place.front && $0 != Place.back } ?? false
        // The model of what leaves is in use, too.
        let made = isKept || old != nil ? try found.map(make) : nil
        let new = isKept ? made : nil
        switch to {
        case nil: break
        case Place.front: before += 1
        case Place.back: after? += 1
        case let to?: if let new { list.insert(new, at: to - before) }
        }
        defer { isTorn = isTorn || isWindow && lacksRows }
        let leaving = from.map { ($0, old?.model) }
        let coming = to.map { ($0, new?.model) }
        return (edits(leaving, coming, (first, last, shown.count)), new)
    }

    /// On which side of the rows that are kept another one is.
    private mutating func sideOfOther(_ found: FoundRecord) -> Int {
        let isFront = list.count > 0 ? order.precedes(found, list[0].found) : before > 0
        let isKept =
            !isFront && list.count > 0 && !order.precedes(list[list.count - 1].found, found)
        isTorn =
            isTorn || isKept || (isFront ? before : after ?? 0) == 0
            || list.count == 0 && after != 0
        return isFront ? Place.front : Place.back
    }

    /// Where a record comes, one state of which was taken out.
    private mutating func place(of found: FoundRecord, movedFrom old: FoundRecord?) -> Int {
        let index = list.partition { order.precedes($0.found, found) }
        // Between a row that was kept and the others there are none that are not known.
        if index == 0, before > 0, old.map({ order.precedes(found, $0) }) ?? true {
            isTorn = isTorn || list.count == 0 && old == nil && after != 0
            return Place.front
        }
        if index == list.count, after != 0, old.map({ order.precedes($0, found) }) ?? true {
            return Place.back
        }
        return before + index
    }

    /// What one row that leaves the answer and one that comes change in what is shown.
    ///
    /// - Parameters:
    ///   - leaving: The place of the one before the change, and its model.
    ///   - coming: The place of the other after that, and its model.
    ///   - old: The models that were shown first and last, and how many.
    /// - Returns: The edits.
    private func edits(
        _ leaving: (place: Int, model: M?)?,
        _ coming: (place: Int, model: M?)?,
        _ old: (first: M?, last: M?, count: Int)
    ) -> [ArrayEdit<M>] {
        let start = window.lowerBound
        var edits: [ArrayEdit<M>] = []
        let gone = leaving.flatMap { window.contains($0.place) ? $0 : nil }
        let new = coming.flatMap { window.contains($0.place) ? $0 : nil }
        if let gone, let new, let model = new.model, gone.model === model {
            if gone.place == new.place { return [] }
            return [.move(model, from: gone.place - start, to: new.place - start)]
        }
        let losesFront = leaving.map { $0.place < start } ?? false
        let gainsFront = coming.map { $0.place < start } ?? false
        if let gone, let model = gone.model {
            edits.append(.remove(model, at: gone.place - start))
        } else if losesFront, !gainsFront, let first = old.first {
            edits.append(.remove(first, at: 0))
        }
        let (now, left) = (shown, old.count - edits.count)
        let comesFront = gainsFront && !losesFront && !now.isEmpty
        let count = left + (comesFront || new != nil ? 1 : 0)
        if count > now.count, let last = old.last { edits.append(.remove(last, at: left - 1)) }
        if comesFront { edits.append(.insert(list[now.lowerBound].model, at: 0)) }
        if let new, let model = new.model {
            edits.append(.insert(model, at: new.place - start))
        }
        if count < now.count {
            edits.append(.insert(list[now.upperBound - 1].model, at: now.count - 1))
        }
        return edits
    }

    private func index(of found: FoundRecord) -> Int {
        list.partition { order.precedes($0.found, found) }
    }

    /// Whether a row is kept, and shown.
    func shows(_ row: Row) -> Bool {
        let index = index(of: row.found)
        return shown.contains(index) && list[index] === row
    }

    /// Drops rows of which more are kept than needed.
    ///
    /// - Returns: Those.
    mutating func trim() -> [Row] {
        if window.upperBound == .max { return [] }
        let (shown, spare) = (shown, spare)
        var dropped: [Row] = []
        if list.count - shown.upperBound > spare * 2 {
            let end = shown.upperBound + spare
            after = isWindow ? (after ?? 0) + list.count - end : nil
            while list.count > end { dropped.append(list.remove(at: list.count - 1)) }
        }
        if shown.lowerBound > spare * 2 {
            for _ in 0..<(shown.lowerBound - spare) { dropped.append(list.remove(at: 0)) }
            before += shown.lowerBound - spare
        }
        return dropped
    }

    /// The first of the rows that are kept, where others come before it.
    var first: Row? { before == 0 || list.count == 0 ? nil : list[0] }
    /// The last of them, where others may come after it.
    var last: Row? { after == 0 || list.count == 0 ? nil : list[list.count - 1] }
}

/// The places in an answer of rows that are not kept: before and after all others.
private enum Place {
    static let front = -1
    static let back = Int.max
}
