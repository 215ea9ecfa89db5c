import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private final class Sample: Model {
    let level = Field<Int>(value: 5).constrain(to: 0...10)
    let colors = Field<String>().constrain(to: ["red", "blue"])*
    let width = Field<Float>().constrain(to: 0...1)
}

@Suite struct DomainImportTests {
    @Test func `a value from outside of its domain is an issue and keeps the old value`() throws {
        let sample = Sample()
        let error = #expect(throws: ImportError.self) {
            try sample.read(dictionaryValue: [
                "level": 11, "colors": ["red", "green"], "width": 0.5,
            ])
        }
        expect(
            error?.issues.map(\.description),
            equals: [
                "level must be less than or equal to 10", "colors[1] must be one of red, blue",
            ]
        )
        expect(sample.level.value, equals: 5)
        expect(sample.level.loadState, equals: .notLoaded)
        expect(sample.colors.value, equals: [])
        expect(sample.width.value, equals: 0.5)
        try sample.read(dictionaryValue: ["level": 10, "colors": ["blue"], "width": nil])
        expect(sample.level.value, equals: 10)
        expect(sample.colors.value, equals: ["blue"])
        expect(sample.width.value, equals: nil)
    }
}
