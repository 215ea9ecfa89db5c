/// The type uuid in the binary format: a number of 16 bytes, in the order of the texts that Foundation writes.
enum PostgreSQLUUID {
    private static let dash = UInt8(ascii: "-")

    /// The UUID of which it is the text, in capital letters; nil if it is none.
    static func number(of text: String) -> UInt128? {
        first(from: text).flatMap { $0.isSame ? $0.number : nil }
    }

    /// The first UUID whose text does not come before a text, and whether it is that; nil if all come before it.
    static func first(from text: String) -> (number: UInt128, isSame: Bool)? {
        var bytes = text.utf8.makeIterator()
        var (number, bitsLeft) = (0 as UInt128, 128)
        search: for place in 0..<36 {
            // What has ended comes before all that go on.
            let byte = bytes.next() ?? 0
            switch place {
            case 8, 13, 18, 23:
                if byte > dash { break search }
                if byte < dash { return (number, false) }
            default:
                let digit = digits(before: byte)
                if digit == 16 { break search }
                bitsLeft -= 4
                number |= UInt128(digit) << UInt128(bitsLeft)
                if digits(before: byte + 1) == digit { return (number, false) }
            }
        }
        if bitsLeft == 0, bytes.next() == nil { return (number, true) }
        // All that begin in the same way come before it.
        let last = number | ((1 << UInt128(bitsLeft)) &- 1)
        return last == .max ? nil : (last + 1, false)
    }

    /// How many of the sixteen digits come before a byte.
    private static func digits(before byte: UInt8) -> UInt8 {
        switch byte {
        case ...0x30: 0
        case ...0x3A: byte - 0x30
        case ...0x41: 10
        case ...0x47: byte - 0x37
        default: 16
        }
    }
}
