// Texts in queries are their UTF-8 bytes.

extension String {
    /// Whether both are the same bytes.
    func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
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
                var start = 0
                while start + part.count <= text.count {
                    if text[start] == first,
                        text[start..<start + part.count].elementsEqual(part)
                    {
                        return true
                    }
                    start += 1
                }
                return false
            }
        }
    }

    /// The order of the bytes.
    func compareBytes(_ other: String) -> ValueOrder {
        var (left, right) = (self, other)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                let count = min(left.count, right.count)
                for index in 0..<count where left[index] != right[index] {
                    return left[index] < right[index] ? .less : .greater
                }
                return ValueOrder(left.count, right.count)
            }
        }
    }
}
