extension AttributeValue {
    var isNumber: Bool { SchemaType.number.has(self) }

    /// How a number stands to another one, without rounding either: -1 if it is less, 0 if it is the same, 1 if it is
    /// greater; nil for what is no number.
    func order(to other: AttributeValue) -> Int? {
        switch (self, other) {
        case (.int(let one), .int(let other)): one < other ? -1 : one == other ? 0 : 1
        case (.double(let one), .double(let other)):
            one < other ? -1 : one == other ? 0 : one > other ? 1 : nil
        case (.int(let one), .double(let other)): Self.order(one, other)
        case (.double(let one), .int(let other)): Self.order(other, one).map { -$0 }
        default: nil
        }
    }

    private static func order(_ integer: Int64, _ number: Double) -> Int? {
        if number.isNaN { return nil }
        // Of a whole part that is no Int64 the sign decides.
        guard let whole = Int64(exactly: number.rounded(.down)) else { return number < 0 ? 1 : -1 }
        if integer != whole { return integer < whole ? -1 : 1 }
        return number == number.rounded(.down) ? 0 : -1
    }
}

extension BoundSide {
    /// Whether values in an order to the bound are inside.
    func accepts(_ order: Int?) -> Bool {
        guard let order else { return false }
        return switch self {
        case .minimum: order >= 0
        case .maximum: order <= 0
        case .exclusiveMinimum: order > 0
        case .exclusiveMaximum: order < 0
        }
    }
}
