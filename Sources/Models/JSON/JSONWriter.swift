import ModelKitFields

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes an attribute value as JSON in UTF-8, without recursion: what stands open waits on a stack
/// of its own.
struct JSONWriter {
    var bytes: [UInt8] = []
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
    private var levels: [Level] = []

    init(isPretty: Bool) {
        self.isPretty = isPretty
    }

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
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): write(value)
        case .int(let value): write(value)
        case .double(let value): write(value)
        case .string(let value): write(value)
        case .data(let value): write(value.base64EncodedString())
        case .date(let value): write(value)
        case .array(let elements): open(Level(elements: elements, isObject: false))
        case .dictionary(let members):
            // As bytes, which is the order of the Unicode scalars.
            let members = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
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
        bytes.append(contentsOf: repeatElement(0x20, count: 2 * levels.count))
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
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes the digits from the last, then turns them round.
    mutating func write(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var first = bytes.count
        var rest = value.magnitude
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        var last = bytes.count - 1
        while first < last {
            bytes.swapAt(first, last)
            first += 1
            last -= 1
        }
    }

    /// Writes the shortest text that is read as the same double, never one that is an integer's.
    mutating func write(_ value: Double) {
        guard value.isFinite else {
            refuse("it is \(value)")
            return
        }
        bytes.append(contentsOf: value.description.utf8)
    }

    private mutating func write(_ date: Date) {
        guard let text = Timestamp.text(of: date) else {
            refuse("it is a date that is too far away")
            return
        }
        write(text)
    }

    mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            let utf8 = UnsafeRawBufferPointer(utf8)
            var start = 0
            while true {
                let end = PlainRun(in: utf8, from: start).end
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[start..<end]))
                if end == utf8.count { break }
                bytes.append(contentsOf: Self.escape(utf8[end]).utf8)
                start = end + 1
            }
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
