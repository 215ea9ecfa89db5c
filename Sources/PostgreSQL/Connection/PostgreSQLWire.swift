/// A connection as the protocol sees it: what can be sent, and what comes back.
///
/// Nothing of it waits but `wait`. libpq implements it, and in tests a script.
package protocol PostgreSQLWire: AnyObject {
    var isOpen: Bool { get }
    /// What can be read from when something was received; -1 where there is none.
    var socket: Int32 { get }
    var transactionStatus: PostgreSQLTransactionStatus { get }
    /// The version of the server, 150018 for 15.18.
    var serverVersion: Int { get }

    /// What the server has said of a parameter of the session.
    func parameterStatus(_ name: String) -> String?

    /// Takes a message, to be sent with the next `flush` or `wait`.
    func send(_ message: PostgreSQLMessage) throws(PostgreSQLError)

    /// Sends as much as can be sent at once.
    ///
    /// - Returns: Whether that was all.
    func flush() -> Bool

    /// Has the rows of the statement that is answered next come in parts of so many at most, where that can be done: as
    /// `.rows`, and then a `.result` without them. To be called before anything of that answer is received.
    func splitRows(_ most: Int32)

    /// The next answer; nil if it is not there yet.
    func receive() throws(PostgreSQLError) -> PostgreSQLReply?

    /// Waits until something can be received or sent, or be read from another file unless that is -1, so many
    /// milliseconds at most.
    func wait(_ milliseconds: Int32, or file: Int32)

    /// Makes what has the server cancel the statement that runs when it is called, once, on any thread, which waits
    /// for that; nil if there is nothing to cancel.
    func makeCancel() -> (@Sendable () -> Void)?

    /// What has come by `NOTIFY` since it was last asked.
    func notifications() -> [PostgreSQLNotification]

    func close()
}

extension PostgreSQLWire {
    func wait(_ milliseconds: Int32) { wait(milliseconds, or: -1) }
}

package enum PostgreSQLMessage: Sendable {
    case prepare(name: String, sql: String, types: [UInt32])
    case execute(name: String, PostgreSQLParameters)
    /// A statement that is compiled for this time only.
    case query(sql: String, PostgreSQLParameters)
    /// The end of what is one transaction, if nothing else was said; the answers are sent.
    case sync
    /// Statements without parameters, answered as text.
    case simple(sql: String)
    case copy([UInt8])
    /// The end of what is copied, or why it is given up.
    case endCopy(reason: String?)
}

package enum PostgreSQLReply {
    case result(PostgreSQLResult)
    /// Some rows of what is not there as a whole.
    case rows(PostgreSQLResult)
    case failed(PostgreSQLError)
    /// The statement was not run, as one before it has failed.
    case skipped
    /// The end of the answer to a message.
    case end
    case synced
    case copyIn
    case copyOut
    case copied([UInt8])
}

/// As in libpq-fe.h.
package enum PostgreSQLTransactionStatus: Int32, Sendable {
    case idle, active, open, failed, unknown
}

/// What was sent by `NOTIFY`.
package struct PostgreSQLNotification: Hashable, Sendable {
    package let channel: String
    package let payload: String
    /// The process that has sent it.
    package let process: Int32

    package init(channel: String, payload: String, process: Int32) {
        (self.channel, self.payload, self.process) = (channel, payload, process)
    }
}
