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
        return Rule(.digits(integer, fraction), constraint: constraint) {
            hasDigits("\($0)", integer, fraction)
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
        return Rule(.digits(integer, fraction), constraint: constraint) {
            hasDigits("\($0)", integer, fraction)
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

/// Whether a number, as Swift writes it, has no more digits before the point and after it; none that is not finite.
private func hasDigits(_ number: String, _ integer: Int, _ fraction: Int) -> Bool {
    guard let number = DecimalText(number) else { return false }
    return number.count + number.exponent <= max(integer, 0)
        && -number.exponent <= max(fraction, 0)
}
