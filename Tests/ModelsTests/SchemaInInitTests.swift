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

    final class Follower: Model {
        static let told = Collector<String>()
        let name = Field<String>()
        let next = ModelField<Follower>()

        init() { observe("next.name") { Self.told.add($0.description) } }
    }

    @Test func `a model can observe models of its own type when it is made`() {
        let diagnostics = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ diagnostics.add($0) }) {
            let follower = Follower()
            follower.next.value = Follower()
            follower.next.value?.name.value = "Ada"
        }
        #expect(diagnostics.values.map(\.description) == [])
        #expect(Follower.told.values == ["next (+1 -0)", "next.name"])
    }

    final class Lost: Model {
        let next = ModelField<Lost>()
        init() { observe("next.nosuch") { _ in } }
    }

    @Test func `a pattern that leads nowhere is told of each model, not of those for the schema`() {
        let diagnostics = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ diagnostics.add($0) }) { _ = (Lost(), Lost()) }
        #expect(diagnostics.values.map(\.code) == [.refusedPath, .refusedPath])
    }
}
