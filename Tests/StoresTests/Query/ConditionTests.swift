import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Twins: Model {
    let id = Field<String>()
    let first = Field<Int>(key: "age")
    let second = Field<Int>(key: "age")
}

@Suite struct ConditionTests {
    @Test func `a condition on a field that was left out is refused by its path`() async throws {
        ModelKitDiagnostics.withHandler({ _ in }) { _ = Twins.schema }
        let store = MemoryModelStore()
        let error = await #expect(throws: StoreError.self) {
            try await store.list(Twins.self, where: \.second == 3).value
        }
        expect(error?.description.hasPrefix("Twins has no field \\Twins."), equals: true)
        try await expect(store.list(Twins.self, where: \.first == 3).value.isEmpty)
    }
}
