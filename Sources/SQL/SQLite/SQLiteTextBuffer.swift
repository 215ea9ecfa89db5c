/// Room for the texts that are bound to a statement, until it is reset.
///
/// A copy of SQLite's own is an allocation for each text: a quarter of the time of an insert.
final class SQLiteTextBuffer {
    private static let capacity = 1024

    // It never moves, as SQLite points into it.
    private let start = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
    private var count = 0

    deinit { start.deallocate() }

    /// Copies the bytes and returns where they are; nil if there is no room.
    func append(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeRawPointer? {
        let offset = count
        guard bytes.count <= Self.capacity - offset else { return nil }
        count = offset + bytes.count
        if let base = bytes.baseAddress {
            (start + offset).copyMemory(from: base, byteCount: bytes.count)
        }
        return UnsafeRawPointer(start + offset)
    }

    /// Takes the room back; SQLite must not point into it any more.
    func removeAll() { count = 0 }
}
