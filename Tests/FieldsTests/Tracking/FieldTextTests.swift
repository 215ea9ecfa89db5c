import ModelKitFields
import Observation
import Testing

@Test func `the text of a field is never nil, is tracked, and sets nil where it is empty`() {
    let name = Field<String>()
    let told = Counter()
    let path: ReferenceWritableKeyPath<Field<String>, String> = \.text
    withObservationTracking({ #expect(name[keyPath: path] == "") }, onChange: { told.increment() })
    name[keyPath: path] = "Ada"
    #expect(name.value == "Ada")
    #expect(told.value == 1)
    name.text = ""
    #expect(name.value == nil)
    #expect(name.text == "")
}
