import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let saving: [Case] = [
        Case("save creates a model, and afterwards writes what was edited") { run in
            let person = ContractPerson(nil, name: "Ada")
            try run.expect(await run.store.save(person) === person, "save gives another instance")
            try run.expect(person.identifier != nil, "the model has no identifier")
            let given = try await run.store.save(ContractPerson("p1", name: "Bob"))
            let item = try await run.store.save(ContractItem())
            try run.expect(number: item.id.value, 1, "the number that was made")
            let first = try await run.record("p1", of: ContractPerson.self)?.revision ?? 0
            given.age.value = 5
            try await run.store.save(given)
            try await run.store.save(given)
            let record = try await run.record("p1", of: ContractPerson.self)
            if !run.limits.contains(.numbersWithGaps) {
                try run.expect(
                    record?.revision,
                    2,
                    "the revision after three saves, one of nothing"
                )
            }
            try run.expect(record.map { $0.revision > first }, true, "that the revision has grown")
            try run.expect(record?.values["age"], 5, "the stored age")
            let found = try await run.store.lookup(ContractPerson.self, identifier: "p1")
            try run.expect(found === given, "the lookup gives another instance")
        },
        Case("save of another model's identifier fails, replaces or merges as asked") { run in
            try await run.store.create(ContractPerson("p1", name: "Ada", age: 36, weight: 50))
            let other = run.reader
            let eve = ContractPerson("p1", name: "Eve")
            try await run.expect(.samePerson("p1"), from: other.save(eve))
            let merging = ContractPerson("p1", name: "Bob")
            merging.age.value = nil
            try await other.save(merging, onConflict: .merge)
            let merged: AttributeDictionary = ["name": "Bob", "age": nil, "weight": 50.0]
            try await run.expectStored(ContractPerson.self, "p1", merged, by: run.store)
            try await other.save(ContractPerson("p1", name: "Cy"), onConflict: .replace)
            let replaced: AttributeDictionary = ["name": "Cy", "weight": nil]
            try await run.expectStored(ContractPerson.self, "p1", replaced, by: run.store)
            try await run.expectStored(ContractPerson.self, ["p1"])
        },
        Case("a saved model stands for its record, whoever was at its address before") { run in
            for number in 0..<100 {
                try await run.store.create(ContractPerson("p\(number)", name: "Ada"))
            }
            for id in (0..<100).map({ "p\($0)" }) {
                let model = ContractPerson(id, name: "Bob")
                try await run.store.save(model, onConflict: .replace)
                let found = try await run.store.lookup(ContractPerson.self, identifier: id)
                try run.expect(found === model, "the lookup gives another instance")
            }
        },
        Case("a merge writes what was set, and neither default values nor empty arrays") { run in
            let first = ContractPerson("p1", name: "Ada", age: 36)
            (first.tags.value, first.isActive.value) = (["x"], false)
            first.home.value = ContractAddress(street: "High Street", floor: 2)
            try await run.store.create(first)
            let other = run.reader
            let merging = ContractPerson("p1", name: "Bob")
            try await other.save(merging, onConflict: .merge)
            let merged: AttributeDictionary = [
                "name": "Bob", "age": 36, "tags": ["x"], "isActive": false,
                "home": ["street": "High Street", "floor": 2],
            ]
            let found = try await run.store.lookup(ContractPerson.self, identifier: "p1")
            for person in [merging, found] { try run.expect(person, has: merged) }
            // So does an object beside the one in use, whose next update takes nothing away.
            let beside = ContractPerson("p1", name: "Bob")
            try await run.store.save(beside, onConflict: .merge)
            try run.expect(beside, has: merged)
            try await run.store.update(beside)
            try await run.expectStored(ContractPerson.self, "p1", merged, by: run.store)
            let moving = ContractPerson("p1", name: "Bob")
            (moving.home.value, moving.tags.value) = (ContractAddress(floor: 3), [])
            try await run.reader.save(moving, onConflict: .merge)
            // What is kept inside is written whole.
            let moved: AttributeDictionary = ["home": ["floor": 3], "tags": []]
            try await run.expectStored(ContractPerson.self, "p1", moved, by: run.store)
            try await other.save(ContractPerson("p2", name: "Cy"), onConflict: .merge)
            let made: AttributeDictionary = ["isActive": true]
            try await run.expectStored(ContractPerson.self, "p2", made, by: run.store)
        },
    ]
}
