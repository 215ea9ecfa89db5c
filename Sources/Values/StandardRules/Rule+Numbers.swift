public import ModelKitEssentials

/// Whether both values have a place in the order of their type, which NaN has not.
///
/// Not every type's comparisons with NaN are false: `>=` of dates says the opposite of `<`, and to
/// `Decimal` it is the least number and equal to itself.
@inlinable @inline(__always)
func areOrdered<Value: Comparable>(_ one: Value, _ other: Value) -> Bool {
    if Value.self == Decimal.self, let one = one as? Decimal, let other = other as? Decimal {
        return !one.isNaN && !other.isNaN
    }
    return one == one && other == other
}

extension Rule where Value: Comparable {
    /// At least this: "must be greater than or equal to 6".
    ///
    /// NaN fails, here and in every other bound.
    @inlinable
    public static func min(_ bound: Value) -> Rule {
        bounded(.minimum, bound) { areOrdered($0, bound) && $0 >= bound }
    }

    /// At most this: "must be less than or equal to 6".
    @inlinable
    public static func max(_ bound: Value) -> Rule {
        bounded(.maximum, bound) { areOrdered($0, bound) && $0 <= bound }
    }

    /// More than this: "must be greater than 6".
    @inlinable
    public static func greaterThan(_ bound: Value) -> Rule {
        bounded(.exclusiveMinimum, bound) { areOrdered($0, bound) && $0 > bound }
    }

    /// Less than this: "must be less than 6".
    @inlinable
    public static func lessThan(_ bound: Value) -> Rule {
        bounded(.exclusiveMaximum, bound) { areOrdered($0, bound) && $0 < bound }
    }

    /// Inside a range, which may be open at one end; the message names the end that was passed:
    /// "must be greater than or equal to 1", "must be less than or equal to 5", and of `6...6`
    /// "must be equal to 6".
    @inlinable
    public static func range(_ range: some RuleRange<Value>) -> Rule {
        range.ruleBounds.rule(
            exactly: { .equal($0) },
            min: { .min($0) },
            max: { .max($0) },
            below: { .lessThan($0) }
        )
    }

    @inlinable
    static func bounded(
        _ side: BoundSide,
        _ bound: Value,
        _ test: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
        Rule(
            side.issue(AttributeValue(describing: bound)),
            constraint: .bound(bound, side.constraint),
            test
        )
    }
}

extension Rule where Value: Comparable & Numeric {
    /// More than zero: "must be greater than 0".
    @inlinable
    public static var positive: Rule { greaterThan(.zero) }

    /// Less than zero: "must be less than 0".
    @inlinable
    public static var negative: Rule { lessThan(.zero) }

    /// Zero or more: "must be greater than or equal to 0".
    @inlinable
    public static var nonNegative: Rule { min(.zero) }
}

extension Rule where Value: BinaryInteger {
    /// A multiple: "must be a multiple of 5".
    ///
    /// Of 0 only 0 is one.
    @inlinable
    public static func multipleOf(_ divisor: Value) -> Rule {
        Rule(.multiple(of: divisor), constraint: .bound(divisor) { .multipleOf($0) }) {
            $0.isMultiple(of: divisor)
        }
    }
}

extension Rule where Value: BinaryFloatingPoint {
    /// A multiple of the number as people write it: "must be a multiple of 0.1".
    ///
    /// So 0.3 is one of 0.1, although its binary form is not.
    /// Of 0 nothing is one, and infinity and NaN are none of anything.
    ///
    /// Quotients are compared within two units of their last place, which is what rounding both
    /// numbers to binary can cost; from 2⁵⁰ (of a Double) on, where that would be any number, one is a
    /// multiple if it is by its remainder, or by the digits that `print` writes: 1e14 is one of 0.01.
    @inlinable
    public static func multipleOf(_ divisor: Value) -> Rule {
        Rule(.multiple(of: divisor), constraint: .bound(divisor) { .multipleOf($0) }) { value in
            guard value.isFinite, divisor.isFinite, divisor != 0 else { return false }
            let quotient = value / divisor
            if quotient.magnitude < 0.5 { return value == 0 }
            if !quotient.isFinite || quotient.ulp >= 0.25 {
                return value.truncatingRemainder(dividingBy: divisor) == 0
                    || isDecimalMultiple("\(value)", of: "\(divisor)")
            }
            return (quotient - quotient.rounded()).magnitude <= 2 * quotient.ulp
        }
    }
}

extension Rule where Value: FloatingPoint {
    /// Neither infinite nor NaN: "must be a finite number".
    @inlinable
    public static var finite: Rule {
        // JSON has no other numbers.
        standard("finite", "must be a finite number", .all([])) { $0.isFinite }
    }

    /// A finite number without a fraction: "must be a whole number".
    @inlinable
    public static var integer: Rule {
        standard("integer", "must be a whole number", .multipleOf(1)) {
            $0.isFinite && $0 == $0.rounded(.towardZero)
        }
    }
}

extension Issue {
    @usableFromInline
    static func multiple(of divisor: Any) -> Issue {
        let data = AttributeValue(describing: divisor)
        return Issue("multipleOf", "must be a multiple of", data, as: "divisor")
    }
}
