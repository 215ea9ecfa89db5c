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
