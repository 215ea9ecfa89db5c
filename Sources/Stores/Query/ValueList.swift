import ModelKitFields

/// The values of an `isIn`, sorted, so that many rows are tested against many.
struct ValueList: Sendable {
    private let values: [AttributeValue]
    private let sorted: [AttributeValue]
    /// The rank that all of them have; nil if some do not compare with others.
    private let rank: Int?

    /// So few are looked through sooner than they are sorted.
    private static let few = 8

    init(_ values: [AttributeValue]) {
        self.values = values
        guard values.count > Self.few else {
            (sorted, rank) = ([], nil)
            return
        }
        sorted = values.filter(\.isComparable).sorted { $0.listOrder($1) == .less }
        let first = sorted.first?.sortRank
        rank = sorted.count == values.count && first == sorted.last?.sortRank ? first : nil
    }

    /// Whether one of them equals a value; nil is unknown.
    func contains(_ value: AttributeValue) -> Bool? {
        if values.count <= Self.few { return value.isIn(values) }
        guard value.isComparable else { return nil }
        var (lower, upper) = (0, sorted.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            switch sorted[middle].listOrder(value) {
            case .equal: return true
            case .less: lower = middle + 1
            case .greater: upper = middle
            }
        }
        return value.sortRank == rank ? false : nil
    }
}
