import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let batches: [Case] = [
        Case("writes of several kinds and types are made together, in their order") { run in
            let store = run.store
            let old = try await store.create(ContractPerson("old", name: "Old")).value
            let kept = try await store.create(ContractPerson("kept", name: "Kept")).value
            kept.age.value = 7
            let item = ContractItem(title: "new")
            _ = try await store.perform([
                .delete(old), .update(kept), .create(item),
                .save(ContractPerson("saved", name: "Saved")),
            ]).value
            try run.expect(item.id.value, 1, "the identifier that was made")
            let people = try await run.found(ContractPerson.self, RecordQuery())
            try run.expect(people, ["kept", "saved"], "the people")
            let other = run.otherSession() ?? store
            let found = try await other.lookup(ContractPerson.self, identifier: "kept").value
            try run.expect(found.age.value, 7, "the age that was updated")
            _ = try await store.perform([]).value
        },
        Case("one write that fails leaves nothing of those beside it") { run in
            let store = run.store
            let person = try await store.create(ContractPerson("p1", name: "Ada", age: 1)).value
            person.age.value = 2
            try await run.expect(
                .notFound(type: "ContractPerson", identifier: "nobody"),
                from: store.perform([
                    .update(person), .create(ContractItem(9)),
                    .delete(ContractPerson("nobody", name: "Nobody")),
                ])
            )
            let items = try await run.found(ContractItem.self, RecordQuery())
            try run.expect(items, [], "the items")
            // What was not written is to be written still.
            _ = try await store.update(person).value
            let other = run.otherSession() ?? store
            let found = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(found.age.value, 2, "the age after the next update")
        },
        Case("new models of a batch have identifiers where others have them by foreign keys") {
            run in
            let store = run.store
            let (parent, company) = (ContractCompany(nil, "Parent"), ContractCompany(nil, "Child"))
            company.parent.value = parent
            let bad = ContractPerson("bad", name: "")
            _ = try await run.failure(
                of: store.perform([.create(parent), .create(company), .create(bad)])
            )
            try run.expect(parent.id.value, nil, "an identifier of what was refused")
            let taken = try await store.create(ContractPerson("taken", name: "Ada")).value
            try await run.expect(
                .alreadyExists(type: "ContractPerson", identifier: "taken"),
                from: store.perform([
                    .create(company), .create(parent),
                    .create(ContractPerson("taken", name: "Bob")),
                ])
            )
            try run.expect(parent.id.value, nil, "an identifier that was taken back")
            _ = try await store.perform([.create(company), .create(parent)]).value
            let other = run.otherSession() ?? store
            let identifier = company.id.value ?? ""
            let found = try await other.lookup(ContractCompany.self, identifier: identifier).value
            try run.expect(parent.id.value != nil, "the parent has no identifier")
            try run.expect(found.parent.value?.id.value, parent.id.value, "the foreign key")
            withExtendedLifetime(taken) {}
        },
        Case("so they have behind a transaction that is under way") { run in
            let store = run.store
            let (parent, company) = (ContractCompany(nil, "Parent"), ContractCompany(nil, "Child"))
            company.parent.value = parent
            let transaction = store.transaction { _ in }
            _ = try await store.perform([.create(company), .create(parent)]).value
            _ = try? await transaction.value
            let other = run.otherSession() ?? store
            let identifier = company.id.value ?? ""
            let found = try await other.lookup(ContractCompany.self, identifier: identifier).value
            try run.expect(parent.id.value != nil, "the parent has no identifier")
            try run.expect(found.parent.value?.id.value, parent.id.value, "the foreign key")
        },
        Case("what is deleted together with several is deleted once") { run in
            let store = run.store
            let tree = ContractTree("1")
            let (left, right) = (ContractTree("2"), ContractTree("3"))
            tree.parts.value = [left, right]
            left.parts.value = [right]
            _ = try await store.create([tree, left, right]).value
            _ = try await store.delete([left, tree]).value
            let trees = try await run.found(ContractTree.self, RecordQuery())
            try run.expect(trees, [], "the trees")
        },
        Case("issues of a batch have the index of their write, and a model comes once") { run in
            let store = run.store
            let good = ContractPerson("p1", name: "Ada")
            let error = try await run.failure(
                of: store.perform([.create(good), .create(ContractPerson("p2", name: ""))])
            )
            try run.expect(error.issues.map(\.path), [[1, "name"]], "the paths")
            let twice = try await run.failure(of: store.perform([.create(good), .update(good)]))
            guard case .unsupported = twice else {
                return try run.expect(false, "a model that comes twice must be .unsupported")
            }
            let all = try await run.found(ContractPerson.self, RecordQuery())
            try run.expect(all, [], "what is stored")
        },
        Case("lists of models are updated, saved and deleted wholly or not at all") { run in
            let store = run.store
            let people = (1...3).map { ContractPerson("p\($0)", name: "n\($0)") }
            _ = try await store.save(people).value
            for person in people { person.age.value = 5 }
            let updated = try await store.update(people).value
            try run.expect(updated == people, "update gives other instances")
            let other = run.otherSession() ?? store
            let adults = try await other.list(ContractPerson.self, where: \.age == 5).value
            try run.expect(adults.count, 3, "the number of updated models")
            try await run.expect(
                .notFound(type: "ContractPerson", identifier: "no"),
                from: store.delete([people[0], ContractPerson("no", name: "No")])
            )
            _ = try await store.delete(people).value
            let left = try await run.found(ContractPerson.self, RecordQuery())
            try run.expect(left, [], "what is left")
        },
        Case("writes asked for independently fail each for itself") { run in
            let store = run.store
            _ = try await store.create(ContractPerson("b", name: "B")).value
            let outcomes = try await store.perform(independently: [
                .create(ContractPerson("a", name: "A")), .create(ContractPerson("b", name: "X")),
                .create(ContractPerson("c", name: "")), .create(ContractPerson("d", name: "D")),
            ]).value
            let codes = outcomes.map { outcome -> String in
                switch outcome {
                case .success: "ok"
                case .failure(let error): (error as? StoreError)?.code ?? "\(error)"
                }
            }
            try run.expect(codes, ["ok", "alreadyExists", "validation", "ok"], "the outcomes")
            let all = try await run.found(ContractPerson.self, RecordQuery())
            try run.expect(all, ["b", "a", "d"], "what is stored")
        },
    ]
}
