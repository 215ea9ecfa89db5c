import ModelKit
import Testing

@Suite struct Binding {
    struct NotANumber: Error {}

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

        let input = Field<String>(value: "007")
        let number = Field<Int>()
        input.bind(
            to: number,
            forward: { text in
                guard let number = Int(text ?? "") else { throw NotANumber() }
                return number
            },
            backward: { $0.map(String.init) }
        )
        print(number.value ?? 0, input.value ?? "")  // 7 007: what was typed stays
        #expect(input.value == "007")
        number.value = 8
        print(input.value ?? "")  // 8
        #expect(input.value == "8")
        input.value = "x"
        print(number.value ?? 0, input.validationState != .valid)  // 8 true
        #expect(number.value == 8)
        #expect(input.validationState != .valid)

        let slider = Field<Double>(value: 0)
        let volume = Field<Double>(value: 0.5).constrain(to: 0...1)
        slider <--> volume
        slider.value = 3
        print(slider.value ?? 0, volume.value ?? 0)  // 1.0 1.0
        #expect([slider.value, volume.value] == [1, 1])

        slider.beginEditing()
        volume.value = 0.25
        print(slider.value ?? 0)  // 1.0
        slider.endEditing()
        print(slider.value ?? 0)  // 0.25
        #expect(slider.value == 0.25)

        name -/-> label
        name.value = "Edsger"
        print(label.value ?? "")  // Grace
        #expect(label.value == "Grace")

        let ways = [Field<Int>(), Field<Int>()]
        let start = Field<Int>()
        let end = Field<Int>()
        start --> ways[0] --> end
        start.value = 3
        print(end.value ?? 0)  // 3
        #expect(end.value == 3)
        withExtendedLifetime(ways) {}
    }
}
