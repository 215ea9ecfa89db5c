import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let graphs: [Case] = [
        Case("a model is created together with its members") { run in
            let ledger = ContractLedger("a")
            ledger.entries.value = [ContractEntry("e1", 5), ContractEntry("e2", 7)]
            try await run.store.save(ledger, including: \.entries)
            let other = try run.otherSession()
            let type = ContractLedger.self
            let read = try await other.lookup(type, identifier: "a", including: \.entries)
            try run.expect(read.total.value, 12, "the total of what was stored")
        },
        Case("members get the number that the store gives to their owner", [.transactions]) { run in
            let bill = ContractBill()
            bill.items.value = [ContractBillItem(5), ContractBillItem(7)]
            try await run.store.create(bill, including: \.items)
            let other = try run.otherSession()
            let bills = try await other.list(ContractBill.self, including: \.items)
            try run.expect(bills.count, 1, "the bills")
            let items = bills.first?.items.value ?? []
            try run.expect(items.map(\.amount.value), [5, 7], "the items")
            try run.expect(Set(items.map(\.id.value)).count, 2, "numbers of items")
        },
        Case("a graph writes what is new, edited or taken out, and nothing else") { run in
            let ledger = ContractLedger("a")
            ledger.entries.value = (1...4).map { ContractEntry("e\($0)", $0) }
            try await run.store.create(ledger, including: \.entries)
            let (one, two) = (try run.otherSession(), try run.otherSession())
            let read = try await one.lookup(ContractLedger.self, identifier: "a")
            try await one.load(read, \.entries)
            // What another one writes meanwhile of a member that is not edited here stays.
            let theirs = try await two.lookup(ContractEntry.self, identifier: "e1")
            theirs.amount.value = 100
            try await two.update(theirs)
            read.entries.value?[1].amount.value = 20
            // Nobody else has it.
            read.entries.remove(at: 2)
            read.entries.append(ContractEntry("e5", 5))
            try await one.save(read, including: \.entries)
            let left = try await two.list(ContractEntry.self, orderBy: .ascending(\.id))
            try run.expect(left.map(\.amount.value), [100, 20, 3, 4, 5], "the amounts")
            let ledgers = left.map { $0.ledger.value?.id.value }
            try run.expect(ledgers, ["a", "a", nil, "a", "a"], "the ledgers of entries")
            try await one.save(read, including: \.entries)
        },
        Case("members that are taken out go with a relation that cascades, unless they moved") {
            run in
            let (order, lines) = ContractOrder.sample()
            order.marked.value = nil
            let target = ContractOrder("p")
            try await run.store.create(order, including: \.lines)
            try await run.store.create(target)
            let moved = ContractLine("n", "moved")
            order.lines.append(moved)
            try await run.store.update(order, including: \.lines)
            order.lines.remove(at: 0)
            moved.order.value = target
            try await run.store.save(order, including: \.lines)
            let other = try run.otherSession()
            let left = try await other.list(ContractLine.self, orderBy: .ascending(\.id))
            try run.expect(left.map(\.id.value), ["m", "n"], "the lines that are left")
            try run.expect(left.map { $0.order.value?.id.value }, ["o", "p"], "their orders")
            withExtendedLifetime(lines) {}
        },
        Case("an invalid member keeps all of a graph from being written, and says where it is") {
            run in
            let order = ContractOrder.sample().order
            order.marked.value = nil
            order.lines.value?[1].amount.value = -1
            let refused: Promise = run.store.save(order, including: \.lines)
            try await run.expect(issues: [["lines", 1, "amount"]], from: refused)
            try await run.expectStored(ContractOrder.self, [], "orders")
            try await run.expectStored(ContractLine.self, [], "lines")
            order.lines.value?[1].amount.value = 1
            try await run.store.save(order, including: \.lines)
        },
        Case("what a key leads to is written before what has it") { run in
            let entry = ContractEntry("e", 1, in: ContractLedger("a"))
            try await run.store.save(entry, including: \.ledger)
            let (other, read) = try await run.elsewhere(ContractLedger.self, "a")
            try run.expect(await other.load(read, \.entries).count, 1, "its entries")
        },
    ]
}
