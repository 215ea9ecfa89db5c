/// The values of `$1`, `$2` and so on of a statement, in the binary format, in one buffer.
package struct PostgreSQLParameters: Sendable {
    private var bytes: [UInt8] = []
    /// How many bytes each value has; -1 for null.
    private var lengths: [Int32] = []
    private(set) var types: [UInt32] = []
    /// The server ends the connection for a message of 1 GB; it has some bytes for each value besides.
    private static let mostBytes = (1 << 30) - (1 << 19)
    /// Whether the values have more bytes than can be sent.
    private(set) var areTooLong = false

    package init() {}

    package var count: Int { lengths.count }

    /// Adds a value whose bytes the closure appends; if it throws, nothing is added.
    package mutating func append(
        _ type: PostgreSQLType,
        _ write: (inout [UInt8]) throws -> Void
    ) rethrows {
        let start = bytes.count
        do {
            try write(&bytes)
        } catch {
            bytes.removeSubrange(start...)
            throw error
        }
        areTooLong = areTooLong || bytes.count >= Self.mostBytes
        lengths.append(Int32(truncatingIfNeeded: bytes.count - start))
        types.append(type.rawValue)
    }

    package mutating func appendNull(_ type: PostgreSQLType) {
        lengths.append(-1)
        types.append(type.rawValue)
    }

    /// What libpq takes: where the values are, and how many bytes each has; all are binary.
    func withPointers<Result>(
        _ body: (
            _ count: Int32, _ types: [UInt32], _ values: [UnsafePointer<CChar>?],
            _ lengths: [Int32], _ formats: [Int32]
        ) -> Result
    ) -> Result {
        // A value of no bytes has an address as well, as one without would be null.
        (bytes.isEmpty ? [0] : bytes).withUnsafeBytes { bytes in
            var next = bytes.assumingMemoryBound(to: CChar.self).baseAddress
            let values = lengths.map { length -> UnsafePointer<CChar>? in
                guard length >= 0 else { return nil }
                defer { next = next.map { $0 + Int(length) } }
                return next
            }
            let formats = [Int32](repeating: 1, count: count)
            return body(Int32(count), types, values, lengths, formats)
        }
    }
}
