import ModelKitEssentials
import ModelKitSQL

/// The bytes of a value in the binary format, which keep the result that has them.
package struct PostgreSQLBytes {
    private let result: PostgreSQLResult
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer, of result: PostgreSQLResult) {
        (self.bytes, self.result) = (bytes, result)
    }

    package var count: Int { bytes.count }

    /// Calls the body with the bytes, which are valid until its end.
    package func read<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // The compiler would let go of the result after its last use.
        defer { withExtendedLifetime(result) {} }
        return try body(bytes)
    }

    /// A part of the bytes.
    subscript(places: Range<Int>) -> PostgreSQLBytes {
        PostgreSQLBytes(UnsafeRawBufferPointer(rebasing: bytes[places]), of: result)
    }

    /// Whether it is true as a boolean.
    var isTrue: Bool { read { $0.first == 1 } }

    /// The number of eight bytes; 0 of others, as of NULL.
    package var int64: Int64 { read { $0.int64 } }

    package var text: String {
        get throws(ColumnDamage) { try read { bytes throws(ColumnDamage) in try bytes.text } }
    }
}

extension UnsafeRawBufferPointer {
    /// The number of eight bytes; 0 of others.
    var int64: Int64 { count == 8 ? Int64(bigEndian: loadUnaligned(as: Int64.self)) : 0 }

    var text: String {
        get throws(ColumnDamage) {
            guard let address = baseAddress, count > 0 else { return "" }
            var text = String(decoding: self, as: UTF8.self)
            // What is not UTF-8 was replaced. To validate before is generic code, and takes three times as long.
            let isSame = text.withUTF8 { found in
                found.count == count && found.baseAddress.map { memcmp($0, address, count) } == 0
            }
            guard isSame else { throw ColumnDamage(reason: "holds text that is not UTF-8") }
            return text
        }
    }
}
