import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@Suite struct SQLiteCascadeTests {
    private final class Tree: Model {
        let id = Field<String>()
        let note = Field<String>()
        let parts = ModelField<Tree>(foreignKey: true, cascadeDelete: true)*

        convenience init(_ id: String) {
            self.init()
            self.id.value = id
        }
    }

    @Test(arguments: [false, true])
    func `a deletion that has to read first keeps its place`(_ isBehindAnother: Bool) async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteModelStore(path: directory.file())
        _ = try await store.records.perform([
            RecordWrite(.create("1", ["parts": ["2"]]), of: Tree.schema),
            RecordWrite(.create("2", [:]), of: Tree.schema),
        ]).value
        let root = try await store.lookup(Tree.self, identifier: "1").value
        var update: Promise<Tree>?
        if isBehindAnother {
            root.note.value = "new"
            update = store.update(root)
        }
        let deletion: Promise = store.delete(root)
        let left: Promise = store.list(Tree.self)
        let creation: Promise = store.create(Tree("1"))
        _ = try await update?.value
        _ = try await deletion.value
        // A list may see later writes.
        let found = try await left.value
        expect(!found.contains { $0 === root || $0.id.value == "2" })
        _ = try await creation.value
        try await expect(store.list(Tree.self).value.map(\.id.value), equals: ["1"])
    }
}
