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
    /// Whether a row was to be shown that is not kept, so that it is to be asked for.
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

    /// Whether all of the answer is shown, so that a row comes or goes only where its record does.
    var isWhole: Bool { window.lowerBound == 0 && window.upperBound >= .max / 2 }

    /// Those of the places among the rows that are kept.
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
    mutating func append(_ rows: [Row], isComplete: Bool) {
        for row in rows { list.insert(row, at: list.count) }
        after = isComplete ? 0 : nil
    }

    // MARK: Changes

    /// Has one state of a record go and another one come.
    ///
    /// - Parameters:
    ///   - old: The row that goes; nil where it is not kept.
    ///   - former: The record that goes, where it is known of one that is not kept.
    ///   - found: The record that comes.
    ///   - make: Makes its row, if it comes or goes where rows are kept.
    /// - Returns: What that changes where all of the answer is shown, and the new row if it is kept.
    mutating func replace(
        _ old: Row?,
        _ former: FoundRecord?,
        by found: FoundRecord?,
        _ make: (FoundRecord) throws -> Row
    ) rethrows -> (edits: [ArrayEdit<M>], new: Row?) {
        let from = old.map { before + index(of: $0.found) } ?? former.map { sideOfOther($0) }
        // What does not move stays, also as the last of those that are kept.
        if let old, let found, let from, !order.precedes(old.found, found),
            !order.precedes(found, old.found)
        {
            let new = try make(found)
            list[from - before] = new
            return (
                old.model === new.model ? [] : [.replace(old.model, with: new.model, at: from)],
                new
            )
        }
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
        isTorn = isTorn || isWindow && lacksRows
        if let from, let to, let old, let new, old.model === new.model {
            return (from == to ? [] : [.move(new.model, from: from, to: to)], new)
        }
        var edits: [ArrayEdit<M>] = []
        if let from, let old { edits.append(.remove(old.model, at: from)) }
        if let to, let new { edits.append(.insert(new.model, at: to)) }
        return (edits, new)
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

    // MARK: Edits

    /// The states of a row; nil where it was not kept, or is not now.
    typealias Written = (old: Row?, new: Row?)

    /// What leads from what other rows have shown to what these do: each row is in one edit at most, and none that
    /// neither shows.
    ///
    /// Its cost grows with the number of rows that were written and of edits, not with that of those that are shown.
    ///
    /// - Parameters:
    ///   - old: The rows before.
    ///   - written: The rows that differ.
    /// - Returns: The edits.
    func edits(since old: LiveRows, _ written: [Written]) -> [ArrayEdit<M>] {
        var (leaving, coming): ([Int], [Int]) = ([], [])
        var moved: [(old: Row, new: Row)] = []
        var others: Set<ObjectIdentifier> = []
        let written = written.filter { !isInPlace($0.old, $0.new) }
        for (former, row) in written {
            let from = former.flatMap { old.shownIndex(of: $0) }
            let to = row.flatMap { shownIndex(of: $0) }
            for case let state? in [former, row] { others.insert(ObjectIdentifier(state)) }
            if let former, let row, from != nil, to != nil, former.model === row.model {
                moved.append((former, row))
            } else {
                if let from { leaving.append(from) }
                if let to { coming.append(to) }
            }
        }
        if written.isEmpty {
            // No row has another place, also in an order that only the store knows.
            leaving = old.indices(outside: range)
            coming = indices(outside: old.range)
        } else {
            leaving += old.indices(hiddenBy: self, without: others)
            coming += indices(hiddenBy: old, without: others)
        }
        // From the last one on, so that those before it keep their places.
        leaving.sort(by: >)
        var edits = leaving.map { index in
            ArrayEdit.remove(old.list[index].model, at: index - old.shown.lowerBound)
        }
        edits += moves(moved, of: old, without: leaving)
        for index in coming.sorted() {
            edits.append(.insert(list[index].model, at: index - shown.lowerBound))
        }
        return edits
    }

    /// Whether a row that was written has its place, and its model.
    private func isInPlace(_ old: Row?, _ new: Row?) -> Bool {
        guard let old, let new, old.model === new.model else { return false }
        return !order.precedes(old.found, new.found) && !order.precedes(new.found, old.found)
    }

    /// The indices of the rows that are shown at other places than these.
    private func indices(outside places: Range<Int>) -> [Int] {
        let start = max(range.lowerBound, min(places.lowerBound, range.upperBound))
        let end = min(range.upperBound, max(places.upperBound, range.lowerBound))
        let outside = [range.lowerBound..<start, end..<range.upperBound]
        return outside.joined().map { $0 - before }
    }

    /// The indices of rows that are shown here and not by others, of those that were not written: they are before and
    /// after the ones that both show.
    private func indices(
        hiddenBy other: LiveRows,
        without written: Set<ObjectIdentifier>
    ) -> [Int] {
        var indices: [Int] = []
        func find(in places: some Sequence<Int>) -> Int? {
            for index in places {
                let row = list[index]
                if written.contains(ObjectIdentifier(row)) { continue }
                if other.shows(row) { return index }
                indices.append(index)
            }
            return nil
        }
        if let first = find(in: shown) { _ = find(in: (first..<shown.upperBound).reversed()) }
        return indices
    }

    /// How rows move that stay, when those have left that leave.
    private func moves(
        _ moved: [(old: Row, new: Row)],
        of old: LiveRows,
        without leaving: [Int]
    ) -> [ArrayEdit<M>] {
        if moved.isEmpty { return [] }
        // In order at each moment, as each is there in one of its states.
        var rows = old.list
        rows.removeAll(outside: old.shown)
        for index in leaving { rows.remove(at: index - old.shown.lowerBound) }
        return moved.compactMap { old, new in
            let from = rows.partition { order.precedes($0.found, old.found) }
            rows.remove(at: from)
            let to = rows.partition { order.precedes($0.found, new.found) }
            rows.insert(new, at: to)
            return from == to ? nil : .move(new.model, from: from, to: to)
        }
    }

    /// The model of a row, if it was shown before, and is.
    func stay(since old: LiveRows, _ written: Written) -> M? {
        guard let former = written.old, let row = written.new, former.model === row.model,
            old.shows(former), shows(row)
        else { return nil }
        return row.model
    }

    private func index(of found: FoundRecord) -> Int {
        list.partition { order.precedes($0.found, found) }
    }

    /// The index of a row, or of another state in its place, if it is shown.
    private func shownIndex(of row: Row) -> Int? {
        let index = index(of: row.found)
        return shown.contains(index) && list[index].model === row.model ? index : nil
    }

    private func shows(_ row: Row) -> Bool { shownIndex(of: row) != nil }

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
