import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private enum Paint: String, CaseIterable { case red, blue }
private enum Level: Int, CaseIterable { case low = 1, high = 9 }

private final class Shirt: Model {
    let color = EnumField<Paint>(value: .red).require("must not be blue") { $0 != .blue }
    let others = EnumField<Paint>(key: "more")*
    let level = EnumField<Level>()
    let boss = ModelField<Shirt>()
}

@Suite struct EnumFieldTests {
    @Test func `cases are their raw values in dictionaries`() throws {
        let shirt = Shirt()
        try shirt.read(dictionaryValue: ["color": "blue", "more": ["red", "blue"], "level": 9])
        expect(shirt.color.value, equals: .blue)
        expect(shirt.others.value, equals: [.red, .blue])
        expect(shirt.level.value, equals: .high)
        expect(
            shirt.dictionaryValue(),
            equals: ["color": "blue", "more": ["red", "blue"], "level": 9]
        )
        expect(shirt.color.validate(), equals: .invalid(["must not be blue"]))
        expect(shirt.color.domain?.constraint, equals: .oneOf(["red", "blue"]))
    }

    @Test func `an unknown raw value is an issue that names the cases, and the old value stays`() {
        let shirt = Shirt()
        let error = #expect(throws: ImportError.self) {
            try shirt.read(dictionaryValue: ["color": "pink", "more": ["red", "x"], "level": 2])
        }
        expect(
            error?.issues.map(\.description),
            equals: [
                "color must be one of red, blue", "more[1] must be one of red, blue",
                "level must be one of 1, 9",
            ]
        )
        expect(error?.issues.map(\.code), equals: ["oneOf", "oneOf", "oneOf"])
        expect(shirt.color.value, equals: .red)
        expect(shirt.others.value, equals: [])
        expect(shirt.level.value, equals: nil)
        #expect(throws: ImportError.self) { try shirt.read(dictionaryValue: ["color": 1]) }
        expect(shirt.color.value, equals: .red)
    }

    @Test func `a copy of a model field or an enum's field is one`() {
        let shirt = Shirt()
        let color = (shirt.color as AnyField).copy()
        expect(color is EnumField<Paint>)
        expect(color.anyValue as? Paint, equals: .red)
        let boss = Shirt()
        shirt.boss.value = boss
        let copy = (shirt.boss as AnyField).copy()
        expect(copy is ModelField<Shirt>)
        expect(copy.anyValue as? Shirt === boss)
    }
}
