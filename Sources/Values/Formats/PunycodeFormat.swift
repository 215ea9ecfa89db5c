/// Whether the bytes are `xn--` without Punycode (RFC 3492) of a label that a name may have by RFC 5892.
///
/// The direction of its letters and their composition are not looked at, and whether letters are joined
/// is known by blocks, but for Arabic.
func isMisencodedLabel<Bytes: Collection<UInt8>>(_ bytes: Bytes) -> Bool {
    guard bytes.starts(with: "xn--".utf8, by: { $0 | 0x20 == $1 || $0 == $1 }) else { return false }
    return punycodeDecoded(Array(bytes.dropFirst(4))[...]).map(isLabel) != true
}

/// Whether the scalars are such a label themselves, in small letters or capitals.
func isForeignLabel(_ scalars: [Unicode.Scalar]) -> Bool {
    let label = scalars.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
    return isLabel(label) && punycodeCount(label) + 4 <= 63
}

private func isLabel(_ label: [Unicode.Scalar]) -> Bool {
    guard let first = label.first, let last = label.last else { return false }
    let isMarked = label.count >= 4 && label[2] == "-" && label[3] == "-"
    if first == "-" || last == "-" || isMarked || first.properties.isMark { return false }
    return label.indices.allSatisfy { isLabelScalar($0, of: label) }
}

/// What Punycode stands for; nil if it stands for nothing, or for ASCII alone.
///
/// Each text has one spelling, so what is decoded need not be encoded again to be compared.
private func punycodeDecoded(_ bytes: ArraySlice<UInt8>) -> [Unicode.Scalar]? {
    var label: [Unicode.Scalar] = []
    var rest = bytes
    if let end = bytes.lastIndex(of: UInt8(ascii: "-")), end > bytes.startIndex {
        label = bytes[..<end].map { byte in
            Unicode.Scalar(0x41...0x5A ~= byte ? byte | 0x20 : byte)
        }
        rest = bytes[(end + 1)...]
    }
    if rest.isEmpty { return nil }
    // Where an `Int` has 32 bits the numbers on the way do not fit.
    var scalar: Int64 = 0x80
    var place: Int64 = 0
    var bias: Int64 = 72
    var isFirst = true
    while !rest.isEmpty {
        var step: Int64 = 0
        var weight: Int64 = 1
        for threshold in stride(from: 36 - bias, to: .max, by: 36) {
            // A label has at most 63 digits, but their weights grow faster than any number.
            guard let digit = rest.popFirst().flatMap(punycodeDigit), weight < 1 << 32 else {
                return nil
            }
            step += digit * weight
            let threshold = min(max(threshold, 1), 26)
            if digit < threshold { break }
            weight *= 36 - threshold
        }
        let count = Int64(label.count) + 1
        scalar += (place + step) / count
        place = (place + step) % count
        guard let new = UInt32(exactly: scalar).flatMap(Unicode.Scalar.init) else { return nil }
        label.insert(new, at: Int(place))
        place += 1
        bias = punycodeBias(after: step, count, isFirst)
        isFirst = false
    }
    return label
}

/// How many bytes Punycode has for a label.
private func punycodeCount(_ label: [Unicode.Scalar]) -> Int {
    let plain = label.count(where: \.isASCII)
    var count = plain == 0 ? 0 : plain + 1
    var known = Int64(plain)
    var scalar: UInt32 = 0x80
    var step: Int64 = 0
    var bias: Int64 = 72
    while let next = label.lazy.map(\.value).filter({ $0 >= scalar }).min() {
        step += Int64(next - scalar) * (known + 1)
        scalar = next
        for other in label {
            if other.value < scalar { step += 1 }
            if other.value != scalar { continue }
            var rest = step
            for threshold in stride(from: 36 - bias, to: .max, by: 36) {
                let threshold = min(max(threshold, 1), 26)
                count += 1
                if rest < threshold { break }
                rest = (rest - threshold) / (36 - threshold)
            }
            bias = punycodeBias(after: step, known + 1, known == plain)
            step = 0
            known += 1
        }
        step += 1
        scalar += 1
    }
    return count
}

private func punycodeBias(after step: Int64, _ count: Int64, _ isFirst: Bool) -> Int64 {
    var delta = isFirst ? step / 700 : step / 2
    delta += delta / count
    var scale: Int64 = 0
    while delta > 455 {
        delta /= 35
        scale += 36
    }
    return scale + 36 * delta / (delta + 38)
}

private func punycodeDigit(_ byte: UInt8) -> Int64? {
    switch byte {
    case 0x30...0x39: Int64(byte) - 0x30 + 26
    case 0x41...0x5A: Int64(byte) - 0x41
    case 0x61...0x7A: Int64(byte) - 0x61
    default: nil
    }
}

/// Whether a scalar may stand at its place in a label: RFC 5892, section 3 and appendix A.
private func isLabelScalar(_ index: Int, of label: [Unicode.Scalar]) -> Bool {
    let scalar = label[index]
    let (before, after) = (label[..<index].last, label[(index + 1)...].first)
    switch scalar {
    case "-", "0"..."9", "a"..."z", "ß", "ς", "\u{6FD}", "\u{6FE}", "\u{F0B}", "\u{3007}":
        return true
    // Marks for symbols and notes.
    case "\u{20D0}"..."\u{20FF}", "\u{1D100}"..."\u{1D24F}": return false
    case "\u{640}", "\u{7FA}", "\u{302E}", "\u{302F}", "\u{3031}"..."\u{3035}", "\u{303B}":
        return false
    case "\u{B7}": return before == "l" && after == "l"
    case "\u{375}": return after?.isGreek == true
    case "\u{5F3}", "\u{5F4}": return before.map { "\u{591}"..."\u{5F4}" ~= $0 } == true
    case "\u{30FB}": return label.contains(where: \.isJapanese)
    case "\u{660}"..."\u{669}": return !label.contains { "\u{6F0}"..."\u{6F9}" ~= $0 }
    case "\u{6F0}"..."\u{6F9}": return !label.contains { "\u{660}"..."\u{669}" ~= $0 }
    case "\u{200C}", "\u{200D}":
        if before?.properties.canonicalCombiningClass == .virama { return true }
        return scalar == "\u{200C}" && before?.isJoinedToNext == true && after?.isCursive == true
    // The letters of Hangul that syllables are made of.
    case "\u{1100}"..."\u{11FF}", "\u{A960}"..."\u{A97C}", "\u{D7B0}"..."\u{D7FB}": return false
    default: return scalar.properties.isLetterOrDigit
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isMark: Bool {
        switch generalCategory {
        case .spacingMark, .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Whether it is of what words are made of, and no other spelling of something else.
    fileprivate var isLetterOrDigit: Bool {
        switch generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark,
            .decimalNumber:
            !changesWhenNFKCCaseFolded && !isDefaultIgnorableCodePoint
        default: false
        }
    }
}

// By blocks, as the standard library knows no scripts.
extension Unicode.Scalar {
    fileprivate var isGreek: Bool {
        switch self {
        case "\u{370}"..."\u{3E1}", "\u{3F0}"..."\u{3FF}", "\u{1F00}"..."\u{1FFF}": true
        default: false
        }
    }

    /// Whether it is of Hiragana, Katakana or Han.
    fileprivate var isJapanese: Bool {
        switch self {
        case "\u{3041}"..."\u{3096}", "\u{309D}"..."\u{309F}", "\u{30A1}"..."\u{30FA}",
            "\u{30FD}"..."\u{30FF}", "\u{31F0}"..."\u{31FF}", "\u{3005}":
            true
        // Tangut, Khitan and Nushu.
        case "\u{17000}"..."\u{18DFF}", "\u{1B170}"..."\u{1B2FF}": false
        default: properties.isIdeographic
        }
    }

    /// Whether it is of a script whose letters are joined: Arabic, Syriac, N'Ko, Mandaic, Mongolian.
    fileprivate var isCursive: Bool {
        switch self {
        case "\u{610}"..."\u{6FF}", "\u{710}"..."\u{77F}", "\u{7CA}"..."\u{7FA}",
            "\u{840}"..."\u{8FF}", "\u{1820}"..."\u{18AA}":
            true
        default: false
        }
    }

    /// The same, and joined to what follows: some letters of Arabic are to what is before them alone.
    fileprivate var isJoinedToNext: Bool {
        switch self {
        case "\u{622}"..."\u{625}", "\u{627}", "\u{629}", "\u{62F}"..."\u{632}", "\u{648}",
            "\u{671}"..."\u{673}", "\u{675}"..."\u{677}", "\u{688}"..."\u{699}", "\u{6C0}",
            "\u{6C3}"..."\u{6CB}", "\u{6CD}", "\u{6CF}", "\u{6D2}", "\u{6D3}", "\u{6D5}",
            "\u{6EE}", "\u{6EF}", "\u{621}", "\u{674}":
            false
        default: isCursive
        }
    }
}
