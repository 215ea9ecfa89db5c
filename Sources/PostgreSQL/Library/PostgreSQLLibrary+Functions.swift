extension PostgreSQLLibrary {
    /// The C functions of libpq that this module calls, each named after the one it holds: `sendQuery`
    /// holds `PQsendQuery`.
    ///
    /// A program with its own copy of libpq, as one linked statically with musl is, gives their addresses:
    ///
    /// ```swift
    /// let library = try PostgreSQLLibrary(functions: .init { name in addresses[name] })
    /// ```
    public struct Functions: Sendable {
        /// A `PGconn`, a `PGresult`, a `PGcancel` or a `PGcancelConn`.
        public typealias Handle = OpaquePointer?

        /// A text that ends with a zero byte.
        public typealias Text = UnsafePointer<CChar>?
        public typealias Texts = UnsafePointer<Text>?

        /// Bytes that libpq has allocated for the caller.
        public typealias Bytes = UnsafeMutablePointer<CChar>?
        public typealias Numbers = UnsafePointer<Int32>?
        public typealias Types = UnsafePointer<UInt32>?

        /// What is asked of a handle, or done with it.
        public typealias Question = @convention(c) @Sendable (Handle) -> Int32
        public typealias TextQuestion = @convention(c) @Sendable (Handle) -> Text
        public typealias Free = @convention(c) @Sendable (Handle) -> Void
        public typealias Place = @convention(c) @Sendable (Handle, Int32, Int32) -> Int32
        public typealias NoticeProcessor = @convention(c) (UnsafeMutableRawPointer?, Text) -> Void

        public var libVersion: @convention(c) @Sendable () -> Int32
        public var conninfoParse:
            @convention(c) @Sendable (Text, UnsafeMutablePointer<Bytes>?) ->
                UnsafeMutableRawPointer?
        public var conninfoFree: @convention(c) @Sendable (UnsafeMutableRawPointer?) -> Void

        public var connectStartParams: @convention(c) @Sendable (Texts, Texts, Int32) -> Handle
        public var connectPoll: Question
        public var connectionNeedsPassword: Question
        public var setErrorVerbosity: @convention(c) @Sendable (Handle, Int32) -> Int32
        public var setNoticeProcessor:
            @convention(c) @Sendable (Handle, NoticeProcessor?, UnsafeMutableRawPointer?) ->
                NoticeProcessor?
        public var setnonblocking: @convention(c) @Sendable (Handle, Int32) -> Int32
        public var finish: Free

        public var status: Question
        public var transactionStatus: Question
        public var host: TextQuestion
        public var port: TextQuestion
        public var socket: Question
        public var serverVersion: Question
        public var parameterStatus: @convention(c) @Sendable (Handle, Text) -> Text
        public var errorMessage: TextQuestion

        public var enterPipelineMode: Question
        public var exitPipelineMode: Question
        public var pipelineSync: Question
        public var sendQuery: @convention(c) @Sendable (Handle, Text) -> Int32
        public var sendQueryParams:
            @convention(c) @Sendable (
                Handle, Text, Int32, Types, Texts, Numbers, Numbers, Int32
            ) -> Int32
        public var sendPrepare: @convention(c) @Sendable (Handle, Text, Text, Int32, Types) -> Int32
        public var sendQueryPrepared:
            @convention(c) @Sendable (Handle, Text, Int32, Texts, Numbers, Numbers, Int32) -> Int32

        public var flush: Question
        public var consumeInput: Question
        public var isBusy: Question
        public var getResult: @convention(c) @Sendable (Handle) -> Handle
        public var notifies: @convention(c) @Sendable (Handle) -> UnsafeMutableRawPointer?

        public var resultStatus: Question
        public var resultErrorField: @convention(c) @Sendable (Handle, Int32) -> Text
        public var resultErrorMessage: TextQuestion
        public var ntuples: Question
        public var nfields: Question
        public var fname: @convention(c) @Sendable (Handle, Int32) -> Text
        public var ftype: @convention(c) @Sendable (Handle, Int32) -> UInt32
        public var getvalue: @convention(c) @Sendable (Handle, Int32, Int32) -> Text
        public var getlength: Place
        public var getisnull: Place
        public var cmdTuples: TextQuestion
        public var clear: Free

        public var putCopyData: @convention(c) @Sendable (Handle, Text, Int32) -> Int32
        public var putCopyEnd: @convention(c) @Sendable (Handle, Text) -> Int32
        public var getCopyData:
            @convention(c) @Sendable (Handle, UnsafeMutablePointer<Bytes>?, Int32) -> Int32
        public var freemem: @convention(c) @Sendable (UnsafeMutableRawPointer?) -> Void

        public var getCancel: @convention(c) @Sendable (Handle) -> Handle
        public var cancel: @convention(c) @Sendable (Handle, Bytes, Int32) -> Int32
        public var freeCancel: Free

        /// Nil before version 17.
        public var setChunkedRowsMode: (@convention(c) @Sendable (Handle, Int32) -> Int32)?

        /// Nil before version 17.
        public var cancelling: Cancelling?

        /// What cancels without blocking, and on an encrypted connection if the other one is.
        public struct Cancelling: Sendable {
            public var create: @convention(c) @Sendable (Handle) -> Handle
            public var start: Question
            public var poll: Question
            public var socket: Question
            public var finish: Free
        }

        /// Takes the functions from where they are.
        ///
        /// - Parameter address: Where the C function of a name is, such as `PQsendQuery`.
        /// - Throws: `PostgreSQLLibraryError` if there is one that has no address.
        public init(address: (String) -> UnsafeRawPointer?) throws {
            try self.init(named: "the copy of libpq", address: address)
        }

        init(
            named library: String,
            address: (String) -> UnsafeRawPointer?
        ) throws(PostgreSQLLibraryError) {
            // Safe: each function is declared with the type that libpq-fe.h gives it.
            func function<Function>(_ name: String) throws(PostgreSQLLibraryError) -> Function {
                guard let address = address("PQ" + name) else {
                    throw .symbolMissing("PQ" + name, library: library)
                }
                return unsafeBitCast(address, to: Function.self)
            }
            libVersion = try function("libVersion")
            conninfoParse = try function("conninfoParse")
            conninfoFree = try function("conninfoFree")
            connectStartParams = try function("connectStartParams")
            connectPoll = try function("connectPoll")
            connectionNeedsPassword = try function("connectionNeedsPassword")
            setErrorVerbosity = try function("setErrorVerbosity")
            setNoticeProcessor = try function("setNoticeProcessor")
            setnonblocking = try function("setnonblocking")
            finish = try function("finish")
            status = try function("status")
            transactionStatus = try function("transactionStatus")
            host = try function("host")
            port = try function("port")
            socket = try function("socket")
            serverVersion = try function("serverVersion")
            parameterStatus = try function("parameterStatus")
            errorMessage = try function("errorMessage")
            enterPipelineMode = try function("enterPipelineMode")
            exitPipelineMode = try function("exitPipelineMode")
            pipelineSync = try function("pipelineSync")
            sendQuery = try function("sendQuery")
            sendQueryParams = try function("sendQueryParams")
            sendPrepare = try function("sendPrepare")
            sendQueryPrepared = try function("sendQueryPrepared")
            flush = try function("flush")
            consumeInput = try function("consumeInput")
            isBusy = try function("isBusy")
            getResult = try function("getResult")
            notifies = try function("notifies")
            resultStatus = try function("resultStatus")
            resultErrorField = try function("resultErrorField")
            resultErrorMessage = try function("resultErrorMessage")
            ntuples = try function("ntuples")
            nfields = try function("nfields")
            fname = try function("fname")
            ftype = try function("ftype")
            getvalue = try function("getvalue")
            getlength = try function("getlength")
            getisnull = try function("getisnull")
            cmdTuples = try function("cmdTuples")
            clear = try function("clear")
            putCopyData = try function("putCopyData")
            putCopyEnd = try function("putCopyEnd")
            getCopyData = try function("getCopyData")
            freemem = try function("freemem")
            getCancel = try function("getCancel")
            cancel = try function("cancel")
            freeCancel = try function("freeCancel")
            if address("PQsetChunkedRowsMode") != nil {
                setChunkedRowsMode = try function("setChunkedRowsMode")
            }
            if address("PQcancelCreate") != nil {
                cancelling = try Cancelling(
                    create: function("cancelCreate"),
                    start: function("cancelStart"),
                    poll: function("cancelPoll"),
                    socket: function("cancelSocket"),
                    finish: function("cancelFinish")
                )
            }
        }
    }
}
