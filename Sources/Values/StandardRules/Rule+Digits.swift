public import ModelKitEssentials

extension Rule where Value: BinaryInteger {
    /// At most so many decimal digits: "must have at most 5 digits before the point and 0 after
    /// it".
    ///
    /// The sign is no digit, and 0 has none.
    @inlinable
    public static func digits(integer: Int, fraction: Int = 0) -> Rule {
        let constraint = Constraint.digits(integer: integer, fraction: fraction)
        return Rule(.digits(integer, fraction), constraint: constraint) { value in
            var rest = value.magnitude
            var count = 0
            while rest > 0 {
                rest /= 10
                count += 1
            }
            return count <= Swift.max(integer, 0)
        }
    }
}

extension Rule where Value: BinaryFloatingPoint {
    /// At most so many decimal digits before the point, and so many after it: "must have at most 5
    /// digits before the point and 2 after it".
    ///
    /// ```swift
    /// let price: Rule<Double> = .digits(integer: 5, fraction: 2)
    /// price.isValid(value: 12345.67)   // true
    /// price.isValid(value: 0.125)      // false
    /// ```
    ///
    /// They are counted in the shortest decimal number that is read as the value, the one that
    /// `print` writes: 0.1 has one after the point. Zeros at the ends are none, nor is the sign; 0
    /// has none at all. Infinity and NaN fail. A value of more than 14 digits costs an allocation.
    public static func digits(integer: Int, fraction: Int) -> Rule {
        // What has more digits than a Double is written in JSON with those of one.
        let constraint =
            Value.self == Double.self || Value.self == Float.self
            ? Constraint.digits(integer: integer, fraction: fraction) : .opaque
        return Rule(.digits(integer, fraction), constraint: constraint) { value in
            DecimalDigits("\(value)")?.isWithin(integer, fraction) ?? false
        }
    }
}

extension Rule where Value == Decimal {
    /// At most so many decimal digits before the point, and so many after it: "must have at most 5
    /// digits before the point and 2 after it".
    ///
    /// Zeros at the ends are none, nor is the sign; 0 has none at all. NaN fails.
    public static func digits(integer: Int, fraction: Int) -> Rule {
        let constraint = Constraint.digits(integer: integer, fraction: fraction)
        return Rule(.digits(integer, fraction), constraint: constraint) { value in
            DecimalDigits("\(value)")?.isWithin(integer, fraction) ?? false
        }
    }
}

extension Issue {
    @usableFromInline
    static func digits(_ integer: Int, _ fraction: Int) -> Issue {
        Issue(
            standard: "digits",
            message:
                "must have at most \(integer) digits before the point and \(fraction) after it",
            parameters: ["integer": .int(Int64(integer)), "fraction": .int(Int64(fraction))]
        )
    }
}

/// How many digits a decimal number has before the point and after it, without zeros at the ends.
struct DecimalDigits {
    private let integer: Int
    private let fraction: Int

    /// Reads a number as Swift writes it, `-12.5` or `1.25e-07`; nil for one that is not finite.
    init?(_ text: String) {
        var digits = 0
        var point: Int?
        var leadingZeros = 0
        var trailingZeros = 0
        var exponent = 0
        scan: for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "-") where index == 0: continue
            case UInt8(ascii: "."): point = digits
            case UInt8(ascii: "e"):
                guard let value = Int(text.utf8.dropFirst(index + 1).asciiText) else { return nil }
                exponent = value
                break scan
            case 0x30...0x39:
                if byte != 0x30 {
                    trailingZeros = 0
                } else {
                    if leadingZeros == digits { leadingZeros += 1 }
                    trailingZeros += 1
                }
                digits += 1
            default: return nil
            }
        }
        let before = (point ?? digits) + exponent
        integer = leadingZeros == digits ? 0 : max(0, before - leadingZeros)
        fraction = leadingZeros == digits ? 0 : max(0, digits - trailingZeros - before)
    }

    func isWithin(_ integer: Int, _ fraction: Int) -> Bool {
        self.integer <= max(integer, 0) && self.fraction <= max(fraction, 0)
    }
}

extension Substring.UTF8View {
    fileprivate var asciiText: Substring { Substring(self) }
}
