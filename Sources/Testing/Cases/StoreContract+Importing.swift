import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let importing: [Case] = [
        Case("an import adds what can be added, and reports in order what is refused") { run in
            try await run.store.create(ContractAccount("old", email: "old@x.org"))
            let wrong = Issue(code: "type", path: ["id"], message: "is wrong")
            let elements = [("a", "a"), ("old", "b"), nil, ("c", "a"), ("d", "d"), ("a", "e")]
                .map { account -> Result<ContractAccount, ImportError> in
                    guard let (id, name) = account else { return .failure(.init(issues: [wrong])) }
                    return .success(ContractAccount(id, email: "\(name)@x.org"))
                }
            let reported = Guarded<[ImportRefusal]>([])
            let summary = try await run.recordStore.importModels(
                sequence(elements.enumerated().map { ImportElement(path: [.index($0)], $1) }),
                refused: { refusal in reported.withLock { $0.append(refusal) } }
            )
            try run.expect(summary.createdCount, 2, "what was added")
            try run.expect(summary.refusedCount, 4, "what was refused")
            try run.expect(reported.withLock { $0 }, summary.refusals, "what was reported")
            try run.expect(
                summary.refusals.map(\.description),
                [
                    "[1]: id old is stored already", "[2]: id is wrong",
                    "[3]: contact.email is taken already", "[5]: id a is stored already",
                ],
                "the refusals"
            )
            try await run.expectStored(ContractAccount.self, ["old", "a", "d"])
            try await run.expectStored(ContractAccount.self, "a", ["contact": ["email": "a@x.org"]])
        },
        Case("an import checks rules and makes identifiers") { run in
            let store = try run.recordStore
            let people = [
                ContractPerson("p1", name: "Ada"), ContractPerson("p2", name: ""),
                ContractPerson(nil, name: "Cy"),
            ]
            let summary = try await store.importModels(sequence(people))
            try run.expect(summary.createdCount, 2, "the people that were added")
            try run.expect(summary.refusals.map(\.path), [[1]], "who was refused")
            try run.expect(summary.refusals.first?.identifier, "p2", "who was refused")
            let found = try await run.store.list(ContractPerson.self)
            try run.expect(found.map(\.name.value), ["Ada", "Cy"], "the people")
            try await store.importModels(sequence([ContractItem(5), ContractItem()]))
            if !run.limits.contains(.numbersWithGaps) {
                try await run.expectStored(ContractItem.self, [5, 6], "the items")
            }
            // They stand for no records.
            try run.expect(people[2].id.value, nil, "the identifier of what was imported")
            try run.expect(found.first === people[0], false, "that it is the object")
        },
        Case("an import that fails leaves nothing but what was committed") { run in
            let store = try run.recordStore
            func items(_ count: Int) -> AsyncThrowingStream<ContractItem, any Error> {
                let next = Guarded(0)
                return AsyncThrowingStream {
                    let id = next.withLock { next in
                        next += 1
                        return next
                    }
                    if id > count { throw ContractFailure() }
                    return ContractItem(id)
                }
            }
            for (limit, kept) in [(nil, 0), (400, 1_200)] as [(Int?, Int)] {
                do {
                    try await store.importModels(items(1_300), commitEvery: limit)
                    try run.expect(false, "it must fail")
                } catch is ContractFailure {}
                let found = try await run.store.list(ContractItem.self)
                try run.expect(found.count, kept, "the items that are kept")
            }
            // It goes on as before.
            try await run.store.create(ContractItem(5_000))
        },
        Case("an import reports keys that lead to no record, and keeps them") { run in
            let store = try run.recordStore
            func entry(_ id: String, _ ledger: String?) throws -> ContractEntry {
                let ledger = ledger.map { AttributeValue.string($0) } ?? .null
                return try ContractEntry(dictionaryValue: ["id": .string(id), "ledger": ledger])
            }
            try await run.store.create(ContractLedger("l1"))
            try await run.store.create(ContractTag("t1"))
            // Of those that were there nothing is said.
            try await store.importModels(sequence([try entry("old", "gone")]))
            for (name, limit) in [("a", nil), ("b", 2), ("c", 3)] as [(String, Int?)] {
                let keys = ["l1", "gone", nil, "l1", "no", "l1"]
                let entries = try keys.enumerated().map { try entry("\(name)\($0)", $1) }
                let summary = try await store.importModels(sequence(entries), commitEvery: limit)
                try run.expect(summary.createdCount, 6, "the entries that were added")
                try run.expect(
                    summary.danglingKeys?.map(\.description),
                    [
                        "ContractEntry \(name)1: ledger leads to gone, which is not stored",
                        "ContractEntry \(name)4: ledger leads to no, which is not stored",
                    ],
                    "the keys"
                )
            }
            let posts = try ["p1": ["t1", "t2"], "p2": ["t1"], "p3": ["t2", "t1", "t3"]]
                .sorted { $0.key < $1.key }
                .map { id, tags in
                    let tags = AttributeValue.array(tags.map { .string($0) })
                    return try ContractPost(dictionaryValue: ["id": .string(id), "tags": tags])
                }
            let summary = try await store.importModels(sequence(posts))
            try run.expect(
                summary.danglingKeys?.map { "\($0.identifier) \($0.path) \($0.target)" },
                ["p1 tags[1] t2", "p3 tags[0] t2", "p3 tags[2] t3"],
                "the keys of lists"
            )
            // The one to which a key leads may come after it.
            let ids = (1...3).map { "00000000-0000-0000-0000-00000000000\($0)" }
            let tickets = try zip(ids, ids.dropFirst()).map { id, parent in
                let (id, parent) = (AttributeValue.string(id), AttributeValue.string(parent))
                return try ContractTicket(dictionaryValue: ["id": id, "code": id, "parent": parent])
            }
            let found = try await store.importModels(sequence(tickets)).danglingKeys
            try run.expect(found?.map(\.target), [.string(ids[2])], "the key of the second")
        },
        Case("a condition finds the one to which a key leads, or that there is none") { run in
            let ledger = ContractLedger("l1")
            let (held, free) = (ContractEntry("a", 1, in: ledger), ContractEntry("b", 2))
            let lost = try ContractEntry(dictionaryValue: ["id": "c", "ledger": "gone"])
            let ids = { (entries: [ContractEntry]) in entries.compactMap(\.id.value).sorted() }
            try await run.store.create(ledger)
            try await run.store.create([held, free])
            try await run.recordStore.importModels(sequence([lost]))
            let filters = [RecordFilter.and([]), .not(.isNull("id"))]
            let leading: [Condition<ContractEntry>] =
                [.isStored(\.ledger)]
                + filters.map { Condition(.hasAny("ledger", ContractLedger.schema, $0)) }
            for leads in leading {
                let found = try await run.store.list(ContractEntry.self, where: leads)
                try run.expect(ids(found), ["a"], "those that lead")
                let others = try await run.store.list(ContractEntry.self, where: !leads)
                try run.expect(ids(others), ["b", "c"], "those that do not")
            }
        },
        Case("pages give every model once, and end") { run in
            let store = try run.recordStore
            for count in [0, 3, 4] {
                try await store.importModels(
                    sequence((0..<count).map { ContractItem($0 + 10 * count) })
                )
            }
            var sizes: [Int] = []
            var found: [Identifier] = []
            for try await items in run.store.pages(of: ContractItem.self, limit: 3) {
                sizes.append(items.count)
                found += items.compactMap(\.identifier)
            }
            try run.expect(sizes, [3, 3, 1], "the sizes of the pages")
            try run.expect(found, [30, 31, 32, 40, 41, 42, 43], "the items")
        },
    ]
    .map { $0.needing(.transactions) }
}

/// Gives elements one after the other.
private func sequence<Element: Sendable>(_ elements: [Element]) -> AsyncStream<Element> {
    AsyncStream { continuation in
        for element in elements { continuation.yield(element) }
        continuation.finish()
    }
}
