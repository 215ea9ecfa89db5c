import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

private final class Wide: Model {
    let id = Field<Int>()
    let f0 = Field<Int>()
    let f1 = Field<Int>()
    let f2 = Field<Int>()
    let f3 = Field<Int>()
    let f4 = Field<Int>()
    let f5 = Field<Int>()
    let f6 = Field<Int>()
    let f7 = Field<Int>()
    let f8 = Field<Int>()
    let f9 = Field<Int>()
    let f10 = Field<Int>()
    let f11 = Field<Int>()
    let f12 = Field<Int>()
    let f13 = Field<Int>()
    let f14 = Field<Int>()
    let f15 = Field<Int>()
    let f16 = Field<Int>()
    let f17 = Field<Int>()
    let f18 = Field<Int>()
    let f19 = Field<Int>()
    let f20 = Field<Int>()
    let f21 = Field<Int>()
    let f22 = Field<Int>()
    let f23 = Field<Int>()
    let f24 = Field<Int>()
    let f25 = Field<Int>()
    let f26 = Field<Int>()
    let f27 = Field<Int>()
    let f28 = Field<Int>()
    let f29 = Field<Int>()
    let f30 = Field<Int>()
    let f31 = Field<Int>()
    let f32 = Field<Int>()
    let f33 = Field<Int>()
    let f34 = Field<Int>()
    let f35 = Field<Int>()
    let f36 = Field<Int>()
    let f37 = Field<Int>()
    let f38 = Field<Int>()
    let f39 = Field<Int>()
    let f40 = Field<Int>()
    let f41 = Field<Int>()
    let f42 = Field<Int>()
    let f43 = Field<Int>()
    let f44 = Field<Int>()
    let f45 = Field<Int>()
    let f46 = Field<Int>()
    let f47 = Field<Int>()
    let f48 = Field<Int>()
    let f49 = Field<Int>()
    let f50 = Field<Int>()
    let f51 = Field<Int>()
    let f52 = Field<Int>()
    let f53 = Field<Int>()
    let f54 = Field<Int>()
    let f55 = Field<Int>()
    let f56 = Field<Int>()
    let f57 = Field<Int>()
    let f58 = Field<Int>()
    let f59 = Field<Int>()
    let f60 = Field<Int>()
    let f61 = Field<Int>()
    let f62 = Field<Int>()
    let f63 = Field<Int>()
    let f64 = Field<Int>()
    let f65 = Field<Int>()
    let f66 = Field<Int>()
    let f67 = Field<Int>()
    let f68 = Field<Int>()
    let f69 = Field<Int>()
}

@Suite struct SQLiteWideTests {
    @Test func `columns beyond the 64th are updated, alone and with others`() async throws {
        let store = try SQLiteModelStore(path: ":memory:")
        let model = Wide()
        (model.id.value, model.f2.value, model.f66.value, model.f69.value) = (1, 2, 66, 69)
        try await store.create(model)
        model.f69.value = -69
        try await store.update(model)
        (model.f2.value, model.f66.value) = (-2, -66)
        try await store.update(model)
        model.f2.value = 3
        try await store.update(model)
        (model.f2.value, model.f66.value) = (4, 67)
        try await store.update(model)
        let record = try await store.records.record(1, of: Wide.schema).value
        expect(record?.revision, equals: 5)
        expect(
            ["f2", "f66", "f69", "f3"].map { record?[FieldKey($0)] },
            equals: [4, 67, -69, .null]
        )
    }
}
