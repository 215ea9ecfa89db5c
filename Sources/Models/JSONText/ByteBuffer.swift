import ModelKitEssentials

/// Bytes that are written one after the other, which become `Data` without being copied.
struct ByteBuffer: ~Copyable {
    private var start: UnsafeMutableRawPointer
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int = 256) {
        self.capacity = capacity
        start = Self.resize(nil, to: capacity)
    }

    deinit { free(start) }

    private static func resize(
        _ start: UnsafeMutableRawPointer?,
        to capacity: Int
    ) -> UnsafeMutableRawPointer {
        guard let start = realloc(start, capacity) else {
            // Arrays stop, too, where there is no memory.
            fatalError("no memory for \(capacity) bytes")
        }
        return start
    }

    /// Makes room for so many more bytes.
    @inline(__always)
    mutating func reserve(_ added: Int) {
        if capacity - count < added { grow(by: added) }
    }

    @inline(never)
    private mutating func grow(by added: Int) {
        capacity = max(2 * capacity, count + added)
        start = Self.resize(start, to: capacity)
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Lets a closure write up to so many bytes, and say how many it has written.
    @inline(__always)
    mutating func append(upTo limit: Int, _ write: (UnsafeMutableRawPointer) -> Int) {
        reserve(limit)
        count += write(start + count)
    }

    /// Takes bytes off the end, so that so many are left.
    mutating func truncate(to count: Int) { self.count = count }

    var array: [UInt8] { Array(UnsafeRawBufferPointer(start: start, count: count)) }

    var text: String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The bytes, with little more memory than they need.
    consuming func data() -> Data {
        let (start, count, capacity) = (start, count, capacity)
        discard self
        let isTight = capacity - count <= count / 8
        let fitting = isTight || count == 0 ? start : Self.resize(start, to: count)
        return Data(bytesNoCopy: fitting, count: count, deallocator: .free)
    }
}
