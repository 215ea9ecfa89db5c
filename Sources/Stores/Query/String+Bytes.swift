// Texts in queries are their UTF-8 bytes.

extension String {
    /// Whether both are the same bytes.
    func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && compareBytes(other) == .equal
    }

    /// Whether the bytes end with those of another text.
    func hasSuffixBytes(_ suffix: String) -> Bool {
        let rest = utf8.count - suffix.utf8.count
        return rest >= 0 && utf8.dropFirst(rest).elementsEqual(suffix.utf8)
    }

    /// Whether the bytes of another text are among the bytes.
    func hasBytes(_ part: String) -> Bool {
        var (text, part) = (self, part)
        return text.withUTF8 { text in
            part.withUTF8 { part in
                guard let first = part.first else { return true }
                if text.count < part.count { return false }
                return (0...text.count - part.count).contains {
                    text[$0] == first && text[$0..<$0 + part.count].elementsEqual(part)
                }
            }
        }
    }

    /// The order of the bytes.
    func compareBytes(_ other: String) -> ValueOrder { other.withBytes { compareBytes($0) } }

    /// The order of the bytes beside others.
    @inline(__always)
    func compareBytes(_ other: UnsafeBufferPointer<UInt8>) -> ValueOrder {
        withBytes { $0.order(other) }
    }

    /// Calls a closure with the bytes.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        // A text of another language's runtime.
        var text = self
        return text.withUTF8(body)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The order of the bytes: eight at a time, which compare as numbers whose first byte counts most.
    func order(_ other: UnsafeBufferPointer<UInt8>) -> ValueOrder {
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        let common = Swift.min(count, other.count)
        var index = 0
        while index + 8 <= common {
            let own = left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let others = right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if own != others {
                return ValueOrder(UInt64(bigEndian: own), UInt64(bigEndian: others))
            }
            index += 8
        }
        while index < common {
            if left[index] != right[index] { return left[index] < right[index] ? .less : .greater }
            index += 1
        }
        return ValueOrder(count, other.count)
    }
}
