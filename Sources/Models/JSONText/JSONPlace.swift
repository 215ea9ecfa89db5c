public import ModelKitFields

/// A place in a JSON text.
///
/// ```swift
/// do {
///     _ = try [Person](json: Data(#"[{"name": 3}]"#.utf8))
/// } catch {
///     error.places.first   // byte 10 (line 1, column 11), at [0].name
/// }
/// ```
public struct JSONPlace: Hashable, Sendable {
    /// How many bytes are before it.
    public let byte: Int
    /// The line, from 1.
    public let line: Int
    /// The column, from 1, in Unicode scalars.
    public let column: Int
    /// The keys and indexes that lead there.
    public let path: FieldPath
}

extension JSONPlace: CustomStringConvertible {
    /// Byte, line and column, as error messages write them.
    public var description: String { "byte \(byte) (line \(line), column \(column))" }
}

/// Counts lines and columns, on from the last place if the next is behind it.
struct PlaceCounter {
    private let bytes: UnsafeRawBufferPointer
    /// Where the bytes begin in the text.
    private let start: JSONPlace
    private var position = 0
    private var line: Int
    private var column: Int

    init(_ bytes: UnsafeRawBufferPointer, from start: JSONPlace = .start) {
        self.bytes = bytes
        self.start = start
        (line, column) = (start.line, start.column)
    }

    /// The place of a byte, and the path below that of the start.
    mutating func place(of byte: Int, _ path: FieldPath = []) -> JSONPlace {
        if byte < position { (position, line, column) = (0, start.line, start.column) }
        // A mark of the byte order does not count.
        if start.byte + position == 0, byte >= 3, bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            position = 3
        }
        while position < byte {
            if position + 8 <= byte, PlainRun.isPlainASCII(bytes, at: position) {
                column += 8
                position += 8
                continue
            }
            let next = bytes[position]
            if next == 0x0A {
                line += 1
                column = 1
            } else if next & 0xC0 != 0x80 {
                // Continuation bytes do not count.
                column += 1
            }
            position += 1
        }
        position = byte
        return JSONPlace(
            byte: start.byte + byte,
            line: line,
            column: column,
            path: start.path.appending(path)
        )
    }
}

extension JSONPlace {
    /// The first byte of a text.
    static let start = JSONPlace(byte: 0, line: 1, column: 1, path: [])

    /// The same place with another path.
    func with(_ path: FieldPath) -> JSONPlace {
        JSONPlace(byte: byte, line: line, column: column, path: path)
    }
}
