import ModelKitFields
import ModelKitForms
import ModelKitModels
import ModelKitStores

/// Keys to what is deleted.
extension StoreContract {
    static let leaving: [Case] = [
        Case("a deleted owner leaves no key, whether its members are loaded, in use or neither") {
            run in
            _ = try await run.createLedger(1, 2, 3)
            let (other, owner) = try await run.elsewhere(ContractLedger.self, "a")
            let used = try await other.lookup(ContractEntry.self, identifier: "e2")
            try await other.delete(owner)
            try run.expect(used.ledger.value, nil, "the key of a member in use")
            let left = try await run.reader.list(ContractEntry.self)
            try run.expect(left.map(\.ledger.value), [nil, nil, nil], "the keys")
            // A server may have written the key, of which this store does not know yet.
            _ = try await other.lookup(ContractEntry.self, identifier: "e2")
            used.amount.value = 20
            try await other.update(used)
            try run.expect(used.ledger.value, nil, "the key of a member that was updated")
        },
        Case("members may be written with, and after, what deletes their owner", [.transactions]) {
            run in
            let (ledger, entries) = try await run.createLedger(1, 2, 3, 4)
            let second = try await run.store.create(ContractLedger("b"))
            entries[3].ledger.value = second
            try await run.store.update(entries[3])
            entries[0].amount.value = 10
            try await run.store.perform([.delete(ledger), .update(entries[0])])
            for (index, entry) in entries.prefix(3).enumerated() {
                entry.amount.value = 20 + index
                try await run.store.update(entry)
            }
            try await run.store.transaction { transaction in
                try transaction.delete(second)
                let read = try transaction.lookup(ContractEntry.self, identifier: "e4")
                try run.expect(read === entries[3], "another object in the transaction")
                read.amount.value = 23
                try transaction.update(read)
            }.value
            entries[3].amount.value = 24
            try await run.store.update(entries[3])
            let left = try await run.reader.list(ContractEntry.self)
            try run.expect(left.map(\.amount.value), [20, 21, 22, 24], "the amounts")
            try run.expect(left.map(\.ledger.value), [nil, nil, nil, nil], "the keys")
        },
        Case("what a deletion that is taken back would do to members is not kept", [.transactions])
        {
            run in
            struct Stop: Error {}
            let (ledger, entries) = try await run.createLedger(1, 2)
            let (other, owner) = try await run.elsewhere(ContractLedger.self, "a")
            for (store, ledger) in [(run.store, ledger), (other, owner)] {
                try await store.transaction { transaction in
                    try? transaction.savepoint {
                        try transaction.delete(ledger)
                        let read = try transaction.list(ContractEntry.self)
                        read[1].amount.value = 7
                        throw Stop()
                    }
                }.value
            }
            let read = try await other.list(ContractEntry.self)
            try run.expect(read.map(\.ledger.value), [owner, owner], "the keys of the other store")
            try run.expect(entries.map(\.ledger.value), [ledger, ledger], "the keys")
            read[0].amount.value = 5
            try await other.update(read[0])
            entries[1].amount.value = 6
            try await run.store.update(entries[1])
            let left = try await run.reader.list(ContractEntry.self)
            try run.expect(left.map(\.amount.value), [5, 6], "the amounts")
        },
        Case("what a deleted owner takes with it is deleted, whether it is loaded or not") { run in
            let (order, lines) = ContractOrder.sample()
            try await run.create([order] + lines)
            let (other, read) = try await run.elsewhere(ContractOrder.self, "o")
            try run.expect(read.lines.value, nil, "lines that nobody loaded")
            try await other.delete(read)
            try run.expect(await run.reader.list(ContractLine.self), [], "the lines that are left")
        },
        Case("what is deleted with its owner may need others that are deleted, too") { run in
            let (room, shelf, book) = (ContractRoom("r"), ContractShelf("s"), ContractBook("b"))
            (shelf.room.value, book.room.value, book.shelf.value) = (room, room, shelf)
            try await run.create([room, shelf, book])
            let (other, read) = try await run.elsewhere(ContractRoom.self, "r")
            try await other.delete(read)
            try run.expect(await run.reader.list(ContractBook.self), [], "the books that are left")
        },
        Case("an owner that is needed is not deleted, and keys may lead to it") { run in
            let (ledger, _) = try await run.createLedger()
            try await run.store.create(ContractBadge("x", of: ledger))
            try await run.expectNeeded(by: run.store.delete(ledger))
            try await run.store.create(ContractEntry("e", 5, in: ledger))
            let (other, owner) = try await run.elsewhere(ContractLedger.self, "a")
            try await run.expectNeeded(by: other.delete(owner))
            try run.expect(await other.list(ContractLedger.self).count, 1, "the number of ledgers")
        },
        Case("no key is set to what was deleted, is being deleted, or is deleted by the same batch")
        {
            run in
            let (ledger, entries) = try await run.createLedger(5)
            let entry = entries[0]
            let draft = entry.draft()
            draft.amount.value = 6
            let deletion: Promise = run.store.delete(ledger)
            let early: Promise = run.store.create(ContractEntry("f", 1, in: ledger))
            if (try? await early.value) == nil {
                try await run.expect(issues: [["ledger"]], code: "deleted", from: early)
            } else {
                // The deletion ended before the create began, and had taken out the key.
                let found = try await run.reader.lookup(ContractEntry.self, identifier: "f")
                try run.expect(found.ledger.value, nil, "the key to what was being deleted")
            }
            _ = try await deletion.value
            // The key was taken out where the record is, of which this store may not know yet.
            _ = try await run.store.lookup(ContractEntry.self, identifier: "e1")
            try draft.commit()
            if entry.ledger.value == nil { entry.ledger.value = ledger }
            let badge = ContractBadge("x", of: ledger)
            let path: FieldPath = ["ledger"]
            try await run.expect(issues: [path], code: "deleted", from: run.store.update(entry))
            try await run.expect(issues: [path], code: "deleted", from: run.store.create(badge))
            entry.ledger.value = nil
            try await run.store.update(entry)

            let tags = [ContractTag("t"), ContractTag("u")]
            try await run.create(tags)
            let post = ContractPost("p", tags)
            let batch: Promise = run.store.perform([.delete(tags[1]), .create(post)])
            try await run.expect(issues: [[1, "tags", 1]], code: "deleted", from: batch)
            _ = try await run.store.lookup(ContractTag.self, identifier: "u")
            try await run.store.create(post)

            // What is stored again can be referred to again.
            try await run.store.save(ledger)
            entry.ledger.value = ledger
            try await run.store.update(entry)
            let read = try await run.reader.lookup(ContractEntry.self, identifier: "e1")
            try run.expect(read.ledger.value?.id.value, "a", "the ledger that was stored again")
            try run.expect(read.amount.value, 6, "the amount of the draft")
        },
        Case("what was deleted keeps its keys, and has its owners again when it is stored again") {
            run in
            let (ledger, entries) = try await run.createLedger(5)
            let entry = entries[0]
            let tag = ContractTag("t")
            let post = ContractPost("p", [tag])
            try await run.create([tag, post])
            try await run.store.delete(entry)
            try await run.store.delete(post)
            try run.expect(ledger.total.value, 0, "the total without it")
            try run.expect(tag.posts.value, [], "the posts without it")
            try run.expect(entry.ledger.value === ledger, "the key of what was deleted is gone")
            try run.expect(post.tags.value, [tag], "the keys of what was deleted")
            try await run.store.save(entry)
            try await run.store.create(post)
            try run.expect(ledger.total.value, 5, "the total with it")
            try run.expect(tag.posts.value, [post], "the posts with it")
            entry.amount.value = 6
            try await run.store.update(entry)
            let (other, read) = try await run.elsewhere(ContractEntry.self, "e1")
            try run.expect(read.ledger.value?.id.value, "a", "the key that was stored again")
            let found = try await other.lookup(ContractPost.self, identifier: "p")
            let tags = found.tags.value?.map(\.id.value)
            try run.expect(tags, ["t"], "the keys that were stored again")
        },
        Case("an object that was deleted writes nothing to a record that was made anew") { run in
            let (old, new) = (ContractLedger("a"), ContractLedger("a"))
            new.name.value = "New"
            try await run.store.create(old)
            try await run.store.delete(old)
            try await run.store.create(new)
            old.name.value = "Old"
            let missing = StoreError.notFound(type: "ContractLedger", identifier: "a")
            try await run.expect(missing, from: run.store.update(old))
            try await run.expect(missing, from: run.store.delete(old))
            new.name.value = "Newer"
            try await run.store.update(new)
            try await run.expectStored(ContractLedger.self, "a", ["name": "Newer"], by: run.store)
        },
    ]
}

extension ContractRun {
    /// Waits for the refusal of a deletion of what the badge x needs.
    fileprivate func expectNeeded(by deletion: Promise<ContractLedger>) async throws {
        let issues = try await issues(of: deletion)
        try expect(issues.map(\.code), ["needed"], "the issues' codes")
        try expect(issues.contains { $0.message.contains("x") }, "no badge is named")
    }
}
