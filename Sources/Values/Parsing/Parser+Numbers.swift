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
            if let number = Output(text) { return number }
            var scanner = ByteScanner(Array(text.utf8))
            let isNegative = scanner.skip("-")
            if !isNegative { _ = scanner.skip("+") }
            guard scanner.skip(all: .digits) > 0, scanner.isAtEnd else { return nil }
            throw isNegative ? .beyond(Output.min, .minimum) : .beyond(Output.max, .maximum)
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
            guard DecimalText(text, isLenient: true) != nil, let number = Output(text) else {
                return nil
            }
            if number.isFinite { return number }
            let limit = Output.greatestFiniteMagnitude
            throw number < 0 ? .beyond(-limit, .minimum) : .beyond(limit, .maximum)
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
            guard let number = DecimalText(text, isLenient: true) else { return nil }
            return try Decimal(everyDigitOf: number)
        } print: {
            $0.isNaN ? nil : "\($0)"
        }
    }
}

extension Issue {
    /// Of an integer beyond 64 bits the limit is a text, which has all its digits.
    fileprivate static func beyond(_ limit: some Numeric & Sendable, _ side: BoundSide) -> Issue {
        if let wide = limit as? any BinaryInteger, Int64(exactly: wide) == nil {
            return side.issue(.string("\(limit)"))
        }
        return side.issue(AttributeValue(describing: limit))
    }
}

extension Decimal {
    /// The number of a text, none of whose digits is lost.
    fileprivate init(everyDigitOf text: DecimalText) throws(Issue) {
        if text.count + text.exponent - 1 >= 127 + 38 {
            let limit = Decimal(sign: .plus, exponent: 127, significand: .greatestOf38Digits)
            throw text.isNegative ? .beyond(-limit, .minimum) : .beyond(limit, .maximum)
        }
        let zeros = max(text.exponent - 127, 0)
        guard text.count + zeros <= 38, text.exponent >= -128, let digits = text.digits,
            let number = Decimal(
                string: (text.isNegative ? "-" : "") + "\(digits)"
                    + String(repeating: "0", count: zeros) + "e\(text.exponent - zeros)"
            )
        else { throw Issue(standard: "precision", message: "has more digits than can be kept") }
        self = number
    }

    private static var greatestOf38Digits: Decimal {
        (0..<38).reduce(into: Decimal(0)) { number, _ in number = number * 10 + 9 }
    }
}
