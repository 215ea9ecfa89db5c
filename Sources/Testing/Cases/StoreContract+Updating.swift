import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let updating: [Case] = [
        Case("update writes what changed, and nothing when nothing did") { run in
            let person = try await run.store.create(ContractPerson("p1", name: "Ada", age: 36))
            let created = try await run.record("p1", of: ContractPerson.self)
            try run.expect(number: created?.revision, 1, "the revision after the creation")
            try run.expect(await run.store.update(person) === person, "update gives another one")
            let untouched = try await run.record("p1", of: ContractPerson.self)
            try run.expect(untouched, created, "the record after an update of nothing")

            // Somebody else changes another field; a whole write would undo it.
            let (other, theirs) = try await run.elsewhere(ContractPerson.self, "p1")
            theirs.age.value = 37
            try await other.update(theirs)
            let mine = try await run.store.lookup(ContractPerson.self, identifier: "p1")
            mine.name.value = "Ada L."
            try await run.store.update(mine)
            let written = try await run.record("p1", of: ContractPerson.self)
            try run.expect(number: written?.revision, 3, "the revision after two updates")
            try run.expect(written?.values["name"], "Ada L.", "the stored name")
            try run.expect(written?.values["age"], 37, "the stored age")
        },
        Case("nil is stored over a value, also over a default value") { run in
            let person = try await run.store.create(ContractPerson("p1", name: "Ada", age: 36))
            (person.age.value, person.isActive.value) = (nil, nil)
            try await run.store.update(person)
            let (other, read) = try await run.elsewhere(ContractPerson.self, "p1")
            try run.expect(read, has: ["age": nil, "isActive": nil])
            try run.expect(read.city.updatedAt, nil, "the time of a field that was never set")
            read.age.value = 5
            try await other.update(read)
            try await run.expectStored(ContractPerson.self, "p1", ["age": 5], by: run.store)
        },
        Case("update and delete of what is not there are refused, and nothing is made") { run in
            for (id, error) in [
                ("p1", .noPerson("p1")), (nil, .noIdentifier(type: "ContractPerson")),
            ] as [(String?, StoreError)] {
                try await run.expect(error, from: run.store.update(ContractPerson(id, name: "A")))
                try await run.expect(error, from: run.store.delete(ContractPerson(id, name: "A")))
            }
            try await run.expectStored(ContractPerson.self, [])
        },
        Case("an edit made while a write is under way is sent by the next update") { run in
            let person = ContractPerson("p1", name: "1", age: 1)
            let creation: Promise = run.store.create(person)
            person.name.value = "2"
            _ = try await creation.value
            try run.expect(person.name.value, "2", "the name after the creation")
            let update: Promise = run.store.update(person)
            (person.age.value, person.tags.value) = (2, ["late"])
            _ = try await update.value
            try run.expect(person.age.value, 2, "the age after the update")
            let (other, seen) = try await run.elsewhere(ContractPerson.self, "p1")
            try run.expect(seen, has: ["name": "2", "age": 1], "before the next update")
            try await run.store.update(person)
            let again = try await other.lookup(ContractPerson.self, identifier: "p1")
            try run.expect(again === seen, "the other session's lookup gives a second instance")
            try run.expect(again, has: ["age": 2, "tags": ["late"]], "after the next update")
        },
        Case("edits inside of nested models are changes") { run in
            let person = ContractPerson("p1", name: "Ada")
            let (home, past) = (ContractAddress(street: "Main"), ContractAddress(floor: 1))
            (person.home.value, person.past.value) = (home, [past])
            try await run.store.create(person)
            (home.street.value, past.floor.value) = ("High", 2)
            try await run.store.update(person)
            let values: AttributeDictionary = [
                "home": ["street": "High"], "past": [["floor": 2]],
            ]
            try await run.expectStored(ContractPerson.self, "p1", values)
        },
        Case("a model keeps its identifier") { run in
            let person = try await run.store.create(ContractPerson("p1", name: "Ada"))
            person.id.value = "p2"
            try await run.expect(code: "unsupported", from: run.store.update(person))
        },
    ]

    static let deleting: [Case] = [
        Case("delete removes a model, which keeps its values and can be created again") { run in
            let person = ContractPerson("p1", name: "Ada")
            try await run.store.create([person, ContractPerson("p2", name: "Bob")])
            try run.expect(await run.store.delete(person) === person, "delete gives another one")
            try run.expect(person, has: ["id": "p1", "name": "Ada"], "that was deleted")
            let lookup: Promise = run.store.lookup(ContractPerson.self, identifier: "p1")
            try await run.expect(.noPerson("p1"), from: lookup)
            try await run.expect(.noPerson("p1"), from: run.store.delete(person))
            try await run.expect(.noPerson("p1"), from: run.store.update(person))
            try await run.store.create(person)
            try await run.expectStored(ContractPerson.self, ["p2", "p1"], "the order afterwards")
        },
        Case("what a field with cascadeDelete has is deleted together with the model") { run in
            // Whether the store knows of that, or no more than its identifier.
            for store in [run.store, run.reader] {
                let trees = try await run.createTrees()
                let root = try await store.lookup(ContractTree.self, identifier: "1")
                try await store.delete(root)
                try await run.expectStored(ContractTree.self, ["5"], "the trees that are left")
                try await run.store.delete(trees[4])
            }
        },
        Case("so it is where no more than its identifier is known of the model itself") { run in
            let (other, _, shell) = try await run.shellOfOrder()
            try await other.delete(shell)
            let left = try await other.list(ContractLine.self).map(\.id.value)
            try run.expect(left, [], "the lines that are left")
        },
        Case("a transaction deletes what goes with a model, too", [.transactions]) { run in
            _ = try await run.createTrees()
            let (other, root) = try await run.elsewhere(ContractTree.self, "1")
            let left = try await other.transaction { transaction in
                try transaction.delete(root)
                return try transaction.list(ContractTree.self).map(\.id.value)
            }.value
            try run.expect(left, ["5"], "the trees that are left")
        },
        Case("what goes with a deleted model is not written in the same batch") { run in
            let (order, lines) = try await run.createOrder()
            lines[0].amount.value = 7
            let batch: Promise = run.store.perform([.update(lines[0]), .delete(order)])
            try await run.expect(code: "unsupported", from: batch)
            try await run.expectStored(ContractLine.self, ["l", "m"], "the lines")
        },
        Case("what is deleted together with several is deleted once") { run in
            let trees = ["1", "2", "3"].map { ContractTree($0) }
            (trees[0].parts.value, trees[1].parts.value) = ([trees[1], trees[2]], [trees[2]])
            try await run.store.create(trees)
            try await run.store.delete([trees[1], trees[0]])
            try await run.expectStored(ContractTree.self, [], "the trees that are left")
        },
    ]
}

extension ContractRun {
    /// A tree with parts, one of which has a part itself, and another tree.
    fileprivate func createTrees() async throws -> [ContractTree] {
        let trees = (1...5).map { ContractTree("\($0)") }
        (trees[0].parts.value, trees[1].parts.value) = ([trees[1], trees[2]], [trees[3]])
        return try await store.create(trees)
    }
}
