import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let saving: [Case] = [
        Case("save creates a model, and afterwards writes what was edited") { run in
            let person = ContractPerson(nil, name: "Ada")
            let saved = try await run.store.save(person).value
            try run.expect(saved === person, "save gives another instance")
            try run.expect(person.identifier != nil, "the model has no identifier")
            let given = try await run.store.save(ContractPerson("p1", name: "Bob")).value
            let item = try await run.store.save(ContractItem(title: "a")).value
            try run.expect(item.id.value, 1, "the number that was made")
            given.age.value = 5
            _ = try await run.store.save(given).value
            _ = try await run.store.save(given).value
            guard let store = run.store as? any RecordModelStore else { return }
            let record = try await store.records.record("p1", of: ContractPerson.schema).value
            try run.expect(record?.revision, 2, "the revision after three saves, one of nothing")
            try run.expect(record?.values["age"], 5, "the stored age")
            let found = try await run.store.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(found === given, "the lookup gives another instance")
        },
        Case("save of another model's identifier fails, replaces or merges as asked") { run in
            let first = ContractPerson("p1", name: "Ada", age: 36, weight: 50)
            _ = try await run.store.create(first).value
            let other = run.otherSession() ?? run.store
            try await run.expect(
                .alreadyExists(type: "ContractPerson", identifier: "p1"),
                from: other.save(ContractPerson("p1", name: "Eve"))
            )
            let merging = ContractPerson("p1", name: "Bob")
            merging.age.value = nil
            _ = try await other.save(merging, onConflict: .merge).value
            let merged = try await run.store.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(merged.name.value, "Bob", "the name that was merged")
            try run.expect(merged.age.value, nil, "the age that was set to nil")
            try run.expect(merged.weight.value, 50, "the weight that was not set")
            _ = try await other.save(
                ContractPerson("p1", name: "Cy"),
                onConflict: .replace
            ).value
            let replaced = try await run.store.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(replaced.name.value, "Cy", "the name that was replaced")
            try run.expect(replaced.weight.value, nil, "the weight that was not set")
            let all = try await run.store.list(ContractPerson.self).value
            try run.expect(all.count, 1, "the number of models")
        },
        Case("a saved model stands for its record, whoever was at its address before") { run in
            for number in 0..<100 {
                _ = try await run.store.create(ContractPerson("p\(number)", name: "Ada")).value
            }
            for number in 0..<100 {
                let model = ContractPerson("p\(number)", name: "Bob")
                _ = try await run.store.save(model, onConflict: .replace).value
                let found: ContractPerson =
                    try await run.store.lookup(ContractPerson.self, identifier: "p\(number)").value
                try run.expect(found === model, "the lookup gives another instance")
            }
        },
        Case("a saved model that breaks a rule is refused") { run in
            let error = try await run.failure(of: run.store.save(ContractPerson("p1", name: "")))
            try run.expect(error.issues.map(\.message), ["cannot be blank"], "the issues")
            let all = try await run.store.list(ContractPerson.self).value
            try run.expect(all, [], "what is stored")
        },
    ]
}
