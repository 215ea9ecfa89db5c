import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let conflicting: [Case] = [
        Case("a stale revision is a conflict with theirs, and writes nothing") { run in
            let mine = ContractPerson("p1", name: "Ada", age: 1)
            _ = try await run.store.create(mine).value
            guard let other = run.otherSession() else { return }
            let theirs = try await other.lookup(ContractPerson.self, identifier: "p1").value
            theirs.name.value = "Eve"
            _ = try await other.update(theirs).value
            mine.age.value = 2
            let writes: [Promise] = [run.store.update(mine), run.store.delete(mine)]
            for write in writes {
                guard case .conflict(let conflict) = try await run.failure(of: write) else {
                    return try run.expect(false, "the error must be a conflict")
                }
                try run.expect(conflict.type, "ContractPerson", "the type")
                try run.expect(conflict.identifier, "p1", "the identifier")
                try run.expect(conflict.base, 1, "the base")
                try run.expect(conflict.theirs.revision, 2, "their revision")
                try run.expect(conflict.theirs.identifier, "p1", "their identifier")
                try run.expect(conflict.theirs.values["name"], "Eve", "their name")
                try run.expect(conflict.theirs.values["age"], 1, "their age")
            }
            guard
                case .conflict(let conflict) = try await run.failure(of: run.store.update(mine))
            else { return try run.expect(false, "the error must be a conflict") }
            try run.expect(conflict.mine, ["age": 2], "mine")

            // A lookup takes theirs where nothing was edited; then the update goes through.
            let merged = try await run.store.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(merged === mine, "the lookup gives another instance")
            try run.expect(mine.name.value, "Eve", "the name after the lookup")
            try run.expect(mine.age.value, 2, "the edited age after the lookup")
            _ = try await run.store.update(mine).value
            let seen = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(seen.name.value, "Eve", "their name at last")
            try run.expect(seen.age.value, 2, "their age at last")
        },
        Case("an update of what another session deleted is notFound") { run in
            let mine = try await run.store.create(ContractPerson("p1", name: "Ada")).value
            guard let other = run.otherSession() else { return }
            let theirs = try await other.lookup(ContractPerson.self, identifier: "p1").value
            _ = try await other.delete(theirs).value
            mine.name.value = "Bob"
            try await run.expect(
                .notFound(type: "ContractPerson", identifier: "p1"),
                from: run.store.update(mine)
            )
        },
    ]

    static let concurrent: [Case] = [
        Case("creates and updates from 32 tasks all arrive") { run in
            let shared = ContractPerson("shared", name: "0", age: 0)
            _ = try await run.store.create(shared).value
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<32 {
                    group.addTask {
                        for round in 0..<4 {
                            let person = ContractPerson("p\(task)-\(round)", name: "first")
                            _ = try await run.store.create(person).value
                            person.name.value = "second"
                            _ = try await run.store.update(person).value
                            _ = try await run.store.create(ContractItem()).value
                            shared.age.value = task * 4 + round
                            _ = try await run.store.update(shared).value
                        }
                    }
                }
                try await group.waitForAll()
            }
            let people = try await run.store.list(
                ContractPerson.self,
                matching: RecordQuery(filter: .compare("name", .equal, "second"))
            ).value
            try run.expect(people.count, 128, "the number of updated models")
            let numbers = try await run.store.list(ContractItem.self).value.compactMap(\.id.value)
            try run.expect(numbers, Array(1...128), "the made identifiers")
            _ = try await run.store.update(shared).value
            guard let other = run.otherSession() else { return }
            let seen = try await other.lookup(ContractPerson.self, identifier: "shared").value
            try run.expect(seen.age.value, shared.age.value, "the age that all tasks set")
        }
    ]
}
