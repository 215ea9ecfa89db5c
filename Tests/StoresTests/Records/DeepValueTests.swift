import ModelKitFields
import ModelKitModels
import ModelKitStores
import Testing

private final class Note: Model {
    let id = Field<Int>()
    let anything = Field<AttributeValue>()
}

@Suite struct DeepValueTests {
    @Test(arguments: [
        (250, AttributeValue.int(1), "is nested too deep"),
        (60, .double(.nan), "is nan"),
        (60, .dictionary(["a": .double(.infinity)]), "is inf"),
    ])
    func `what no store can keep is refused at once, however deep it stands`(
        depth: Int,
        inner: AttributeValue,
        reason: String
    ) async throws {
        let note = Note()
        note.anything.value = (0..<depth).reduce(inner) { value, _ in .array([value]) }
        await #expect(
            throws: StoreError.unsupported("Note.anything \(reason), which cannot be stored")
        ) { try await MemoryModelStore().create(note) }
    }
}
