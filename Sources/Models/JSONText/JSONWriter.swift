import ModelKitFields
import ModelKitEssentials

/// Writes an attribute value as JSON in UTF-8, without recursion: what stands open waits on a stack
/// of its own.
struct JSONWriter: ~Copyable {
    /// What came of writing a value.
    enum Outcome {
        case written
        /// There is none, not even null.
        case nothing
        /// Attribute values have to decide.
        case undecided
    }

    var bytes = ByteBuffer()
    /// What JSON cannot say, with its path; nothing is written in its place.
    private(set) var issues: [Issue] = []

    private struct Level {
        var elements: [AttributeValue] = []
        var members: [(key: String, value: AttributeValue)] = []
        let isObject: Bool
        var next = 0

        var isAtEnd: Bool { next == elements.count + members.count }
    }

    /// How many arrays and objects may stand inside of each other.
    static let depthLimit = JSONOptions().maximumDepth

    /// How many are open that are written without the stack below.
    var depth = 0
    private let isPretty: Bool
    /// Whether the same is to be read again: dates and data are tagged; refused are texts with U+0000, keys that begin
    /// with a dollar, and a whole field of models in another form.
    let isExact: Bool
    private var levels: [Level] = []

    init(isPretty: Bool = false, isExact: Bool = false) {
        (self.isPretty, self.isExact) = (isPretty, isExact)
    }

    /// What was written.
    consuming func data() -> Data { bytes.data() }

    /// Writes a value with all that is in it.
    mutating func write(_ value: AttributeValue) {
        writeOrOpen(value)
        while let top = levels.indices.last {
            if levels[top].isAtEnd {
                close()
                continue
            }
            let next = levels[top].next
            levels[top].next += 1
            if next > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine()
            if levels[top].isObject {
                write(levels[top].members[next].key)
                bytes.append(UInt8(ascii: ":"))
                if isPretty { bytes.append(UInt8(ascii: " ")) }
                writeOrOpen(levels[top].members[next].value)
            } else {
                writeOrOpen(levels[top].elements[next])
            }
        }
    }

    private mutating func writeOrOpen(_ value: AttributeValue) {
        switch value {
        case .null: bytes.append("null")
        case .bool(let value): write(value)
        case .int(let value): write(value)
        case .double(let value): write(value)
        case .string(let value): write(value)
        case .data where isExact, .date where isExact:
            open(Level(members: value.tag.map { [$0] } ?? [], isObject: true))
        case .data(let value): write(value.base64EncodedString())
        case .date(let value): write(value)
        case .array(let elements): open(Level(elements: elements, isObject: false))
        case .dictionary(let members):
            // As bytes, which is the order of the Unicode scalars.
            let members = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            if isExact, members.contains(where: { $0.key.utf8.first == UInt8(ascii: "$") }) {
                refuse("it has a key that begins with a dollar")
            }
            open(Level(members: members, isObject: true))
        }
    }

    private mutating func open(_ level: Level) {
        guard depth + levels.count < Self.depthLimit else {
            refuse("it is nested deeper than \(Self.depthLimit) levels")
            return
        }
        bytes.append(level.isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        levels.append(level)
    }

    private mutating func close() {
        let level = levels.removeLast()
        if level.next > 0 { breakLine() }
        bytes.append(level.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        bytes.append(0x0A)
        for _ in levels { bytes.append("  ") }
    }

    private mutating func refuse(_ reason: String) {
        let path = levels.map { level in
            level.isObject
                ? FieldPath.Component.key(level.members[level.next - 1].key)
                : .index(level.next - 1)
        }
        let message = "cannot be written as JSON: \(reason)"
        issues.append(Issue(code: "json", path: FieldPath(path), message: message))
    }
}

extension JSONWriter {
    mutating func write(_ value: Bool) {
        if value { bytes.append("true") } else { bytes.append("false") }
    }

    /// Writes the digits from the last, once it is known how many there are.
    mutating func write(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(upTo: 20) { start in
            var count = 1
            var rest = value.magnitude
            while rest >= 10 {
                rest /= 10
                count += 1
            }
            rest = value.magnitude
            for index in (0..<count).reversed() {
                let digit = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                start.storeBytes(of: digit, toByteOffset: index, as: UInt8.self)
                rest /= 10
            }
            return count
        }
    }

    /// Writes the shortest text that is read as the same double, never one that is an integer's.
    mutating func write(_ value: Double) {
        guard value.isFinite else {
            refuse("it is \(value)")
            return
        }
        bytes.append(value.description)
    }

    private mutating func write(_ date: Date) {
        guard let text = Timestamp.text(of: date) else {
            refuse("it is a date that is too far away")
            return
        }
        write(text)
    }

    mutating func write(_ text: String) {
        let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { utf8 in
            write(UnsafeRawBufferPointer(utf8))
        }
        if isWritten != nil { return }
        // Another kind of string than Swift's own: this copies it.
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a string of UTF-8.
    private mutating func write(_ utf8: UnsafeRawBufferPointer) {
        bytes.reserve(utf8.count + 2)
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        while true {
            var end = start
            bytes.append(upTo: utf8.count - start) { target in
                end = PlainRun.copy(utf8, from: start, to: target)
                return end - start
            }
            if end == utf8.count { break }
            if isExact, utf8[end] == 0 { refuse("it has a character U+0000") }
            bytes.append(Self.escape(utf8[end]))
            start = end + 1
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// How a byte that is special in a string is written there.
    private static func escape(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case 0x08: "\\b"
        case 0x0C: "\\f"
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        case 0x09: "\\t"
        default: (byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)
        }
    }
}
