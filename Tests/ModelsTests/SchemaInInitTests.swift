import ModelKitFields
import ModelKitModels
import Testing

@Suite struct SchemaInInitTests {
    final class Asking: Model {
        let id = Field<String>(value: "a")
        let name = Field<String>(value: "x").require(.required)
        let changes = Field<Int>(value: 0)
        let texts = Field<String>()*

        init() {
            observe { _ in }
            texts.value = [
                identifier?.description ?? "none", description, "\(validate())",
                self["name"] as? String ?? "none",
            ]
            visitAllFields { texts.append($0.valueType == Int.self ? "number" : "other") }
            try? read(dictionaryValue: ["name": "y"])
        }
    }

    @Test func `a model can ask for its fields when it is made`() {
        let model = Asking()
        #expect(model.name.value == "y")
        let texts = model.texts.value ?? []
        #expect(texts.prefix(1) == ["a"])
        #expect(texts.dropFirst().first?.hasPrefix("Asking(id: ") == true)
        #expect(texts.dropFirst(3).first == "x")
        #expect(texts.suffix(4) == ["other", "other", "number", "other"])
        #expect(Asking.schema.fields.map(\.name) == ["id", "name", "changes", "texts"])
    }

    final class Static: Model {
        let name = Field<String>()
        let count = Field<Int>()
        init() { count.value = Static.schema.fields.count }
    }

    @Test func `a type can be asked for its fields when a model is made`() {
        _ = Static()
        #expect(Static().count.value == 2)
        #expect(Static.schema.fields.map(\.name) == ["name", "count"])
    }
}
