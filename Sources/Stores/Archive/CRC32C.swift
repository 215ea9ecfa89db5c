import ModelKitEssentials

/// The cyclic redundancy check of Castagnoli (RFC 3720, B.4): what distinguishes a damaged file from a whole
/// one.
enum CRC32C {
    static func checksum(of data: Data) -> UInt32 {
        data.withUnsafeBytes { bytes in
            ~bytes.reduce(UInt32.max) { sum, byte in
                table[Int((sum ^ UInt32(byte)) & 0xff)] ^ (sum >> 8)
            }
        }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in
            sum & 1 == 0 ? sum >> 1 : 0x82f6_3b78 ^ (sum >> 1)
        }
    }
}
