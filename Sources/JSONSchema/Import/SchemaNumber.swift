import ModelKitValues

/// How one number stands to another.
enum NumberOrder {
    case less, same, greater
}

extension AttributeValue {
    /// How a number stands to another one, without rounding either; nil for what is no number.
    func order(to other: AttributeValue) -> NumberOrder? {
        switch (self, other) {
        case (.int(let one), .int(let other)): one < other ? .less : one == other ? .same : .greater
        case (.double(let one), .double(let other)):
            one < other ? .less : one == other ? .same : one > other ? .greater : nil
        case (.int(let one), .double(let other)): Self.order(one, other)
        case (.double(let one), .int(let other)): Self.order(other, one)?.reversed
        default: nil
        }
    }

    private static func order(_ integer: Int64, _ number: Double) -> NumberOrder? {
        if number.isNaN { return nil }
        // Of a whole part that is no Int64 the sign decides.
        guard let whole = Int64(exactly: number.rounded(.down)) else {
            return number < 0 ? .greater : .less
        }
        if integer != whole { return integer < whole ? .less : .greater }
        return number == number.rounded(.down) ? .same : .less
    }

    /// Whether a number is a multiple of another as both are written in decimal digits.
    func isMultiple(of divisor: AttributeValue) -> Bool {
        guard let number = Scaled(self), let unit = Scaled(divisor), unit.digits > 0 else {
            return false
        }
        if number.digits == 0 { return true }
        // Neither has zeros at its end.
        guard number.exponent >= unit.exponent else {
            return false
        }
        var rest = number.digits % unit.digits
        var base = 10 % unit.digits
        var exponent = number.exponent - unit.exponent
        func product(_ one: UInt64, _ other: UInt64) -> UInt64 {
            unit.digits.dividingFullWidth(one.multipliedFullWidth(by: other)).remainder
        }
        while exponent > 0 {
            if exponent % 2 == 1 { rest = product(rest, base) }
            base = product(base, base)
            exponent /= 2
        }
        return rest == 0
    }
}

extension NumberOrder {
    fileprivate var reversed: NumberOrder {
        switch self {
        case .less: .greater
        case .same: .same
        case .greater: .less
        }
    }
}

/// The magnitude of a number: an integer without zeros at its end, times a power of ten.
private struct Scaled {
    var digits: UInt64 = 0
    var exponent = 0

    /// nil for what is no finite number.
    init?(_ value: AttributeValue) {
        switch value {
        case .int(let number): digits = number.magnitude
        case .double(let number) where number.isFinite:
            // At most 17 digits.
            let text = "\(number.magnitude)".utf8
            let parts = text.split(separator: UInt8(ascii: "e"))
            var isFraction = false
            for byte in parts[0] {
                if byte == UInt8(ascii: ".") {
                    isFraction = true
                } else {
                    digits = digits * 10 + UInt64(byte - 0x30)
                    if isFraction { exponent -= 1 }
                }
            }
            if parts.count > 1 { exponent += Int(Substring(parts[1])) ?? 0 }
        default: return nil
        }
        while digits > 0, digits % 10 == 0 {
            digits /= 10
            exponent += 1
        }
    }
}
