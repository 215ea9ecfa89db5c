/// What a statement has given, in the binary format; freed at its end.
package final class PostgreSQLResult {
    private let functions: PostgreSQLLibrary.Functions?
    private let pointer: OpaquePointer?

    package let rowCount: Int
    package let columnCount: Int
    /// How many rows were found, or changed.
    package let affectedRows: Int

    init(_ functions: PostgreSQLLibrary.Functions, _ pointer: OpaquePointer) {
        (self.functions, self.pointer) = (functions, pointer)
        rowCount = Int(functions.ntuples(pointer))
        columnCount = Int(functions.nfields(pointer))
        affectedRows = functions.cmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// One without rows, of a server that is made up.
    package init(affectedRows: Int) {
        (functions, pointer) = (nil, nil)
        (rowCount, columnCount, self.affectedRows) = (0, 0, affectedRows)
    }

    deinit { functions?.clear(pointer) }

    package func isNull(_ row: Int, _ column: Int) -> Bool {
        guard let functions, has(row, column) else { return true }
        return functions.getisnull(pointer, Int32(row), Int32(column)) != 0
    }

    /// The bytes of a value; none of null, and outside of the rows and columns.
    package func bytes(_ row: Int, _ column: Int) -> PostgreSQLBytes {
        PostgreSQLBytes(buffer(row, column), of: self)
    }

    /// Calls the body with the bytes of a value, which are valid until its end: as `bytes` has them, but without a copy of
    /// the reference to this.
    func read<Value, Failure: Error>(
        _ row: Int,
        _ column: Int,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { withExtendedLifetime(self) {} }
        return try body(buffer(row, column))
    }

    private func buffer(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        guard let functions, has(row, column) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(
            start: functions.getvalue(pointer, Int32(row), Int32(column)),
            count: Int(functions.getlength(pointer, Int32(row), Int32(column)))
        )
    }

    /// libpq would complain to the connection, which may be gone.
    private func has(_ row: Int, _ column: Int) -> Bool {
        row >= 0 && row < rowCount && column >= 0 && column < columnCount
    }

    func name(ofColumn column: Int) -> String {
        functions?.fname(pointer, Int32(column)).map { String(cString: $0) } ?? ""
    }

    func type(ofColumn column: Int) -> PostgreSQLType {
        PostgreSQLType(rawValue: functions?.ftype(pointer, Int32(column)) ?? 0)
    }

    /// A field of the error that this is, by the letter that it has in the protocol.
    func field(_ letter: Character) -> String? {
        guard let functions, let code = letter.asciiValue else { return nil }
        return functions.resultErrorField(pointer, Int32(code)).map { String(cString: $0) }
    }
}

extension PostgreSQLResult {
    /// An integer of the type's size; nil if there is none.
    func integer<Value: FixedWidthInteger>(_ row: Int, _ column: Int) -> Value? {
        bytes(row, column).read { bytes in
            guard bytes.count == MemoryLayout<Value>.size else { return nil }
            return Value(bigEndian: bytes.loadUnaligned(as: Value.self))
        }
    }
}
