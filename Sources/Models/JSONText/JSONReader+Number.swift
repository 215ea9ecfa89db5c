import ModelKitFields

extension JSONReader {
    /// The digits of a number before the exponent, from the first that is not 0.
    private struct Significand {
        var value: UInt64 = 0
        var count = 0

        /// Whether all digits are in the value: 19 of them always fit.
        var isComplete: Bool { count <= 19 }

        mutating func append(_ digit: UInt8) {
            if value != 0 || digit != 0 { count += 1 }
            if isComplete { value = value &* 10 &+ UInt64(digit) }
        }
    }

    /// Reads an integer of up to 18 digits, which fits; where something else stands, nothing.
    @inline(__always)
    mutating func readShortInteger() -> Int? {
        let isNegative = next == UInt8(ascii: "-")
        let start = isNegative ? position + 1 : position
        var end = start
        var magnitude = 0
        while end < bytes.count, end < start + 18 {
            let digit = bytes[end] &- UInt8(ascii: "0")
            if digit > 9 { break }
            magnitude = magnitude &* 10 &+ Int(digit)
            end += 1
        }
        guard end > start, end == start + 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        if end < bytes.count {
            switch bytes[end] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "e"),
                UInt8(ascii: "E"):
                return nil
            default: break
            }
        }
        position = end
        return isNegative ? -magnitude : magnitude
    }

    /// Reads a number: without fraction and exponent it is an integer.
    mutating func readNumber() throws(Failure) -> AttributeValue {
        let start = position
        let isNegative = take("-")
        var significand = Significand()
        let integerStart = position
        let integerDigits = try readDigits(into: &significand)
        if integerDigits > 1, bytes[integerStart] == UInt8(ascii: "0") {
            throw Failure(reason: "a number with a leading 0", position: integerStart)
        }
        var exponent = 0
        var isInteger = true
        if take(".") {
            isInteger = false
            exponent = -(try readDigits(into: &significand))
        }
        if take("e") || take("E") {
            isInteger = false
            exponent += try readExponent()
        }
        if isInteger, significand.isComplete,
            let integer = Int64(significand.value, isNegative: isNegative)
        {
            return .int(integer)
        }
        if significand.count > 15, let value = try wideNumber(from: start) { return value }
        if isInteger { return .double(try wideInteger(from: start)) }
        if let magnitude = Self.exactDouble(significand, exponent) {
            return .double(isNegative ? -magnitude : magnitude)
        }
        let double = Double(literal(from: start)) ?? .infinity
        // One that is not 0 may be 0 as a double.
        if !double.isFinite || double == 0, let value = try wideNumber(from: start) { return value }
        guard double.isFinite else {
            throw Failure(
                reason: "a number beyond the range of a double",
                position: start,
                isJSON: true
            )
        }
        return .double(double)
    }

    /// Reads one digit or more and says how many.
    private mutating func readDigits(into significand: inout Significand) throws(Failure) -> Int {
        let start = position
        while let digit {
            significand.append(digit)
            position += 1
        }
        guard position > start else { throw expected("a digit") }
        return position - start
    }

    private mutating func readExponent() throws(Failure) -> Int {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard digit != nil else { throw expected("a digit") }
        var exponent = 0
        while let digit {
            // One that is larger makes no difference: no text has that many digits.
            if exponent < 100_000_000_000_000_000 { exponent = exponent * 10 + Int(digit) }
            position += 1
        }
        return isNegative ? -exponent : exponent
    }

    private var digit: UInt8? {
        guard position < bytes.count else { return nil }
        let digit = bytes[position] &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }

    private func literal(from start: Int) -> String {
        String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// What a number is that a double may not hold; nil where it is to be one all the same.
    private func wideNumber(from start: Int) throws(Failure) -> AttributeValue? {
        switch wideNumbers {
        case .rounded: return nil
        case .refused: throw Failure(reason: "a number with many digits", position: start)
        case .ignored: return .null
        case .used(let use):
            let text = literal(from: start)
            switch use(path, text) {
            case .text: return .string(text)
            case .nearest: return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
            case .exact: return nil
            }
        }
    }

    /// The double of an integer beyond 64 bits, if it loses no digit.
    private func wideInteger(from start: Int) throws(Failure) -> Double {
        guard let integer = Int128(literal(from: start)), let double = Double(wide: integer)
        else {
            throw Failure(
                reason: "an integer that fits neither 64 bits nor, exactly, a double",
                position: start,
                isJSON: true
            )
        }
        return double
    }

    /// The number, if one operation on two exact doubles makes it: that one rounds correctly.
    private static func exactDouble(_ significand: Significand, _ exponent: Int) -> Double? {
        if significand.value == 0 { return 0 }
        guard significand.isComplete, significand.value <= 1 << 53,
            abs(exponent) < powersOfTen.count
        else { return nil }
        let value = Double(significand.value)
        return exponent < 0 ? value / powersOfTen[-exponent] : value * powersOfTen[exponent]
    }

    /// The powers that doubles hold exactly.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}

extension Int64 {
    /// The integer of that magnitude and sign; nil if it does not fit.
    fileprivate init?(_ magnitude: UInt64, isNegative: Bool) {
        if !isNegative {
            self.init(exactly: magnitude)
        } else if magnitude <= Int64.min.magnitude {
            self.init(truncatingIfNeeded: 0 &- magnitude)
        } else {
            return nil
        }
    }
}
