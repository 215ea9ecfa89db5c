import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Note: Model {
    let id = Field<String>()
    let extra = Field<AttributeValue>()
    let all = Field<AttributeValue>()*
    let inner = ModelField<Inner>()
}

private final class Inner: Model {
    let extra = Field<AttributeValue>()
}

@Suite struct StoredNullTests {
    private let store = MemoryModelStore()

    private func makeNote() -> Note {
        let note = Note(), inner = Inner()
        note.id.value = "n"
        note.extra.value = 3
        note.all.value = [1, .null]
        inner.extra.value = 4
        note.inner.value = inner
        return note
    }

    private func setNull() async throws {
        let values: [FieldKey: AttributeValue] = ["extra": nil, "inner": ["extra": nil]]
        let write = RecordWrite(.update("n", values, revision: nil), of: Note.schema)
        _ = try await store.records.perform([write]).value
    }

    // A value that is `.null` is not nil.
    private func expectNil(_ note: Note) {
        expect(note.extra.value.map(\.kind), equals: nil)
        expect(note.inner.value?.extra.value.map(\.kind), equals: nil)
        expect(note.inner.value != nil)
        expect(note.all.value, equals: [1, .null], "an element is a value")
    }

    @Test func `what is null in a store is nil in a model in use`() async throws {
        let note = makeNote()
        _ = try await store.create(note).value
        try await setNull()
        try await expect(store.lookup(Note.self, identifier: "n").value === note)
        expectNil(note)
    }

    @Test func `what is null in a store is nil in a new model`() async throws {
        _ = try await store.create(makeNote()).value
        try await setNull()
        let note = try await store.lookup(Note.self, identifier: "n").value
        expectNil(note)
        note.extra.value = 5
        _ = try await store.update(note).value
        try await setNull()
        _ = try await store.list(Note.self, matching: RecordQuery()).value
        expectNil(note)
    }

    @Test func `a null that a model has stays when the store has the same`()
        async throws
    {
        let note = makeNote()
        note.extra.value = .some(.null)
        _ = try await store.create(note).value
        _ = try await store.lookup(Note.self, identifier: "n").value
        expect(note.extra.value, equals: .some(.null))
    }
}
