import ModelKitEssentials
import ModelKitModels
import ModelKitSQL
import ModelKitStores

extension PostgreSQLRecordStore {
    /// So much time it has at least to find out the outcome of a transaction, also where the time for that is over.
    private static let settlingTime = Duration.seconds(2)

    /// Finds out the outcome of a transaction whose answer was lost.
    ///
    /// - Parameters:
    ///   - token: Its token.
    ///   - error: How it was lost.
    ///   - connection: The connection that had it, which is of no use any more.
    /// - Returns: What it has logged.
    /// - Throws: `PostgreSQLNotApplied`, where it was not committed, and `.unavailable` where nobody knows.
    func settle(
        _ token: UUID,
        _ error: PostgreSQLError,
        _ connection: PostgreSQLConnection
    ) throws -> [PostgreSQLLog.Entry] {
        let event = events?.begin(.settle)
        do {
            let entries = try outcome(of: token, error, connection)
            event?.end(.success(entries == nil ? 0 : 1))
            if let entries { return entries }
        } catch {
            event?.end(.failure(error))
            throw error
        }
        throw PostgreSQLNotApplied(error: error)
    }

    /// What a transaction has logged; nil if it was not committed.
    private func outcome(
        of token: UUID,
        _ error: PostgreSQLError,
        _ connection: PostgreSQLConnection
    ) throws -> [PostgreSQLLog.Entry]? {
        if connection.backend == nil, !log.hasUniqueTokens {
            throw StoreError.unavailable(error.description, .unknown)
        }
        let deadline = max(connection.deadline ?? .now, .now + Self.settlingTime)
        connection.close()
        let settlement = PostgreSQLSettlement(log: log, token: token, backend: connection.backend)
        var pause = 0.01
        while true {
            do {
                let other = try pool.connectBeside(until: deadline)
                (other.deadline, other.grace) = (deadline, .zero)
                defer { other.close() }
                return try settlement.entries(by: other, until: deadline)
            } catch _ as PostgreSQLError {
                // The server may be starting again.
                guard ContinuousClock.now < deadline else {
                    throw StoreError(error, .unknown)
                }
                sleep(forSeconds: pause)
                pause = min(pause * 2, 0.5)
            }
        }
    }
}

extension PostgreSQLTable {
    /// The receipts of writes of one statement, by what it has logged.
    func receipts(
        of writes: [RecordWrite],
        _ kind: PostgreSQLWriteRun.Kind,
        _ entries: [PostgreSQLLog.Entry]
    ) throws -> [RecordReceipt] {
        let keys = entries.flatMap(\.keys)
        let revisions = entries.flatMap(\.revisions)
        // Of very many only the type was logged.
        guard keys.count == writes.count, revisions.count == keys.count else {
            throw StoreError.unavailable(
                "\(writes.count) records were written, but the connection has ended before their revisions arrived",
                .applied
            )
        }
        return try zip(keys, revisions).map { key, revision in
            RecordReceipt(
                identifier: try identifier(ofText: key),
                revision: revision,
                isNew: kind == .creation
            )
        }
    }

    /// The identifier that the log has as a text.
    func identifier(ofText text: String) throws -> Identifier {
        switch identifierColumn.stored {
        case .int, .unsigned: if let number = Int64(text) { return .int(number) }
        case .uuid: return .string(text.uppercased())
        case .any:
            let value = try PostgreSQLVariant.value(of: text)
            if let identifier = try? Identifier(attributeValue: value) { return identifier }
        default: break
        }
        return .string(text)
    }
}
