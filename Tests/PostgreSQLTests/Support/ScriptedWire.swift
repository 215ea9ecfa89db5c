import Foundation
import ModelKitPostgreSQL
import Synchronization

/// A server that is made up: what is received is read from a script, nil for what is not there yet.
final class ScriptedWire: PostgreSQLWire {
    var isOpen = true
    var socket: Int32 { -1 }
    var transactionStatus = PostgreSQLTransactionStatus.idle
    var serverVersion = 150_000
    var parameters = ["server_encoding": "UTF8", "client_encoding": "UTF8"]
    var replies: [PostgreSQLReply?] = []
    /// What is thrown when the replies have ended; nil if there is never an answer.
    var end: PostgreSQLError?
    private(set) var sent: [String] = []
    /// For how long it was waited, in milliseconds.
    private(set) var waits: [Int32] = []
    let cancels = Counter()
    var onWait: () -> Void = {}

    init(_ replies: [PostgreSQLReply?] = []) { self.replies = replies }

    func parameterStatus(_ name: String) -> String? { parameters[name] }

    func send(_ message: PostgreSQLMessage) throws(PostgreSQLError) {
        switch message {
        case .prepare(let name, let sql, _): sent.append("prepare \(plain(name)): \(sql)")
        case .execute(let name, _): sent.append("execute \(plain(name))")
        case .query(let sql, _): sent.append("query: \(plain(sql))")
        case .sync: sent.append("sync")
        case .simple(let sql): sent.append("simple: \(sql)")
        case .copy(let bytes): sent.append("copy \(bytes.count)")
        case .endCopy(let reason): sent.append("end of copy: \(reason ?? "done")")
        }
    }

    /// A text without the part of the names of statements that is made by chance.
    private func plain(_ text: String) -> String {
        text.replacing(/m[0-9a-f]{8}_/) { _ in "m" }
    }

    func flush() -> Bool { true }

    func splitRows(_ most: Int32) { sent.append("rows: \(most)") }

    func receive() throws(PostgreSQLError) -> PostgreSQLReply? {
        if !replies.isEmpty { return replies.removeFirst() }
        if let end { throw end }
        return nil
    }

    func wait(_ milliseconds: Int32, or file: Int32) {
        waits.append(milliseconds)
        sleep()
        onWait()
    }

    func sleep() { usleep(1000) }

    func makeCancel() -> (@Sendable () -> Void)? { { [cancels] in cancels.add() } }

    func notifications() -> [PostgreSQLNotification] { [] }

    func close() { isOpen = false }

    final class Counter: Sendable {
        private let number = Atomic(0)

        func add() { number.add(1, ordering: .relaxed) }
        var count: Int { number.load(ordering: .relaxed) }
    }
}

extension PostgreSQLReply {
    static func done(_ rows: Int = 0) -> PostgreSQLReply {
        .result(PostgreSQLResult(affectedRows: rows))
    }

    static func part(_ rows: Int) -> PostgreSQLReply {
        .rows(PostgreSQLResult(affectedRows: rows))
    }

    static func failed(state: String) -> PostgreSQLReply {
        var error = PostgreSQLError(.init(sqlState: state), "it is refused")
        error.sqlState = state
        return .failed(error)
    }
}
