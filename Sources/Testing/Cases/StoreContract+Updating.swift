import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let updating: [Case] = [
        Case("update writes what changed, and nothing when nothing did") { run in
            let person = ContractPerson("p1", name: "Ada", age: 36)
            _ = try await run.store.create(person).value
            guard let store = run.store as? any RecordModelStore, let other = run.otherSession()
            else { return }
            let schema = ContractPerson.schema
            let created = try await store.records.record("p1", of: schema).value
            try run.expect(created?.revision, 1, "the revision after the creation")
            let same = try await store.update(person).value
            try run.expect(same === person, "update gives another instance")
            let untouched = try await store.records.record("p1", of: schema).value
            try run.expect(untouched, created, "the record after an update of nothing")

            // Somebody else changes another field; a whole write would undo it.
            let theirs = try await other.lookup(ContractPerson.self, identifier: "p1").value
            theirs.age.value = 37
            _ = try await other.update(theirs).value
            let mine = try await store.lookup(ContractPerson.self, identifier: "p1").value
            mine.name.value = "Ada L."
            _ = try await store.update(mine).value
            let written = try await store.records.record("p1", of: schema).value
            try run.expect(written?.revision, 3, "the revision after two updates")
            try run.expect(written?.values["name"], "Ada L.", "the stored name")
            try run.expect(written?.values["age"], 37, "the stored age")
        },
        Case("nil is stored over a value, also over a default value") { run in
            let person = ContractPerson("p1", name: "Ada", age: 36)
            _ = try await run.store.create(person).value
            person.age.value = nil
            person.isActive.value = nil
            _ = try await run.store.update(person).value
            guard let other = run.otherSession() else { return }
            let read = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(read.age.value, nil, "the age")
            try run.expect(read.isActive.value, nil, "the field with a default value")
            try run.expect(read.city.updatedAt, nil, "the time of a field that was never set")
            read.age.value = 5
            _ = try await other.update(read).value
            let again = try await run.store.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(again.age.value, 5, "the age, set again by another session")
        },
        Case("update and delete of what is not there is notFound, and nothing is made") { run in
            let missing = StoreError.notFound(type: "ContractPerson", identifier: "p1")
            try await run.expect(missing, from: run.store.update(ContractPerson("p1", name: "A")))
            try await run.expect(missing, from: run.store.delete(ContractPerson("p1", name: "A")))
            try run.expect(
                await run.found(ContractPerson.self, RecordQuery()),
                [],
                "what is stored"
            )
        },
        Case("update and delete of a model without identifier is noIdentifier") { run in
            let none = StoreError.noIdentifier(type: "ContractPerson")
            try await run.expect(none, from: run.store.update(ContractPerson(nil, name: "Ada")))
            try await run.expect(none, from: run.store.delete(ContractPerson(nil, name: "Ada")))
        },
        Case("an edit made while a write is under way is sent by the next update") { run in
            let person = ContractPerson("p1", name: "1", age: 1)
            let creation: Promise = run.store.create(person)
            person.name.value = "2"
            _ = try await creation.value
            try run.expect(person.name.value, "2", "the name after the creation")
            let update: Promise = run.store.update(person)
            person.age.value = 2
            person.tags.value = ["late"]
            _ = try await update.value
            try run.expect(person.age.value, 2, "the age after the update")
            guard let other = run.otherSession() else { return }
            let seen = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(seen.name.value, "2", "the stored name")
            try run.expect(seen.age.value, 1, "the stored age before the next update")
            _ = try await run.store.update(person).value
            let again = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(again === seen, "the other session's lookup gives a second instance")
            try run.expect(again.age.value, 2, "the stored age after the next update")
            try run.expect(again.tags.value, ["late"], "the stored tags after the next update")
        },
        Case("edits inside of nested models are changes") { run in
            let person = ContractPerson("p1", name: "Ada")
            let home = ContractAddress()
            home.street.value = "Main"
            let past = ContractAddress()
            past.floor.value = 1
            person.home.value = home
            person.past.value = [past]
            _ = try await run.store.create(person).value
            home.street.value = "High"
            past.floor.value = 2
            _ = try await run.store.update(person).value
            guard let other = run.otherSession() else { return }
            let seen = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(seen.home.value?.street.value, "High", "the nested street")
            try run.expect(seen.past.value?.first?.floor.value, 2, "the nested floor")
        },
        Case("a model keeps its identifier") { run in
            let person = try await run.store.create(ContractPerson("p1", name: "Ada")).value
            person.id.value = "p2"
            guard case .unsupported = try await run.failure(of: run.store.update(person)) else {
                try run.expect(false, "the error must be .unsupported")
                return
            }
        },
    ]

    static let deleting: [Case] = [
        Case("delete removes a model, which keeps its values and can be created again") { run in
            let person = ContractPerson("p1", name: "Ada")
            _ = try await run.store.create([person, ContractPerson("p2", name: "Bob")]).value
            let deleted = try await run.store.delete(person).value
            try run.expect(deleted === person, "delete gives another instance")
            try run.expect(person.id.value, "p1", "the identifier")
            try run.expect(person.name.value, "Ada", "the name")
            let missing = StoreError.notFound(type: "ContractPerson", identifier: "p1")
            try await run.expect(
                missing,
                from: run.store.lookup(ContractPerson.self, identifier: "p1")
            )
            try await run.expect(missing, from: run.store.delete(person))
            try await run.expect(missing, from: run.store.update(person))
            _ = try await run.store.create(person).value
            try run.expect(
                await run.found(ContractPerson.self, RecordQuery()),
                ["p2", "p1"],
                "the order after it was created again"
            )
        },
        Case("what a field with cascadeDelete has is deleted together with the model") { run in
            let store = run.store
            let trees = (1...4).map { ContractTree("\($0)") }
            trees[0].parts.value = [trees[1]]
            trees[1].parts.value = [trees[2]]
            _ = try await store.create(trees).value
            _ = try await store.delete(trees[0]).value
            try run.expect(
                await run.found(ContractTree.self, RecordQuery()),
                ["4"],
                "the trees that are left"
            )
        },
        Case("so it is where the store knows no more of that than its identifier") { run in
            let store = run.store
            let trees = (1...5).map { ContractTree("\($0)") }
            trees[0].parts.value = [trees[1], trees[2]]
            trees[1].parts.value = [trees[3]]
            _ = try await store.create(trees).value
            guard let other = run.otherSession() else { return }
            let root = try await other.lookup(ContractTree.self, identifier: "1").value
            _ = try await other.delete(root).value
            try run.expect(
                await other.list(ContractTree.self).value.map(\.id.value),
                ["5"],
                "the trees that are left"
            )
        },
        Case("so it is where no more than that is known of the model itself") { run in
            let (order, lines) = ContractOrder.sample()
            _ = try await run.store.create(order).value
            _ = try await run.store.create(lines).value
            guard let other = run.otherSession() else { return }
            let line = try await other.lookup(ContractLine.self, identifier: "l").value
            guard let shell = line.order.value else {
                return try run.expect(false, "the line has no order")
            }
            _ = try await other.delete(shell).value
            let left = try await other.list(ContractLine.self).value.map(\.id.value)
            try run.expect(left, [], "the lines that are left")
            order.unlink()
            shell.unlink()
        },
        Case("what goes with a deleted model is not written in the same batch") { run in
            let (order, lines) = ContractOrder.sample()
            _ = try await run.store.create(order).value
            _ = try await run.store.create(lines).value
            lines[0].amount.value = 7
            let batch: Promise = run.store.perform([.update(lines[0]), .delete(order)])
            guard case .unsupported = try await run.failure(of: batch) else {
                return try run.expect(false, "the error must be .unsupported")
            }
            let left = try await run.found(ContractLine.self, RecordQuery())
            try run.expect(left, ["l", "m"], "the lines")
            order.unlink()
        },
    ]
}
