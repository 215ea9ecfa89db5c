import ModelKitFields
import ModelKitModels
import ModelKitStores

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoreContract {
    static let writing: [Case] = [
        Case("a merge writes what was set, and neither default values nor empty arrays") { run in
            let first = ContractPerson("p1", name: "Ada", age: 36)
            (first.tags.value, first.isActive.value) = (["x"], false)
            let home = ContractAddress()
            (home.street.value, home.floor.value) = ("High Street", 2)
            first.home.value = home
            _ = try await run.store.create(first).value
            let other = run.otherSession() ?? run.store
            let merging = ContractPerson("p1", name: "Bob")
            _ = try await other.save(merging, onConflict: .merge).value
            for person in [
                merging, try await run.store.lookup(ContractPerson.self, identifier: "p1").value,
            ] {
                try run.expect(person.name.value, "Bob", "the name that was set")
                try run.expect(person.age.value, 36, "the age that was not set")
                try run.expect(person.tags.value, ["x"], "the tags that were not set")
                try run.expect(person.isActive.value, false, "the field with a default value")
                try run.expect(person.home.value?.street.value, "High Street", "the street")
            }
            let moving = ContractPerson("p1", name: "Bob")
            moving.home.value = ContractAddress()
            moving.home.value?.floor.value = 3
            moving.tags.value = []
            _ = try await (run.otherSession() ?? run.store).save(moving, onConflict: .merge).value
            let moved = try await run.store.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(moved.home.value?.floor.value, 3, "the floor that was set")
            try run.expect(moved.home.value?.street.value, nil, "what is written whole")
            try run.expect(moved.tags.value, [], "the tags that were set to none")
            _ = try await other.save(ContractPerson("p2", name: "Cy"), onConflict: .merge).value
            let made = try await run.store.lookup(ContractPerson.self, identifier: "p2").value
            try run.expect(made.isActive.value, true, "the default value of a new record")
        },
        Case("a model is deleted by its identifier, with what goes with it") { run in
            let (order, lines) = ContractOrder.sample()
            try await run.store.perform([.create(order)] + lines.map { .create($0) }).value
            _ = try await run.store.create(ContractPerson("p1", name: "Ada")).value
            let other = run.otherSession() ?? run.store
            try await other.delete(ContractPerson.self, identifier: "p1").value
            try await run.expect(
                .notFound(type: "ContractPerson", identifier: "p1"),
                from: other.delete(ContractPerson.self, identifier: "p1")
            )
            try await other.delete(ContractOrder.self, identifier: "o").value
            try run.expect(await run.found(ContractOrder.self, RecordQuery()), [], "the orders")
            try run.expect(await run.found(ContractLine.self, RecordQuery()), [], "the lines")
        },
        Case("a model in use is deleted by its identifier as an object is") { run in
            let mine = try await run.store.create(ContractPerson("p1", name: "Ada", age: 1)).value
            guard let other = run.otherSession() else { return }
            let theirs = try await other.lookup(ContractPerson.self, identifier: "p1").value
            theirs.age.value = 2
            _ = try await other.update(theirs).value
            let promise: Promise = run.store.delete(ContractPerson.self, identifier: "p1")
            guard case .conflict(let conflict) = try await run.failure(of: promise) else {
                return try run.expect(false, "the error must be a conflict")
            }
            try run.expect(conflict.baseValues?["age"], 1, "the value that was read")
            _ = try await run.store.lookup(ContractPerson.self, identifier: "p1").value
            try await run.store.delete(ContractPerson.self, identifier: "p1").value
            try run.expect(mine.age.value, 2, "what the deleted object keeps")
            try run.expect(await run.found(ContractPerson.self, RecordQuery()), [], "the rest")
        },
        Case("an update takes the way out of a conflict that it was given") { run in
            let mine = ContractPerson("p1", name: "Ada", age: 1, weight: 50)
            _ = try await run.store.create(mine).value
            guard let store = run.store as? any RecordModelStore, let other = run.otherSession()
            else { return }
            let theirs = try await other.lookup(ContractPerson.self, identifier: "p1").value
            (theirs.age.value, theirs.name.value) = (2, "Eve")
            _ = try await other.update(theirs).value
            (mine.age.value, mine.weight.value) = (3, 60)
            guard
                case .conflict(let conflict) = try await run.failure(of: run.store.update(mine))
            else { return try run.expect(false, "the error must be a conflict") }
            try run.expect(conflict.baseValues?["age"], 1, "the age that was read")
            _ = try await store.update(mine, onConflict: .theirs).value
            let seen = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(seen.age.value, 2, "what both have changed")
            try run.expect(seen.weight.value, 60, "what only one has changed")
            try run.expect(mine.age.value, 2, "the model's age")
            try run.expect(mine.name.value, "Eve", "the model's name")

            theirs.age.value = 10
            _ = try await other.update(theirs).value
            mine.age.value = 5
            _ = try await store.update(
                mine,
                onConflict: .merge { base, mine, theirs in
                    var result = mine
                    result[\.age] = (theirs[\.age] ?? 0) + (mine[\.age] ?? 0) - (base[\.age] ?? 0)
                    return result
                }
            ).value
            try run.expect(mine.age.value, 13, "the sum in the model")
            let summed = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(summed.age.value, 13, "the sum")
            theirs.age.value = 20
            _ = try await other.update(theirs).value
            mine.age.value = 0
            let refusal = try await run.failure(
                of: store.update(
                    mine,
                    onConflict: .merge { _, _, _ in throw StoreError.forbidden("no") }
                )
            )
            try run.expect(refusal, .forbidden("no"), "what the closure throws")
        },
        Case("increments of two sessions that merge are all counted") { run in
            let first = ContractPerson("p1", name: "Ada", age: 0)
            _ = try await run.store.create(first).value
            guard let store = run.store as? any RecordModelStore,
                let other = run.otherSession() as? any RecordModelStore
            else { return }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in [store, other] {
                    group.addTask { try await count(30, by: store) }
                }
                try await group.waitForAll()
            }
            let seen = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(seen.age.value, 60, "the sum of all increments")
        },
        Case("a record that is deleted and made anew has no revision again") { run in
            guard let store = run.store as? any RecordModelStore, let other = run.otherSession()
            else { return }
            let first = try await run.store.create(ContractPerson("p1", name: "Ada")).value
            first.age.value = 1
            _ = try await run.store.update(first).value
            let stale = try await other.lookup(ContractPerson.self, identifier: "p1").value
            _ = try await run.store.delete(first).value
            let revision = { try await store.records.record("p1", of: ContractPerson.schema).value }
            _ = try await run.store.create(ContractPerson("p1", name: "Bob")).value
            let made = try await revision()?.revision ?? 0
            try run.expect(made > 2, "the revision must be above 2, not \(made)")
            stale.name.value = "Eve"
            guard case .conflict(_) = try await run.failure(of: other.update(stale)) else {
                return try run.expect(false, "the error must be a conflict")
            }
            try await run.store.delete(ContractPerson.self, identifier: "p1").value
            _ = try await run.store.save(ContractPerson("p1", name: "Cy")).value
            let saved = try await revision()?.revision ?? 0
            try run.expect(saved > made, "the revision must be above \(made), not \(saved)")
        },
        Case("what was agreed on is handed back after a restart") { run in
            guard let store = run.store as? any RecordModelStore,
                let later = run.otherSession() as? any RecordModelStore,
                let other = run.otherSession()
            else { return }
            let before = ContractPerson("p1", name: "Ada", age: 1, weight: 1)
            (before.tags.value, before.born.value) = (["x"], Date(timeIntervalSince1970: 0.5))
            _ = try await store.create(before).value
            let agreement: Agreement
            do {
                agreement = try await store.agreement(of: before).value
            } catch StoreError.unsupported(_) {
                // Nothing distinguishes this store from others, so nothing can be handed back to it.
                return
            }
            let kept = try JSONDecoder().decode(
                Agreement.self,
                from: JSONEncoder().encode(agreement)
            )
            try run.expect(kept, agreement, "the agreement that was kept")
            before.age.value = 2
            let after = try ContractPerson(dictionaryValue: before.dictionaryValue())
            let theirs = try await other.lookup(ContractPerson.self, identifier: "p1").value
            theirs.name.value = "Eve"
            _ = try await other.update(theirs).value

            let stranger = ContractCompany("p1", "Ada")
            let refusal = try await run.failure(of: later.resume(stranger, from: kept))
            try run.expect(refusal.code, "unsupported", "the error of another type")
            let nobody = try await run.failure(
                of: MemoryModelStore().resume(ContractPerson("p1"), from: kept)
            )
            try run.expect(nobody.code, "unsupported", "the error of another store")

            _ = try await later.resume(after, from: kept).value
            guard case .conflict(let conflict) = try await run.failure(of: later.update(after))
            else { return try run.expect(false, "the error must be a conflict") }
            try run.expect(conflict.mine, ["age": 2], "what was edited before the restart")
            try run.expect(conflict.theirs.values["name"], "Eve", "their name")
            _ = try await later.update(after, onConflict: .theirs).value
            let seen = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(seen.name.value, "Eve", "their name at last")
            try run.expect(seen.age.value, 2, "the edited age at last")
            try run.expect(after.name.value, "Eve", "the name in the model")
        },
    ]

    /// Counts one up so many times.
    private static func count(_ times: Int, by store: any RecordModelStore) async throws {
        let person = try await store.lookup(ContractPerson.self, identifier: "p1").value
        for _ in 0..<times {
            person.age.value = (person.age.value ?? 0) + 1
            var isDone = false
            while !isDone {
                do {
                    _ = try await store.update(
                        person,
                        onConflict: .merge { base, mine, theirs in
                            var result = mine
                            let added = (mine[\.age] ?? 0) - (base[\.age] ?? 0)
                            result[\.age] = (theirs[\.age] ?? 0) + added
                            return result
                        }
                    ).value
                    isDone = true
                } catch StoreError.conflict(_) {
                    // Ten in a row: the edit stays in the model.
                }
            }
        }
    }
}
