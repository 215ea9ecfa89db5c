import ModelKitFields

/// Reads one JSON text (RFC 8259) into an attribute value, in one pass and without recursion: what
/// stands open waits on a stack of its own, so that no text can overflow the stack of the thread.
struct JSONReader {
    /// Why a text is not JSON, or cannot be kept, and where.
    struct Failure: Error {
        let reason: String
        let position: Int
        /// Whether it is JSON, but says more than there is room for.
        var isJSON = false
    }

    let bytes: UnsafeRawBufferPointer
    let options: JSONOptions
    var position = 0
    /// How many objects and arrays are open that are read without the stack below.
    var depth = 0
    /// The bytes of the string that is being read, if it has escapes.
    var unescaped: [UInt8] = []
    /// How numbers are read that a double may not hold.
    var wideNumbers = WideNumbers.rounded

    enum WideNumbers {
        /// Those with a fraction or exponent are rounded, and integers refused.
        case rounded
        /// They are refused.
        case refused
        /// They are nothing.
        case ignored
        /// They are what a closure says, by what stands where.
        case used((_ path: FieldPath, _ literal: String) -> WideNumber.Use)
    }

    private struct Level {
        let isObject: Bool
        /// Where its values begin among those that wait.
        let start: Int
    }

    private var levels: [Level] = []
    /// The values of all open levels, and the keys of those that are objects.
    private var values: [AttributeValue] = []
    private var keys: [String] = []
    /// Where the keys stand, if one must not come twice.
    private var keyPositions: [Int] = []

    /// - Parameters:
    ///   - bytes: The text, in UTF-8; must outlive the reader.
    ///   - options: What else is asked of it.
    init(_ bytes: UnsafeRawBufferPointer, _ options: JSONOptions = JSONOptions()) {
        self.bytes = bytes
        self.options = options
        // A mark of the byte order says nothing in UTF-8, but editors write it.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    mutating func beginText() throws(Failure) {
        skipSpace()
        if position == bytes.count { throw failure("the text is empty") }
    }

    mutating func endText() throws(Failure) {
        skipSpace()
        guard position == bytes.count else { throw expected("the end of the text") }
    }

    /// Reads the value that stands here, with all that is in it.
    mutating func readValue() throws(Failure) -> AttributeValue {
        nextValue: while true {
            guard var value = try readOrOpen() else { continue }
            while let level = levels.last {
                values.append(value)
                skipSpace()
                if take(",") {
                    skipSpace()
                    if level.isObject { try readKey() }
                    continue nextValue
                }
                guard take(level.isObject ? "}" : "]") else {
                    throw expected(level.isObject ? "',' or '}'" : "',' or ']'")
                }
                value = try close(level)
            }
            return value
        }
    }

    /// Reads a value; gives nil when it opened an array or object that has elements, the first of
    /// which is to be read next.
    private mutating func readOrOpen() throws(Failure) -> AttributeValue? {
        guard position < bytes.count else { throw expected("a value") }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            return takeEmptyText() ? .null : .string(try readString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try readNumber()
        case UInt8(ascii: "{"):
            try open(isObject: true)
            if take("}") { return try close(levels[levels.count - 1]) }
            try readKey()
            return nil
        case UInt8(ascii: "["):
            try open(isObject: false)
            if take("]") { return try close(levels[levels.count - 1]) }
            return nil
        case UInt8(ascii: "t") where take("true"): return .bool(true)
        case UInt8(ascii: "f") where take("false"): return .bool(false)
        case UInt8(ascii: "n") where take("null"): return .null
        default: throw expected("a value")
        }
    }

    private mutating func readKey() throws(Failure) {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            throw expected("a key in quotes")
        }
        if options.duplicateKeys == .refused { keyPositions.append(position) }
        keys.append(try readString())
        skipSpace()
        guard take(":") else { throw expected("':'") }
        skipSpace()
    }

    private mutating func open(isObject: Bool) throws(Failure) {
        try checkDepth(depth + levels.count)
        levels.append(Level(isObject: isObject, start: values.count))
        position += 1
        skipSpace()
    }

    /// Takes the values of the innermost level and makes its array or object of them.
    ///
    /// Taken from the end they are moved, not copied.
    private mutating func close(_ level: Level) throws(Failure) -> AttributeValue {
        levels.removeLast()
        let count = values.count - level.start
        guard level.isObject else {
            // The initialiser would write the count into the one empty array that all share.
            if count == 0 { return .array([]) }
            let elements = [AttributeValue](unsafeUninitializedCapacity: count) { buffer, filled in
                for index in (0..<count).reversed() {
                    buffer.initializeElement(at: index, to: values.removeLast())
                }
                filled = count
            }
            return .array(elements)
        }
        if options.duplicateKeys == .refused { try checkKeys(count) }
        var members = AttributeDictionary(minimumCapacity: count)
        for _ in 0..<count {
            let key = keys.removeLast()
            // Of a key that is there twice, the later value was taken first: it is put back.
            if let later = members.updateValue(values.removeLast(), forKey: key) {
                members[key] = later
            }
        }
        return .dictionary(members)
    }

    /// Forgets the value that could not be read to its end.
    mutating func abandonValue() {
        levels = []
        values = []
        keys = []
        keyPositions = []
    }

    /// Throws if one of the last keys is among those before it.
    private mutating func checkKeys(_ count: Int) throws(Failure) {
        let positions = keyPositions.suffix(count)
        keyPositions.removeLast(count)
        var seen: Set<String> = []
        for (key, position) in zip(keys.suffix(count), positions)
        where !seen.insert(key).inserted {
            throw Failure(reason: "a key that comes twice", position: position)
        }
    }
}

extension JSONReader {
    /// Throws where no more arrays and objects may be opened.
    func checkDepth(_ open: Int) throws(Failure) {
        guard open < options.maximumDepth else {
            throw failure("it is nested deeper than \(options.maximumDepth) levels")
        }
    }

    /// The next byte, which stays unread; 0, which is no part of any value, at the end.
    @inline(__always)
    var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// Moves over a byte if it stands here.
    @inline(__always)
    mutating func take(byte: Unicode.Scalar) -> Bool {
        guard next == UInt8(truncatingIfNeeded: byte.value) else { return false }
        position += 1
        return true
    }

    /// Moves over an empty text that stands for null, if one stands here.
    @inline(__always)
    mutating func takeEmptyText() -> Bool {
        guard options.emptyTexts == .null, position + 1 < bytes.count,
            bytes[position] == UInt8(ascii: "\""), bytes[position + 1] == UInt8(ascii: "\"")
        else { return false }
        position += 2
        return true
    }

    @inline(__always)
    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// Moves over a text of ASCII if it stands here.
    mutating func take(_ text: StaticString) -> Bool {
        let end = position + text.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        for index in 0..<text.utf8CodeUnitCount
        where bytes[position + index] != text.utf8Start[index] {
            return false
        }
        position = end
        return true
    }

    func failure(_ reason: String) -> Failure {
        Failure(reason: reason, position: position)
    }

    /// That something else stands here than what is allowed to.
    func expected(_ what: String) -> Failure {
        failure("expected \(what), found \(found)")
    }

    /// What stands here, as error messages call it.
    private var found: String {
        var rest = bytes[position...].makeIterator()
        var parser = UTF8.ForwardParser()
        switch parser.parseScalar(from: &rest) {
        case .emptyInput: return "the end of the text"
        case .error: return "the byte 0x" + String(bytes[position], radix: 16, uppercase: true)
        case .valid(let encoded):
            let scalar = UTF8.decode(encoded)
            return (0x21..<0x7F).contains(scalar.value) ? "'\(scalar)'" : scalar.name
        }
    }
}

extension Unicode.Scalar {
    /// Its number as Unicode writes it: `U+000A`.
    var name: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension JSONReader {
    /// The failure as an error: with the place in the message, too.
    ///
    /// - Parameters:
    ///   - failure: What was thrown.
    ///   - start: Where the bytes begin in the text.
    /// - Returns: The error.
    func error(_ failure: Failure, from start: JSONPlace = .start) -> ImportError {
        var places = PlaceCounter(bytes, from: start)
        let place = places.place(of: failure.position, path)
        let problem = failure.isJSON ? "cannot be kept" : "is not JSON"
        let message = "\(problem): \(failure.reason) at \(place)"
        return ImportError(issues: [Issue(code: "json", message: message)], places: [place])
    }

    /// The path of what is read now.
    var path: FieldPath {
        var components: [FieldPath.Component] = []
        var keys = keys[...]
        for (index, level) in levels.enumerated() {
            let end = index + 1 < levels.count ? levels[index + 1].start : values.count
            let count = end - level.start
            if !level.isObject {
                components.append(.index(count))
            } else {
                keys = keys.dropFirst(count)
                if let key = keys.popFirst() { components.append(.key(key)) }
            }
        }
        return FieldPath(components)
    }
}
