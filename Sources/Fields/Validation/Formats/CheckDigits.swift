// Numbers with a check digit, which a slip of the pen breaks. Whether anybody was given the number,
// only the issuer knows.

/// Whether the bytes are digits whose check digit is right by the algorithm of Luhn (ISO/IEC 7812-1,
/// annex B).
package func isLuhnNumber<Bytes: Sequence<UInt8>>(_ bytes: Bytes) -> Bool {
    var sum = CheckSum { $0 < 5 ? 2 * $0 : 2 * $0 - 9 }
    guard let count = readDigits(bytes, grouped: false, { sum.add($0) }) else { return false }
    return count > 1 && sum.isRight
}

/// Whether the bytes are a number of GS1, an EAN, of one of these lengths.
package func isEAN<Bytes: Sequence<UInt8>>(_ bytes: Bytes, lengths: Set<Int>) -> Bool {
    var sum = CheckSum { 3 * $0 }
    guard let count = readDigits(bytes, grouped: false, { sum.add($0) }) else { return false }
    return lengths.contains(count) && sum.isRight
}

/// Whether the bytes are an ISBN of 13 digits, groups of them perhaps apart.
package func isISBN13<Bytes: Sequence<UInt8>>(_ bytes: Bytes) -> Bool {
    var sum = CheckSum { 3 * $0 }
    var prefix = 0
    var place = 0
    let count = readDigits(bytes, grouped: true) { digit in
        sum.add(digit)
        if place < 3 { prefix = prefix * 10 + digit }
        place += 1
    }
    return count == 13 && (prefix == 978 || prefix == 979) && sum.isRight
}

/// Whether the bytes are an ISBN of ten digits, the last of which may be an X; groups of them
/// perhaps apart.
package func isISBN10<Bytes: Sequence<UInt8>>(_ bytes: Bytes) -> Bool {
    var sum = 0
    var place = 0
    let count = readDigits(bytes, grouped: true, lastX: true) { digit in
        // An X counts ten, and only at the end.
        if place < 10 { sum += (10 - place) * digit }
        place += 1
    }
    return count == 10 && sum % 11 == 0
}

/// Whether the bytes are the number of a payment card of one of the brands, groups of its digits
/// perhaps apart.
package func isCardNumber<Bytes: Sequence<UInt8>>(_ bytes: Bytes, of brands: Set<CardBrand>) -> Bool
{
    var sum = CheckSum { $0 < 5 ? 2 * $0 : 2 * $0 - 9 }
    var prefix = 0
    var place = 0
    let count = readDigits(bytes, grouped: true) { digit in
        sum.add(digit)
        if place < 6 { prefix = prefix * 10 + digit }
        place += 1
    }
    guard let count, count >= 12, sum.isRight else { return false }
    return brands.contains { $0.has(prefix: prefix, length: count) }
}

/// Reads digits, and counts them; nil if something else is there.
///
/// - Parameters:
///   - bytes: The text.
///   - isGrouped: Whether a space or a hyphen may stand between two digits.
///   - isLastX: Whether an X may stand for the last digit, which is a ten then.
///   - body: Is given each digit.
/// - Returns: How many there are.
private func readDigits<Bytes: Sequence<UInt8>>(
    _ bytes: Bytes,
    grouped isGrouped: Bool,
    lastX isLastX: Bool = false,
    _ body: (Int) -> Void
) -> Int? {
    var count = 0
    var isBetween = false
    var isOver = false
    for byte in bytes {
        if isOver { return nil }
        switch byte {
        case 0x30...0x39: body(Int(byte - 0x30))
        case UInt8(ascii: "X") where isLastX && count > 0:
            body(10)
            isOver = true
        case UInt8(ascii: " "), UInt8(ascii: "-"):
            guard isGrouped, count > 0, !isBetween else { return nil }
            isBetween = true
            continue
        default: return nil
        }
        isBetween = false
        count += 1
    }
    return isBetween || count == 0 ? nil : count
}

/// The sum of digits of which every second one from the right but the last weighs more.
private struct CheckSum {
    /// The sum if the digit that was added last is the last of all.
    private var sum = 0
    /// The sum if one more comes.
    private var other = 0
    private let weigh: (Int) -> Int

    init(_ weigh: @escaping (Int) -> Int) {
        self.weigh = weigh
    }

    mutating func add(_ digit: Int) {
        (sum, other) = (other + digit, sum + weigh(digit))
    }

    var isRight: Bool { sum % 10 == 0 }
}
