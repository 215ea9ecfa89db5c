/// Whether two elements are the same as a field sees its values.
func isSame<Element: Equatable>(_ left: Element, _ right: Element) -> Bool {
    !differs(left, right)
}

/// Finds the edits between two arrays.
///
/// This is the greedy algorithm of Myers, "An O(ND) Difference Algorithm and Its Variations" (1986),
/// for what is left between the elements that both arrays begin and end with.
enum ArrayDiff<Element: Equatable & Sendable> {
    /// With more insertions and removals than these it gives up: time and memory grow with the
    /// square.
    static var limit: Int { 256 }

    /// The edits that lead from one array to another; nil when there are too many.
    ///
    /// It runs `==` of the element.
    static func edits(from old: [Element], to new: [Element]) -> [ArrayEdit<Element>]? {
        let shorter = min(old.count, new.count)
        var start = 0
        while start < shorter, isSame(old[start], new[start]) { start += 1 }
        var end = 0
        while end < shorter - start, isSame(old[old.count - 1 - end], new[new.count - 1 - end]) {
            end += 1
        }
        let old = old[start..<old.count - end]
        let new = new[start..<new.count - end]
        if old.isEmpty, new.isEmpty { return [] }
        guard let (isRemoved, isInserted) = mark(Array(old), Array(new)) else { return nil }
        var edits: [ArrayEdit<Element>] = []
        var (from, to) = (0, 0)
        while from < old.count || to < new.count {
            let index = start + to
            let removes = from < old.count && isRemoved[from]
            let inserts = to < new.count && isInserted[to]
            if removes, inserts {
                edits.append(.replace(old[start + from], with: new[index], at: index))
            } else if removes {
                edits.append(.remove(old[start + from], at: index))
            } else if inserts {
                edits.append(.insert(new[index], at: index))
            }
            if removes || !inserts { from += 1 }
            if inserts || !removes { to += 1 }
        }
        return edits.count > ArrayEditScript<Element>.limit(forCount: start + new.count + end)
            ? nil : edits
    }

    /// Marks what is to be removed from one array and inserted into it to make it the other.
    private static func mark(
        _ old: [Element],
        _ new: [Element]
    ) -> (isRemoved: [Bool], isInserted: [Bool])? {
        var isRemoved = [Bool](repeating: new.isEmpty, count: old.count)
        var isInserted = [Bool](repeating: old.isEmpty, count: new.count)
        if old.isEmpty || new.isEmpty { return (isRemoved, isInserted) }
        guard let paths = paths(old, new) else { return nil }
        var (x, y) = (old.count, new.count)
        for (steps, path) in paths.enumerated().reversed() {
            let before = path.before(x - y, steps: steps + 1)
            y = before.x - before.diagonal
            x = before.x
            if before.isRemoval { isRemoved[x] = true } else { isInserted[y] = true }
        }
        return (isRemoved, isInserted)
    }

    /// For each number of edits how far they lead on each diagonal, up to the last number but one.
    private static func paths(_ old: [Element], _ new: [Element]) -> [Path]? {
        let limit = min(old.count + new.count, limit)
        var path = Path(ends: [0])
        var paths: [Path] = []
        for steps in 0...limit {
            var next = Path(ends: [Int](repeating: 0, count: steps + 1))
            // Diagonals that lie outside of both arrays lead nowhere.
            let low = steps <= new.count ? -steps : steps - 2 * new.count
            let high = steps <= old.count ? steps : 2 * old.count - steps
            for diagonal in stride(from: low, through: high, by: 2) {
                var x = 0
                if steps > 0 {
                    let before = path.before(diagonal, steps: steps)
                    x = before.isRemoval ? before.x + 1 : before.x
                }
                while x < old.count, x - diagonal < new.count, isSame(old[x], new[x - diagonal]) {
                    x += 1
                }
                if x == old.count, x - diagonal == new.count { return paths }
                next.ends[(diagonal + steps) / 2] = x
            }
            path = next
            paths.append(next)
        }
        return nil
    }

    /// How far a number of edits leads on each diagonal: on every second one from minus to plus that
    /// number.
    private struct Path {
        /// How many elements of the old array are behind.
        var ends: [Int]

        /// From where one more edit leads farthest on a diagonal.
        func before(
            _ diagonal: Int,
            steps: Int
        ) -> (diagonal: Int, x: Int, isRemoval: Bool) {
            let upper = (diagonal + steps) / 2
            let isInsertion =
                diagonal == -steps || (diagonal != steps && ends[upper - 1] < ends[upper])
            return isInsertion
                ? (diagonal + 1, ends[upper], false) : (diagonal - 1, ends[upper - 1], true)
        }
    }
}
