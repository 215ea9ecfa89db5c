import ModelKitFields
import ModelKitStores

extension StoreContract {
    static let graphs: [Case] = [
        Case("a model is created together with its members") { run in
            let ledger = ContractLedger("a")
            ledger.entries.value = [ContractEntry("e1", 5), ContractEntry("e2", 7)]
            _ = try await run.store.save(ledger, including: \.entries).value
            guard let other = run.otherSession() else { return }
            let read = try await other.lookup(
                ContractLedger.self,
                identifier: "a",
                including: \.entries
            ).value
            try run.expect(read.total.value, 12, "the total of what was stored")
        },
        transaction("members get the number that the store gives to their owner") { run in
            let bill = ContractBill()
            bill.items.value = [ContractBillItem(5), ContractBillItem(7)]
            _ = try await run.store.create(bill, including: \.items).value
            guard let other = run.otherSession() else { return }
            let bills = try await other.list(ContractBill.self, including: \.items).value
            try run.expect(bills.count, 1, "the bills")
            let items = bills.first?.items.value ?? []
            try run.expect(items.map(\.amount.value), [5, 7], "the items")
            try run.expect(Set(items.map(\.id.value)).count, 2, "numbers of items")
        },
        Case("a graph writes what is new, edited or taken out, and nothing else") { run in
            let ledger = ContractLedger("a")
            let numbers = 1...4
            ledger.entries.value = numbers.map { ContractEntry("e\($0)", $0) }
            _ = try await run.store.create(ledger, including: \.entries).value
            guard let one = run.otherSession(), let two = run.otherSession() else { return }
            let read = try await one.lookup(ContractLedger.self, identifier: "a").value
            _ = try await one.load(read, \.entries).value
            // What another one writes meanwhile of a member that is not edited here stays.
            let theirs = try await two.lookup(ContractEntry.self, identifier: "e1").value
            theirs.amount.value = 100
            _ = try await two.update(theirs).value
            read.entries.value?[1].amount.value = 20
            // Nobody else has it.
            read.entries.remove(at: 2)
            read.entries.append(ContractEntry("e5", 5))
            _ = try await one.save(read, including: \.entries).value
            let left = try await two.list(ContractEntry.self).value.sorted {
                $0.id.value ?? "" < $1.id.value ?? ""
            }
            try run.expect(left.map(\.amount.value), [100, 20, 3, 4, 5], "the amounts")
            try run.expect(
                left.map { $0.ledger.value?.id.value },
                ["a", "a", nil, "a", "a"],
                "the ledgers of entries"
            )
            _ = try await one.save(read, including: \.entries).value
        },
        Case("members that are taken out go with a relation that cascades, unless they moved") {
            run in
            let (order, lines) = ContractOrder.sample()
            order.marked.value = nil
            let target = ContractOrder()
            target.id.value = "p"
            _ = try await run.store.create(order, including: \.lines).value
            _ = try await run.store.create(target).value
            let moved = ContractLine()
            (moved.id.value, moved.text.value, moved.amount.value) = ("n", "moved", 1)
            order.lines.append(moved)
            _ = try await run.store.update(order, including: \.lines).value
            order.lines.remove(at: 0)
            moved.order.value = target
            _ = try await run.store.save(order, including: \.lines).value
            guard let other = run.otherSession() else { return }
            let left = try await other.list(ContractLine.self).value.sorted {
                $0.id.value ?? "" < $1.id.value ?? ""
            }
            try run.expect(left.map(\.id.value), ["m", "n"], "the lines that are left")
            try run.expect(left.map { $0.order.value?.id.value }, ["o", "p"], "their orders")
            withExtendedLifetime(lines) {}
        },
        Case("an invalid member keeps all of a graph from being written, and says where it is") {
            run in
            let order = ContractOrder.sample().order
            order.marked.value = nil
            order.lines.value?[1].amount.value = -1
            let error = try await run.failure(of: run.store.save(order, including: \.lines))
            guard case .validation(let issues) = error else {
                return try run.expect(false, "\(error) is no .validation")
            }
            try run.expect(issues.map(\.path.description), ["lines[1].amount"], "the path")
            try run.expect(try await run.found(ContractOrder.self, RecordQuery()), [], "orders")
            try run.expect(try await run.found(ContractLine.self, RecordQuery()), [], "lines")
            order.lines.value?[1].amount.value = 1
            _ = try await run.store.save(order, including: \.lines).value
        },
        Case("what a key leads to is written before what has it") { run in
            let entry = ContractEntry("e", 1, in: ContractLedger("a"))
            _ = try await run.store.save(entry, including: \.ledger).value
            guard let other = run.otherSession() else { return }
            let read = try await other.lookup(ContractLedger.self, identifier: "a").value
            try run.expect(try await other.load(read, \.entries).value.count, 1, "its entries")
        },
    ]
}
