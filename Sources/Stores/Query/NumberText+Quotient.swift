extension NumberText {
    /// As many digits as a `Decimal` always holds, and places after the point as it has at most.
    private static let (digits, places) = (38, 128)

    /// A number divided by a count above 0, rounded to what a `Decimal` holds, half to even; nil if it has too many
    /// digits before the point.
    ///
    /// The text has to say a number, as that of an `ExactSum` does.
    static func quotient(_ text: String, _ count: Int) -> String? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let parts = text.utf8.drop { $0 == UInt8(ascii: "-") }.split(separator: UInt8(ascii: "."))
        var places = parts.count == 2 ? parts[1].count : 0
        var quotient: [UInt8] = []
        var rest: UInt128 = 0
        func bringDown(_ digit: UInt8) {
            let (next, left) = (rest * 10 + UInt128(digit))
                .quotientAndRemainder(dividingBy: UInt128(count))
            rest = left
            if next > 0 || !quotient.isEmpty { quotient.append(UInt8(next)) }
        }
        for digit in parts.joined() { bringDown(digit - UInt8(ascii: "0")) }
        while rest > 0, quotient.count <= Self.digits, places <= Self.places {
            bringDown(0)
            places += 1
        }
        let surplus = max(quotient.count - Self.digits, places - Self.places, 0)
        if surplus > 0 {
            round(&quotient, dropping: surplus, isMore: rest > 0)
            places -= surplus
        }
        quotient += Array(repeating: 0, count: max(0, -places))
        places = max(0, places)
        let zeros = Array(repeating: 0 as UInt8, count: max(0, places + 1 - quotient.count))
        let all = (zeros + quotient).map { $0 + UInt8(ascii: "0") }
        let whole = String(decoding: all.dropLast(places), as: UTF8.self)
        let fraction = String(decoding: all.suffix(places), as: UTF8.self)
        return shortest((isNegative ? "-" : "") + whole + (places > 0 ? "." + fraction : ""))
    }

    /// Rounds digits, half to even; `isMore` says that others follow which are not all zero.
    private static func round(_ digits: inout [UInt8], dropping count: Int, isMore: Bool) {
        let dropped = digits.suffix(count)
        let first = count > digits.count ? 0 : dropped.first ?? 0
        let isAboveHalf = isMore || dropped.dropFirst().contains { $0 > 0 }
        digits.removeLast(dropped.count)
        let isOdd = (digits.last ?? 0) % 2 == 1
        guard first > 5 || first == 5 && (isAboveHalf || isOdd) else { return }
        var index = digits.count - 1
        while index >= 0, digits[index] == 9 {
            digits[index] = 0
            index -= 1
        }
        if index < 0 { digits.insert(1, at: 0) } else { digits[index] += 1 }
    }
}
