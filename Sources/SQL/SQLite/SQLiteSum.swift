import ModelKitEssentials

/// What the numbers of a column make together, added up by SQLite as it goes through the rows: integers exactly, doubles
/// with what is lost of their sum (Neumaier, 1974).
///
/// SQLite's own `sum` loses the small ones of many doubles before 3.43, and has no count beside it.
struct SQLiteSum {
    // All zero where nothing was added, as SQLite gives the memory.
    private(set) var integers: Int64 = 0
    private(set) var sum = 0.0
    private(set) var lost = 0.0
    private(set) var integerCount = 0
    private(set) var doubleCount = 0
    /// How many values there are, also those that are something else, or lead beyond `Int64`.
    private(set) var count = 0

    /// The name of the function.
    static let function = "modelkit_sum"

    /// Adds the function to a connection.
    ///
    /// - Returns: Whether it is there: only of the system's library.
    static func add(to handle: SQLiteHandle) -> Bool {
        guard let functions = SQLiteAggregateFunctions.system,
            (try? SQLiteLibrary.system) === handle.library
        else { return false }
        // SQLITE_UTF8, SQLITE_DETERMINISTIC and SQLITE_DIRECTONLY, as no schema is to have it.
        let flags: Int32 = 0x1 | 0x800 | 0x80000
        let step: SQLiteAggregateFunctions.Step = { context, _, values in
            guard let functions = SQLiteAggregateFunctions.system,
                let memory = functions.context(context, SQLiteSum.size), let value = values?.pointee
            else { return }
            memory.assumingMemoryBound(to: SQLiteSum.self).pointee.add(value, functions)
        }
        let finish: SQLiteAggregateFunctions.Finish = { context in
            guard let functions = SQLiteAggregateFunctions.system else { return }
            let sum = functions.context(context, SQLiteSum.size)
            functions.result(context, sum, SQLiteSum.size, SQLiteStatement.transient)
        }
        let pointer = handle.pointer
        return functions.create(pointer, function, 1, flags, nil, nil, step, finish, nil) == 0
    }

    private static let size = Int32(MemoryLayout<SQLiteSum>.size)

    /// What the function has given; nil where that is something else.
    init?(_ data: Data) {
        guard data.count == Int(Self.size) else { return nil }
        self = data.withUnsafeBytes { $0.loadUnaligned(as: SQLiteSum.self) }
    }

    @inline(__always)
    private mutating func add(_ value: OpaquePointer?, _ functions: SQLiteAggregateFunctions) {
        let type = SQLiteColumnType(rawValue: functions.valueType(value))
        if type == .null { return }
        count += 1
        switch type {
        case .integer:
            let (sum, isBeyond) = integers.addingReportingOverflow(functions.valueInt64(value))
            integers = sum
            if !isBeyond { integerCount += 1 }
        case .double:
            let number = functions.valueDouble(value)
            let next = sum + number
            lost += sum.magnitude >= number.magnitude ? sum - next + number : number - next + sum
            sum = next
            doubleCount += 1
        default: break
        }
    }
}
