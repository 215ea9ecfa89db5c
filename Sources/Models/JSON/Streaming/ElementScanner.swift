/// Finds where an element of an array ends, in bytes that come bit by bit.
///
/// It only counts brackets and quotes: what is inside, the reader judges.
struct ElementScanner {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isScalar = false
    /// How many bytes of the element were looked at.
    private(set) var position = 0

    /// Looks at more bytes of the element, of which some were seen before.
    ///
    /// - Returns: How long the element is; nil if it does not end here.
    mutating func end(in element: UnsafeRawBufferPointer) -> Int? {
        var (position, depth) = (position, depth)
        defer { (self.position, self.depth) = (position, depth) }
        while position < element.count {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else {
                    position = PlainRun(in: element, from: position).end
                    guard position < element.count else { break }
                    switch element[position] {
                    case UInt8(ascii: "\\"): isEscaped = true
                    case UInt8(ascii: "\""):
                        isInString = false
                        if depth == 0 { return position + 1 }
                    // A control character, which the reader refuses.
                    default: break
                    }
                }
            } else {
                switch element[position] {
                case UInt8(ascii: "\"") where !isScalar: isInString = true
                case UInt8(ascii: "{") where !isScalar, UInt8(ascii: "[") where !isScalar:
                    depth += 1
                case UInt8(ascii: "}") where depth > 0, UInt8(ascii: "]") where depth > 0:
                    depth -= 1
                    if depth == 0 { return position + 1 }
                case UInt8(ascii: ","), UInt8(ascii: "]"), 0x20, 0x0A, 0x0D, 0x09:
                    if depth == 0 { return position }
                default: if depth == 0 { isScalar = true }
                }
            }
            position += 1
        }
        return nil
    }
}
