import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Person: Model {
    let id = Field<String>()
    let home = ModelField<Address>().transform(with: .street)
    let past = ModelField<Address>().transform(with: .street)*
    let plans = (ModelField<Address>()*).transform(with: .array(of: .street))
}

private final class Address: Model {
    let street = Field<String>()

    convenience init(_ street: String) {
        self.init()
        self.street.value = street
    }
}

extension FieldTransformer where Value == Address {
    fileprivate static var street: FieldTransformer {
        FieldTransformer(
            kind: .string,
            export: { .string($0.street.value ?? "") },
            import: { value throws(ModelKitFields.Issue) in
                Address(try String(attributeValue: value))
            }
        )
    }
}

@Suite struct TransformedModelTests {
    @Test func `a transformer of its own hides no edit inside of a model`() async throws {
        let store = MemoryModelStore()
        let person = Person()
        let home = Address("a"), past = Address("b"), plan = Address("c")
        person.home.value = home
        person.past.value = [past]
        person.plans.value = [plan]
        _ = try await store.create(person).value
        home.street.value = "d"
        past.street.value = "e"
        plan.street.value = "f"
        _ = try await store.update(person).value
        let identifier = try #require(person.identifier)
        let record = try await store.records.record(identifier, of: Person.schema).value
        expect(record?.values["home"], equals: "d")
        expect(record?.values["past"], equals: ["e"])
        expect(record?.values["plans"], equals: ["f"])
    }
}
