import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitPostgreSQL
import ModelKitStores
import TestSupport
import Testing

private final class Letter: Model {
    let id = Field<String>()
    let text = Field<String>()
    let title = Field<String>()

    convenience init(_ id: String, _ text: String) {
        self.init()
        (self.id.value, self.text.value) = (id, text)
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLAgreementTests {
    private func name() -> String { "agreements_\(UUID().uuidString.prefix(8).lowercased())" }

    @Test(arguments: PostgreSQLRoute.all)
    func `an edit that is written after a restart is a conflict with what others wrote`(
        _ route: PostgreSQLRoute
    ) async throws {
        let name = name()
        var store = try route.store(name)
        let letter = try await store.create(Letter("l", "first")).value
        let agreement = try await store.agreement(of: letter).value
        letter.title.value = "mine"
        let values = letter.dictionaryValue()
        try await store.close().value

        store = try route.store(name)
        let theirs = try await store.lookup(Letter.self, identifier: "l").value
        theirs.text.value = "theirs"
        _ = try await store.update(theirs).value
        try await store.close().value

        store = try route.store(name)
        let again = try Letter(dictionaryValue: values)
        _ = try await store.resume(again, from: agreement).value
        do {
            _ = try await store.update(again).value
            Issue.record("it was written over theirs")
        } catch StoreError.conflict(let conflict) {
            expect(conflict.mine, equals: ["title": "mine"])
            expect(conflict.baseValues?["text"], equals: "first")
        }
        _ = try await store.update(again, onConflict: .theirs).value
        let record = try await store.records.record("l", of: Letter.schema).value
        expect(record?["text"] == "theirs" && record?["title"] == "mine")

        // Another schema of the same database is another store.
        let other = try route.store(self.name())
        _ = try await other.create(Letter("l", "first")).value
        do {
            _ = try await other.resume(Letter("l", "first"), from: agreement).value
            Issue.record("an agreement with another schema was taken")
        } catch StoreError.unsupported(let reason) {
            expect(reason.contains("the agreement is of the store"), "\(reason)")
        }
        try await store.close().value
        try await other.close().value
    }

    @Test(arguments: PostgreSQLRoute.all)
    func `a store that only reads has the same identity, which it does not make`(
        _ route: PostgreSQLRoute
    ) async throws {
        let name = name()
        let store = try route.store(name)
        let letter = try await store.create(Letter("l", "first")).value
        let reader = try PostgreSQLModelStore(
            try route.connection(),
            PostgreSQLOptions(mode: route.mode, isReadOnly: true),
            schema: name
        )
        let read = try await reader.lookup(Letter.self, identifier: "l").value
        if route.mode == .portable {
            await #expect(throws: StoreError.self) { try await reader.agreement(of: read).value }
        }
        let written = try await store.agreement(of: letter).value
        let again = try await reader.agreement(of: read).value
        expect(again, equals: written)
        try await store.close().value
        try await reader.close().value
    }
}
