import ModelKitModels
import ModelKitStores

/// A case that is being tried out on a store.
struct ContractRun: ContractTrial {
    let sentence: String
    let file: String
    let store: any ModelStore
    var limits: StoreContract.Limits = []

    /// What ends a case that the store cannot be tried out with any further.
    struct Passed: Error {}

    /// Ends the case where the store has no records.
    var recordStore: any RecordModelStore {
        get throws {
            guard let store = store as? any RecordModelStore else { throw Passed() }
            return store
        }
    }

    /// Another store over the same records, as of another process; ends the case where there is none.
    func otherSession(events: StoreEvents? = nil) throws -> any RecordModelStore {
        OtherSession(try recordStore.records, events)
    }

    /// Another session, or the store itself where there is none.
    var reader: any ModelStore { (try? otherSession()) ?? store }
}

// What it demands.
extension ContractRun {
    /// Demands a number that is made, or one that is not much greater where others are left out.
    func expect<Number: BinaryInteger>(
        number: Number?,
        _ expected: Number,
        _ what: String,
        line: Int = #line
    ) throws {
        if limits.contains(.numbersWithGaps), let number, number > expected,
            number - expected < 50
        {
            return
        }
        try expect(number, expected, what, line: line)
    }

    /// Demands that a model has values, by the keys of its fields.
    func expect(
        _ model: some Model,
        has values: AttributeDictionary,
        _ when: String = "",
        line: Int = #line
    ) throws {
        let found = model.dictionaryValue()
        for (key, value) in values {
            let what = "\(key) of the \(type(of: model))" + (when.isEmpty ? "" : " \(when)")
            try expect(found[key] ?? .null, value, what, line: line)
        }
    }

    /// Demands that a store, by default another session, looks up a model with these values, and gives it.
    @discardableResult
    func expectStored<M: Model>(
        _ type: M.Type,
        _ identifier: Identifier,
        _ values: AttributeDictionary,
        _ when: String = "that is stored",
        by store: (any ModelStore)? = nil,
        line: Int = #line
    ) async throws -> M {
        let found = try await (store ?? reader).lookup(type, identifier: identifier)
        try expect(found, has: values, when, line: line)
        return found
    }

    /// Demands that the store lists models of these identifiers, in this order, and no others.
    func expectStored<M: Model>(
        _ type: M.Type,
        _ identifiers: [Identifier],
        _ what: String = "what is stored",
        line: Int = #line
    ) async throws {
        try expect(await found(type, RecordQuery()), identifiers, what, line: line)
    }

    /// What is stored of a model; ends the case where the store has no records.
    func record<M: Model>(_ identifier: Identifier, of type: M.Type) async throws -> Record? {
        try await recordStore.records.record(identifier, of: type.schema).value
    }

    /// The identifiers of what a query finds.
    func found<M: Model>(_ type: M.Type, _ query: RecordQuery) async throws -> [Identifier] {
        try await store.list(type, matching: query).value.compactMap(\.identifier)
    }

    /// What demands that a condition finds models by their identifiers, in this order.
    func searching<M: Model>(
        _ type: M.Type,
        line: Int = #line
    ) -> (_ condition: Condition<M>, _ found: [Identifier]) async throws -> Void {
        { condition, identifiers in
            let found = try await store.list(type, where: condition).compactMap(\.identifier)
            try expect(found, identifiers, "what \(condition.filter) finds", line: line)
        }
    }
}

// What it demands of failures.
extension ContractRun {
    /// Waits for a failure.
    func expect<Value>(
        _ error: StoreError,
        from promise: Promise<Value>,
        line: Int = #line
    ) async throws {
        try expect(await failure(of: promise, line: line), error, "the error", line: line)
    }

    /// Waits for a failure of a kind.
    func expect<Value>(code: String, from promise: Promise<Value>, line: Int = #line) async throws {
        let error = try await failure(of: promise, line: line)
        try expect(error.code == code, "the error must be .\(code), not \(error)", line: line)
    }

    /// Waits for a refusal by rules that have one code, of values at these paths.
    func expect<Value>(
        issues paths: [FieldPath],
        code: String? = nil,
        from promise: Promise<Value>,
        line: Int = #line
    ) async throws {
        let issues = try await issues(of: promise, line: line)
        try expect(issues.map(\.path), paths, "the issues' paths", line: line)
        for issue in issues {
            try expect(issue.code, code ?? issue.code, "the issues' code", line: line)
        }
    }

    /// Waits for a refusal by rules, and gives their issues.
    func issues<Value>(of promise: Promise<Value>, line: Int = #line) async throws -> [Issue] {
        let error = try await failure(of: promise, line: line)
        if case .validation(let issues) = error { return issues }
        throw violation("the error must be .validation, not \(error)", line)
    }

    /// Waits for a conflict.
    func conflict<Value>(
        of promise: Promise<Value>,
        line: Int = #line
    ) async throws -> StoreError.Conflict {
        let error = try await failure(of: promise, line: line)
        if case .conflict(let conflict) = error { return conflict }
        throw violation("the error must be .conflict, not \(error)", line)
    }

    /// Waits for a failure and gives its error.
    @discardableResult
    func failure<Value>(of promise: Promise<Value>, line: Int = #line) async throws -> StoreError {
        do {
            _ = try await promise.value
        } catch let error as StoreError {
            return error
        } catch {
            throw violation("must fail with a StoreError, not \(error)", line)
        }
        throw violation("must fail", line)
    }
}

/// A second session over the records of a store.
private final class OtherSession: RecordModelStore {
    let records: any RecordStore
    let session: StoreSession

    init(_ records: any RecordStore, _ events: StoreEvents?) {
        self.records = records
        session = StoreSession(events: events)
    }
}
