import ModelKitModels
import ModelKitStores

/// A case that is being tried out.
struct ContractRun: Sendable {
    let sentence: String
    let store: any ModelStore

    /// Another store over the same records, as of another process; nil if the store has none.
    func otherSession(events: StoreEvents? = nil) -> (any ModelStore)? {
        (store as? any RecordModelStore).map { OtherSession($0.records, events) }
    }

    func expect(
        _ condition: Bool,
        _ message: @autoclosure () -> String,
        file: String = #fileID,
        line: Int = #line
    ) throws {
        if !condition { throw violation(message(), file, line) }
    }

    func expect<Value: Equatable>(
        _ found: Value,
        _ expected: Value,
        _ what: @autoclosure () -> String,
        file: String = #fileID,
        line: Int = #line
    ) throws {
        if found != expected {
            throw violation("\(what()) must be \(expected), not \(found)", file, line)
        }
    }

    /// Waits for a failure.
    func expect<Value>(
        _ error: StoreError,
        from promise: Promise<Value>,
        file: String = #fileID,
        line: Int = #line
    ) async throws {
        let found = try await failure(of: promise, file: file, line: line)
        try expect(found, error, "the error", file: file, line: line)
    }

    /// Waits for a failure and gives its error.
    func failure<Value>(
        of promise: Promise<Value>,
        file: String = #fileID,
        line: Int = #line
    ) async throws -> StoreError {
        do {
            _ = try await promise.value
        } catch let error as StoreError {
            return error
        } catch {
            throw violation("must fail with a StoreError, not \(error)", file, line)
        }
        throw violation("must fail", file, line)
    }

    /// The identifiers of what a query finds.
    func found<M: Model>(_ type: M.Type, _ query: RecordQuery) async throws -> [Identifier] {
        try await store.list(type, matching: query).value.compactMap(\.identifier)
    }

    /// The identifiers of the models that fulfil a condition.
    func found<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>
    ) async throws -> [Identifier] {
        try await store.list(type, where: condition).value.compactMap(\.identifier)
    }

    /// What demands that a condition finds models by their identifiers, in this order.
    func searching<M: Model>(
        _ type: M.Type
    ) -> (_ condition: Condition<M>, _ found: [Identifier]) async throws -> Void {
        { condition, found in
            try expect(await self.found(type, where: condition), found, "\(condition.filter)")
        }
    }

    private func violation(_ message: String, _ file: String, _ line: Int) -> ContractViolation {
        ContractViolation(sentence: sentence, message: message, file: file, line: line)
    }
}

/// A second session over the records of a store.
final class OtherSession: RecordModelStore {
    let records: any RecordStore
    let session: StoreSession

    init(_ records: any RecordStore, _ events: StoreEvents? = nil) {
        self.records = records
        session = StoreSession(events: events)
    }
}
