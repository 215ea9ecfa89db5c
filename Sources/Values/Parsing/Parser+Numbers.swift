public import ModelKitEssentials

// The digits are 0 to 9, and the point is one, whatever the language of the process. White space is
// not skipped: `.trimmed.then(.integer)` does.

extension Parser where Input == String, Output: FixedWidthInteger {
    /// A whole number, perhaps with a sign: "must be a whole number".
    ///
    /// Of one beyond the limits of the type it says the limit: "must be less than or equal to 255".
    public static var integer: Parser {
        let failure = Issue(standard: "integer", message: "must be a whole number")
        return Parser(failure) { text throws(Issue) in
            guard text.isNumeral(isWhole: true) else { return nil }
            guard let number = Output(text) else {
                throw text.utf8.first == UInt8(ascii: "-")
                    ? .tooSmall(Output.min) : .tooLarge(Output.max)
            }
            return number
        } print: {
            String($0)
        }
    }
}

extension Parser where Input == String, Output: BinaryFloatingPoint & LosslessStringConvertible {
    /// A number, perhaps with a sign, a fraction and an exponent, `-12.5e3` or `.5`: "must be a
    /// number".
    ///
    /// It is rounded to the nearest that the type has; of one beyond the largest it says that.
    public static var number: Parser {
        let failure = Issue(standard: "number", message: "must be a number")
        return Parser(failure) { text throws(Issue) in
            guard text.isNumeral(isWhole: false), let number = Output(text) else { return nil }
            if number.isFinite { return number }
            let limit = Output.greatestFiniteMagnitude
            throw number < 0 ? .tooSmall(-limit) : .tooLarge(limit)
        } print: { number in
            guard number.isFinite else { return nil }
            return Int64(exactly: number).map { String($0) } ?? "\(number)"
        }
    }
}

extension Parser where Input == String {
    /// A decimal number, perhaps with a sign, a fraction and an exponent: "must be a number".
    ///
    /// It is never rounded: one of more than 38 digits, or with a digit beyond the 128th after the
    /// point, "has more digits than can be kept" (code "precision").
    public static var decimal: Parser<String, Decimal> {
        let failure = Issue(standard: "number", message: "must be a number")
        return Parser<String, Decimal>(failure) { text throws(Issue) in
            guard text.isNumeral(isWhole: false) else { return nil }
            return try Numeral(text).decimal()
        } print: {
            $0.isNaN ? nil : "\($0)"
        }
    }
}

extension Issue {
    fileprivate static func tooSmall(_ limit: some Numeric & Sendable) -> Issue {
        Issue("min", "must be greater than or equal to", .init(limit: limit), as: "min")
    }

    fileprivate static func tooLarge(_ limit: some Numeric & Sendable) -> Issue {
        Issue("max", "must be less than or equal to", .init(limit: limit), as: "max")
    }
}

extension AttributeValue {
    /// A limit with all its digits: of an integer beyond 64 bits they are a text.
    fileprivate init(limit: some Numeric & Sendable) {
        if let wide = limit as? any BinaryInteger, Int64(exactly: wide) == nil {
            self = .string("\(limit)")
        } else {
            self.init(describing: limit)
        }
    }
}

extension String {
    /// Whether it is a number as JSON writes it, but that it may begin with a plus sign, zeros or the
    /// point.
    fileprivate func isNumeral(isWhole: Bool) -> Bool {
        var text = self
        return text.withUTF8 { bytes in
            var scanner = ByteScanner(bytes)
            scanner.skipSign()
            var count = scanner.skip(all: .digits)
            if !isWhole {
                if scanner.skip(".") {
                    let decimals = scanner.skip(all: .digits)
                    if decimals == 0 { return false }
                    count += decimals
                }
                if count > 0, scanner.skip("e") || scanner.skip("E") {
                    scanner.skipSign()
                    if scanner.skip(all: .digits) == 0 { return false }
                }
            }
            return count > 0 && scanner.isAtEnd
        }
    }
}

extension ByteScanner {
    fileprivate mutating func skipSign() {
        if !skip("-") { _ = skip("+") }
    }
}

/// The digits of a number, without zeros at the ends, and what power of ten the last one counts.
private struct Numeral {
    private var isNegative = false
    private var digits: [UInt8] = []
    private var exponent = 0

    /// Reads a text that is known to be a number.
    init(_ text: String) {
        let parts = text.utf8.split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
        var decimals: Int?
        for byte in parts[0] {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "+"): break
            case UInt8(ascii: "."): decimals = 0
            default:
                decimals? += 1
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
            }
        }
        var zeros = 0
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            zeros += 1
        }
        // One of more digits than an integer has is beyond everything.
        let power = parts.count == 1 ? 0 : Int32(Substring(parts[1])).map(Int.init)
        let beyond = parts.last?.first == UInt8(ascii: "-") ? -1_000_000_000 : 1_000_000_000
        exponent = (power ?? beyond) + zeros - (decimals ?? 0)
    }

    func decimal() throws(Issue) -> Decimal? {
        if digits.isEmpty { return 0 }
        var digits = digits
        var exponent = exponent
        let excess = digits.count + exponent - 1
        if excess >= 127 + 38 {
            let limit = Decimal(sign: .plus, exponent: 127, significand: .greatestOf38Digits)
            throw isNegative ? .tooSmall(-limit) : .tooLarge(limit)
        }
        while exponent > 127 {
            digits.append(UInt8(ascii: "0"))
            exponent -= 1
        }
        if digits.count > 38 || exponent < -128 {
            throw Issue(standard: "precision", message: "has more digits than can be kept")
        }
        let sign = isNegative ? "-" : ""
        return Decimal(string: "\(sign)\(String(decoding: digits, as: UTF8.self))e\(exponent)")
    }
}

extension Decimal {
    fileprivate static var greatestOf38Digits: Decimal {
        (0..<38).reduce(into: Decimal(0)) { number, _ in number = number * 10 + 9 }
    }
}
