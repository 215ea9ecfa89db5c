import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Account: Model {
    let id = Field<String>()
    let entries = ModelField<Entry>(inverse: \.account)*
    let notes = ModelField<Note>(inverse: \.account, cascadeDelete: true)*
    let tags = ModelField<Tag>(inverse: \.accounts)*
    let seals = ModelField<Seal>(inverse: \.account)*
    let parent = ModelField<Account>(foreignKey: true)
    let children = ModelField<Account>(inverse: \.parent, cascadeDelete: true)*
    init() { linkFields() }
}

private final class Entry: Model {
    let id = Field<String>()
    let account = ModelField<Account>(foreignKey: true)
    init() { linkFields() }
}

private final class Note: Model {
    let id = Field<String>()
    let account = ModelField<Account>(foreignKey: true)
    init() { linkFields() }
}

private final class Tag: Model {
    let id = Field<String>()
    let accounts = ModelField<Account>(foreignKey: true)*
    init() { linkFields() }
}

private final class Seal: Model {
    let id = Field<String>()
    let account = ModelField<Account>(foreignKey: true).require(.required)
    init() { linkFields() }
}

/// Records that go otherwise than one by one: what leads to them ends as if each had been deleted.
@Suite struct ArchiveDeletionTests {
    private let directory: Directory
    private let store: ArchiveModelStore

    init() throws {
        directory = try Directory()
        store = try ArchiveModelStore(directory: directory.path)
    }

    /// Two accounts, the second one a child of the first, and what leads to them.
    private func fill(sealed: [Identifier] = []) async throws {
        var writes = [
            RecordWrite(.create("a1", [:]), of: Account.schema),
            RecordWrite(.create("a2", ["parent": "a1"]), of: Account.schema),
        ]
        for account in ["a1", "a2"] {
            let key: [FieldKey: AttributeValue] = ["account": .string(account)]
            writes.append(RecordWrite(.create(.string("e-\(account)"), key), of: Entry.schema))
            writes.append(RecordWrite(.create(.string("n-\(account)"), key), of: Note.schema))
        }
        writes.append(RecordWrite(.create("t", ["accounts": ["a1", "a2"]]), of: Tag.schema))
        for account in sealed {
            let key: [FieldKey: AttributeValue] = ["account": account.attributeValue]
            writes.append(RecordWrite(.create("s", key), of: Seal.schema))
        }
        _ = try await store.records.perform(writes).value
    }

    /// All records, each with its keys.
    private func records() async throws -> [String] {
        var found: [String] = []
        for (schema, key) in [
            (Account.schema, "parent"), (Entry.schema, "account"), (Note.schema, "account"),
            (Tag.schema, "accounts"), (Seal.schema, "account"),
        ] as [(ModelSchema, FieldKey)] {
            let records = try await store.records.fetch(RecordQuery(), of: schema).value
            found += records.map { "\($0.identifier) \($0[key] ?? .null)" }
        }
        return found
    }

    @Test func `keys lead to none of a type of which all is deleted`() async throws {
        try await fill()
        try await store.deleteAll(Account.self).value
        try await expect(records(), equals: ["e-a1 null", "e-a2 null", "t []"])
    }

    @Test(arguments: [false, true])
    func `models in use follow, whatever was done before`(_ isList: Bool) async throws {
        try await fill()
        let entry = try await store.lookup(Entry.self, identifier: "e-a1").value
        if isList {
            _ = try await store.saveList(Account.self, []).value
        } else {
            try await store.deleteAll(Account.self).value
        }
        expect(entry.account.value == nil)
        let next = try await store.create(Account()).value
        entry.account.value = next
        _ = try await store.update(entry).value
    }

    @Test(arguments: [false, true])
    func `what is gone leaves loaded relations, and what was never stored stays`(
        _ isList: Bool
    ) async throws {
        let account = try await store.create(Account()).value
        let entries = (0..<3).map { _ in Entry() }
        for entry in entries { entry.account.value = account }
        _ = try await store.create([entries[0], entries[1]]).value
        if isList {
            _ = try await store.saveList(Entry.self, [entries[0]]).value
        } else {
            try await store.deleteAll(Entry.self).value
        }
        let left = isList ? [entries[0], entries[2]] : [entries[2]]
        expect(account.entries.value, equals: left)
        _ = try await store.save(account, including: \.entries).value
        try await expect(store.list(Entry.self).value, equals: left)
    }

    @Test func `keys lead to none that a list has not, and lists stay as they are`() async throws {
        try await fill()
        let second = try await store.lookup(Account.self, identifier: "a2").value
        _ = try await store.saveList(Account.self, [second], includeRelated: false).value
        try await expect(
            records(),
            equals: [
                "a2 \"a1\"", "e-a1 null", "e-a2 \"a2\"", "n-a2 \"a2\"", "t [\"a2\"]",
            ]
        )
    }

    @Test(arguments: [false, true])
    func `where one is needed, nothing is done`(_ isList: Bool) async throws {
        try await fill(sealed: ["a1"])
        let before = try await records()
        let second = try await store.lookup(Account.self, identifier: "a2").value
        await #expect(
            throws: StoreError.validation([
                Issue(
                    code: "needed",
                    path: [.key("account")],
                    message:
                        "of Seal s is Account a1, which cannot be deleted while it is needed there",
                    parameters: ["type": "Seal", "identifier": "s", "field": "account"]
                )
            ])
        ) {
            if isList {
                _ = try await store.saveList(Account.self, [second]).value
            } else {
                try await store.deleteAll(Account.self).value
            }
        }
        try await expect(records(), equals: before)
    }

    @Test func `models in use and loaded relations follow`() async throws {
        try await fill()
        let account = try await store.lookup(Account.self, identifier: "a2").value
        let entries = try await store.load(account, \.entries).value
        let note = try await store.lookup(Note.self, identifier: "n-a2").value
        try await store.deleteAll(Account.self).value
        expect(entries.map { $0.account.value == nil }, equals: [true])
        _ = try await store.update(entries[0]).value
        await #expect(throws: StoreError.notFound(type: "Note", identifier: "n-a2")) {
            _ = try await store.update(note).value
        }
    }
}
