public import ModelKitEssentials

// How a decimal number is written in JSON is up to who writes it, so no schema has these.

extension Rule where Value == Decimal {
    /// An exact multiple: "must be a multiple of 0.05".
    ///
    /// Of 0 only 0 is one, and NaN is none of anything.
    public static func multipleOf(_ divisor: Decimal) -> Rule {
        let unit = "\(divisor)"
        return Rule(.multiple(of: divisor), constraint: .opaque) {
            isDecimalMultiple("\($0)", of: unit)
        }
    }

    /// A number without a fraction: "must be a whole number".
    ///
    /// NaN is none.
    public static var integer: Rule {
        standard("integer", "must be a whole number") { isDecimalMultiple("\($0)", of: "1") }
    }
}

/// Whether a number is a multiple of another, both by the digits that Swift writes.
@usableFromInline
package func isDecimalMultiple(_ number: String, of divisor: String) -> Bool {
    guard let number = DecimalText(number), let divisor = DecimalText(divisor) else { return false }
    return number.isMultiple(of: divisor)
}
