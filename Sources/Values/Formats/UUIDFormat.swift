/// Whether the bytes are a UUID in the text form of RFC 9562: 32 hexadecimal digits of either case
/// in groups of 8, 4, 4, 4 and 12.
///
/// Of any version and variant.
package func isUUID<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    bytes.count == 36
        && (0..<36).allSatisfy { offset in
            let byte = bytes[bytes.startIndex + offset]
            return switch offset {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: ByteSet.hexDigits.contains(byte)
            }
        }
}
