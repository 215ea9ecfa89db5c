import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private final class Part: Model {
    let id = Field<Int>()
}

private final class Whole: Model {
    let named = ModelField<Part>(name: "Named")
    let part = ModelField<Part>()
    let parts = ModelField<Part>()*
    let plain = Field<Part>()
}

/// Fields of models have a form without being given one.
@Suite struct ModelFormTests {
    private let part: Part = {
        let part = Part()
        part.id.value = 1
        return part
    }()

    @Test func `a field of models has the form of its class, and another field of its values none`()
    {
        let whole = Whole()
        whole.named.value = part
        whole.part.value = part
        whole.parts.value = [part]
        whole.plain.value = part
        expect(
            whole.dictionaryValue(),
            equals: [
                "named": ["id": 1], "part": ["id": 1], "parts": [["id": 1]],
            ]
        )
        expect(Whole.schema.fields.map(\.name), equals: ["named", "part", "parts"])
        expect(Whole.schema.fields.map(\.kind), equals: [.dictionary, .dictionary, .array])
    }

    @Test func `a field of models is given another form, which its copy has, too`() throws {
        let number = FieldTransformer<Part>(
            kind: .int,
            export: { $0.id.value.map { .int(Int64($0)) } ?? .null },
            import: { _ throws(ModelKitFields.Issue) in Part() }
        )
        let field = ModelField<Part>().transform(with: number)
        field.value = part
        expect(field.description, equals: "1")
        expect(field.copy().description, equals: "1")
        let several = ModelField<Part>().transform(with: number)*
        several.value = [part]
        expect(several.description, equals: "[1]")
        expect(several.copy().description, equals: "[1]")
    }

    @Test func `a copy has the form, and nothing of what the element's field was given later`() {
        let several = ModelField<Part>()*
        several.inner.require("never") { _ in false }
        several.inner.transform(with: FieldTransformer(export: { _ in 7 }, import: { _ in Part() }))
        several.value = [part]
        let copy = several.copy()
        expect(several.description, equals: #"[["id": 1]]"#)
        expect(copy.description, equals: several.description)
        let field = ModelField<Part>()
        field.value = part
        expect(field.copy().description, equals: field.description)
    }
}
