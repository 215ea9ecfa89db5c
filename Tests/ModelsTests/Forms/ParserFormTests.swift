import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

struct ParserFormTests {
    @Test func `a form with text that is no value is not submitted`() async throws {
        let (text, age) = (Field<String>(), Field<Int>(value: 36))
        text.bind(to: age, by: .trimmed.orNil.then(.integer).then(.range(0...150)))
        let form = Form(["age": text])
        text.value = "3x"
        expect(form.validate(), equals: .invalid(["age must be a whole number"]))
        await #expect(throws: FormError.self) {
            try await form.submit { Testing.Issue.record("it was submitted") }
        }
        text.value = "37"
        expect(age.value, equals: 37)
        try await expect(form.submit { age.value }, equals: 37)
        text.value = "x"
        form.discard()
        expect(text.value, equals: "37")
        expect(form.validate(), equals: .valid)
    }
}
