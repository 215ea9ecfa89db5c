/// Compressed bytes, made by hand (RFC 1951 and 1952), as there is no library for them here.
enum Gzip {
    /// What `gzip` makes of "hello hello hello\n".
    static let hello: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9,
        0xC9, 0x57, 0xC8, 0x40, 0x90, 0x5C, 0x00, 0x3B, 0x7C, 0x8A, 0xDF, 0x12, 0x00, 0x00,
        0x00,
    ]

    /// A stream of zeros that is 158 times as long when it is decompressed; it has no end, so none who reads as
    /// far as that finds it whole.
    static func bomb(count: Int) -> [UInt8] {
        // A block of fixed codes with a literal zero; then copies of the 258 bytes that end one byte before.
        let copy: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0]
        var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
        for _ in 0..<16 { bits += copy }
        let bytes = stride(from: 0, to: bits.count - 7, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 | bits[start + $1] << $1 }
        }
        // Eight copies are thirteen bytes, which come again and again.
        let period = bytes[2..<15]
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + bytes[..<2]
            + repeatElement(period, count: count / 258 / 8).joined()
    }
}
