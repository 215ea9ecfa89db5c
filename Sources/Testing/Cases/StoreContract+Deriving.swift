import ModelKitFields
import ModelKitModels
import ModelKitStores

/// The other sides of keys.
extension StoreContract {
    static let deriving: [Case] = [
        Case("the other side of a key is in no record, and is loaded when it is asked for") { run in
            let ledger = ContractLedger("a")
            let entries = [ContractEntry("e1", 5, in: ledger), ContractEntry("e2", 7, in: ledger)]
            try run.expect(ledger.total.value, 12, "the total of models made here")
            try await run.store.create(ledger)
            try await run.store.create(entries)
            ledger.name.value = "Bank"
            try await run.store.update(ledger)
            let record = try await run.record("a", of: ContractLedger.self)
            try run.expect(record?.values["entries"], nil, "the members in the record")
            let (other, read) = try await run.elsewhere(ContractLedger.self, "a")
            try run.expect(read.entries.value, nil, "members that nobody loaded")
            try run.expect(read.entries.loadState, .notLoaded, "the load state")
            try run.expect(read.total.value, nil, "the total of what is not loaded")
            let loaded = try await other.load(read, \.entries)
            try run.expect(loaded.map(\.id.value), ["e1", "e2"], "the loaded members")
            try run.expect(read.entries.value, loaded, "the value")
            try run.expect(read.entries.loadState, .loaded, "the load state afterwards")
            try run.expect(read.total.value, 12, "the total")
            let listed = try await other.list(ContractEntry.self)
            try run.expect(listed, loaded, "the same objects in a list")
            try run.expect(listed.allSatisfy { $0.ledger.value === read }, "another owner")
        },
        Case("members that are read put nothing into a relation that is not loaded") { run in
            _ = try await run.createLedger(1, 2, 3)
            let (other, entry) = try await run.elsewhere(ContractEntry.self, "e2")
            guard let owner = entry.ledger.value else {
                return try run.expect(false, "the entry has no ledger")
            }
            try run.expect(owner.entries.value, nil, "members, one of three")
            _ = try await other.lookup(ContractLedger.self, identifier: "a")
            try run.expect(owner.total.value, nil, "the total")
            let new = ContractEntry("e4", 10)
            owner.entries.append(new)
            try run.expect(new.ledger.value === owner, "an append sets no key")
            try run.expect(owner.entries.value, nil, "members after an append")
            try await other.load(owner, \.entries)
            // What is stored, and then what is not yet.
            let entries = owner.entries.value?.map(\.id.value)
            try run.expect(entries, ["e1", "e2", "e3", "e4"], "the members")
            try run.expect(owner.total.value, 16, "the total")
        },
        Case("a loaded relation follows creations, moves and deletions") { run in
            _ = try await run.createLedger(5)
            let second = try await run.store.create(ContractLedger("b"))
            try await run.store.create(ContractEntry("e2", 7, in: second))
            let other = try run.otherSession()
            let ledgers = try await other.list(ContractLedger.self, including: \.entries)
            try run.expect(ledgers.map(\.total.value), [5, 7], "the totals")
            let moved = try await other.lookup(ContractEntry.self, identifier: "e1")
            moved.ledger.value = ledgers[1]
            try await other.update(moved)
            try run.expect(ledgers.map(\.total.value), [0, 12], "the totals after a move")
            try await other.delete(moved)
            try run.expect(ledgers.map(\.total.value), [0, 7], "the totals after a deletion")
            try await other.create(ContractEntry("e3", 1, in: ledgers[0]))
            try run.expect(ledgers.map(\.total.value), [1, 7], "the totals after a creation")
        },
        Case("what a transaction creates is in a loaded relation once", [.transactions]) { run in
            let (ledger, _) = try await run.createLedger()
            let entry = ContractEntry("e1", 5, in: ledger)
            try await run.store.transaction { try $0.create(entry) }.value
            try run.expect(ledger.entries.value, [entry], "the entries")
            try run.expect(ledger.total.value, 5, "the total")
        },
        Case("a loaded relation follows others, whose values are not written over") { run in
            _ = try await run.createLedger(5)
            try await run.store.create(ContractLedger("b"))
            let (one, two) = (try run.otherSession(), try run.otherSession())
            _ = try await one.list(ContractLedger.self, including: \.entries)
            let entry = try await one.lookup(ContractEntry.self, identifier: "e1")
            let theirs = try await two.lookup(ContractEntry.self, identifier: "e1")
            theirs.ledger.value = try await two.lookup(ContractLedger.self, identifier: "b")
            theirs.amount.value = 100
            try await two.update(theirs)
            entry.amount.value = 7
            try await run.expect(code: "conflict", from: one.update(entry))
            _ = try await one.lookup(ContractEntry.self, identifier: "e1")
            try await one.update(entry)
            try run.expect(entry.ledger.value?.id.value, "b", "the ledger")
        },
        Case("several owners that are deleted at once leave no key") { run in
            let tags = ["t1", "t2", "t3", "t4"].map { ContractTag($0) }
            let post = ContractPost("p", tags)
            try await run.create(tags + [post])
            try await run.store.perform([.delete(tags[1]), .delete(tags[3])])
            try run.expect(post.tags.value, [tags[0], tags[2]], "the keys of the model in use")
            let (other, read) = try await run.elsewhere(ContractPost.self, "p")
            try run.expect(read.tags.value?.map(\.id.value), ["t1", "t3"], "the stored keys")
            // Where a server has written the keys, their revision is not known yet.
            _ = try await run.store.lookup(ContractPost.self, identifier: "p")
            post.tags.value = [tags[2]]
            try await run.store.update(post)
            _ = try await other.lookup(ContractPost.self, identifier: "p")
            try run.expect(read.tags.value?.map(\.id.value), ["t3"], "the keys left")
        },
        Case("a model that others have deleted is not beside the next one of its identifier") {
            run in
            _ = try await run.createLedger(5)
            let (one, two) = (try run.otherSession(), try run.otherSession())
            let owner = try await one.lookup(ContractLedger.self, identifier: "a")
            let old = try await one.lookup(ContractEntry.self, identifier: "e1")
            try await two.delete(ContractEntry.self, identifier: "e1")
            let new = ContractEntry("e1", 7, in: owner)
            try await one.create(new)
            try await one.load(owner, \.entries)
            try run.expect(owner.entries.value, [new], "the members")
            try run.expect(owner.total.value, 7, "the total")
            withExtendedLifetime(old) {}
        },
        Case("many to many has a derived side, too") { run in
            let tags = [ContractTag("t"), ContractTag("u")]
            let posts = [ContractPost("p", tags), ContractPost("q", [tags[1]])]
            try await run.create(tags + posts)
            let other = try run.otherSession()
            let read = try await other.list(ContractTag.self)
            try run.expect(read.allSatisfy { $0.posts.value == nil }, "posts are loaded")
            try await other.load(read, \.posts)
            let found = read.map { $0.posts.value?.map(\.id.value) }
            try run.expect(found, [["p"], ["p", "q"]], "the posts of each")
            try await other.delete(read[1])
            let left = try await run.reader.list(ContractPost.self)
            let keys = left.map { $0.tags.value?.map(\.id.value) }
            try run.expect(keys, [["t"], []], "the tags that are left")
        },
        Case("members are counted without loading them", [.counts]) { run in
            _ = try await run.createLedger(1, 2, 3, 4)
            let (other, owner) = try await run.elsewhere(ContractLedger.self, "a")
            try run.expect(await other.count(owner.entries), 4, "the count")
            try run.expect(owner.entries.value, nil, "members that were not loaded")
        },
        Case("members are listed without loading them") { run in
            _ = try await run.createLedger(1, 2, 3, 4)
            let (other, owner) = try await run.elsewhere(ContractLedger.self, "a")
            let large = try await other.list(owner.entries, where: \.amount > 2)
            try run.expect(large.map(\.id.value), ["e3", "e4"], "the large ones")
            try run.expect(owner.entries.value, nil, "members that were not loaded")
            let entries = try await other.list(ContractEntry.self, including: \.ledger)
            try run.expect(entries[0].ledger.value?.loadState, .loaded, "the owner by its key")
        },
    ]
}
