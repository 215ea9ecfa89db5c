/// The moves that bring elements into an order.
enum Moves {
    /// With more moves than these a sort is a reset: each takes time for the whole array.
    static let limit = 64

    /// A move of the element that had an index at the beginning.
    struct Move: Equatable {
        let element: Int
        let from: Int
        let to: Int
    }

    /// The fewest moves that put at each place the element whose index is in the order there; nil
    /// when there are too many.
    static func leading(to order: [Int]) -> [Move]? {
        let staying = longestIncreasing(order)
        if order.count - staying.count > limit { return nil }
        var current = Array(order.indices)
        var moves: [Move] = []
        for (place, element) in order.enumerated() where !staying.contains(element) {
            // Behind the one that is before it at the end, which is at its place among those that
            // stay or were moved.
            guard let from = current.firstIndex(of: element) else { continue }
            current.remove(at: from)
            let to = place == 0 ? 0 : (current.firstIndex(of: order[place - 1]) ?? -1) + 1
            current.insert(element, at: to)
            if from != to { moves.append(Move(element: element, from: from, to: to)) }
        }
        return moves
    }

    /// The elements of a longest increasing subsequence of different numbers.
    private static func longestIncreasing(_ numbers: [Int]) -> Set<Int> {
        // For each length the place of the least number that ends such a subsequence.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[place] = ends[low - 1] }
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var members: Set<Int> = []
        var place = ends.last ?? -1
        while place >= 0 {
            members.insert(numbers[place])
            place = previous[place]
        }
        return members
    }
}
