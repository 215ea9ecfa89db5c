import ModelKit

private final class Person: Model {
    let name = Field<String>().require(.notBlank)
    let tags = Field<String>()*
}

private func use(_ store: any ModelStore) throws -> Promise<Person> {
    let person = Person()
    let form = Form(["name": person.name])
    person.name.value = "Ada"
    form.validate()
    let issues: [Issue] = person.name.issues
    print(issues.map(\.message), form.issues.count, Identifier.int(1))
    try form.commit()
    return store.create(person).timeout(.seconds(1))
}
