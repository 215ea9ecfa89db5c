import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let transactions: [Case] = [
        Case("a transaction sees its own writes, and keeps all of them") { run in
            let ada = try await run.store.create(ContractPerson("p1", name: "Ada", age: 1))
            let names = try await run.store.transaction { transaction in
                for age in 2...3 {
                    ada.age.value = age
                    try transaction.update(ada)
                }
                let item = ContractItem()
                try transaction.create(item)
                try transaction.create(ContractPerson("p2", name: "Bob"))
                guard try transaction.lookup(ContractPerson.self, identifier: "p1") === ada,
                    try transaction.lookup(ContractItem.self, identifier: 1) === item
                else { return ["another instance"] }
                return try transaction.list(ContractPerson.self, orderBy: .descending(\.name))
                    .compactMap(\.name.value)
            }.value
            try run.expect(names, ["Bob", "Ada"], "the names inside")
            try await run.expectStored(ContractPerson.self, "p1", ["age": 3])
            // What was written is known: the next update writes what is new alone.
            ada.name.value = "Eve"
            try await run.store.update(ada)
        },
        Case("a transaction that throws leaves nothing, and models as they were") { run in
            let ada = try await run.store.create(ContractPerson("p1", name: "Ada", age: 1))
            let item = ContractItem()
            let failed = run.store.transaction { transaction -> Int in
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
            try await run.expectStored(ContractItem.self, [], "the items")
            // The edit is still one.
            try await run.store.update(ada)
            try await run.expectStored(ContractPerson.self, "p1", ["age": 2])
        },
        Case("what a transaction has made and deleted can be saved afterwards") { run in
            let person = ContractPerson("p1", name: "Ada")
            try await run.store.transaction { transaction in
                try transaction.create(person)
                try transaction.delete(person)
            }.value
            try await run.expectStored(ContractPerson.self, [], "the people afterwards")
            try await run.store.save(person)
            try await run.expectStored(ContractPerson.self, ["p1"], "the people after saving")
        },
        Case("what a body has set in models that it has read goes with the transaction") { run in
            let ada = ContractPerson("p1", name: "Ada", age: 1)
            try await run.store.create(ada)
            ada.name.value = "Eve"
            do {
                try await run.store.transaction { transaction in
                    let read = try transaction.lookup(ContractPerson.self, identifier: "p1")
                    read.age.value = 2
                    try transaction.update(read)
                    throw ContractFailure()
                }.value
                try run.expect(false, "it must fail")
            } catch is ContractFailure {}
            try run.expect(ada.age.value, 1, "the age after it")
            // What was edited before stays pending.
            try run.expect(ada.name.value, "Eve", "the name after it")
            try await run.store.update(ada)
            try await run.expectStored(ContractPerson.self, "p1", ["name": "Eve", "age": 1])
        },
        Case("a savepoint takes back what was written in it, and nothing else") { run in
            let kept = ContractPerson("kept", name: "Kept")
            let lost = ContractItem()
            try await run.store.transaction { transaction in
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
            try await run.expectStored(ContractPerson.self, ["kept", "y"], "the people")
            try run.expect(lost.id.value, nil, "the identifier that was taken back")
            try await run.expectStored(ContractItem.self, [], "the items")
            try await run.store.update(kept)
            try await run.expectStored(ContractPerson.self, "kept", ["age": 1])
        },
        Case("64 transactions that read, add one and write end at 64") { run in
            try await run.store.create(ContractPerson("p1", name: "Ada", age: 0))
            try await run.atOnce(64) { _ in
                try await run.store.transaction { transaction in
                    let person = try transaction.lookup(ContractPerson.self, identifier: "p1")
                    person.age.value = (person.age.value ?? 0) + 1
                    try transaction.update(person)
                }.value
            }
            try await run.expectStored(ContractPerson.self, "p1", ["age": 64])
        },
        Case("a transaction comes after the writes that were asked for before") { run in
            let person = ContractPerson("p1", name: "Ada")
            let creation: Promise = run.store.create(person)
            person.name.value = "Bob"
            let update: Promise = run.store.update(person)
            let name = try await run.store.transaction { transaction in
                try transaction.lookup(ContractPerson.self, identifier: "p1").name.value
            }.value
            try run.expect(name, "Bob", "the name inside")
            _ = try await creation.value
            _ = try await update.value
        },
        Case("a write by the store itself inside of its transaction is refused") { run in
            let code = try await run.store.transaction { transaction -> String? in
                try transaction.create(ContractPerson("p1", name: "Ada"))
                let write: Promise = run.store.create(ContractPerson("p2", name: "Bob"))
                guard case .failure(let error)? = write.result else { return "it waits" }
                return (error as? StoreError)?.code
            }.value
            try run.expect(code, "unsupported", "the error")
            try await run.expectStored(ContractPerson.self, ["p1"], "the people")
        },
        Case("a transaction is of no use when it is over") { run in
            let kept = Kept()
            try await run.store.transaction { kept.transaction = $0 }.value
            do {
                try kept.transaction?.create(ContractPerson("p1", name: "Ada"))
                try run.expect(false, "it must fail")
            } catch StoreError.unsupported {}
            try await run.expectStored(ContractPerson.self, [], "the people")
        },
    ]
    .map { $0.needing(.transactions) }
}

/// Where a transaction is kept that is over.
// Safe: it is written in the transaction, and read when that was awaited.
private final class Kept: @unchecked Sendable {
    var transaction: StoreTransaction?
}
