/// The bytes of a string that stand for themselves in JSON: up to the next quote, backslash or
/// control character.
struct PlainRun {
    /// Where the run ends: at the byte that is special, or at the end.
    private(set) var end: Int
    /// Whether no byte is beyond ASCII; it may be false where only bytes after the run are.
    private(set) var isASCII = true

    /// Finds the run that begins at a byte.
    init(in bytes: UnsafeRawBufferPointer, from start: Int) {
        end = start
        var seen: UInt64 = 0
        defer { isASCII = seen & Self.topBits == 0 }
        while end + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self)
            seen |= word
            let special = Self.specialBytes(in: UInt64(littleEndian: word))
            if special != 0 {
                end += special.trailingZeroBitCount / 8
                return
            }
            end += 8
        }
        while end < bytes.count {
            let byte = bytes[end]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20: return
            default: break
            }
            seen |= UInt64(byte)
            end += 1
        }
    }

    /// Copies the run that begins at a byte, in words where there are enough bytes.
    ///
    /// - Returns: Where the run ends.
    @inline(__always)
    static func copy(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        to target: UnsafeMutableRawPointer
    ) -> Int {
        var end = start
        while end + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self)
            let special = specialBytes(in: UInt64(littleEndian: word))
            target.storeBytes(of: word, toByteOffset: end - start, as: UInt64.self)
            if special != 0 { return end + special.trailingZeroBitCount / 8 }
            end += 8
        }
        while end < bytes.count {
            let byte = bytes[end]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                return end
            }
            target.storeBytes(of: byte, toByteOffset: end - start, as: UInt8.self)
            end += 1
        }
        return end
    }

    /// Whether the eight bytes from one on are ASCII, and none is a control character.
    @inline(__always)
    static func isPlainASCII(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        let word = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        return (word | (word &- (ones &* 0x20))) & topBits == 0
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let topBits: UInt64 = 0x8080_8080_8080_8080

    /// The top bits of the bytes that are a quote, a backslash or a control character.
    ///
    /// Subtracting sets the top bit of a byte that is too small and had none. It borrows from the
    /// byte above, so only the lowest bit that is set can be relied on.
    private static func specialBytes(in word: UInt64) -> UInt64 {
        let quotes = (word ^ (ones &* 0x22)) &- ones
        let backslashes = (word ^ (ones &* 0x5C)) &- ones
        let controls = word &- (ones &* 0x20)
        return (quotes | backslashes | controls) & ~word & topBits
    }
}
