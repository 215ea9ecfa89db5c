import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@Suite struct SQLiteLiveScriptTests {
    @Test(arguments: [6, 7] as [UInt64])
    func `live lists of a file are those that are found anew`(_ seed: UInt64) async throws {
        let directory = try TemporaryDirectory()
        let refetches = RefetchCounter()
        let store = try SQLiteModelStore(
            path: directory.file(),
            events: refetches.events
        )
        var script = LiveScript(store, of: [LiveItem.self, LiveNote.self], seed: seed)
        try await script.run()
        expect(refetches.count <= script.deletedFolders * 2, "\(refetches.count), seed \(seed)")
    }

    private final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
    }

    @Test(arguments: [true, false])
    func `what another store of the file writes comes by itself, or with the next commit`(
        _ isShared: Bool
    ) async throws {
        let directory = try TemporaryDirectory()
        let refetches = RefetchCounter()
        let path = directory.file()
        let store = try SQLiteModelStore(
            path: path,
            sharing: isShared ? .severalProcesses : .oneStore,
            events: refetches.events
        )
        let results = store.observe(Person.self, orderBy: .ascending(\.id)).makeAsyncIterator()
        _ = try await results.next()
        let person = Person()
        person.id.value = "b"
        if isShared {
            let other = try SQLiteModelStore(path: path, sharing: .severalProcesses)
            try await other.create(person)
        } else {
            // The store itself may be the only one that is let in.
            let columns = #"("id", "_revision", "_order") VALUES ('b', 1, 1)"#
            try SQLiteConnection(path: path).execute(#"INSERT INTO "Person" \#(columns)"#)
            let own = Person()
            own.id.value = "c"
            try await store.create(own)
        }
        let next = try await results.next()
        expect(next?.models.map(\.id.value), equals: isShared ? ["b"] : ["b", "c"])
        expect(refetches.count, equals: 1)
    }
}
