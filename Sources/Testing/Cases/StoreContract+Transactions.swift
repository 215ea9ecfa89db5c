import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    /// Stores without transactions say so, and pass.
    static let transactions: [Case] = [
        transaction("a transaction sees its own writes, and keeps all of them") { run in
            let store = run.store
            let ada = try await store.create(ContractPerson("p1", name: "Ada", age: 1)).value
            let names = try await store.transaction { transaction in
                ada.age.value = 2
                try transaction.update(ada)
                ada.age.value = 3
                try transaction.update(ada)
                let item = ContractItem(title: "made")
                try transaction.create(item)
                try transaction.create(ContractPerson("p2", name: "Bob"))
                guard try transaction.lookup(ContractPerson.self, identifier: "p1") === ada,
                    try transaction.lookup(ContractItem.self, identifier: 1) === item
                else { return ["another instance"] }
                return try transaction.list(ContractPerson.self, orderBy: .descending(\.name))
                    .compactMap(\.name.value)
            }.value
            try run.expect(names, ["Bob", "Ada"], "the names inside")
            let other = run.otherSession() ?? store
            let found = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(found.age.value, 3, "the age afterwards")
            // What was written is known: the next update writes what is new alone.
            ada.name.value = "Eve"
            _ = try await store.update(ada).value
        },
        transaction("a transaction that throws leaves nothing, and models as they were") { run in
            let store = run.store
            let ada = try await store.create(ContractPerson("p1", name: "Ada", age: 1)).value
            let item = ContractItem(title: "made")
            let failed = store.transaction { transaction -> Int in
                try transaction.delete(ContractPerson("p1", name: "Ada"))
                try transaction.create(item)
                ada.age.value = 2
                throw ContractFailure()
            }
            do {
                _ = try await failed.value
                try run.expect(false, "it must fail")
            } catch is ContractFailure {}
            try run.expect(item.id.value, nil, "the identifier that was taken back")
            let items = try await run.found(ContractItem.self, RecordQuery())
            try run.expect(items, [], "the items")
            // The edit is still one.
            _ = try await store.update(ada).value
            let other = run.otherSession() ?? store
            let found = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(found.age.value, 2, "the age after the next update")
        },
        transaction("what a transaction has made and deleted can be saved afterwards") { run in
            let store = run.store
            let person = ContractPerson("p1", name: "Ada")
            try await store.transaction { transaction in
                try transaction.create(person)
                try transaction.delete(person)
            }.value
            let none = try await run.found(ContractPerson.self, RecordQuery())
            try run.expect(none, [], "the people after the transaction")
            _ = try await store.save(person).value
            let people = try await run.found(ContractPerson.self, RecordQuery())
            try run.expect(people, ["p1"], "the people after saving")
        },
        transaction("a savepoint takes back what was written in it, and nothing else") { run in
            let store = run.store
            let kept = ContractPerson("kept", name: "Kept")
            let lost = ContractItem(title: "lost")
            try await store.transaction { transaction in
                try transaction.create(kept)
                do {
                    try transaction.savepoint {
                        try transaction.create(lost)
                        kept.age.value = 1
                        try transaction.update(kept)
                        throw ContractFailure()
                    }
                } catch is ContractFailure {}
                // A write that fails leaves nothing either.
                do {
                    try transaction.perform([
                        .create(ContractPerson("x", name: "X")),
                        .create(ContractPerson("kept", name: "Twice")),
                    ])
                } catch StoreError.alreadyExists {}
                try transaction.savepoint { try transaction.create(ContractPerson("y", name: "Y")) }
            }.value
            let people = try await run.found(ContractPerson.self, RecordQuery())
            try run.expect(people, ["kept", "y"], "the people")
            try run.expect(lost.id.value, nil, "the identifier that was taken back")
            let items = try await run.found(ContractItem.self, RecordQuery())
            try run.expect(items, [], "the items")
            _ = try await store.update(kept).value
            let other = run.otherSession() ?? store
            let found = try await other.lookup(ContractPerson.self, identifier: "kept").value
            try run.expect(found.age.value, 1, "the age after the next update")
        },
        transaction("64 transactions that read, add one and write end at 64") { run in
            let store = run.store
            _ = try await store.create(ContractPerson("p1", name: "Ada", age: 0)).value
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        try await store.transaction { transaction in
                            let person = try transaction.lookup(
                                ContractPerson.self,
                                identifier: "p1"
                            )
                            person.age.value = (person.age.value ?? 0) + 1
                            try transaction.update(person)
                        }.value
                    }
                }
                try await group.waitForAll()
            }
            let other = run.otherSession() ?? store
            let found = try await other.lookup(ContractPerson.self, identifier: "p1").value
            try run.expect(found.age.value, 64, "the count")
        },
        transaction("a transaction comes after the writes that were asked for before") { run in
            let store = run.store
            let person = ContractPerson("p1", name: "Ada")
            let creation: Promise = store.create(person)
            person.name.value = "Bob"
            let update: Promise = store.update(person)
            let name = try await store.transaction { transaction in
                try transaction.lookup(ContractPerson.self, identifier: "p1").name.value
            }.value
            try run.expect(name, "Bob", "the name inside")
            _ = try await creation.value
            _ = try await update.value
        },
        transaction("a write by the store itself inside of its transaction is refused") { run in
            let store = run.store
            let code = try await store.transaction { transaction -> String? in
                try transaction.create(ContractPerson("p1", name: "Ada"))
                let write: Promise = store.create(ContractPerson("p2", name: "Bob"))
                guard case .failure(let error)? = write.result else { return "it waits" }
                return (error as? StoreError)?.code
            }.value
            try run.expect(code, "unsupported", "the error")
            let people = try await run.found(ContractPerson.self, RecordQuery())
            try run.expect(people, ["p1"], "the people")
        },
        transaction("a transaction deletes what goes with a model, whatever is known of it") {
            run in
            let trees = (1...4).map { ContractTree("\($0)") }
            trees[0].parts.value = [trees[1]]
            trees[1].parts.value = [trees[2]]
            _ = try await run.store.create(trees).value
            guard let other = run.otherSession() else { return }
            let root = try await other.lookup(ContractTree.self, identifier: "1").value
            let left = try await other.transaction { transaction in
                try transaction.delete(root)
                return try transaction.list(ContractTree.self).map(\.id.value)
            }.value
            try run.expect(left, ["4"], "the trees that are left")
        },
        transaction("a transaction is of no use when it is over") { run in
            let kept = Kept()
            try await run.store.transaction { kept.transaction = $0 }.value
            do {
                try kept.transaction?.create(ContractPerson("p1", name: "Ada"))
                try run.expect(false, "it must fail")
            } catch StoreError.unsupported {}
            let people = try await run.found(ContractPerson.self, RecordQuery())
            try run.expect(people, [], "the people")
        },
    ]

    static func transaction(
        _ description: String,
        _ body: @escaping @Sendable (ContractRun) async throws -> Void
    ) -> Case {
        Case(description) { run in
            do {
                try await run.store.transaction { _ in }.value
            } catch StoreError.unsupported {
                return
            }
            try await body(run)
        }
    }
}

private struct ContractFailure: Error {}

/// Where a transaction is kept that is over.
// Safe: it is written in the transaction, and read when that was awaited.
private final class Kept: @unchecked Sendable {
    var transaction: StoreTransaction?
}
