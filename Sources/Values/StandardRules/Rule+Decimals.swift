public import ModelKitEssentials

// How a decimal number is written in JSON is up to who writes it, so no schema has these.

extension Rule where Value == Decimal {
    /// An exact multiple: "must be a multiple of 0.05".
    ///
    /// Of 0 only 0 is one, and NaN is none of anything.
    public static func multipleOf(_ divisor: Decimal) -> Rule {
        let data = AttributeValue(describing: divisor)
        let issue = Issue("multipleOf", "must be a multiple of", data, as: "divisor")
        let scaled = ScaledInteger(divisor)
        return Rule(issue, constraint: .opaque) { value in
            guard let scaled, let value = ScaledInteger(value) else { return false }
            return value.isMultiple(of: scaled)
        }
    }

    /// A number without a fraction: "must be a whole number".
    ///
    /// NaN is none.
    public static var integer: Rule {
        let issue = Issue(standard: "integer", message: "must be a whole number")
        let one = ScaledInteger(1)
        return Rule(issue, constraint: .opaque) { value in
            guard let one, let value = ScaledInteger(value) else { return false }
            return value.isMultiple(of: one)
        }
    }
}

/// Whether a number is a multiple of another, both by the digits that Swift writes.
@usableFromInline
func isDecimalMultiple(_ number: String, of divisor: String) -> Bool {
    guard let number = ScaledInteger(number), let divisor = ScaledInteger(divisor) else {
        return false
    }
    return number.isMultiple(of: divisor)
}

/// A decimal number without its sign: an integer times a power of ten.
struct ScaledInteger {
    private let digits: UInt128
    private let exponent: Int

    /// Nil for NaN.
    init?(_ value: Decimal) {
        guard !value.isNaN, let digits = UInt128("\(value.significand.magnitude)") else {
            return nil
        }
        self.digits = digits
        exponent = value.exponent
    }

    /// Reads a number as Swift writes it, `-12.5` or `1.25e-07`; nil for one that is not finite.
    init?(_ text: String) {
        let parts = text.split(separator: "e")
        guard let number = parts.first else { return nil }
        let point = number.drop { $0 == "-" }.split(
            separator: ".",
            omittingEmptySubsequences: false
        )
        let fraction = point.count > 1 && point[1] != "0" ? point[1] : ""
        guard let whole = point.first, let digits = UInt128(whole + fraction),
            let exponent = parts.count > 1 ? Int(parts[1]) : 0
        else { return nil }
        self.digits = digits
        self.exponent = exponent - fraction.count
    }

    /// Whether the quotient is whole, however far the exponents are apart.
    func isMultiple(of divisor: ScaledInteger) -> Bool {
        if digits == 0 || divisor.digits == 0 { return digits == 0 }
        if exponent < divisor.exponent {
            // A divisor of more digits than fit is greater than the value.
            var scaled = divisor.digits
            for _ in exponent..<divisor.exponent {
                let (product, isTooLarge) = scaled.multipliedReportingOverflow(by: 10)
                if isTooLarge { return false }
                scaled = product
            }
            return digits.isMultiple(of: scaled)
        }
        var remainder = digits % divisor.digits
        for _ in divisor.exponent..<exponent {
            let product = remainder.multipliedFullWidth(by: 10)
            remainder = divisor.digits.dividingFullWidth(product).remainder
        }
        return remainder == 0
    }
}
