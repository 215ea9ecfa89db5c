/// The exact sum of integers and of decimals as texts, whatever their order and their size.
///
/// It is kept in pieces of 18 digits, each of which has room for the sum of as many numbers as there may be: what
/// one piece has too much goes to the next when the text is made.
struct ExactSum: Sendable {
    private static let width = 18
    private static let base: Int128 = 1_000_000_000_000_000_000

    /// Multiples of 1, and of 10⁻¹⁸: all that most numbers have.
    private var units: Int128 = 0
    private var parts: Int128 = 0
    /// Multiples of any powers of 10¹⁸, which longer ones have.
    private var others: [Int: Int128] = [:]

    mutating func add(_ number: Int64) { units += Int128(number) }

    /// Adds the number whose shortest text it is, as `NumberText` has it; false if it is none.
    mutating func add(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let isNegative = text.first == UInt8(ascii: "-")
        let zero = UInt8(ascii: "0")
        let start = isNegative ? 1 : 0
        let (whole, point) = Self.digits(text, from: start)
        if point == start || point > start + 1 && text[start] == zero { return false }
        if point == text.count, point - start <= Self.width, !isNegative || whole > 0 {
            units += Int128(isNegative ? -whole : whole)
            return true
        }
        var (fraction, end) = (0 as Int64, point)
        if point < text.count, text[point] == UInt8(ascii: ".") {
            (fraction, end) = Self.digits(text, from: point + 1)
            if text[end - 1] == zero { return false }
        }
        let places = max(end - point - 1, 0)
        if end < text.count || end == point + 1 || places == 0 && text[start] == zero {
            return false
        }
        if point - start <= Self.width, places <= Self.width {
            units += Int128(isNegative ? -whole : whole)
            let scaled = fraction &* powers[Self.width - places]
            parts += Int128(isNegative ? -scaled : scaled)
        } else {
            addLong(text[start..<point], text[(end - places)..<end], isNegative)
        }
        return true
    }

    /// The number that digits say, which is right of 18 at most, and where they end.
    @inline(__always)
    private static func digits(
        _ text: UnsafeBufferPointer<UInt8>,
        from start: Int
    ) -> (number: Int64, end: Int) {
        var (number, index) = (0 as Int64, start)
        while index < text.count {
            let digit = text[index] &- UInt8(ascii: "0")
            if digit > 9 { break }
            number = number &* 10 &+ Int64(digit)
            index += 1
        }
        return (number, index)
    }

    private mutating func addLong(
        _ whole: Slice<UnsafeBufferPointer<UInt8>>,
        _ fraction: Slice<UnsafeBufferPointer<UInt8>>,
        _ isNegative: Bool
    ) {
        func piece(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int128 {
            let (number, _) = Self.digits(UnsafeBufferPointer(rebasing: digits), from: 0)
            return Int128(isNegative ? -number : number)
        }
        var (rest, power) = (whole, 0)
        while !rest.isEmpty {
            others[power, default: 0] += piece(rest.suffix(Self.width))
            rest = rest.dropLast(Self.width)
            power += 1
        }
        (rest, power) = (fraction, -1)
        while !rest.isEmpty {
            let digits = rest.prefix(Self.width)
            let scale = Int128(powers[Self.width - digits.count])
            others[power, default: 0] += piece(digits) * scale
            rest = rest.dropFirst(Self.width)
            power -= 1
        }
    }

    mutating func add(_ other: ExactSum) {
        units += other.units
        parts += other.parts
        others.merge(other.others, uniquingKeysWith: +)
    }

    mutating func subtract(_ other: ExactSum) {
        units -= other.units
        parts -= other.parts
        others.merge(other.others.mapValues(-), uniquingKeysWith: +)
    }

    /// The shortest text of the sum; nil where it has more digits than any number that a field can hold.
    var text: String? {
        let lowest = Swift.min(others.keys.min() ?? -1, -1)
        let known = (lowest...Swift.max(others.keys.max() ?? 0, 0)).map { power in
            (others[power] ?? 0) + (power == 0 ? units : power == -1 ? parts : 0)
        }
        var pieces = known
        let isNegative = Self.carry(&pieces) < 0
        if isNegative {
            pieces = known.map { -$0 }
            _ = Self.carry(&pieces)
        }
        let digits = pieces.reversed().map { piece in
            let text = String(piece)
            return String(repeating: "0", count: Self.width - text.utf8.count) + text
        }
        let (whole, fraction) = (digits.dropLast(-lowest), digits.suffix(-lowest))
        return NumberText.shortest(
            (isNegative ? "-" : "") + whole.joined() + "." + fraction.joined()
        )
    }

    /// Leaves 18 digits in each piece, the lowest of which is the first; gives -1 if the sum is negative, else 0.
    private static func carry(_ pieces: inout [Int128]) -> Int128 {
        var carry: Int128 = 0
        var index = 0
        while index < pieces.count || carry > 0 || carry < -1 {
            if index == pieces.count { pieces.append(0) }
            let (quotient, rest) = (pieces[index] + carry).quotientAndRemainder(dividingBy: base)
            pieces[index] = rest < 0 ? rest + base : rest
            carry = rest < 0 ? quotient - 1 : quotient
            index += 1
        }
        return carry
    }
}

/// The powers of ten.
private let powers: [Int64] = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000,
]
