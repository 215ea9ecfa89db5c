extension PostgreSQLConnection {
    /// Runs a statement, as a transaction of its own if none is open.
    @discardableResult
    package func run(_ statement: PostgreSQLStatement) throws(PostgreSQLError) -> PostgreSQLResult {
        let results = try run([statement])
        guard let result = results.first else { throw unfitting }
        return result
    }

    /// Runs statements in one round trip, in one transaction unless they begin and end some themselves.
    ///
    /// - Throws: The first failure, with the index of its statement; those after it are not run. What fails at the
    ///   commit has the index of the last one.
    @discardableResult
    package func run(
        _ statements: [PostgreSQLStatement]
    ) throws(PostgreSQLError) -> [PostgreSQLResult] {
        try compilingAgain(statements) { () throws(PostgreSQLError) in try runOnce(statements) }
    }

    /// Does what runs statements, and once more where they have to be compiled again.
    func compilingAgain<Value>(
        _ statements: [PostgreSQLStatement],
        _ body: () throws(PostgreSQLError) -> Value
    ) throws(PostgreSQLError) -> Value {
        let wasInTransaction = isInTransaction
        do throws(PostgreSQLError) {
            return try body()
        } catch {
            // Nothing is left of what was run with a statement that has to be compiled again.
            guard error.isStale, !wasInTransaction, wire.isOpen, let index = error.statementIndex,
                !statements[..<index].contains(where: \.endsTransaction)
            else { throw error }
            if isInTransaction { try execute("ROLLBACK") }
            if error.sqlState == "26000" { try checkBackend() }
            return try body()
        }
    }

    /// Throws if another backend answers than that of the session, which a write that is lost would be looked for at.
    func checkBackend() throws(PostgreSQLError) {
        guard let backend else { return }
        let find = PostgreSQLStatement("SELECT pg_backend_pid()", isPrepared: false)
        if try runOnce([find]).first?.integer(0, 0) == backend.process { return }
        wire.close()
        throw PostgreSQLError(
            .notSupported,
            "several backends answer on one connection; a pooler of transactions needs the mode .pooled"
        )
    }

    /// What an answer is to.
    enum Step: Sendable {
        case preparation(PostgreSQLStatementCache.Key, Int)
        case statement(Int, PostgreSQLStatementCache.Key?)
        case removal(name: String)
        case setting
        case sync
    }

    private func runOnce(
        _ statements: [PostgreSQLStatement]
    ) throws(PostgreSQLError) -> [PostgreSQLResult] {
        try end(begin(statements))
    }

    /// Sends statements, as far as that can be done at once, without waiting for the answer.
    func begin(
        _ statements: [PostgreSQLStatement]
    ) throws(PostgreSQLError) -> PostgreSQLExchange {
        for (index, statement) in statements.enumerated() {
            if let error = statement.refusal { throw error.of(statements, index) }
        }
        try beginExchange()
        do throws(PostgreSQLError) {
            return PostgreSQLExchange(statements: statements, steps: try send(statements))
        } catch {
            endExchange()
            throw judged(error)
        }
    }

    /// Waits for the answer to statements.
    func end(_ exchange: PostgreSQLExchange) throws(PostgreSQLError) -> [PostgreSQLResult] {
        var results: [PostgreSQLResult] = []
        try end(exchange) { results.append($0) }
        return results
    }

    /// Waits for the answer to statements, and has the body take what they give; in parts of so many rows, where that is
    /// given and can be done.
    func end(
        _ exchange: PostgreSQLExchange,
        inPartsOf most: Int32? = nil,
        _ body: (PostgreSQLResult) -> Void
    ) throws(PostgreSQLError) {
        defer { endExchange() }
        do throws(PostgreSQLError) {
            let statements = exchange.statements
            var failure: PostgreSQLError?
            for step in exchange.steps {
                do throws(PostgreSQLError) {
                    if let most, case .statement = step { wire.splitRows(most) }
                    try answer(to: step, body)
                } catch {
                    guard error.isRefusal else { throw error }
                    failure = failure ?? error.of(statements, step.index ?? statements.count - 1)
                }
            }
            if let failure { throw failure }
        } catch {
            throw judged(error)
        }
    }

    private func send(_ statements: [PostgreSQLStatement]) throws(PostgreSQLError) -> [Step] {
        var steps: [Step] = []
        // A failure of these must not be that of a transaction.
        if !isInTransaction {
            for name in self.statements.takeDropped() {
                try wire.send(.query(sql: "DEALLOCATE \(name)", PostgreSQLParameters()))
                steps.append(.removal(name: name))
            }
            if !steps.isEmpty { try sync(&steps) }
        }
        let limitPlace = mode == .pooled && statements.first?.beginsTransaction ?? false ? 1 : 0
        for (index, statement) in statements.enumerated() {
            if mode == .pooled, let deadline, index == limitPlace {
                try wire.send(limit(until: deadline, isLocal: isInTransaction || index == 1))
                steps.append(.setting)
            }
            guard statement.isPrepared, mode != .pooled,
                statement.sql.utf8.count <= PostgreSQLStatementCache.longestText
            else {
                try wire.send(.query(sql: statement.sql, statement.parameters))
                steps.append(.statement(index, nil))
                continue
            }
            let key = PostgreSQLStatementCache.Key(statement)
            let (name, isNew) = self.statements.use(key)
            if isNew {
                try wire.send(.prepare(name: name, sql: statement.sql, types: key.types))
                steps.append(.preparation(key, index))
            }
            try wire.send(.execute(name: name, statement.parameters))
            steps.append(.statement(index, key))
        }
        try sync(&steps)
        return steps
    }

    /// What has the server itself end a transaction, where a request to cancel something may not reach it.
    private func limit(
        until deadline: ContinuousClock.Instant,
        isLocal: Bool
    ) -> PostgreSQLMessage {
        let time = max(1, deadline.milliseconds)
        // The one warns outside of a transaction, and after the other one it is too late to say how isolated it is.
        let sql =
            isLocal
            ? "SET LOCAL statement_timeout = \(time)"
            : "SELECT set_config('statement_timeout', '\(time)', true)"
        return .query(sql: sql, PostgreSQLParameters())
    }

    private func sync(_ steps: inout [Step]) throws(PostgreSQLError) {
        try wire.send(.sync)
        steps.append(.sync)
    }

    /// Takes the answer to a step, and has the body take what a statement gives.
    private func answer(
        to step: Step,
        _ body: (PostgreSQLResult) -> Void
    ) throws(PostgreSQLError) {
        if case .sync = step { return try answerToSync() }
        let reply = try replyAfterRows(body)
        guard case .end = try receive() else { throw unfitting }
        switch (reply, step) {
        case (.result(let result), .statement): body(result)
        case (.result, _): break
        case (.skipped, .preparation(let key, _)): statements.remove(key)
        case (.skipped, .removal(let name)): statements.drop(named: name)
        case (.skipped, _), (.failed, .removal): break
        case (.failed(let error), .preparation(let key, _)):
            statements.remove(key)
            throw error
        case (.failed(let error), .statement(_, let key?)) where error.isStale:
            // Whoever has removed it has not removed it alone.
            if error.sqlState == "26000" { statements.removeAll() } else { statements.drop(key) }
            throw error
        case (.failed(let error), _): throw error
        default: throw unfitting
        }
    }

    /// The next reply that has not some of the rows alone, which are given to the body before.
    private func replyAfterRows(
        _ body: (PostgreSQLResult) -> Void
    ) throws(PostgreSQLError) -> PostgreSQLReply {
        while true {
            let reply = try receive()
            guard case .rows(let rows) = reply else { return reply }
            body(rows)
            // Of a server that is fast enough nothing is waited for, where that would be noticed.
            try checkEnd()
        }
    }

    /// Takes what comes until everything is answered: a commit that fails does so here.
    private func answerToSync() throws(PostgreSQLError) {
        var failure: PostgreSQLError?
        while true {
            switch try receive() {
            case .synced:
                if let failure { throw failure }
                return
            case .failed(let error): failure = error
            case .end: break
            default: throw unfitting
            }
        }
    }
}

/// Statements that were sent, and whose answer has not come.
struct PostgreSQLExchange: Sendable {
    let statements: [PostgreSQLStatement]
    let steps: [PostgreSQLConnection.Step]

    /// How many messages `ReadyForQuery` the answer has.
    var syncCount: Int { steps.count { if case .sync = $0 { true } else { false } } }
}

extension PostgreSQLConnection.Step {
    fileprivate var index: Int? {
        switch self {
        case .preparation(_, let index), .statement(let index, _): index
        default: nil
        }
    }
}

extension PostgreSQLStatement {
    /// Why it cannot be sent.
    fileprivate var refusal: PostgreSQLError? {
        if parameters.areTooLong || parameters.count > Int(UInt16.max) {
            return PostgreSQLError(
                .tooLarge,
                "there are too many parameters, or they have 1 GB in all"
            )
        }
        if sql.hasZeroByte { return PostgreSQLError(.invalidText, "there is a zero byte") }
        return nil
    }
}

extension PostgreSQLError {
    /// The same as that of one of some statements.
    fileprivate func of(_ statements: [PostgreSQLStatement], _ index: Int) -> PostgreSQLError {
        var error = self
        if statements.indices.contains(index) {
            (error.statementIndex, error.sql) = (index, statements[index].sql)
        }
        return error
    }
}
