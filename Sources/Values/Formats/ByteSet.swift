/// A set of ASCII bytes.
package struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// The bytes of a text; those that are not ASCII are left out.
    package init(_ text: String) {
        self.init(text.utf8)
    }

    /// Those of the bytes that are ASCII.
    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            switch byte {
            case ..<64: low |= 1 << UInt64(byte)
            case ..<128: high |= 1 << UInt64(byte - 64)
            default: break
            }
        }
    }

    package func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case ..<64: low & (1 << UInt64(byte)) != 0
        case ..<128: high & (1 << UInt64(byte - 64)) != 0
        default: false
        }
    }
}

extension ByteSet {
    static let digits = ByteSet("0123456789")
    static let hexDigits = ByteSet("0123456789abcdefABCDEF")
    static let letters = ByteSet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    static let alphanumerics = digits.union(letters)
    static let wordBytes = alphanumerics.union(ByteSet("_"))

    func union(_ other: ByteSet) -> ByteSet {
        var union = self
        union.low |= other.low
        union.high |= other.high
        return union
    }
}
