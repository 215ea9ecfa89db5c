import ModelKitFields
import ModelKitForms
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let deriving: [Case] = [
        Case("the other side of a key is in no record, and is loaded when it is asked for") { run in
            let ledger = ContractLedger("a")
            let entries = [ContractEntry("e1", 5, in: ledger), ContractEntry("e2", 7, in: ledger)]
            try run.expect(ledger.total.value, 12, "the total of models made here")
            _ = try await run.store.create(ledger).value
            for entry in entries { _ = try await run.store.create(entry).value }
            ledger.name.value = "Cash"
            _ = try await run.store.update(ledger).value
            guard let other = run.otherSession() else { return }
            if let store = other as? any RecordModelStore {
                let record = try await store.records.record("a", of: ContractLedger.schema).value
                try run.expect(record?.values["entries"], nil, "the members in the record")
            }
            let read = try await other.lookup(ContractLedger.self, identifier: "a").value
            try run.expect(read.entries.value == nil, "members are there that nobody loaded")
            try run.expect(read.entries.loadState, .notLoaded, "the load state")
            try run.expect(read.total.value, nil, "the total of what is not loaded")
            let loaded = try await other.load(read, \.entries).value
            try run.expect(loaded.map(\.id.value), ["e1", "e2"], "the loaded members")
            try run.expect(read.entries.value ?? [], loaded, "the value")
            try run.expect(read.entries.loadState, .loaded, "the load state afterwards")
            try run.expect(read.total.value, 12, "the total")
            let listed = try await other.list(ContractEntry.self).value
            try run.expect(listed, loaded, "the same objects in a list")
            try run.expect(listed.allSatisfy { $0.ledger.value === read }, "another owner")
        },
        Case("members that are read put nothing into a relation that is not loaded") { run in
            let ledger = ContractLedger("a")
            _ = try await run.store.create(ledger).value
            for index in 1...3 {
                _ = try await run.store.create(ContractEntry("e\(index)", index, in: ledger)).value
            }
            guard let other = run.otherSession() else { return }
            let entry = try await other.lookup(ContractEntry.self, identifier: "e2").value
            guard let owner = entry.ledger.value else {
                return try run.expect(false, "the entry has no ledger")
            }
            try run.expect(owner.entries.value == nil, "one of three is there")
            _ = try await other.lookup(ContractLedger.self, identifier: "a").value
            try run.expect(owner.total.value, nil, "the total")
            let new = ContractEntry("e4", 10)
            owner.entries.append(new)
            try run.expect(new.ledger.value === owner, "an append sets no key")
            try run.expect(owner.entries.value == nil, "an append loads")
            _ = try await other.load(owner, \.entries).value
            try run.expect(
                (owner.entries.value ?? []).map(\.id.value),
                ["e1", "e2", "e3", "e4"],
                "what is stored, and then what is not yet"
            )
            try run.expect(owner.total.value, 16, "the total")
        },
        Case("a loaded relation follows creations, moves and deletions") { run in
            let (one, two) = (ContractLedger("a"), ContractLedger("b"))
            for ledger in [one, two] { _ = try await run.store.create(ledger).value }
            let entry = ContractEntry("e1", 5, in: one)
            _ = try await run.store.create(entry).value
            _ = try await run.store.create(ContractEntry("e2", 7, in: two)).value
            guard let other = run.otherSession() else { return }
            let ledgers = try await other.list(ContractLedger.self, including: \.entries).value
            try run.expect(ledgers.map(\.total.value), [5, 7], "the totals")
            let moved = try await other.lookup(ContractEntry.self, identifier: "e1").value
            moved.ledger.value = ledgers[1]
            _ = try await other.update(moved).value
            try run.expect(ledgers.map(\.total.value), [0, 12], "the totals after a move")
            _ = try await other.delete(moved).value
            try run.expect(ledgers.map(\.total.value), [0, 7], "the totals after a deletion")
            _ = try await other.create(ContractEntry("e3", 1, in: ledgers[0])).value
            try run.expect(ledgers.map(\.total.value), [1, 7], "the totals after a creation")
        },
        transaction("what a transaction creates is in a loaded relation once") { run in
            let ledger = ContractLedger("a")
            _ = try await run.store.create(ledger).value
            let entry = ContractEntry("e1", 5, in: ledger)
            try await run.store.transaction { try $0.create(entry) }.value
            try run.expect(ledger.entries.value ?? [], [entry], "the entries")
            try run.expect(ledger.total.value, 5, "the total")
        },
        Case("a loaded relation follows others, whose values are not written over") { run in
            let ledgers = [ContractLedger("a"), ContractLedger("b")]
            for ledger in ledgers { _ = try await run.store.create(ledger).value }
            _ = try await run.store.create(ContractEntry("e1", 5, in: ledgers[0])).value
            guard let one = run.otherSession(), let two = run.otherSession() else { return }
            _ = try await one.list(ContractLedger.self, including: \.entries).value
            let entry = try await one.lookup(ContractEntry.self, identifier: "e1").value
            let theirs = try await two.lookup(ContractEntry.self, identifier: "e1").value
            theirs.ledger.value =
                try await two.lookup(ContractLedger.self, identifier: "b").value
            theirs.amount.value = 100
            _ = try await two.update(theirs).value
            entry.amount.value = 7
            let error = try await run.failure(of: one.update(entry))
            guard case .conflict = error else {
                return try run.expect(false, "\(error) is no .conflict")
            }
            _ = try await one.lookup(ContractEntry.self, identifier: "e1").value
            _ = try await one.update(entry).value
            try run.expect(entry.ledger.value?.id.value, "b", "the ledger")
        },
        Case("a deleted owner leaves no key, whether its members are loaded, in use or neither") {
            run in
            let ledger = ContractLedger("a")
            _ = try await run.store.create(ledger).value
            for index in 1...3 {
                _ = try await run.store.create(ContractEntry("e\(index)", index, in: ledger)).value
            }
            guard let other = run.otherSession() else { return }
            let owner = try await other.lookup(ContractLedger.self, identifier: "a").value
            let used = try await other.lookup(ContractEntry.self, identifier: "e2").value
            _ = try await other.delete(owner).value
            try run.expect(used.ledger.value == nil, "the key of a member in use")
            guard let third = run.otherSession() else { return }
            let left = try await third.list(ContractEntry.self).value
            try run.expect(left.map { $0.ledger.value == nil }, [true, true, true], "no keys")
            // A server may have written the key, of which this store does not know yet.
            _ = try await other.lookup(ContractEntry.self, identifier: "e2").value
            used.amount.value = 20
            _ = try await other.update(used).value
            try run.expect(used.ledger.value == nil, "the key of a member that was updated")
        },
        Case("what a deleted owner takes with it is deleted, whether it is loaded or not") { run in
            let (order, lines) = ContractOrder.sample()
            _ = try await run.store.create(order).value
            for line in lines { _ = try await run.store.create(line).value }
            guard let other = run.otherSession() else { return }
            let read = try await other.lookup(ContractOrder.self, identifier: "o").value
            try run.expect(read.lines.value == nil, "the lines are loaded")
            _ = try await other.delete(read).value
            guard let third = run.otherSession() else { return }
            let left = try await third.list(ContractLine.self).value
            try run.expect(left.isEmpty, "lines are left")
        },
        Case("what is deleted with its owner may need others that are deleted, too") { run in
            let (room, shelf, book) = (ContractRoom(), ContractShelf(), ContractBook())
            (room.id.value, shelf.id.value, book.id.value) = ("r", "s", "b")
            (shelf.room.value, book.room.value, book.shelf.value) = (room, room, shelf)
            for model in [room, shelf, book] as [any Model] {
                try await run.store.perform([.create(model)]).value
            }
            guard let other = run.otherSession() else { return }
            let read = try await other.lookup(ContractRoom.self, identifier: "r").value
            _ = try await other.delete(read).value
            guard let third = run.otherSession() else { return }
            let left = try await third.list(ContractBook.self).value
            try run.expect(left.isEmpty, "the book is left")
        },
        Case("several owners that are deleted at once leave no key") { run in
            let tags = ["t1", "t2", "t3", "t4"].map { ContractTag($0) }
            for tag in tags { _ = try await run.store.create(tag).value }
            let post = ContractPost("p", tags)
            _ = try await run.store.create(post).value
            try await run.store.perform([.delete(tags[1]), .delete(tags[3])]).value
            try run.expect(
                post.tags.value ?? [],
                [tags[0], tags[2]],
                "the keys of the model in use"
            )
            guard let other = run.otherSession() else { return }
            let read = try await other.lookup(ContractPost.self, identifier: "p").value
            let left = (read.tags.value ?? []).compactMap(\.id.value)
            try run.expect(left, ["t1", "t3"], "the stored keys")
            // Where a server has written the keys, their revision is not known yet.
            _ = try await run.store.lookup(ContractPost.self, identifier: "p").value
            post.tags.value = [tags[2]]
            _ = try await run.store.update(post).value
            _ = try await other.lookup(ContractPost.self, identifier: "p").value
            try run.expect((read.tags.value ?? []).compactMap(\.id.value), ["t3"], "the keys left")
        },
        Case("a model that others have deleted is not beside the next one of its identifier") {
            run in
            let ledger = ContractLedger("a")
            _ = try await run.store.create(ledger).value
            _ = try await run.store.create(ContractEntry("e", 5, in: ledger)).value
            guard let one = run.otherSession(), let two = run.otherSession() else { return }
            let owner = try await one.lookup(ContractLedger.self, identifier: "a").value
            let old = try await one.lookup(ContractEntry.self, identifier: "e").value
            try await two.delete(ContractEntry.self, identifier: "e").value
            let new = ContractEntry("e", 7, in: owner)
            _ = try await one.create(new).value
            _ = try await one.load(owner, \.entries).value
            try run.expect(owner.entries.value ?? [], [new], "the members")
            try run.expect(owner.total.value, 7, "the total")
            withExtendedLifetime(old) {}
        },
        Case("an owner that is needed is not deleted") { run in
            let ledger = ContractLedger("a")
            _ = try await run.store.create(ledger).value
            _ = try await run.store.create(ContractBadge("x", of: ledger)).value
            guard let other = run.otherSession() else { return }
            let owner = try await other.lookup(ContractLedger.self, identifier: "a").value
            let error = try await run.failure(of: other.delete(owner))
            guard case .validation(let issues) = error else {
                return try run.expect(false, "\(error) is no .validation")
            }
            try run.expect(issues.contains { $0.message.contains("x") }, "no badge is named")
            try run.expect(issues.map(\.code), ["needed"], "the code")
            let left = try await other.list(ContractLedger.self).value
            try run.expect(left.count, 1, "the ledgers that are left")
        },
        Case("no key is set to what was deleted, is being deleted, or is deleted by the same batch")
        {
            run in
            let (ledger, entry) = (ContractLedger("a"), ContractEntry("e", 5))
            entry.ledger.value = ledger
            _ = try await run.store.create(ledger).value
            _ = try await run.store.create(entry).value
            let draft = entry.draft()
            draft.amount.value = 6
            let deletion = run.store.delete(ledger) as Promise
            let early = run.store.create(ContractEntry("f", 1, in: ledger)) as Promise
            try await run.expectDeleted(["ledger"], early)
            _ = try await deletion.value
            // The key was taken out where the record is, of which this store may not know yet.
            _ = try await run.store.lookup(ContractEntry.self, identifier: "e").value
            try draft.commit()
            if entry.ledger.value == nil { entry.ledger.value = ledger }
            try await run.expectDeleted(["ledger"], run.store.update(entry))
            try await run.expectDeleted(
                ["ledger"],
                run.store.create(ContractBadge("x", of: ledger))
            )
            entry.ledger.value = nil
            _ = try await run.store.update(entry).value

            let tags = [ContractTag("t"), ContractTag("u")]
            for tag in tags { _ = try await run.store.create(tag).value }
            let post = ContractPost("p", tags)
            try await run.expectDeleted(
                [1, "tags", 1],
                run.store.perform([.delete(tags[1]), .create(post)])
            )
            _ = try await run.store.lookup(ContractTag.self, identifier: "u").value
            _ = try await run.store.create(post).value

            // What is stored again can be referred to again.
            _ = try await run.store.save(ledger).value
            entry.ledger.value = ledger
            _ = try await run.store.update(entry).value
            guard let other = run.otherSession() else { return }
            let read = try await other.lookup(ContractEntry.self, identifier: "e").value
            try run.expect(read.ledger.value?.id.value, "a", "the ledger that was stored again")
            try run.expect(read.amount.value, 6, "the amount of the draft")
        },
        Case("what was deleted keeps its keys, and has its owners again when it is stored again") {
            run in
            let (ledger, tag) = (ContractLedger("a"), ContractTag("t"))
            let (entry, post) = (ContractEntry("e", 5, in: ledger), ContractPost("p", [tag]))
            _ = try await run.store.create(ledger).value
            _ = try await run.store.create(tag).value
            _ = try await run.store.create(entry).value
            _ = try await run.store.create(post).value
            _ = try await run.store.delete(entry).value
            _ = try await run.store.delete(post).value
            try run.expect(ledger.total.value, 0, "the total without it")
            try run.expect(tag.posts.value ?? [], [], "the posts without it")
            try run.expect(entry.ledger.value === ledger, "the key of what was deleted is gone")
            try run.expect(post.tags.value ?? [], [tag], "the keys of what was deleted")
            _ = try await run.store.save(entry).value
            _ = try await run.store.create(post).value
            try run.expect(ledger.total.value, 5, "the total with it")
            try run.expect(tag.posts.value ?? [], [post], "the posts with it")
            entry.amount.value = 6
            _ = try await run.store.update(entry).value
            guard let other = run.otherSession() else { return }
            let read = try await other.lookup(ContractEntry.self, identifier: "e").value
            try run.expect(read.ledger.value?.id.value, "a", "the key that was stored again")
            let found = try await other.lookup(ContractPost.self, identifier: "p").value
            let tags = found.tags.value?.map(\.id.value)
            try run.expect(tags, ["t"], "the keys that were stored again")
        },
        Case("an object that was deleted writes nothing to a record that was made anew") { run in
            let (old, new) = (ContractLedger("a"), ContractLedger("a"))
            new.name.value = "New"
            _ = try await run.store.create(old).value
            _ = try await run.store.delete(old).value
            _ = try await run.store.create(new).value
            old.name.value = "Old"
            let missing = StoreError.notFound(type: "ContractLedger", identifier: "a")
            try run.expect(try await run.failure(of: run.store.update(old)), missing, "an update")
            try run.expect(try await run.failure(of: run.store.delete(old)), missing, "a deletion")
            new.name.value = "Newer"
            _ = try await run.store.update(new).value
            let read = try await run.store.lookup(ContractLedger.self, identifier: "a").value
            try run.expect(read.name.value, "Newer", "the name of the record made anew")
        },
        Case("a deletion that fails leaves keys to what it would have deleted") { run in
            let ledger = ContractLedger("a")
            _ = try await run.store.create(ledger).value
            _ = try await run.store.create(ContractBadge("x", of: ledger)).value
            _ = try await run.failure(of: run.store.delete(ledger))
            _ = try await run.store.create(ContractEntry("e", 5, in: ledger)).value
        },
        Case("many to many has a derived side, too") { run in
            let tags = [ContractTag("t"), ContractTag("u")]
            for tag in tags { _ = try await run.store.create(tag).value }
            _ = try await run.store.create(ContractPost("p", tags)).value
            _ = try await run.store.create(ContractPost("q", [tags[1]])).value
            guard let other = run.otherSession() else { return }
            let read = try await other.list(ContractTag.self).value
            try run.expect(read.allSatisfy { $0.posts.value == nil }, "posts are loaded")
            _ = try await other.load(read, \.posts).value
            try run.expect(
                read.map { ($0.posts.value ?? []).map(\.id.value) },
                [["p"], ["p", "q"]],
                "the posts of each"
            )
            _ = try await other.delete(read[1]).value
            guard let third = run.otherSession() else { return }
            let posts = try await third.list(ContractPost.self).value
            try run.expect(
                posts.map { ($0.tags.value ?? []).map(\.id.value) },
                [["t"], []],
                "the tags that are left"
            )
        },
        Case("members are listed and counted without loading them") { run in
            let ledger = ContractLedger("a")
            ledger.name.value = "Cash"
            _ = try await run.store.create(ledger).value
            for index in 1...4 {
                _ = try await run.store.create(ContractEntry("e\(index)", index, in: ledger)).value
            }
            guard let other = run.otherSession() else { return }
            let owner = try await other.lookup(ContractLedger.self, identifier: "a").value
            let large = try await other.list(owner.entries, where: \.amount > 2).value
            try run.expect(large.map(\.id.value), ["e3", "e4"], "the large ones")
            let count = try await other.count(owner.entries).value
            try run.expect(count, 4, "the count")
            try run.expect(owner.entries.value == nil, "they are loaded")
            let entries = try await other.list(ContractEntry.self, including: \.ledger).value
            try run.expect(entries[0].ledger.value?.loadState, .loaded, "the owner by its key")
        },
    ]
}

extension ContractRun {
    /// Waits for the refusal of keys that lead to what is deleted.
    fileprivate func expectDeleted<Value>(_ path: FieldPath, _ promise: Promise<Value>) async throws
    {
        let error = try await failure(of: promise)
        guard case .validation(let issues) = error else {
            return try expect(false, "\(error) is no .validation")
        }
        try expect(issues.map(\.code), ["deleted"], "the codes")
        try expect(issues.map(\.path), [path], "the paths")
    }
}
