import ModelKitEssentials

/// A text that is equal byte by byte: in SQL "é" written in two ways is two names.
package struct SQLText: Hashable, Sendable {
    let text: String

    package init(text: String) { self.text = text }

    package static func == (left: Self, right: Self) -> Bool {
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count else { return false }
                guard let start = left.baseAddress, let other = right.baseAddress else {
                    return true
                }
                return start == other || memcmp(start, other, left.count) == 0
            }
        }
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
