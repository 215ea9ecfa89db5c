extension PatternParser {
    /// Reads an escape after its backslash, which is at an offset, and writes its step.
    ///
    /// - Returns: Whether it takes a scalar and so can be repeated.
    mutating func parseEscape(at offset: Int) throws(PatternError) -> Bool {
        if let set = try escapedSet(at: offset) {
            try emit(set)
            return true
        }
        switch next {
        case "b", "B":
            let isEdge = next == "b"
            position += 1
            try emit(.wordEdge(isEdge))
            return false
        case "k", "1", "2", "3", "4", "5", "6", "7", "8", "9":
            throw error(.backReference, at: offset)
        default:
            try emit(.scalar(escapedScalar(at: offset)))
            return true
        }
    }

    /// Reads the letter of a class that has one, or the property of one, after a backslash, which is at
    /// an offset.
    mutating func escapedSet(at offset: Int) throws(PatternError) -> ScalarSet? {
        let set: ScalarSet
        switch next {
        case "p", "P":
            let isNegated = next == "P"
            position += 1
            let property = try property(at: offset)
            return isNegated ? property.complement : property
        case "d": set = .digits
        case "D": set = .digits.complement
        case "w": set = .word
        case "W": set = .word.complement
        case "s": set = .space
        case "S": set = .space.complement
        default: return nil
        }
        position += 1
        return set
    }

    /// Reads `{name}` or `{name=value}`.
    private mutating func property(at offset: Int) throws(PatternError) -> ScalarSet {
        guard skip("{") else { throw error(.unknownEscape, at: offset) }
        var name = String.UnicodeScalarView()
        while let next, next != "}" {
            name.append(next)
            position += 1
        }
        guard skip("}") else { throw error(.unknownEscape, at: offset) }
        guard let set = ScalarSet.property(String(name)) else {
            throw error(.unicodeProperty, at: offset)
        }
        return set
    }

    /// Reads what stands for a single scalar after a backslash, which is at an offset.
    mutating func escapedScalar(at offset: Int) throws(PatternError) -> UInt32 {
        let unknown = error(.unknownEscape, at: offset)
        guard let scalar = next else { throw unknown }
        position += 1
        switch scalar {
        case "t": return 0x09
        case "n": return 0x0A
        case "v": return 0x0B
        case "f": return 0x0C
        case "r": return 0x0D
        case "0":
            if let next, "0"..."9" ~= next { throw unknown }
            return 0
        case "c":
            guard let next, next.isASCII, next.properties.isAlphabetic else { throw unknown }
            position += 1
            return next.value & 0x1F
        case "x":
            guard let value = hexNumber(ofDigits: 2) else { throw unknown }
            return value
        case "u":
            guard let value = codePoint(), Unicode.Scalar(value) != nil else { throw unknown }
            return value
        default:
            guard scalar.isPunctuation else { throw unknown }
            return scalar.value
        }
    }

    /// Reads `HHHH`, twice if it is the first half of a surrogate pair, or `{H…}`.
    private mutating func codePoint() -> UInt32? {
        if skip("{") {
            let start = position
            var value: UInt32 = 0
            while let next, let digit = next.hexDigit {
                value = value << 4 | digit
                if value > 0x10_FFFF { return nil }
                position += 1
            }
            return position > start && skip("}") ? value : nil
        }
        guard let first = hexNumber(ofDigits: 4) else { return nil }
        guard 0xD800..<0xDC00 ~= first else { return first }
        guard skip("\\"), skip("u"), let second = hexNumber(ofDigits: 4),
            0xDC00..<0xE000 ~= second
        else { return nil }
        return 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)
    }

    private mutating func hexNumber(ofDigits count: Int) -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = next?.hexDigit else { return nil }
            value = value << 4 | digit
            position += 1
        }
        return value
    }
}

extension Unicode.Scalar {
    /// Whether it is a sign of ASCII that one sees, and no letter or digit.
    var isPunctuation: Bool {
        "!"..."~" ~= self && !ByteSet.alphanumerics.contains(UInt8(ascii: self))
    }

    /// Whether it means something in a regular expression, so that it is escaped to mean itself.
    var isPatternSyntax: Bool { #"^$\.*+?()[]{}|/"#.unicodeScalars.contains(self) }

    fileprivate var hexDigit: UInt32? {
        switch self {
        case "0"..."9": value - 0x30
        case "a"..."f": value - 0x61 + 10
        case "A"..."F": value - 0x41 + 10
        default: nil
        }
    }
}
