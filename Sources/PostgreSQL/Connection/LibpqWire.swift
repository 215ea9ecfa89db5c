import Dispatch
import ModelKitEssentials

/// A connection of libpq, which never blocks but in `wait`.
final class LibpqWire: PostgreSQLWire {
    let functions: PostgreSQLLibrary.Functions
    private(set) var connection: PostgreSQLLibrary.Functions.Handle
    private var isPipelining = false
    private var isCopyingOut = false
    /// Whether all was on its way when that was last looked at.
    private var isFlushed = true
    /// What the notice processor is given; kept here.
    private let notices: Notices

    private final class Notices {
        let handler: (@Sendable (String) -> Void)?
        /// As somebody may wait for the thread that has found one.
        let queue = DispatchQueue(label: "ModelKitPostgreSQL notices")

        init(_ handler: (@Sendable (String) -> Void)?) { self.handler = handler }
    }

    /// Takes a connection, also one that is not made yet, and closes it at its end.
    init(
        _ connection: OpaquePointer,
        _ functions: PostgreSQLLibrary.Functions,
        notice: (@Sendable (String) -> Void)?
    ) {
        (self.connection, self.functions) = (connection, functions)
        notices = Notices(notice)
        // libpq writes them to standard error otherwise.
        _ = functions.setNoticeProcessor(
            connection,
            { context, text in
                guard let context, let text else { return }
                // Safe: it is kept by the wire, whose connection it is.
                let notices = Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue()
                guard let handler = notices.handler else { return }
                let line = String(cString: text).onOneLine
                notices.queue.async { handler(line) }
            },
            Unmanaged.passUnretained(notices).toOpaque()
        )
    }

    deinit { close() }

    func close() {
        functions.finish(connection)
        // libpq takes a null pointer for a connection that is closed.
        connection = nil
    }

    var isOpen: Bool { functions.status(connection) == 0 }

    var socket: Int32 { functions.socket(connection) }

    var transactionStatus: PostgreSQLTransactionStatus {
        PostgreSQLTransactionStatus(rawValue: functions.transactionStatus(connection)) ?? .unknown
    }

    var serverVersion: Int { Int(functions.serverVersion(connection)) }

    func parameterStatus(_ name: String) -> String? {
        functions.parameterStatus(connection, name).map { String(cString: $0) }
    }

    /// What libpq last said, as a failure of the connection.
    var failure: PostgreSQLError { PostgreSQLError(.connectionLost, lastMessage.onOneLine) }

    var lastMessage: String {
        guard connection != nil, let text = functions.errorMessage(connection) else {
            return "the connection is closed"
        }
        return String(cString: text)
    }
}

// MARK: Sending

extension LibpqWire {
    func send(_ message: PostgreSQLMessage) throws(PostgreSQLError) {
        guard isOpen, prepare(for: message), take(message) else { throw failure }
    }

    /// Enters the mode that the message needs, or leaves it; that is no message itself.
    private func prepare(for message: PostgreSQLMessage) -> Bool {
        switch message {
        case .prepare, .execute, .query, .sync:
            if !isPipelining { isPipelining = functions.enterPipelineMode(connection) == 1 }
            return isPipelining
        case .simple:
            if isPipelining { isPipelining = functions.exitPipelineMode(connection) != 1 }
            return !isPipelining
        case .copy, .endCopy: return true
        }
    }

    private func take(_ message: PostgreSQLMessage) -> Bool {
        let code =
            switch message {
            case .prepare(let name, let sql, let types):
                functions.sendPrepare(connection, name, sql, Int32(types.count), types)
            case .execute(let name, let parameters):
                parameters.withPointers {
                    functions.sendQueryPrepared(connection, name, $0, $2, $3, $4, 1)
                }
            case .query(let sql, let parameters):
                parameters.withPointers {
                    functions.sendQueryParams(connection, sql, $0, $1, $2, $3, $4, 1)
                }
            case .sync: functions.pipelineSync(connection)
            case .simple(let sql): functions.sendQuery(connection, sql)
            case .copy(let bytes):
                bytes.withUnsafeBytes { bytes in
                    functions.putCopyData(
                        connection,
                        bytes.assumingMemoryBound(to: CChar.self).baseAddress,
                        Int32(truncatingIfNeeded: bytes.count)
                    )
                }
            case .endCopy(let reason): functions.putCopyEnd(connection, reason)
            }
        return code == 1
    }

    func flush() -> Bool {
        isFlushed = !isOpen || functions.flush(connection) != 1
        return isFlushed
    }
}

// MARK: Receiving

extension LibpqWire {
    func splitRows(_ most: Int32) { _ = functions.setChunkedRowsMode?(connection, most) }

    func receive() throws(PostgreSQLError) -> PostgreSQLReply? {
        if let reply = try next() { return reply }
        // What is decrypted and not taken yet makes no socket ready. Twice, as the first one may decrypt more than it
        // takes.
        for _ in 0..<2 { _ = functions.consumeInput(connection) }
        return try next()
    }

    private func next() throws(PostgreSQLError) -> PostgreSQLReply? {
        if isCopyingOut, let reply = try copied() { return reply }
        if isCopyingOut || functions.isBusy(connection) != 0 { return nil }
        guard let pointer = functions.getResult(connection) else {
            if isOpen { return .end }
            throw failure
        }
        // As it frees the pointer.
        let result = PostgreSQLResult(functions, pointer)
        switch functions.resultStatus(pointer) {
        case 0, 1, 2: return .result(result)
        case 3:
            isCopyingOut = true
            return .copyOut
        case 4: return .copyIn
        case 10: return .synced
        case 11: return .skipped
        case 12: return .rows(result)
        default:
            // Without a code it was not the server who said it.
            if result.field("C") == nil { throw failure }
            return .failed(PostgreSQLError(result))
        }
    }

    /// The next bytes of what is copied; nil if there are none yet, or no more.
    private func copied() throws(PostgreSQLError) -> PostgreSQLReply? {
        var bytes: PostgreSQLLibrary.Functions.Bytes = nil
        let count = functions.getCopyData(connection, &bytes, 1)
        if count == -2 { throw failure }
        if count == -1 { isCopyingOut = false }
        guard count > 0, let bytes else { return nil }
        defer { functions.freemem(bytes) }
        return .copied(Array(UnsafeRawBufferPointer(start: bytes, count: Int(count))))
    }

    func wait(_ milliseconds: Int32, or file: Int32) {
        let wasFlushed = isFlushed
        let events = flush() ? POLLIN : POLLIN | POLLOUT
        // That may be what was waited for, and nothing else may come.
        if isFlushed, !wasFlushed { return }
        let socket = functions.socket(connection)
        guard isOpen,
            LibpqPolling.wait(for: Int16(events), of: socket, milliseconds, or: file)
        else { return }
        // Once more, as what is decrypted and not taken yet, or the end after the last words, makes no socket ready.
        // If it fails, `receive` says why.
        for _ in 0..<2 { _ = functions.consumeInput(connection) }
    }

    func notifications() -> [PostgreSQLNotification] {
        var found: [PostgreSQLNotification] = []
        while let notification = functions.notifies(connection) {
            defer { functions.freemem(notification) }
            // A structure of the channel, the process and the payload.
            let size = MemoryLayout<UnsafePointer<CChar>>.stride
            let channel = notification.load(as: UnsafePointer<CChar>.self)
            let process = notification.load(fromByteOffset: size, as: Int32.self)
            let payload = notification.load(fromByteOffset: 2 * size, as: UnsafePointer<CChar>.self)
            found.append(
                PostgreSQLNotification(
                    channel: String(cString: channel),
                    payload: String(cString: payload),
                    process: process
                )
            )
        }
        return found
    }
}
