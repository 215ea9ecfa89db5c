import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
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
        expect(model.name.value, equals: "y")
        let texts = model.texts.value ?? []
        expect(texts.prefix(1), equals: ["a"])
        expect(texts.dropFirst().first?.hasPrefix("Asking(id: "), equals: true)
        expect(texts.dropFirst(3).first, equals: "x")
        expect(texts.suffix(4), equals: ["other", "other", "number", "other"])
        expect(Asking.schema.fields.map(\.name), equals: ["id", "name", "changes", "texts"])
    }

    final class Static: Model {
        let name = Field<String>()
        let count = Field<Int>()
        init() { count.value = Static.schema.fields.count }
    }

    @Test func `a type can be asked for its fields when a model is made`() {
        _ = Static()
        expect(Static().count.value, equals: 2)
        expect(Static.schema.fields.map(\.name), equals: ["name", "count"])
    }

    final class Page: Model {
        let volume = ModelField<Volume>()
        let text = Field<String>()
        init() {
            text.value = "\(Volume().loadState)"
            linkFields()
        }
    }

    final class Volume: Model {
        let pages = ModelField<Page>(inverse: \.volume)*
        init() { linkFields() }
    }

    @Test func `relations that are looked at while a type is being found are found later`() {
        let (page, volume) = (Page(), Volume())
        volume.pages.append(page)
        expect(page.volume.value === volume)
        let other = Page()
        other.volume.value = volume
        expect(volume.pages.value, equals: [page, other])
        volume.unlink()
    }

    final class Host: Model {
        let guests = ModelField<Guest>(inverse: \.host)*
        let text = Field<String>()
        init() {
            text.value = "\(loadState)"
            linkFields()
        }
    }

    final class Guest: Model {
        let host = ModelField<Host>()
    }

    @Test func `what is wrong with a type is said, though a model asks when it is made`() {
        let messages = Collector<String>()
        ModelKitDiagnostics.withHandler({ messages.add($0.message) }) { _ = Host() }
        expect(
            messages.values,
            equals: [
                "Guest.host and Host.guests are inverses, but the init of Guest does not call "
                    + "linkFields()"
            ]
        )
    }

    final class Nest: Model {
        let inner = ModelField<Nest>()
        let text = Field<String>().transform(
            with: FieldTransformer(
                export: { .string($0) },
                import: { value in
                    Deep.counts.add(Deep.schema.fields.count)
                    return "\(value)"
                }
            )
        )
    }

    final class Deep: Model {
        static let counts = Collector<Int>()
        let name = Field<String>()
        let text = Field<String>()
        init() {
            // Without an end, if each of them were to find the type anew.
            guard Self.counts.values.count < 9 else { return }
            var dictionary: AttributeDictionary = ["text": "a"]
            for _ in 0..<300 { dictionary = ["inner": .dictionary(dictionary)] }
            _ = try? Nest(dictionaryValue: dictionary)
        }
    }

    @Test func `a type can be asked for its fields where the stack goes on elsewhere`() throws {
        _ = Nest.schema
        let thread = Thread { _ = Deep.schema }
        thread.stackSize = 256 * 1024
        thread.start()
        while !thread.isFinished { Thread.sleep(forTimeInterval: 0.005) }
        expect(Deep.counts.values.count, equals: 2, "one for each model that the type is found by")
        expect(Deep.schema.fields.map(\.name), equals: ["name", "text"])
    }

    class Blank: ModelObject, @unchecked Sendable {
        static let tasks = Collector<Task<Bool, Never>>()
        let name = Field<String>()
        required init() {
            super.init()
            add(Field<String>(key: "more"))
            Self.tasks.add(Task { [self] in add(Field<String>(key: "name")) })
        }
    }

    @Test func `an object refuses fields that its class has, also while that is being found`()
        async
    {
        let messages = Collector<String>()
        let blank = ModelKitDiagnostics.withHandler({ messages.add($0.message) }) { Blank() }
        expect(blank.dynamicFields.map(\.key), equals: ["more"])
        _ = Blank.schema
        for task in Blank.tasks.values { await expect(task.value, equals: false) }
        expect(messages.values.contains { $0.contains("has a field with the key name already") })
    }

    final class Follower: Model {
        static let received = Collector<String>()
        let name = Field<String>()
        let next = ModelField<Follower>()

        init() { observe("next.name") { Self.received.add($0.description) } }
    }

    @Test func `a model can observe models of its own type when it is made`() {
        let diagnostics = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ diagnostics.add($0) }) {
            let follower = Follower()
            follower.next.value = Follower()
            follower.next.value?.name.value = "Ada"
        }
        expect(diagnostics.values.map(\.description), equals: [])
        expect(Follower.received.values, equals: ["next (+1 -0)", "next.name"])
    }

    final class Lost: Model {
        let next = ModelField<Lost>()
        init() { observe("next.nosuch") { _ in } }
    }

    @Test func `a pattern that leads nowhere is reported per model, not for those of the schema`() {
        let diagnostics = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ diagnostics.add($0) }) { _ = (Lost(), Lost()) }
        expect(diagnostics.values.map(\.code), equals: [.refusedPath, .refusedPath])
    }
}
