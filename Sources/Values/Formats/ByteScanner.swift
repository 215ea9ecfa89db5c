/// Reads bytes from front to back, each a bounded number of times.
///
/// The formats are written on it instead of as regular expressions, whose matchers can take
/// exponential time on hostile text. Generic, so that tests can count what it reads.
struct ByteScanner<Bytes: RandomAccessCollection<UInt8>> where Bytes.Index == Int {
    let bytes: Bytes
    let end: Int
    var position: Int

    init(_ bytes: Bytes) {
        self.init(bytes, in: bytes.startIndex..<bytes.endIndex)
    }

    init(_ bytes: Bytes, in range: Range<Int>) {
        self.bytes = bytes
        self.end = range.upperBound
        self.position = range.lowerBound
    }

    var isAtEnd: Bool { position == end }

    /// The next byte, which stays unread.
    var next: UInt8? { position < end ? bytes[position] : nil }

    /// Whether the next byte is this one, which is then read.
    mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard let next, UInt32(next) == byte.value else { return false }
        position += 1
        return true
    }

    /// Reads all bytes of a set that come next, and counts them.
    @discardableResult
    mutating func skip(all set: ByteSet) -> Int {
        let start = position
        while let next, set.contains(next) { position += 1 }
        return position - start
    }

    /// Reads decimal digits, as many as there are up to a limit, and returns their value.
    mutating func number(digits limit: Int) -> (value: Int, digits: Int) {
        var value = 0
        let start = position
        while position - start < limit, let next, (0x30...0x39).contains(next) {
            value = value * 10 + Int(next - 0x30)
            position += 1
        }
        return (value, position - start)
    }
}
