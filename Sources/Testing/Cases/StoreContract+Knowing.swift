import ModelKitFields
import ModelKitModels
import ModelKitStores

/// Models that know less than the store: that are only foreign keys of others, or were unloaded.
extension StoreContract {
    static let knowing: [Case] = [
        Case("an update of what is only a foreign key writes what was set, and nothing else") {
            run in
            let (other, _, shell) = try await run.shellOfOrder()
            try run.expect(shell.loadState, .incomplete, "what is known of the order")
            // Neither the first nor the next one.
            for note in ["second", "third"] {
                shell.note.value = note
                try await other.update(shell)
                try await run.expectOrder(note, 36)
            }
            let found = try await other.lookup(ContractOrder.self, identifier: "o")
            try run.expect(found === shell, "the lookup gives another instance")
            try run.expect(found.priority.value, 36, "the priority that was looked up")
            try run.expect(found.marked.value?.count, 2, "the number of lines")
            found.priority.value = 37
            try await other.update(found)
            try await run.expectOrder("third", 37)
        },
        Case("what is only a foreign key is merged with what was set of it") { run in
            let (other, _, shell) = try await run.shellOfOrder()
            shell.note.value = "second"
            try await other.save(shell, onConflict: .merge)
            try await run.expectOrder("second", 36)
        },
        Case("a merge makes a record with default values where there is none") { run in
            let (other, order, shell) = try await run.shellOfOrder()
            try await run.store.delete(order)
            shell.note.value = "new"
            try await other.save(shell, onConflict: .merge)
            try run.expect(shell.priority.value, 3, "the priority of the model")
            try await run.expectStored(ContractOrder.self, "o", ["note": "new", "priority": 3])
        },
        Case("a merge asks the rules of what is known, and all where there is no record") { run in
            let lines = try await run.createOrder().lines
            let (other, found) = try await run.elsewhere(ContractOrder.self, "o")
            guard let first = found.marked[0], let second = found.marked[1] else {
                return try run.expect(false, "the order has no marked lines")
            }
            first.amount.value = 2
            try await other.save(first, onConflict: .merge)
            try await run.expectLine(amount: 2)
            try await run.store.delete(lines[1])
            second.amount.value = 3
            try await run.expect(issues: [["text"]], from: other.save(second, onConflict: .merge))
            second.text.value = "again"
            try await other.save(second, onConflict: .merge)
            let stored = try await other.list(ContractLine.self)
            try run.expect(stored.map(\.amount.value), [2, 3], "the stored amounts")
        },
        Case("an update of what was unloaded writes what was set, and nothing else") { run in
            let order = try await run.createOrder().order
            order.unload()
            order.note.value = "second"
            try await run.store.update(order)
            try await run.expectOrder("second", 36)
            order.unload()
            order.priority.value = 7
            try await run.store.save(order)
            try await run.expectOrder("second", 7)
            let found = try await run.store.lookup(ContractOrder.self, identifier: "o")
            try run.expect(found === order, "the lookup gives another instance")
            try run.expect(order.note.value, "second", "the note that is loaded again")
        },
        Case("rules are asked of what is written, and not of what is not known") { run in
            let line = try await run.createOrder().lines[0]
            line.unload()
            line.amount.value = 2
            try await run.store.update(line)
            try await run.expectLine(amount: 2)
            line.unload()
            line.amount.value = -1
            try await run.expect(issues: [["amount"]], from: run.store.update(line))
            let (other, found) = try await run.elsewhere(ContractOrder.self, "o")
            let shell = found.marked[0]
            shell?.amount.value = 3
            if let shell { try await other.update(shell) }
            try await run.expectLine(amount: 3)
        },
    ]
}

extension ContractRun {
    fileprivate func expectLine(amount: Int64, line: Int = #line) async throws {
        let values: AttributeDictionary = ["amount": .int(amount), "text": "text of l"]
        try await expectStored(ContractLine.self, "l", values, line: line)
    }

    fileprivate func expectOrder(
        _ note: String,
        _ priority: Int64,
        line: Int = #line
    ) async throws {
        let values: AttributeDictionary = ["note": .string(note), "priority": .int(priority)]
        let order = try await expectStored(ContractOrder.self, "o", values, line: line)
        try expect(order.marked.value?.map(\.id.value), ["l", "m"], "the stored lines", line: line)
    }
}
