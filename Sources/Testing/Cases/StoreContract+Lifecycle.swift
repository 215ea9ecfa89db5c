import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let lifecycle: [Case] = [
        Case("a model is asked before it is saved, and notified of its creation and deletion") {
            run in
            let note = ContractNote("a") { $0.title.value = "Hello" }
            try await run.store.create(note)
            try run.expect(note.slug.value, "hello", "what beforeSave has set")
            try run.expect(note.log.take(), ["beforeSave", "afterCreate"], "the calls of create")
            try await run.expectStored(ContractNote.self, "a", ["slug": "hello"])
            note.title.value = "Bye"
            try await run.store.update(note)
            try run.expect(note.log.take(), ["beforeSave"], "the calls of update")
            try await run.store.delete(note)
            try run.expect(note.log.take(), ["afterDelete a"], "the calls of delete")
            try await run.store.save(note)
            try run.expect(note.log.take(), ["beforeSave", "afterCreate"], "the calls of save")
        },
        Case("beforeSave can refuse, and nothing is written or notified") { run in
            let note = ContractNote("a") { $0.title.value = "forbidden" }
            do {
                try await run.store.create(note)
                try run.expect(false, "it must fail")
            } catch is ContractFailure {}
            try run.expect(note.log.all, ["beforeSave"], "the calls")
            try await run.expectStored(ContractNote.self, [])
        },
        Case("models are not notified of what has failed") { run in
            try await run.store.create(ContractNote("a"))
            let notes = [ContractNote("b"), ContractNote("a")]
            try await run.failure(of: run.store.create(notes))
            for note in notes { try run.expect(note.log.all, ["beforeSave"], "the calls") }
        },
    ]
}
