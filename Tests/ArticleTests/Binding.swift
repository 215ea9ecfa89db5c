import ModelKit
import Testing

@Suite struct Binding {
    @Test func `the examples of the article run`() {
        let name = Field<String>(value: "Ada")
        let label = Field<String>()
        let title = Field<String>()
        name --> label --> title
        name.value = "Grace"
        print(title.value ?? "")  // Grace
        #expect(title.value == "Grace")

        let person = Field<String>(value: "Ada")
        let text = Field<String>()
        text <--> person
        text.value = "Grace"
        print(person.value ?? "")  // Grace
        #expect(person.value == "Grace")

        text.observe(when: .changes) { (value: String?) in
            if let value, value.contains(" ") { text.value = value.filter { $0 != " " } }
        }
        person.value = "Ada L"
        print(text.value ?? "", person.value ?? "")  // AdaL AdaL
        #expect([text.value, person.value] == ["AdaL", "AdaL"])
        text.removeAllObservers()

        name -/-> label
        name.value = "Edsger"
        print(label.value ?? "")  // Grace
        #expect(label.value == "Grace")
    }
}
