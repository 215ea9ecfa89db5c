import ModelKitFields

/// Numbers as texts of their digits: how they compare exactly, whatever their size.
///
/// A number has one text: no zeros before the integer but one alone, none at the end of a fraction, no
/// exponent, and no sign of zero.
package enum NumberText {
    /// More digits before the point than any number has that a field can hold.
    private static let mostDigits = 500

    private static let minus = UInt8(ascii: "-")
    private static let point = UInt8(ascii: ".")
    private static let zero = UInt8(ascii: "0")

    /// Whether a text is the one of a number.
    package static func isNumber(_ text: String) -> Bool {
        var (whole, fraction) = (0, 0)
        var (isNegative, hasPoint) = (false, false)
        var (first, last) = (zero, zero)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39:
                if hasPoint {
                    fraction += 1
                } else {
                    if whole == 0 { first = byte }
                    whole += 1
                }
                last = byte
            case minus where whole == 0 && !isNegative: isNegative = true
            case point where whole > 0 && !hasPoint: hasPoint = true
            default: return false
            }
        }
        if whole == 0 || whole > mostDigits || whole > 1 && first == zero { return false }
        return hasPoint ? fraction > 0 && last != zero : !(isNegative && first == zero)
    }

    /// Whether a text is the one of an integer beyond `Int64.max`.
    package static func isWide(_ text: String) -> Bool {
        text.utf8.count > 18 && text.utf8.allSatisfy { 0x30...0x39 ~= $0 } && isNumber(text)
            && Int64(text) == nil
    }

    /// The one text of the number that digits, a point and a sign say; nil if they say none.
    static func shortest(_ text: String) -> String? {
        let isNegative = text.utf8.first == minus
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        let parts = digits.split(separator: point, omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { 0x30...0x39 ~= $0 } }
        guard parts.count <= 2, areDigits, let first = parts.first else { return nil }
        let whole = first.drop { $0 == zero }
        var fraction = parts.count == 2 ? Array(parts[1]) : []
        while fraction.last == zero { fraction.removeLast() }
        if whole.count > mostDigits { return nil }
        if whole.isEmpty && fraction.isEmpty { return "0" }
        return (isNegative ? "-" : "")
            + (whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self))
            + (fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self))
    }

    /// The order of two numbers by their texts.
    static func compare(_ left: String, _ right: String) -> ValueOrder {
        left.withBytes { left in right.withBytes { compare(left, $0) } }
    }

    private static func compare(
        _ left: UnsafeBufferPointer<UInt8>,
        _ right: UnsafeBufferPointer<UInt8>
    ) -> ValueOrder {
        let isNegative = left.first == minus
        if isNegative != (right.first == minus) { return isNegative ? .less : .greater }
        let (left, right) = isNegative ? (right, left) : (left, right)
        let order = ValueOrder(wholeCount(left), wholeCount(right))
        return order == .equal ? left.order(right) : order
    }

    /// How many bytes stand before the point.
    private static func wholeCount(_ bytes: some Collection<UInt8>) -> Int {
        var count = 0
        for byte in bytes {
            if byte == point { break }
            count += 1
        }
        return count
    }

    // MARK: Keys

    /// A text whose bytes are in the order of the numbers: first how many digits there are before the point,
    /// and then the digits; of a negative number both the other way round.
    ///
    /// `SQLiteColumn` has the same as SQL.
    static func key(of text: String) -> String {
        let count = wholeCount(text.utf8) + 1
        guard text.utf8.first == minus else { return length(1000 + count) + text }
        let digits = text.utf8.dropFirst().map { byte in
            // '0' as 'j', '9' as 'a'
            byte == point ? byte : UInt8(ascii: "j") - (byte - zero)
        }
        return "-" + length(1000 - count) + String(decoding: digits, as: UTF8.self) + "~"
    }

    private static func length(_ value: Int) -> String {
        Unicode.Scalar(UInt32(clamping: value)).map { String($0) } ?? ""
    }

    /// A key that comes after those of all numbers, and before all that are no numbers.
    static let afterAll = length(9998)

    // MARK: Doubles

    /// The text of a finite double, with all of its digits.
    static func exact(_ number: Double) -> String {
        let raw = Int(number.exponentBitPattern)
        var significand = number.significandBitPattern | (raw == 0 ? 0 : 1 << 52)
        if significand == 0 { return "0" }
        let zeros = significand.trailingZeroBitCount
        significand >>= UInt64(zeros)
        let exponent = max(raw, 1) - 1075 + zeros
        // The last digit first.
        var digits = String(significand).utf8.reversed().map { $0 - zero }
        // A half is five tenths.
        for _ in 0..<exponent.magnitude {
            var carry: UInt8 = 0
            for index in digits.indices {
                carry += digits[index] * (exponent > 0 ? 2 : 5)
                digits[index] = carry % 10
                carry /= 10
            }
            if carry > 0 { digits.append(carry) }
        }
        let places = exponent < 0 ? Int(exponent.magnitude) : 0
        digits += Array(repeating: 0, count: max(0, places + 1 - digits.count))
        var text = digits.reversed().map { $0 + zero }
        if places > 0 { text.insert(point, at: text.count - places) }
        return shortest((number < 0 ? "-" : "") + String(decoding: text, as: UTF8.self)) ?? "0"
    }
}

extension AttributeKind {
    /// Whether some or all values are numbers that are kept as texts.
    package var holdsNumberTexts: Bool { self == .decimal || self == .unsigned }
}

extension AttributeValue {
    /// The value as a number where the field holds some as texts: an integer, the text of a number or an
    /// infinity; nil if it is no number.
    var number: AttributeValue? {
        switch self {
        case .int: return self
        case .string(let text):
            return NumberText.isNumber(text) ? self : NumberText.shortest(text).map { .string($0) }
        case .double(let number):
            if number.isNaN { return nil }
            if number.isInfinite { return self }
            return Int64(exactly: number).map { .int($0) } ?? .string(NumberText.exact(number))
        default: return nil
        }
    }

    /// A number as a field of a kind has it, of decimals or of unsigned integers; nil if it is none.
    package func numberForm(of kind: AttributeKind) -> AttributeValue? {
        let form: AttributeValue? =
            switch number {
            case .int(let number)? where kind == .decimal: .string(String(number))
            case .string(let text)? where kind == .unsigned:
                Int64(text).map { .int($0) } ?? .string(text)
            default: number
            }
        return form.flatMap { $0.isStorable(as: kind) ? $0 : nil }
    }

    /// A text by whose bytes it is compared with the other numbers of a field that holds some as texts; nil
    /// if it is no number.
    package var numberKey: String? {
        switch number {
        case .int(let number)?: NumberText.key(of: String(number))
        case .string(let text)?: NumberText.key(of: text)
        case .double(let infinity)?: infinity < 0 ? "" : NumberText.afterAll
        default: nil
        }
    }

    /// The same where they are sorted: what is no number comes last, as null does anyway.
    package var numberSortKey: String? { isNull ? nil : numberKey ?? NumberText.afterAll }

    /// The order of two that are as `number` gives them; nil of others.
    func compareNumber(_ other: AttributeValue) -> ValueOrder? {
        switch (self, other) {
        case (.string(let left), .string(let right)): NumberText.compare(left, right)
        case (.int(let left), .string(let right)): NumberText.compare(String(left), right)
        case (.string(let left), .int(let right)): NumberText.compare(left, String(right))
        case (.double(let infinity), .string): infinity < 0 ? .less : .greater
        case (.string, .double(let infinity)): infinity < 0 ? .greater : .less
        default: compare(other)
        }
    }

    /// `listOrder`, of two values of a field that may hold numbers as texts.
    func listOrder(_ other: AttributeValue, asNumbers: Bool) -> ValueOrder {
        (asNumbers ? compareNumber(other) : nil) ?? listOrder(other)
    }

    /// A text as an error message shows it.
    var shown: String {
        switch self {
        case .string(let text):
            text.utf8.count > 100 ? "\(text.prefix(100).debugDescription)…" : text.debugDescription
        case .int(let number): "\(number)"
        default: kind
        }
    }
}
