import ModelKitStores

/// The type numeric in the binary format: digits of the base 10 000, and the place of the first of them.
enum PostgreSQLNumeric {
    private static let zero = UInt8(ascii: "0")
    private static let negative: UInt16 = 0x4000

    /// Appends the number whose shortest text it is.
    static func write(_ text: String, to bytes: inout [UInt8]) throws(ValueRefusal) {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let parts = text.utf8.dropFirst(isNegative ? 1 : 0)
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard NumberText.isNumber(text), let whole = parts.first else { throw .otherKind }
        let fraction = parts.count == 2 ? parts[1] : whole.prefix(0)
        if fraction.count > 0x3FFF {
            throw ValueRefusal(reason: "has more than 16383 digits after its point")
        }
        var digits = Array(repeating: zero, count: (4 - whole.count % 4) % 4) + whole
        var weight = digits.count / 4 - 1
        digits += fraction
        digits += Array(repeating: zero, count: (4 - digits.count % 4) % 4)
        var groups = stride(from: 0, to: digits.count, by: 4).map { start in
            digits[start..<start + 4].reduce(0 as UInt16) { $0 * 10 + UInt16($1 - zero) }
        }
        while groups.last == 0 { groups.removeLast() }
        let leading = groups.prefix { $0 == 0 }.count
        groups.removeFirst(leading)
        weight = groups.isEmpty ? 0 : weight - leading
        bytes.append(bigEndian: UInt16(groups.count))
        bytes.append(bigEndian: Int16(weight))
        bytes.append(bigEndian: isNegative ? negative : 0)
        bytes.append(bigEndian: UInt16(fraction.count))
        for group in groups { bytes.append(bigEndian: group) }
    }

    /// Appends an infinity, with which numbers are compared.
    static func writeInfinity(isNegative: Bool, to bytes: inout [UInt8]) {
        for part in [0, 0, isNegative ? 0xF000 : 0xD000, 0] as [UInt16] {
            bytes.append(bigEndian: part)
        }
    }

    /// The shortest text of a number; nil for what is not finite, or is no number.
    static func text(of bytes: UnsafeRawBufferPointer) -> String? {
        func part(_ index: Int) -> Int {
            Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)))
        }
        guard bytes.count >= 8, bytes.count == 8 + part(0) * 2 else { return nil }
        let (count, sign) = (part(0), UInt16(part(2)))
        let weight = Int(Int16(truncatingIfNeeded: part(1)))
        guard sign == 0 || sign == negative else { return nil }
        var digits: [UInt8] = []
        // From the group before the point, or the first one, to the last one, or the one before the point.
        for place in min(-weight, 0)..<max(count - weight, 1) where count > 0 {
            let group = place + weight
            if place == 1 { digits.append(UInt8(ascii: ".")) }
            var number = (0..<count).contains(group) ? part(4 + group) : 0
            guard number < 10_000 else { return nil }
            for unit in [1000, 100, 10, 1] {
                digits.append(zero + UInt8(number / unit))
                number %= unit
            }
        }
        if digits.contains(UInt8(ascii: ".")) {
            while digits.last == zero { digits.removeLast() }
            if digits.last == UInt8(ascii: ".") { digits.removeLast() }
        }
        let shortest = digits.drop { $0 == zero }
        if shortest.isEmpty { return "0" }
        let isFraction = shortest.first == UInt8(ascii: ".")
        return (sign == 0 ? "" : "-") + (isFraction ? "0" : "")
            + String(decoding: shortest, as: UTF8.self)
    }
}
