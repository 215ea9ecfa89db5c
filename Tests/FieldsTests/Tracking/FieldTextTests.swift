import ModelKitFields
import Observation
import TestSupport
import Testing

@Test func `the text of a field is never nil, is tracked, and sets nil where it is empty`() {
    let name = Field<String>()
    let notifications = Counter()
    let path: ReferenceWritableKeyPath<Field<String>, String> = \.text
    withObservationTracking(
        { expect(name[keyPath: path], equals: "") },
        onChange: { notifications.increment() }
    )
    name[keyPath: path] = "Ada"
    expect(name.value, equals: "Ada")
    expect(notifications.value, equals: 1)
    name.text = ""
    expect(name.value, equals: nil)
    expect(name.text, equals: "")
}
