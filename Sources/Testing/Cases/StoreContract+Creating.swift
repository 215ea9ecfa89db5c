import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let creating: [Case] = [
        Case("create gives the same instance") { run in
            let person = ContractPerson("p1", name: "Ada")
            try run.expect(await run.store.create(person) === person, "it is another one")
            let list = [ContractPerson("p2", name: "Bob"), ContractPerson("p3", name: "Cy")]
            try run.expect(await run.store.create(list), list, "the batch")
        },
        Case("create keeps an identifier that is given and makes one that is missing") { run in
            let given = try await run.store.create(ContractPerson("p1", name: "Ada"))
            try run.expect(given.id.value, "p1", "the given identifier")
            let made = try await run.store.create(ContractPerson(nil, name: "Bob"))
            let identifier = made.id.value ?? ""
            try run.expect(identifier.utf8.count, 36, "the length of the UUID \(identifier)")
            let other = try await run.store.create(ContractPerson(nil, name: "Cy"))
            try run.expect(other.id.value != identifier, "two have the same identifier")
            let found = try await run.store.lookup(ContractPerson.self, identifier: identifier)
            try run.expect(found === made, "a lookup by the made identifier gives another one")
        },
        Case("numbers made as identifiers continue after the greatest there ever was") { run in
            if run.limits.contains(.numbersWithGaps) { return try await run.makeNumbers() }
            let first = try await run.store.create(ContractItem())
            try run.expect(first.id.value, 1, "the first identifier")
            let given = try await run.store.create(ContractItem(41))
            try await run.store.create(ContractItem(7))
            let next = try await run.store.create(ContractItem())
            try run.expect(next.id.value, 42, "the next identifier")
            try await run.store.delete(next)
            try await run.store.delete(given)
            let batch = try await run.store.create([ContractItem(), .init(50), .init()])
            try run.expect(batch.map(\.id.value), [43, 50, 51], "the identifiers of the batch")
            try await run.expect(
                .alreadyExists(type: "ContractItem", identifier: 1),
                from: run.store.create([ContractItem(), ContractItem(900), ContractItem(1)])
            )
            let last = try await run.store.create(ContractItem())
            try run.expect(last.id.value, 52, "the identifier after a failed batch")
        },
        Case("a number given at the end of the range does not use the others up") { run in
            let given = try await run.store.create(ContractItem(.max))
            try await run.store.create([ContractItem(.max - 1), ContractItem(1 << 53)])
            let first = try await run.store.create(ContractItem())
            try run.expect(number: first.id.value, 1, "the first identifier")
            if run.limits.contains(.numbersWithGaps) { return }
            try await run.store.delete(given)
            try await run.store.create(ContractItem(7))
            let batch = try await run.store.create([ContractItem(), .init(.max), .init()])
            try run.expect(batch.map(\.id.value), [8, .max, 9], "the identifiers of the batch")
        },
        Case("a made number is none that is taken, and none that the field has no room for") {
            run in
            try await run.store.create(ContractSmall(126))
            let first = try await run.store.create(ContractSmall())
            try run.expect(number: first.id.value, 1, "the first identifier")
            if run.limits.contains(.numbersWithGaps) { return try await run.useNumbersUp() }
            try await run.store.create(ContractSmall(62))
            let rest = try await run.store.create((63...126).map { _ in ContractSmall() })
            let numbers = Array<Int8>(63...125) + [127]
            try run.expect(rest.map(\.id.value), numbers, "the identifiers up to the end")
            let error = try await run.failure(of: run.store.create(ContractSmall()))
            try run.expect(error.code, "unavailable", "the error")
            try run.expect(error.outcome, .notApplied, "the outcome")
            let all = try await run.reader.list(ContractSmall.self)
            try run.expect(all.count, 67, "the number of those that are stored")
        },
        Case("models without an identifier field are refused") { run in
            let error = StoreError.schema("ContractNameless has no identifier field")
            try await run.expect(error, from: run.store.create(ContractNameless()))
            try await run.expect(error, from: run.store.list(ContractNameless.self))
            let lookup: Promise = run.store.lookup(ContractNameless.self, identifier: 1)
            try await run.expect(error, from: lookup)
        },
        Case("a duplicate identifier is refused, and nothing is changed") { run in
            let person = try await run.store.create(ContractPerson("p1", name: "Ada"))
            let exists = StoreError.samePerson("p1")
            try await run.expect(exists, from: run.store.create(ContractPerson("p1", name: "Eve")))
            try run.expect(exists.outcome, .notApplied, "the outcome")
            let found = try await run.store.lookup(ContractPerson.self, identifier: "p1")
            try run.expect(found === person && found.name.value == "Ada", "the first one changed")
            try await run.expectStored(ContractPerson.self, "p1", ["name": "Ada"])
            try await run.expect(exists, from: run.store.create(person))
        },
        Case("identifiers are compared byte by byte") { run in
            let texts = [
                "\u{e9}", "e\u{301}", "A", "a", "a\u{0}", "a\u{0}b", "a/b", "..", "a?b#c", "%41",
            ].map { run.text($0) }
            try await run.store.create(texts.map { ContractPerson($0, name: "x" + $0) })
            for text in texts {
                let person = try await run.store.lookup(ContractPerson.self, identifier: text)
                try run.expect(
                    (person.name.value ?? "").utf8.elementsEqual(("x" + text).utf8),
                    "\(text.debugDescription) finds \(person)"
                )
            }
        },
        Case("an empty identifier is one like others") { run in
            let people = [ContractPerson("a", name: "other"), ContractPerson("", name: "empty")]
            try await run.store.create(people)
            try await run.expectStored(ContractPerson.self, "", ["name": "empty"], by: run.store)
        },
        Case("a batch is created wholly or not at all, and in its order") { run in
            func people(_ identifiers: String...) -> [ContractPerson] {
                identifiers.map { ContractPerson($0, name: $0) }
            }
            try await run.store.create(people("m"))
            for (taken, batch) in [
                ("m", people("z", "m", "a")), ("y", people("y", "x", "y")),
            ] as [(Identifier, [ContractPerson])] {
                try await run.expect(.samePerson(taken), from: run.store.create(batch))
            }
            try await run.expectStored(ContractPerson.self, ["m"], "what is left by the failures")
            try await run.store.create(people("z", "b", "y"))
            try await run.expectStored(ContractPerson.self, ["m", "z", "b", "y"], "the order")
            try run.expect(await run.store.create(people()), [], "an empty batch")
        },
        Case("a model that breaks a rule is refused with the path, and nothing is stored") { run in
            func blank(_ path: FieldPath) -> StoreError {
                .validation([Issue(code: "custom", path: path, message: "cannot be blank")])
            }
            let people = [ContractPerson("p1", name: "Ada"), ContractPerson("p2", name: "")]
            for write: Promise in [run.store.create(people[1]), run.store.save(people[1])] {
                try await run.expect(blank(["name"]), from: write)
            }
            try await run.expect(blank([1, "name"]), from: run.store.create(people))
            try await run.expectStored(ContractPerson.self, [])
            try await run.store.create(people[0])
            people[0].name.value = ""
            try await run.expect(blank(["name"]), from: run.store.update(people[0]))
        },
        Case("a number that is not finite is refused by its field, wherever it stands") { run in
            for number in [Double.nan, .infinity, -.infinity] {
                let people = [ContractPerson("p1", weight: number), ContractPerson("p1")]
                people[1].scores.value = [1, number]
                for (person, key) in zip(people, ["weight", "scores"]) {
                    let message = "ContractPerson.\(key) is \(number), which cannot be stored"
                    try await run.expect(.unsupported(message), from: run.store.create(person))
                }
            }
        },
    ]
}

// The same of a store that leaves some numbers out: those that it makes are new, and none is taken.
extension ContractRun {
    fileprivate func makeNumbers() async throws {
        var all = [try await store.create(ContractItem())]
        let next = (all[0].id.value ?? 0) + 1
        all += try await store.create([
            ContractItem(next), ContractItem(41), ContractItem(next + 5),
        ])
        for _ in 0..<3 { all.append(try await store.create(ContractItem())) }
        let batch = try await store.create([ContractItem(), .init(50), .init()])
        try expect(batch[1].id.value, 50, "the identifier that was given")
        try await expect(
            .alreadyExists(type: "ContractItem", identifier: 41),
            from: store.create([ContractItem(), ContractItem(900), ContractItem(41)])
        )
        all += batch + [try await store.create(ContractItem())]
        let numbers = all.compactMap(\.id.value)
        try expect(Set(numbers).count, 11, "the number of identifiers among \(numbers)")
        try expect(numbers.allSatisfy { (1...100).contains($0) }, "the identifiers are \(numbers)")
        try expect(await reader.list(ContractItem.self).count, 11, "how many are stored")
    }

    fileprivate func useNumbersUp() async throws {
        try await store.create(ContractSmall(62))
        var count = 3
        var failure: StoreError?
        while failure == nil, count < 200 {
            do {
                try await store.create(ContractSmall())
                count += 1
            } catch let error as StoreError {
                failure = error
            }
        }
        try expect(failure?.code, "unavailable", "the error after \(count)")
        try expect(failure?.outcome, .notApplied, "the outcome")
        try expect(count > 60, "only \(count) could be made")
        let all = try await reader.list(ContractSmall.self)
        try expect(Set(all.map(\.id.value)).count, count, "the number of those that are stored")
    }
}
