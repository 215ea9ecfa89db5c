import ModelKitFields

// With the members of what the fields are made of, in a module below.
private func use() -> [String] {
    let name = Field<String>().require(.notBlank)
    let loud = Computed { name.value?.uppercased() }
    name.validate()
    let issues: [Issue] = name.issues
    let value: AttributeValue = .string("a")
    return issues.map(\.message) + [value.kind, loud.value ?? ""]
        + Rule<String>.email.issues(for: "a").map(\.code)
}
