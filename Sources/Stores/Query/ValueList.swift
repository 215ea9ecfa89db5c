import ModelKitFields

/// The values of an `isIn`, sorted, so that many rows are tested against many.
struct ValueList: Sendable {
    private let sorted: [AttributeValue]
    /// The rank that all of them have; nil if some do not compare with others.
    private let rank: Int?

    init(_ values: [AttributeValue]) {
        sorted = values.lazy.filter(\.isComparable).sorted { $0.listOrder($1) == .less }
        let first = sorted.first?.sortRank
        rank = sorted.count == values.count && first == sorted.last?.sortRank ? first : nil
    }

    /// Whether one of them equals a value; nil is unknown.
    func contains(_ value: AttributeValue) -> Bool? {
        guard value.isComparable else { return nil }
        let place = sorted.indices.partition { sorted[$0].listOrder(value) == .less }
        if place < sorted.count, sorted[place].listOrder(value) == .equal { return true }
        return value.sortRank == rank ? false : nil
    }
}

extension Range<Int> {
    /// The first of those of which something does not hold; it holds of all before it, and of none after it.
    @inline(__always)
    func partition(_ holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
