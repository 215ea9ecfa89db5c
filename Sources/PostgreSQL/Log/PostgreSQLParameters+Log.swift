import ModelKitEssentials

extension PostgreSQLParameters {
    mutating func append(_ uuid: UUID) {
        append(.uuid) { bytes in withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) } }
    }

    mutating func append(_ number: Int32) { append(.int4) { $0.append(bigEndian: number) } }

    mutating func append(_ number: Int64) { append(.int8) { $0.append(bigEndian: number) } }

    mutating func append(_ text: String) { append(.text) { $0.append(contentsOf: text.utf8) } }

    /// Some texts as an array.
    mutating func append(_ texts: [String]) {
        append(.textArray) { bytes in
            bytes.append(arrayOf: .text, count: texts.count) { index, bytes in
                bytes.append(contentsOf: texts[index].utf8)
                return true
            }
        }
    }

    /// Some numbers as an array.
    mutating func append(_ numbers: [Int64?]) {
        append(.int8Array) { bytes in
            bytes.append(arrayOf: .int8, count: numbers.count) { index, bytes in
                guard let number = numbers[index] else { return false }
                bytes.append(bigEndian: number)
                return true
            }
        }
    }
}

extension PostgreSQLResult {
    /// Whether the first value is true.
    var isTrue: Bool { rowCount > 0 && bytes(0, 0).isTrue }

    /// The bytes of the elements of an array, of which none is null; none of null.
    func elements(_ row: Int, _ column: Int) -> [PostgreSQLBytes] {
        let bytes = bytes(row, column)
        // The number of dimensions, whether there are nulls, the type, the length and the first index.
        guard bytes.count > 20 else { return [] }
        var elements: [PostgreSQLBytes] = []
        var start = 20
        while start + 4 <= bytes.count {
            let length = bytes.read { bytes in
                Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: Int32.self)))
            }
            guard length >= 0, start + 4 + length <= bytes.count else { break }
            elements.append(bytes[(start + 4)..<(start + 4 + length)])
            start += 4 + length
        }
        return elements
    }
}
