import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    static let lifecycle: [Case] = [
        Case("a model is asked before it is saved, and notified of its creation and deletion") {
            run in
            let store = run.store
            let note = ContractNote("a")
            note.title.value = "Hello"
            _ = try await store.create(note).value
            try run.expect(note.slug.value, "hello", "what beforeSave has set")
            try run.expect(note.log.all, ["beforeSave", "afterCreate"], "the calls of create")
            let other = run.otherSession() ?? store
            let found = try await other.lookup(ContractNote.self, identifier: "a").value
            try run.expect(found.slug.value, "hello", "what is stored of it")
            note.log.clear()
            note.title.value = "Bye"
            _ = try await store.update(note).value
            try run.expect(note.log.all, ["beforeSave"], "the calls of update")
            note.log.clear()
            _ = try await store.delete(note).value
            try run.expect(note.log.all, ["afterDelete a"], "the calls of delete")
            note.log.clear()
            _ = try await store.save(note).value
            try run.expect(note.log.all, ["beforeSave", "afterCreate"], "the calls of save")
        },
        Case("beforeSave can refuse, and nothing is written or notified") { run in
            let note = ContractNote("a")
            note.title.value = "forbidden"
            do {
                _ = try await run.store.create(note).value
                try run.expect(false, "it must fail")
            } catch is ContractNote.Refusal {}
            try run.expect(note.log.all, ["beforeSave"], "the calls")
            let all = try await run.found(ContractNote.self, RecordQuery())
            try run.expect(all, [], "what is stored")
        },
        Case("models are not notified of what has failed") { run in
            let store = run.store
            _ = try await store.create(ContractNote("a")).value
            let other = ContractNote("b")
            let same = ContractNote("a")
            _ = try await run.failure(of: store.perform([.create(other), .create(same)]))
            try run.expect(other.log.all, ["beforeSave"], "the calls of the one")
            try run.expect(same.log.all, ["beforeSave"], "the calls of the other")
        },
    ]
}

/// A model that records its notifications.
final class ContractNote: Model {
    struct Refusal: Error {}

    let id = Field<String>()
    let title = Field<String>()
    let slug = Field<String>()
    let log = ContractLog()

    convenience init(_ id: String) {
        self.init()
        self.id.value = id
    }

    func beforeSave() throws {
        log.append("beforeSave")
        if title.value == "forbidden" { throw Refusal() }
        slug.value = title.value?.lowercased()
    }

    func afterCreate() { log.append("afterCreate") }

    func afterDelete() { log.append("afterDelete \(id.value ?? "without an identifier")") }
}

final class ContractLog: Sendable {
    private let entries = Guarded<[String]>([])

    var all: [String] { entries.withLock { $0 } }

    func append(_ entry: String) { entries.withLock { $0.append(entry) } }

    func clear() { entries.withLock { $0 = [] } }
}
