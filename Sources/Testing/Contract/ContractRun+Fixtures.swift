import ModelKitEssentials
import ModelKitFields
import ModelKitModels
import ModelKitStores

// What several cases begin with.
extension ContractRun {
    /// A text as the store can keep it.
    func text(_ text: String) -> String {
        limits.contains(.textsWithoutZero)
            ? text.replacing("\u{0}", with: "\u{2}") : text
    }

    /// A value as the store can keep it.
    func value(_ value: AttributeValue) -> AttributeValue {
        switch value {
        case .string(let string): .string(text(string))
        case .date(let date) where limits.contains(.yearsOfFourDigits):
            .date(max(date, Date(timeIntervalSince1970: -62_135_596_800)))
        case .array(let values): .array(values.map { self.value($0) })
        case .dictionary(let values): .dictionary(self.values(values))
        default: value
        }
    }

    /// Values as the store can keep them.
    func values(_ values: AttributeDictionary) -> AttributeDictionary {
        values.mapValues { value($0) }
    }

    /// Another session, and its instance of what is stored.
    func elsewhere<M: Model>(
        _ type: M.Type,
        _ identifier: Identifier
    ) async throws -> (any RecordModelStore, M) {
        let other = try otherSession()
        return (other, try await other.lookup(type, identifier: identifier))
    }

    /// An order with all values, and its lines.
    func createOrder() async throws -> (order: ContractOrder, lines: [ContractLine]) {
        let (order, lines) = ContractOrder.sample()
        try await store.create(order)
        try await store.create(lines)
        return (order, lines)
    }

    /// Another session, the stored order, and what that session knows of it by a line alone.
    func shellOfOrder(
        line: Int = #line
    ) async throws -> (any RecordModelStore, ContractOrder, ContractOrder) {
        let order = try await createOrder().order
        let (other, member) = try await elsewhere(ContractLine.self, "l")
        guard let shell = member.order.value else { throw violation("l has no order", line) }
        return (other, order, shell)
    }

    /// A ledger with a name and with entries of these amounts.
    func createLedger(_ amounts: Int...) async throws -> (ContractLedger, [ContractEntry]) {
        let ledger = try await store.create(ContractLedger("a") { $0.name.value = "Cash" })
        let entries = amounts.enumerated().map { ContractEntry("e\($0 + 1)", $1, in: ledger) }
        try await create(entries)
        return (ledger, entries)
    }

    /// Creates models of any types, one after the other.
    func create(_ models: [any Model]) async throws {
        for model in models { try await store.perform([.create(model)]) }
    }

    /// Does so many things at once.
    func atOnce(
        _ count: Int,
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count { group.addTask { try await body(index) } }
            try await group.waitForAll()
        }
    }

    /// The models of all pages of a query.
    func pages<M: Model>(
        _ type: M.Type,
        _ query: RecordQuery,
        line: Int = #line
    ) async throws -> [M] {
        var query = query
        var models: [M] = []
        repeat {
            let page = try await store.page(type, matching: query).value
            models += page.items
            query.after = page.next
            try expect(models.count < 100, "pages have no end", line: line)
        } while query.after != nil
        return models
    }
}
