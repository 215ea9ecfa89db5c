import ModelKit
import ModelKitSQL

final class Person: Model {
    let id = Field<String>()
    let name = Field<String>(name: "Name").require(.notBlank)
    let age = Field<Int>().require(.greaterThan(0))
    let tags = Field<String>()*
}

let person = Person()
person.name --> { name in print("now called \(name ?? "nobody")") }
print(person.validate())  // invalid(["Name cannot be blank"])

person.name.value = "Bob"
person.age.value = 36
person.tags.append("red")
print(person.dictionaryValue())  // ["name": "Bob", "age": 36, "tags": ["red"]] in some order

let store = try SQLiteModelStore(path: ":memory:")
_ = try await store.create(person).value
let adults = try await store.list(Person.self, where: \.age >= 18).value
print(adults == [person])  // true: one object per record
