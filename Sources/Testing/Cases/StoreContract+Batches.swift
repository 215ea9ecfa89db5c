import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let batches: [Case] = [
        Case("writes of several kinds and types are made together, in their order") { run in
            let old = try await run.store.create(ContractPerson("old", name: "Old"))
            let kept = try await run.store.create(ContractPerson("kept", name: "Kept"))
            kept.age.value = 7
            let item = ContractItem()
            try await run.store.perform([
                .delete(old), .update(kept), .create(item),
                .save(ContractPerson("saved", name: "Saved")),
            ])
            try run.expect(number: item.id.value, 1, "the identifier that was made")
            try await run.expectStored(ContractPerson.self, ["kept", "saved"], "the people")
            try await run.expectStored(ContractPerson.self, "kept", ["age": 7])
            try await run.store.perform([])
        },
        Case("one write that fails leaves nothing of those beside it") { run in
            let person = try await run.store.create(ContractPerson("p1", name: "Ada", age: 1))
            person.age.value = 2
            try await run.expect(
                .noPerson("nobody"),
                from: run.store.perform([
                    .update(person), .create(ContractItem(9)), .delete(ContractPerson("nobody")),
                ])
            )
            try await run.expectStored(ContractItem.self, [], "the items")
            // What was not written is to be written still.
            try await run.store.update(person)
            try await run.expectStored(ContractPerson.self, "p1", ["age": 2])
        },
        Case("new models of a batch have identifiers where others have them by foreign keys") {
            run in
            let taken = try await run.store.create(ContractPerson("taken", name: "Ada"))
            // Also behind a transaction that is under way.
            for isBehind in [false, true] {
                let (parent, company) = (ContractCompany(nil, "A"), ContractCompany(nil, "B"))
                company.parent.value = parent
                for (person, code) in [
                    (ContractPerson("bad", name: ""), "validation"),
                    (ContractPerson("taken", name: "Bob"), "alreadyExists"),
                ] where !isBehind {
                    let batch: Promise = run.store.perform([
                        .create(company), .create(parent), .create(person),
                    ])
                    try await run.expect(code: code, from: batch)
                    try run.expect(parent.id.value, nil, "an identifier of what was refused")
                }
                let transaction = isBehind ? run.store.transaction { _ in } : nil
                try await run.store.perform([.create(company), .create(parent)])
                _ = try? await transaction?.value
                let id = company.id.value ?? ""
                let found = try await run.reader.lookup(ContractCompany.self, identifier: id)
                try run.expect(parent.id.value != nil, "the parent has no identifier")
                try run.expect(found.parent.value?.id.value, parent.id.value, "the foreign key")
            }
            withExtendedLifetime(taken) {}
        },
        Case("issues of a batch have the index of their write, and a model comes once") { run in
            let good = ContractPerson("p1", name: "Ada")
            let bad: Promise = run.store.perform([
                .create(good), .create(ContractPerson("p2", name: "")),
            ])
            try await run.expect(issues: [[1, "name"]], from: bad)
            let twice: Promise = run.store.perform([.create(good), .update(good)])
            try await run.expect(code: "unsupported", from: twice)
            try await run.expectStored(ContractPerson.self, [])
        },
        Case("lists of models are updated, saved and deleted wholly or not at all") { run in
            let people = (1...3).map { ContractPerson("p\($0)", name: "n\($0)") }
            try await run.store.save(people)
            for person in people { person.age.value = 5 }
            try run.expect(await run.store.update(people), people, "the same instances")
            let five = try await run.reader.list(ContractPerson.self, where: \.age == 5)
            try run.expect(five.count, 3, "the number of updated models")
            let some = [people[0], ContractPerson("no", name: "No")]
            try await run.expect(.noPerson("no"), from: run.store.delete(some))
            try await run.store.delete(people)
            try await run.expectStored(ContractPerson.self, [], "what is left")
        },
        Case("writes asked for independently fail each for itself") { run in
            try await run.store.create(ContractPerson("b", name: "B"))
            let people = [("a", "A"), ("b", "X"), ("c", ""), ("d", "D")]
            let outcomes = try await run.store.perform(
                independently: people.map { .create(ContractPerson($0, name: $1)) }
            )
            let codes = outcomes.map { outcome -> String? in
                guard case .failure(let error) = outcome else { return nil }
                return (error as? StoreError)?.code ?? "\(error)"
            }
            try run.expect(codes, [nil, "alreadyExists", "validation", nil], "the failures")
            let stored = try await run.found(ContractPerson.self, RecordQuery())
            // Made side by side, in any order.
            if run.limits.contains(.numbersWithGaps), stored == ["b", "d", "a"] { return }
            try run.expect(stored, ["b", "a", "d"], "what is stored")
        },
    ]
}
