/// A decimal number as a text has it: its digits without zeros at both ends, and what power of ten the last one counts.
///
/// Two texts of one number are the same; so may two others be, if both are beyond 128 bits.
package struct DecimalText: Equatable {
    package private(set) var isNegative = false
    /// As an integer, without the sign; nil if that is beyond 128 bits, which some of 39 digits are.
    package private(set) var digits: UInt128? = 0
    /// How many they are: of 0 none.
    package private(set) var count = 0
    package private(set) var exponent = 0

    /// Reads a number as JSON and Swift write it, `-12.5` or `1.25e-07`; nil for anything else.
    ///
    /// - Parameters:
    ///   - text: The number.
    ///   - isLenient: Whether it may begin with a plus sign or the point, and its exponent may be of any length.
    package init?(_ text: String, isLenient: Bool = false) {
        var text = text
        let isNumber = text.withUTF8 { bytes in
            var scanner = ByteScanner(bytes)
            return read(&scanner, isLenient)
        }
        if !isNumber { return nil }
    }

    private mutating func read(
        _ scanner: inout ByteScanner<UnsafeBufferPointer<UInt8>>,
        _ isLenient: Bool
    ) -> Bool {
        let hasMinus = scanner.skip("-")
        if isLenient && !hasMinus { _ = scanner.skip("+") }
        var zeros = 0
        let whole = readDigits(&scanner, &zeros)
        if whole == 0, !isLenient || scanner.next != UInt8(ascii: ".") { return false }
        if scanner.skip(".") {
            let decimals = readDigits(&scanner, &zeros)
            if decimals == 0 { return false }
            exponent = -decimals
        }
        if scanner.skip("e") || scanner.skip("E") {
            let isSmall = scanner.skip("-")
            if !isSmall { _ = scanner.skip("+") }
            let start = scanner.position
            var power = 0
            while let digit = scanner.number(ofDigits: 1) {
                power = min(power * 10 + digit, 1_000_000_000)
            }
            let length = scanner.position - start
            if length == 0 || length > 4 && !isLenient { return false }
            exponent += isSmall ? -power : power
        }
        exponent = count == 0 ? 0 : exponent + zeros
        isNegative = hasMinus && count > 0
        return scanner.isAtEnd
    }

    /// Reads digits, and counts the zeros that may be the last of the number.
    private mutating func readDigits(
        _ scanner: inout ByteScanner<UnsafeBufferPointer<UInt8>>,
        _ zeros: inout Int
    ) -> Int {
        let start = scanner.position
        while let digit = scanner.number(ofDigits: 1) {
            if digit == 0 {
                if count > 0 { zeros += 1 }
                continue
            }
            for _ in 0..<zeros { append(0) }
            append(UInt128(digit))
            zeros = 0
        }
        return scanner.position - start
    }

    private mutating func append(_ digit: UInt128) {
        count += 1
        guard case (let product, false)? = digits?.multipliedReportingOverflow(by: 10),
            case (let sum, false) = product.addingReportingOverflow(digit)
        else { return digits = nil }
        digits = sum
    }

    /// Whether the quotient is whole, however far the exponents are apart; of 0 only 0 is a multiple.
    func isMultiple(of divisor: DecimalText) -> Bool {
        guard let digits, let unit = divisor.digits else { return false }
        if digits == 0 || unit == 0 { return digits == 0 }
        // Neither has zeros at its end.
        if exponent < divisor.exponent { return false }
        var rest = digits % unit
        for _ in divisor.exponent..<exponent {
            rest = unit.dividingFullWidth(rest.multipliedFullWidth(by: 10)).remainder
        }
        return rest == 0
    }
}
