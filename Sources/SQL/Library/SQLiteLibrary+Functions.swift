extension SQLiteLibrary {
    /// The C functions of SQLite that this module calls, each named after the one it holds:
    /// `prepareV3` holds `sqlite3_prepare_v3`.
    ///
    /// A program with its own copy of SQLite, as one linked statically with musl is, fills it from the
    /// module that declares that copy:
    ///
    /// ```swift
    /// import CSQLite
    ///
    /// let functions = SQLiteLibrary.Functions(
    ///     libversionNumber: sqlite3_libversion_number,
    ///     threadsafe: sqlite3_threadsafe,
    ///     openV2: sqlite3_open_v2,
    ///     closeV2: sqlite3_close_v2,
    ///     extendedResultCodes: sqlite3_extended_result_codes,
    ///     busyTimeout: sqlite3_busy_timeout,
    ///     interrupt: sqlite3_interrupt,
    ///     dbReadonly: sqlite3_db_readonly,
    ///     getAutocommit: sqlite3_get_autocommit,
    ///     changes: sqlite3_changes,
    ///     extendedErrcode: sqlite3_extended_errcode,
    ///     errmsg: sqlite3_errmsg,
    ///     errstr: sqlite3_errstr,
    ///     systemErrno: sqlite3_system_errno,
    ///     prepareV3: sqlite3_prepare_v3,
    ///     finalize: sqlite3_finalize,
    ///     step: sqlite3_step,
    ///     reset: sqlite3_reset,
    ///     clearBindings: sqlite3_clear_bindings,
    ///     bindParameterCount: sqlite3_bind_parameter_count,
    ///     bindInt64: sqlite3_bind_int64,
    ///     bindDouble: sqlite3_bind_double,
    ///     bindText64: sqlite3_bind_text64,
    ///     bindBlob64: sqlite3_bind_blob64,
    ///     bindZeroblob: sqlite3_bind_zeroblob,
    ///     bindNull: sqlite3_bind_null,
    ///     columnCount: sqlite3_column_count,
    ///     columnName: sqlite3_column_name,
    ///     columnType: sqlite3_column_type,
    ///     columnInt64: sqlite3_column_int64,
    ///     columnDouble: sqlite3_column_double,
    ///     columnText: sqlite3_column_text,
    ///     columnBlob: sqlite3_column_blob,
    ///     columnBytes: sqlite3_column_bytes
    /// )
    /// let library = try SQLiteLibrary(functions: functions)
    /// ```
    public struct Functions: Sendable {
        /// A `sqlite3` or a `sqlite3_stmt`.
        public typealias Handle = OpaquePointer?

        /// A text that ends with a zero byte.
        public typealias Text = UnsafePointer<CChar>?

        /// How SQLite gives bytes back that it was given; nil and -1 have a meaning of their own.
        public typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void

        public var libversionNumber: @convention(c) @Sendable () -> Int32
        public var threadsafe: @convention(c) @Sendable () -> Int32

        public var openV2:
            @convention(c) @Sendable (Text, UnsafeMutablePointer<Handle>?, Int32, Text) -> Int32
        public var closeV2: @convention(c) @Sendable (Handle) -> Int32
        public var extendedResultCodes: @convention(c) @Sendable (Handle, Int32) -> Int32
        public var busyTimeout: @convention(c) @Sendable (Handle, Int32) -> Int32
        public var interrupt: @convention(c) @Sendable (Handle) -> Void
        public var dbReadonly: @convention(c) @Sendable (Handle, Text) -> Int32
        public var getAutocommit: @convention(c) @Sendable (Handle) -> Int32
        public var changes: @convention(c) @Sendable (Handle) -> Int32

        public var extendedErrcode: @convention(c) @Sendable (Handle) -> Int32
        public var errmsg: @convention(c) @Sendable (Handle) -> Text
        public var errstr: @convention(c) @Sendable (Int32) -> Text
        public var systemErrno: @convention(c) @Sendable (Handle) -> Int32

        public var prepareV3:
            @convention(c) @Sendable (
                Handle, Text, Int32, UInt32, UnsafeMutablePointer<Handle>?,
                UnsafeMutablePointer<Text>?
            ) -> Int32
        public var finalize: @convention(c) @Sendable (Handle) -> Int32
        public var step: @convention(c) @Sendable (Handle) -> Int32
        public var reset: @convention(c) @Sendable (Handle) -> Int32
        public var clearBindings: @convention(c) @Sendable (Handle) -> Int32

        public var bindParameterCount: @convention(c) @Sendable (Handle) -> Int32
        public var bindInt64: @convention(c) @Sendable (Handle, Int32, Int64) -> Int32
        public var bindDouble: @convention(c) @Sendable (Handle, Int32, Double) -> Int32
        public var bindText64:
            @convention(c) @Sendable (Handle, Int32, Text, UInt64, Destructor?, UInt8) -> Int32
        public var bindBlob64:
            @convention(c) @Sendable (Handle, Int32, UnsafeRawPointer?, UInt64, Destructor?) ->
                Int32
        public var bindZeroblob: @convention(c) @Sendable (Handle, Int32, Int32) -> Int32
        public var bindNull: @convention(c) @Sendable (Handle, Int32) -> Int32

        public var columnCount: @convention(c) @Sendable (Handle) -> Int32
        public var columnName: @convention(c) @Sendable (Handle, Int32) -> Text
        public var columnType: @convention(c) @Sendable (Handle, Int32) -> Int32
        public var columnInt64: @convention(c) @Sendable (Handle, Int32) -> Int64
        public var columnDouble: @convention(c) @Sendable (Handle, Int32) -> Double
        public var columnText: @convention(c) @Sendable (Handle, Int32) -> UnsafePointer<UInt8>?
        public var columnBlob: @convention(c) @Sendable (Handle, Int32) -> UnsafeRawPointer?
        public var columnBytes: @convention(c) @Sendable (Handle, Int32) -> Int32

        /// What an aggregate needs; only of the system's library.
        var aggregates: SQLiteAggregateFunctions?

        /// Takes every function, in the order in which they are declared.
        public init(
            libversionNumber: @escaping @convention(c) @Sendable () -> Int32,
            threadsafe: @escaping @convention(c) @Sendable () -> Int32,
            openV2:
                @escaping @convention(c) @Sendable (
                    Text, UnsafeMutablePointer<Handle>?, Int32, Text
                ) -> Int32,
            closeV2: @escaping @convention(c) @Sendable (Handle) -> Int32,
            extendedResultCodes: @escaping @convention(c) @Sendable (Handle, Int32) -> Int32,
            busyTimeout: @escaping @convention(c) @Sendable (Handle, Int32) -> Int32,
            interrupt: @escaping @convention(c) @Sendable (Handle) -> Void,
            dbReadonly: @escaping @convention(c) @Sendable (Handle, Text) -> Int32,
            getAutocommit: @escaping @convention(c) @Sendable (Handle) -> Int32,
            changes: @escaping @convention(c) @Sendable (Handle) -> Int32,
            extendedErrcode: @escaping @convention(c) @Sendable (Handle) -> Int32,
            errmsg: @escaping @convention(c) @Sendable (Handle) -> Text,
            errstr: @escaping @convention(c) @Sendable (Int32) -> Text,
            systemErrno: @escaping @convention(c) @Sendable (Handle) -> Int32,
            prepareV3:
                @escaping @convention(c) @Sendable (
                    Handle, Text, Int32, UInt32, UnsafeMutablePointer<Handle>?,
                    UnsafeMutablePointer<Text>?
                ) -> Int32,
            finalize: @escaping @convention(c) @Sendable (Handle) -> Int32,
            step: @escaping @convention(c) @Sendable (Handle) -> Int32,
            reset: @escaping @convention(c) @Sendable (Handle) -> Int32,
            clearBindings: @escaping @convention(c) @Sendable (Handle) -> Int32,
            bindParameterCount: @escaping @convention(c) @Sendable (Handle) -> Int32,
            bindInt64: @escaping @convention(c) @Sendable (Handle, Int32, Int64) -> Int32,
            bindDouble: @escaping @convention(c) @Sendable (Handle, Int32, Double) -> Int32,
            bindText64:
                @escaping @convention(c) @Sendable (Handle, Int32, Text, UInt64, Destructor?, UInt8)
                -> Int32,
            bindBlob64:
                @escaping @convention(c) @Sendable (
                    Handle, Int32, UnsafeRawPointer?, UInt64, Destructor?
                ) -> Int32,
            bindZeroblob: @escaping @convention(c) @Sendable (Handle, Int32, Int32) -> Int32,
            bindNull: @escaping @convention(c) @Sendable (Handle, Int32) -> Int32,
            columnCount: @escaping @convention(c) @Sendable (Handle) -> Int32,
            columnName: @escaping @convention(c) @Sendable (Handle, Int32) -> Text,
            columnType: @escaping @convention(c) @Sendable (Handle, Int32) -> Int32,
            columnInt64: @escaping @convention(c) @Sendable (Handle, Int32) -> Int64,
            columnDouble: @escaping @convention(c) @Sendable (Handle, Int32) -> Double,
            columnText: @escaping @convention(c) @Sendable (Handle, Int32) -> UnsafePointer<UInt8>?,
            columnBlob: @escaping @convention(c) @Sendable (Handle, Int32) -> UnsafeRawPointer?,
            columnBytes: @escaping @convention(c) @Sendable (Handle, Int32) -> Int32
        ) {
            self.libversionNumber = libversionNumber
            self.threadsafe = threadsafe
            self.openV2 = openV2
            self.closeV2 = closeV2
            self.extendedResultCodes = extendedResultCodes
            self.busyTimeout = busyTimeout
            self.interrupt = interrupt
            self.dbReadonly = dbReadonly
            self.getAutocommit = getAutocommit
            self.changes = changes
            self.extendedErrcode = extendedErrcode
            self.errmsg = errmsg
            self.errstr = errstr
            self.systemErrno = systemErrno
            self.prepareV3 = prepareV3
            self.finalize = finalize
            self.step = step
            self.reset = reset
            self.clearBindings = clearBindings
            self.bindParameterCount = bindParameterCount
            self.bindInt64 = bindInt64
            self.bindDouble = bindDouble
            self.bindText64 = bindText64
            self.bindBlob64 = bindBlob64
            self.bindZeroblob = bindZeroblob
            self.bindNull = bindNull
            self.columnCount = columnCount
            self.columnName = columnName
            self.columnType = columnType
            self.columnInt64 = columnInt64
            self.columnDouble = columnDouble
            self.columnText = columnText
            self.columnBlob = columnBlob
            self.columnBytes = columnBytes
        }
    }
}
