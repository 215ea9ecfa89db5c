package import ModelKitEssentials

/// A compiled statement of one connection, and like it for one thread at a time.
///
/// ```swift
/// try connection.withStatement("INSERT INTO people (id, name) VALUES (?1, ?2)") { insert in
///     try insert.bind(1, at: 1)
///     try insert.bind("Ada", at: 2)
///     try insert.execute()
/// }
/// ```
///
/// Parameters count from 1, columns from 0, as in SQLite. A parameter that is not bound is NULL.
package final class SQLiteStatement {
    package let sql: String

    private let handle: SQLiteHandle
    @exclusivity(unchecked) private var pointer: OpaquePointer?  // Nil once freed.
    private let texts = SQLiteTextBuffer()

    /// Whether a `withStatement` has it, and when it had it last; kept by the connection.
    var isInUse = false
    var lastUse: UInt64 = 0
    /// How many rows it had when it was run last.
    var lastRowCount = 0

    /// Takes over the compiled statement.
    init(pointer: OpaquePointer, sql: String, handle: SQLiteHandle) {
        self.pointer = pointer
        self.sql = sql
        self.handle = handle
    }

    deinit { finalize() }

    /// Frees it; every later use throws.
    func finalize() {
        guard let pointer else { return }
        _ = handle.functions.finalize(pointer)
        self.pointer = nil
    }

    package var parameterCount: Int {
        pointer.map { Int(handle.functions.bindParameterCount($0)) } ?? 0
    }

    package var columnCount: Int {
        pointer.map { Int(handle.functions.columnCount($0)) } ?? 0
    }

    package func columnName(at index: Int) -> String? {
        guard let pointer else { return nil }
        return handle.functions.columnName(pointer, Int32(clamping: index))
            .map { String(cString: $0) }
    }

    @inline(__always)
    private func usable() throws -> OpaquePointer {
        // One that is not in the cache outlives its closed connection.
        guard let pointer, handle.pointer != nil else { throw handle.closed(sql: sql) }
        return pointer
    }
}

// MARK: Running

extension SQLiteStatement {
    /// Goes to the next row; false when there is none.
    package func step() throws -> Bool {
        if let abortion = handle.abortion { throw abortion }
        let code = handle.functions.step(try usable())
        if code == SQLiteError.Code.row { return true }
        if code == SQLiteError.Code.done { return false }
        throw handle.error(code, sql: sql)
    }

    /// Runs it to its end and makes it ready for the next values, also when it throws.
    package func execute() throws {
        defer { reset() }
        while try step() {}
    }

    /// Makes it ready to run again, with every parameter NULL.
    package func reset() {
        guard let pointer else { return }
        // The code of a reset repeats what the last step has already thrown.
        _ = handle.functions.reset(pointer)
        _ = handle.functions.clearBindings(pointer)
        texts.removeAll()
    }
}

// MARK: Parameters

extension SQLiteStatement {
    package func bind(_ value: Int64, at index: Int) throws {
        try check(handle.functions.bindInt64(usable(), Int32(clamping: index), value))
    }

    /// Throws for NaN, which SQLite would store as NULL; infinity is stored.
    package func bind(_ value: Double, at index: Int) throws {
        guard !value.isNaN else { throw refusal(index, "not a number (NaN)") }
        try check(handle.functions.bindDouble(usable(), Int32(clamping: index), value))
    }

    /// Stores the exact UTF-8 bytes, U+0000 included.
    ///
    /// SQLite's own `length()` and `substr()` stop at U+0000; comparisons, `instr()` and indexes do
    /// not.
    package func bind(_ value: String, at index: Int) throws {
        let pointer = try usable()
        var value = value
        let code = value.withUTF8 { bytes in
            // What the buffer has taken stays there until `reset` has cleared the parameters.
            let kept = texts.append(bytes)
            let address = kept ?? UnsafeRawPointer(bytes.baseAddress)
            return handle.functions.bindText64(
                pointer,
                Int32(clamping: index),
                address?.assumingMemoryBound(to: CChar.self),
                UInt64(bytes.count),
                kept == nil ? Self.transient : nil,
                Self.utf8
            )
        }
        try check(code)
    }

    package func bind(_ value: Data, at index: Int) throws {
        let (pointer, functions) = (try usable(), handle.functions)
        let index = Int32(clamping: index)
        let code = value.withUnsafeBytes { bytes in
            // A null address would store NULL.
            guard let address = bytes.baseAddress, !bytes.isEmpty else {
                return functions.bindZeroblob(pointer, index, 0)
            }
            return functions.bindBlob64(
                pointer,
                index,
                address,
                UInt64(bytes.count),
                Self.transient
            )
        }
        try check(code)
    }

    package func bindNull(at index: Int) throws {
        try check(handle.functions.bindNull(usable(), Int32(clamping: index)))
    }

    func refusal(_ index: Int, _ what: String) -> SQLiteError {
        handle.refusal(
            "parameter \(index) is \(what), which cannot be stored",
            sql: sql,
            SQLiteError.Code.mismatch
        )
    }

    @inline(__always)
    private func check(_ code: Int32) throws {
        guard code == SQLiteError.Code.ok else { throw handle.error(code, sql: sql) }
    }

    private static var utf8: UInt8 { 1 }

    /// SQLITE_TRANSIENT: SQLite copies the bytes.
    static var transient: SQLiteLibrary.Functions.Destructor {
        // Safe: sqlite3.h defines it as the address -1, which SQLite compares and never calls.
        unsafeBitCast(-1, to: SQLiteLibrary.Functions.Destructor.self)
    }
}

// MARK: Columns

/// How SQLite holds the value of a column in a row.
package enum SQLiteColumnType: Int32, Sendable {
    case integer = 1
    case double
    case text
    case blob
    case null
}

extension SQLiteStatement {
    /// How the value is held, to be asked before it is read, as reading may convert it.
    package func type(at index: Int) -> SQLiteColumnType {
        guard let pointer else { return .null }
        let type = handle.functions.columnType(pointer, Int32(clamping: index))
        return SQLiteColumnType(rawValue: type) ?? .null
    }

    /// The value as an integer; 0 for NULL and for text that is no number.
    package func int64(at index: Int) -> Int64 {
        guard let pointer else { return 0 }
        return handle.functions.columnInt64(pointer, Int32(clamping: index))
    }

    /// The value as a number; 0 for NULL and for text that is no number.
    package func double(at index: Int) -> Double {
        guard let pointer else { return 0 }
        return handle.functions.columnDouble(pointer, Int32(clamping: index))
    }

    /// The value as text; empty for NULL.
    ///
    /// Throws for bytes that are not UTF-8.
    package func string(at index: Int) throws -> String {
        let bytes = try textBytes(at: index)
        guard let address = bytes.baseAddress else { return "" }
        // The fast way; it stops at U+0000, so it has to be as long as the value.
        let characters = UnsafeRawPointer(address).assumingMemoryBound(to: CChar.self)
        if let text = String(validatingCString: characters), text.utf8.count == bytes.count {
            return text
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw handle.refusal(
                "column \(columnName(at: index) ?? "\(index)") holds text that is not UTF-8",
                sql: sql,
                SQLiteError.Code.mismatch
            )
        }
        return text
    }

    /// What a body makes of the bytes of a text, which are there as long as it runs; of none for NULL.
    package func withText<Result>(
        at index: Int,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) throws -> Result {
        try body(textBytes(at: index))
    }

    /// The bytes of a text, until the next step; without an address for NULL.
    @inline(__always)
    private func textBytes(at index: Int) throws -> UnsafeBufferPointer<UInt8> {
        let (pointer, column) = (try usable(), Int32(clamping: index))
        // In this order: asking for the text may convert the value and so change its length.
        guard let address = handle.functions.columnText(pointer, column) else {
            try checkMemory()
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        let count = Int(handle.functions.columnBytes(pointer, column))
        return UnsafeBufferPointer(start: address, count: count)
    }

    /// The bytes of the value; empty for NULL.
    package func data(at index: Int) throws -> Data {
        let (pointer, column) = (try usable(), Int32(clamping: index))
        guard let address = handle.functions.columnBlob(pointer, column) else {
            try checkMemory()
            return Data()
        }
        return Data(bytes: address, count: Int(handle.functions.columnBytes(pointer, column)))
    }

    /// A null address means NULL, no bytes, or no memory.
    private func checkMemory() throws {
        if handle.isOutOfMemory { throw handle.error(SQLiteError.Code.outOfMemory, sql: sql) }
    }
}
