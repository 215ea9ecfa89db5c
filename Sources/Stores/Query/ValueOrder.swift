import ModelKitModels

/// How two values stand to each other in queries.
enum ValueOrder: Sendable {
    case less, equal, greater

    init<Value: Comparable>(_ left: Value, _ right: Value) {
        self = left < right ? .less : left == right ? .equal : .greater
    }
}

extension Identifier {
    /// Whether it comes before another in a list of records that are alike in all else.
    func precedes(_ other: Identifier) -> Bool {
        switch (self, other) {
        case (.int(let left), .int(let right)): left < right
        case (.string(let left), .string(let right)): left.compareBytes(right) == .less
        case (.int, .string): true
        case (.string, .int): false
        }
    }
}

extension AttributeValue {
    /// The order of two values; nil when they do not compare: null, NaN, or different kinds.
    func compare(_ other: AttributeValue) -> ValueOrder? {
        switch (self, other) {
        case (.int(let left), .int(let right)): return ValueOrder(left, right)
        case (.double(let left), .double(let right)):
            return left.isNaN || right.isNaN ? nil : ValueOrder(left, right)
        case (.int(let left), .double(let right)): return AttributeValue.compare(left, right)
        case (.double(let left), .int(let right)):
            switch AttributeValue.compare(right, left) {
            case .less?: return .greater
            case .greater?: return .less
            case .equal?: return .equal
            case nil: return nil
            }
        case (.string(let left), .string(let right)):
            return left.compareBytes(right)
        case (.bool(let left), .bool(let right)): return ValueOrder(left ? 1 : 0, right ? 1 : 0)
        case (.date(let left), .date(let right)):
            // Stores keep microseconds.
            return ValueOrder(
                Timestamp.microseconds(of: left),
                Timestamp.microseconds(of: right)
            )
        case (.data(let left), .data(let right)):
            if left == right { return .equal }
            return left.lexicographicallyPrecedes(right) ? .less : .greater
        default: return nil
        }
    }

    /// The order of two values in a sorted list, where every pair has one: numbers, texts, booleans,
    /// dates, data, then the rest, which are all alike, and null last.
    func listOrder(_ other: AttributeValue) -> ValueOrder {
        compare(other) ?? ValueOrder(sortRank, other.sortRank)
    }

    /// Whether it stands before a text in such a list.
    @inline(__always)
    func precedes(text: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .string(let own): own.compareBytes(text) == .less
        default: sortRank < AttributeValue.string("").sortRank
        }
    }

    /// Whether it compares with any value.
    var isComparable: Bool {
        switch self {
        case .null, .array, .dictionary: false
        case .double(let number): !number.isNaN
        default: true
        }
    }

    /// Its place among the kinds of values in a sorted list.
    var sortRank: Int {
        switch self {
        case .int, .double: 0
        case .string: 1
        case .bool: 2
        case .date: 3
        case .data: 4
        case .array, .dictionary: 5
        case .null: 6
        }
    }

    /// By value, without rounding the integer to a double.
    private static func compare(_ left: Int64, _ right: Double) -> ValueOrder? {
        if right.isNaN { return nil }
        // 2 to the 63rd: the first double above every integer.
        if right >= 0x1p63 { return .less }
        if right < -0x1p63 { return .greater }
        let whole = Int64(right.rounded(.towardZero))
        if left != whole { return ValueOrder(left, whole) }
        return ValueOrder(0, right - right.rounded(.towardZero))
    }
}
