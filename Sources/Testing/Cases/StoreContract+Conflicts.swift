import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitEssentials

extension StoreContract {
    static let conflicting: [Case] = [
        Case("a stale revision is a conflict with theirs, and writes nothing") { run in
            let mine = ContractPerson("p1", name: "Ada", age: 1)
            let (other, _) = try await run.edited(mine) { $0.name.value = "Eve" }
            mine.age.value = 2
            let writes: [Promise] = [run.store.update(mine), run.store.delete(mine)]
            for write in writes {
                let conflict = try await run.conflict(of: write)
                try run.expect(conflict.type, "ContractPerson", "the type")
                try run.expect(conflict.identifier, "p1", "the identifier")
                try run.expect(number: conflict.base, 1, "the base")
                try run.expect(number: conflict.theirs.revision, 2, "their revision")
                try run.expect(conflict.theirs.identifier, "p1", "their identifier")
                try run.expect(conflict.theirs.values["name"], "Eve", "their name")
                try run.expect(conflict.theirs.values["age"], 1, "their age")
            }
            let conflict = try await run.conflict(of: run.store.update(mine))
            try run.expect(conflict.mine, ["age": 2], "mine")

            // A lookup takes theirs where nothing was edited; then the update goes through.
            let merged = try await run.store.lookup(ContractPerson.self, identifier: "p1")
            try run.expect(merged === mine, "the lookup gives another instance")
            try run.expect(mine, has: ["name": "Eve", "age": 2], "after the lookup")
            try await run.store.update(mine)
            let both: AttributeDictionary = ["name": "Eve", "age": 2]
            try await run.expectStored(ContractPerson.self, "p1", both, by: other)
        },
        Case("an update of what another session deleted is notFound") { run in
            let mine = try await run.store.create(ContractPerson("p1", name: "Ada"))
            let (other, theirs) = try await run.elsewhere(ContractPerson.self, "p1")
            try await other.delete(theirs)
            mine.name.value = "Bob"
            try await run.expect(.noPerson("p1"), from: run.store.update(mine))
        },
        Case("a model is deleted by its identifier, with what goes with it") { run in
            _ = try await run.createOrder()
            try await run.store.create(ContractPerson("p1", name: "Ada"))
            let other = run.reader
            try await other.delete(ContractPerson.self, identifier: "p1")
            let again: Promise = other.delete(ContractPerson.self, identifier: "p1")
            try await run.expect(.noPerson("p1"), from: again)
            try await other.delete(ContractOrder.self, identifier: "o")
            try await run.expectStored(ContractOrder.self, [], "the orders")
            try await run.expectStored(ContractLine.self, [], "the lines")
        },
        Case("a model in use is deleted by its identifier as an object is") { run in
            let mine = ContractPerson("p1", name: "Ada", age: 1)
            _ = try await run.edited(mine) { $0.age.value = 2 }
            let deletion: Promise = run.store.delete(ContractPerson.self, identifier: "p1")
            let conflict = try await run.conflict(of: deletion)
            try run.expect(conflict.baseValues?["age"], 1, "the value that was read")
            _ = try await run.store.lookup(ContractPerson.self, identifier: "p1")
            try await run.store.delete(ContractPerson.self, identifier: "p1")
            try run.expect(mine.age.value, 2, "what the deleted object keeps")
            try await run.expectStored(ContractPerson.self, [])
        },
        Case("an update takes the way out of a conflict that it was given") { run in
            let mine = ContractPerson("p1", name: "Ada", age: 1, weight: 50)
            let (other, theirs) = try await run.edited(mine) {
                ($0.age.value, $0.name.value) = (2, "Eve")
            }
            let store = try run.recordStore
            (mine.age.value, mine.weight.value) = (3, 60)
            let conflict = try await run.conflict(of: store.update(mine))
            try run.expect(conflict.baseValues?["age"], 1, "the age that was read")
            try await store.update(mine, onConflict: .theirs)
            let seen = try await other.lookup(ContractPerson.self, identifier: "p1")
            // What both have changed, and what only one has.
            for person in [seen, mine] {
                try run.expect(person, has: ["age": 2, "name": "Eve", "weight": 60.0])
            }

            theirs.age.value = 10
            try await other.update(theirs)
            mine.age.value = 5
            try await store.update(mine, onConflict: .adding)
            try run.expect(mine.age.value, 13, "the sum in the model")
            try await run.expectStored(ContractPerson.self, "p1", ["age": 13], by: other)
            theirs.age.value = 20
            try await other.update(theirs)
            mine.age.value = 0
            let no = StoreError.forbidden("no")
            let refused: Promise = store.update(mine, onConflict: .merge { _, _, _ in throw no })
            try await run.expect(no, from: refused)
        },
        Case("a record that is deleted and made anew has no revision again") { run in
            let other = try run.otherSession()
            let first = try await run.store.create(ContractPerson("p1", name: "Ada"))
            first.age.value = 1
            try await run.store.update(first)
            let stale = try await other.lookup(ContractPerson.self, identifier: "p1")
            try await run.store.delete(first)
            try await run.store.create(ContractPerson("p1", name: "Bob"))
            let made = try await run.record("p1", of: ContractPerson.self)?.revision ?? 0
            try run.expect(made > 2, "the revision must be above 2, not \(made)")
            stale.name.value = "Eve"
            try await run.expect(code: "conflict", from: other.update(stale))
            try await run.store.delete(ContractPerson.self, identifier: "p1")
            try await run.store.save(ContractPerson("p1", name: "Cy"))
            let saved = try await run.record("p1", of: ContractPerson.self)?.revision ?? 0
            try run.expect(saved > made, "the revision must be above \(made), not \(saved)")
        },
        Case("what was agreed on is handed back after a restart") { run in
            let (store, later) = (try run.recordStore, try run.otherSession())
            let before = ContractPerson("p1", name: "Ada", age: 1, weight: 1)
            (before.tags.value, before.born.value) = (["x"], Date(timeIntervalSince1970: 0.5))
            try await store.create(before)
            let agreement: Agreement
            do {
                agreement = try await store.agreement(of: before)
            } catch StoreError.unsupported {
                // Nothing distinguishes this store from others, so nothing can be handed back to it.
                return
            }
            let json = try JSONEncoder().encode(agreement)
            let kept = try JSONDecoder().decode(Agreement.self, from: json)
            try run.expect(kept, agreement, "the agreement that was kept")
            before.age.value = 2
            let after = try ContractPerson(dictionaryValue: before.dictionaryValue())
            let (other, theirs) = try await run.elsewhere(ContractPerson.self, "p1")
            theirs.name.value = "Eve"
            try await other.update(theirs)

            // Neither another type's nor another store's.
            let stranger: Promise = later.resume(ContractCompany("p1", "Ada"), from: kept)
            try await run.expect(code: "unsupported", from: stranger)
            let elsewhere: Promise = MemoryModelStore().resume(ContractPerson("p1"), from: kept)
            try await run.expect(code: "unsupported", from: elsewhere)

            try await later.resume(after, from: kept)
            let conflict = try await run.conflict(of: later.update(after))
            try run.expect(conflict.mine, ["age": 2], "what was edited before the restart")
            try run.expect(conflict.theirs.values["name"], "Eve", "their name")
            try await later.update(after, onConflict: .theirs)
            let both: AttributeDictionary = ["name": "Eve", "age": 2]
            try await run.expectStored(ContractPerson.self, "p1", both, by: other)
            try run.expect(after.name.value, "Eve", "the name in the model")
        },
    ]

    static let concurrent: [Case] = [
        Case("creates and updates from 32 tasks all arrive") { run in
            let shared = try await run.store.create(ContractPerson("shared", name: "0", age: 0))
            try await run.atOnce(32) { task in
                for round in 0..<4 {
                    let person = ContractPerson("p\(task)-\(round)", name: "first")
                    try await run.store.create(person)
                    person.name.value = "second"
                    try await run.store.update(person)
                    try await run.store.create(ContractItem())
                    shared.age.value = task * 4 + round
                    try await run.store.update(shared)
                }
            }
            let people = try await run.store.list(ContractPerson.self, where: \.name == "second")
            try run.expect(people.count, 128, "the number of updated models")
            let numbers = try await run.store.list(ContractItem.self).compactMap(\.id.value)
            if run.limits.contains(.numbersWithGaps) {
                // Made side by side, in any order.
                try run.expect(Set(numbers).count, 128, "the number of made identifiers")
            } else {
                try run.expect(numbers, Array(1...128), "the made identifiers")
            }
            try await run.store.update(shared)
            let (other, seen) = try await run.elsewhere(ContractPerson.self, "shared")
            try run.expect(seen.age.value, shared.age.value, "the age that all tasks set")
        },
        Case("increments of two sessions that merge are all counted") { run in
            try await run.store.create(ContractPerson("p1", name: "Ada", age: 0))
            let stores = [try run.recordStore, try run.otherSession()]
            try await run.atOnce(2) { try await count(30, by: stores[$0]) }
            try await run.expectStored(ContractPerson.self, "p1", ["age": 60])
        },
    ]

    /// Counts one up so many times.
    private static func count(_ times: Int, by store: any RecordModelStore) async throws {
        let person = try await store.lookup(ContractPerson.self, identifier: "p1")
        for _ in 0..<times {
            person.age.value = (person.age.value ?? 0) + 1
            while true {
                do {
                    try await store.update(person, onConflict: .adding)
                    break
                } catch StoreError.conflict(_) {
                    // Ten in a row: the edit stays in the model.
                }
            }
        }
    }
}

extension ContractRun {
    /// Creates a person, which another session then edits.
    ///
    /// - Returns: That session, and its instance.
    func edited(
        _ person: ContractPerson,
        _ edit: (ContractPerson) -> Void
    ) async throws -> (any RecordModelStore, ContractPerson) {
        try await store.create(person)
        let other = try otherSession()
        let theirs = try await other.lookup(ContractPerson.self, identifier: "p1")
        edit(theirs)
        try await other.update(theirs)
        return (other, theirs)
    }
}

extension ConflictResolution<ContractPerson> {
    /// What both have added to the age is added.
    fileprivate static var adding: Self {
        .merge { base, mine, theirs in
            var result = mine
            result[\.age] = (theirs[\.age] ?? 0) + (mine[\.age] ?? 0) - (base[\.age] ?? 0)
            return result
        }
    }
}
