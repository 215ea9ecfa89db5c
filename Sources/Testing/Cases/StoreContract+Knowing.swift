import ModelKitFields
import ModelKitModels
import ModelKitStores

/// Models that know less than the store: that are only foreign keys of others, or were unloaded.
extension StoreContract {
    static let knowing: [Case] = [
        Case("an update of what is only a foreign key writes what was set, and nothing else") {
            run in
            guard let (other, order, shell) = try await shellOfOrder(run) else { return }
            try run.expect(shell.loadState, .incomplete, "what is known of the order")
            shell.note.value = "second"
            _ = try await other.update(shell).value
            try await expectStored(run, note: "second", priority: 36)
            // Nor does the next one.
            shell.note.value = "third"
            _ = try await other.update(shell).value
            try await expectStored(run, note: "third", priority: 36)
            let found = try await other.lookup(ContractOrder.self, identifier: "o").value
            try run.expect(found === shell, "the lookup gives another instance")
            try run.expect(found.priority.value, 36, "the priority that was looked up")
            try run.expect(found.marked.value?.count, 2, "the number of lines")
            found.priority.value = 37
            _ = try await other.update(found).value
            try await expectStored(run, note: "third", priority: 37)
            order.unlink()
            found.unlink()
        },
        Case("what is only a foreign key is merged with what was set of it") { run in
            guard let (other, order, shell) = try await shellOfOrder(run) else { return }
            shell.note.value = "second"
            _ = try await other.save(shell, onConflict: .merge).value
            try await expectStored(run, note: "second", priority: 36)
            order.unlink()
            shell.unlink()
        },
        Case("a merge makes a record with default values where there is none") { run in
            guard let (other, order, shell) = try await shellOfOrder(run) else { return }
            _ = try await run.store.delete(order).value
            shell.note.value = "new"
            _ = try await other.save(shell, onConflict: .merge).value
            try run.expect(shell.priority.value, 3, "the priority of the model")
            shell.unlink()
            guard let third = run.otherSession() else { return }
            let found = try await third.lookup(ContractOrder.self, identifier: "o").value
            try run.expect(found.note.value, "new", "the stored note")
            try run.expect(found.priority.value, 3, "the stored priority")
            found.unlink()
        },
        Case("a merge asks the rules of what is known, and all where there is no record") { run in
            let (order, lines) = ContractOrder.sample()
            _ = try await run.store.create(order).value
            _ = try await run.store.create(lines).value
            guard let other = run.otherSession() else { return }
            let found = try await other.lookup(ContractOrder.self, identifier: "o").value
            guard let first = found.marked[0], let second = found.marked[1] else {
                return try run.expect(false, "the order has no marked lines")
            }
            first.amount.value = 2
            _ = try await other.save(first, onConflict: .merge).value
            try await expectStored(run, amount: 2)
            _ = try await run.store.delete(lines[1]).value
            second.amount.value = 3
            let error = try await run.failure(of: other.save(second, onConflict: .merge))
            try run.expect(error.issues.map(\.path), [["text"]], "the issues' paths")
            second.text.value = "again"
            _ = try await other.save(second, onConflict: .merge).value
            let stored = try await other.list(ContractLine.self).value
            try run.expect(stored.map(\.amount.value), [2, 3], "the stored amounts")
            order.unlink()
            found.unlink()
        },
        Case("an update of what was unloaded writes what was set, and nothing else") { run in
            let (order, lines) = ContractOrder.sample()
            _ = try await run.store.create(order).value
            _ = try await run.store.create(lines).value
            order.unload()
            order.note.value = "second"
            _ = try await run.store.update(order).value
            try await expectStored(run, note: "second", priority: 36)
            order.unload()
            order.priority.value = 7
            _ = try await run.store.save(order).value
            try await expectStored(run, note: "second", priority: 7)
            let found = try await run.store.lookup(ContractOrder.self, identifier: "o").value
            try run.expect(found === order, "the lookup gives another instance")
            try run.expect(order.note.value, "second", "the note that is loaded again")
            order.unlink()
        },
        Case("rules are asked of what is written, and not of what is not known") { run in
            let (order, lines) = ContractOrder.sample()
            _ = try await run.store.create(order).value
            _ = try await run.store.create(lines).value
            lines[0].unload()
            lines[0].amount.value = 2
            _ = try await run.store.update(lines[0]).value
            try await expectStored(run, amount: 2)
            lines[0].unload()
            lines[0].amount.value = -1
            let error = try await run.failure(of: run.store.update(lines[0]))
            try run.expect(error.issues.map(\.path), [["amount"]], "the issues' paths")
            order.unlink()
            guard let other = run.otherSession() else { return }
            let found = try await other.lookup(ContractOrder.self, identifier: "o").value
            let shell = found.marked[0]
            shell?.amount.value = 3
            if let shell { _ = try await other.update(shell).value }
            try await expectStored(run, amount: 3)
            found.unlink()
        },
    ]

    /// A session, the stored order, and what the session has of it by a line alone; nil where there are no
    /// two sessions.
    private static func shellOfOrder(
        _ run: ContractRun
    ) async throws -> (any ModelStore, ContractOrder, ContractOrder)? {
        let (order, lines) = ContractOrder.sample()
        _ = try await run.store.create(order).value
        _ = try await run.store.create(lines).value
        guard let other = run.otherSession() else { return nil }
        let line = try await other.lookup(ContractLine.self, identifier: "l").value
        guard let shell = line.order.value else {
            try run.expect(false, "the line has no order")
            return nil
        }
        return (other, order, shell)
    }

    private static func expectStored(_ run: ContractRun, amount: Int) async throws {
        guard let other = run.otherSession() else { return }
        let line = try await other.lookup(ContractLine.self, identifier: "l").value
        try run.expect(line.amount.value, amount, "the stored amount")
        try run.expect(line.text.value, "text of l", "the stored text")
        line.unlink()
    }

    private static func expectStored(
        _ run: ContractRun,
        note: String,
        priority: Int
    ) async throws {
        guard let other = run.otherSession() else { return }
        let order = try await other.lookup(ContractOrder.self, identifier: "o").value
        try run.expect(order.note.value, note, "the stored note")
        try run.expect(order.priority.value, priority, "the stored priority")
        try run.expect(order.marked.value?.map(\.id.value), ["l", "m"], "the stored lines")
        order.unlink()
    }
}
