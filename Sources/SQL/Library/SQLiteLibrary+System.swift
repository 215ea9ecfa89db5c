#if canImport(Darwin)
import SQLite3
#endif

// The one place that differs by platform. Apple's systems ship SQLite and its module; on Linux the
// library is looked up when it is first needed, so that no -dev package is needed to build.

#if canImport(Darwin)
extension SQLiteLibrary.Functions {
    static func loadSystem() throws -> Self {
        var functions = Self(
            libversionNumber: sqlite3_libversion_number,
            threadsafe: sqlite3_threadsafe,
            openV2: sqlite3_open_v2,
            closeV2: sqlite3_close_v2,
            extendedResultCodes: sqlite3_extended_result_codes,
            busyTimeout: sqlite3_busy_timeout,
            interrupt: sqlite3_interrupt,
            dbReadonly: sqlite3_db_readonly,
            getAutocommit: sqlite3_get_autocommit,
            changes: sqlite3_changes,
            extendedErrcode: sqlite3_extended_errcode,
            errmsg: sqlite3_errmsg,
            errstr: sqlite3_errstr,
            systemErrno: sqlite3_system_errno,
            prepareV3: sqlite3_prepare_v3,
            finalize: sqlite3_finalize,
            step: sqlite3_step,
            reset: sqlite3_reset,
            clearBindings: sqlite3_clear_bindings,
            bindParameterCount: sqlite3_bind_parameter_count,
            bindInt64: sqlite3_bind_int64,
            bindDouble: sqlite3_bind_double,
            bindText64: sqlite3_bind_text64,
            bindBlob64: sqlite3_bind_blob64,
            bindZeroblob: sqlite3_bind_zeroblob,
            bindNull: sqlite3_bind_null,
            columnCount: sqlite3_column_count,
            columnName: sqlite3_column_name,
            columnType: sqlite3_column_type,
            columnInt64: sqlite3_column_int64,
            columnDouble: sqlite3_column_double,
            columnText: sqlite3_column_text,
            columnBlob: sqlite3_column_blob,
            columnBytes: sqlite3_column_bytes
        )
        functions.aggregates = SQLiteAggregateFunctions(
            create: sqlite3_create_function_v2,
            context: sqlite3_aggregate_context,
            valueType: sqlite3_value_type,
            valueInt64: sqlite3_value_int64,
            valueDouble: sqlite3_value_double,
            result: sqlite3_result_blob
        )
        return functions
    }
}
#else
extension SQLiteLibrary.Functions {
    static func loadSystem() throws -> Self {
        try Self(loading: ["libsqlite3.so.0", "libsqlite3.so"])
    }

    /// Loads the first of the libraries that can be found, for good, as the pointers are kept.
    package init(loading names: [String]) throws {
        self = try DynamicLibrary.load(names) {
            try Self($0)
        } notFound: {
            SQLiteLibraryError.notFound($0)
        }
    }

    private init(_ library: DynamicLibrary) throws {
        // Safe: each function is declared with the type that sqlite3.h gives it.
        func symbol<Function>(_ symbol: String) throws -> Function {
            guard let address = library.address(symbol) else {
                throw SQLiteLibraryError.symbolMissing(symbol, library: library.name)
            }
            return unsafeBitCast(address, to: Function.self)
        }
        try self.init(
            libversionNumber: symbol("sqlite3_libversion_number"),
            threadsafe: symbol("sqlite3_threadsafe"),
            openV2: symbol("sqlite3_open_v2"),
            closeV2: symbol("sqlite3_close_v2"),
            extendedResultCodes: symbol("sqlite3_extended_result_codes"),
            busyTimeout: symbol("sqlite3_busy_timeout"),
            interrupt: symbol("sqlite3_interrupt"),
            dbReadonly: symbol("sqlite3_db_readonly"),
            getAutocommit: symbol("sqlite3_get_autocommit"),
            changes: symbol("sqlite3_changes"),
            extendedErrcode: symbol("sqlite3_extended_errcode"),
            errmsg: symbol("sqlite3_errmsg"),
            errstr: symbol("sqlite3_errstr"),
            systemErrno: symbol("sqlite3_system_errno"),
            prepareV3: symbol("sqlite3_prepare_v3"),
            finalize: symbol("sqlite3_finalize"),
            step: symbol("sqlite3_step"),
            reset: symbol("sqlite3_reset"),
            clearBindings: symbol("sqlite3_clear_bindings"),
            bindParameterCount: symbol("sqlite3_bind_parameter_count"),
            bindInt64: symbol("sqlite3_bind_int64"),
            bindDouble: symbol("sqlite3_bind_double"),
            bindText64: symbol("sqlite3_bind_text64"),
            bindBlob64: symbol("sqlite3_bind_blob64"),
            bindZeroblob: symbol("sqlite3_bind_zeroblob"),
            bindNull: symbol("sqlite3_bind_null"),
            columnCount: symbol("sqlite3_column_count"),
            columnName: symbol("sqlite3_column_name"),
            columnType: symbol("sqlite3_column_type"),
            columnInt64: symbol("sqlite3_column_int64"),
            columnDouble: symbol("sqlite3_column_double"),
            columnText: symbol("sqlite3_column_text"),
            columnBlob: symbol("sqlite3_column_blob"),
            columnBytes: symbol("sqlite3_column_bytes")
        )
        aggregates = try SQLiteAggregateFunctions(
            create: symbol("sqlite3_create_function_v2"),
            context: symbol("sqlite3_aggregate_context"),
            valueType: symbol("sqlite3_value_type"),
            valueInt64: symbol("sqlite3_value_int64"),
            valueDouble: symbol("sqlite3_value_double"),
            result: symbol("sqlite3_result_blob")
        )
    }
}
#endif
