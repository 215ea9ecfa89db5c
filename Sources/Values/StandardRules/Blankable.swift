/// A value that can be there and still say nothing.
///
/// ```swift
/// struct Address: Blankable {
///     var street = ""
///     var isBlank: Bool { street.isBlank }
/// }
/// ```
public protocol Blankable {
    /// Whether it says nothing.
    var isBlank: Bool { get }
}

extension String: Blankable {
    /// Whether it has nothing but Unicode white space (the property White_Space).
    ///
    /// Characters of no width, such as U+200B, are not white space.
    public var isBlank: Bool {
        for byte in utf8 {
            switch byte {
            case 0x09...0x0D, 0x20: continue
            case 0x80...: return unicodeScalars.allSatisfy(\.properties.isWhitespace)
            default: return false
            }
        }
        return true
    }
}

extension Array: Blankable {
    /// Whether it has no elements.
    public var isBlank: Bool { isEmpty }
}
