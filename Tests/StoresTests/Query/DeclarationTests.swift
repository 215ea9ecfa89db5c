import ModelKitFields
import ModelKitModels
import ModelKitStores
import Synchronization
import TestSupport
import Testing

private final class Company: Model {
    let id = Field<String>()
}

private final class Person: Model {
    let id = Field<String>()
    let email = Field<String>(name: "E-mail").require(.notBlank).unique()
    let city = Field<String>().indexed()
    let age = Field<Int>()
    let company = ModelField<Company>(foreignKey: true)
    let passport = ModelField<Company>(foreignKey: true).unique()
    let companies = ModelField<Company>(foreignKey: true)*
    let home = ModelField<Company>()
}

private final class Listed: Model {
    let id = Field<String>()
    let city = Field<String>().indexed()

    static var declaredFields: [FieldDeclaration]? {
        [FieldDeclaration("id", \Listed.id), FieldDeclaration("city", \Listed.city)]
    }
}

private class Animal: ModelObject, @unchecked Sendable {
    let id = Field<String>()
    let name = Field<String>().unique()
}

private final class Dog: Animal, @unchecked Sendable {
    let breed = Field<String>().indexed()
}

private final class Odd: Model {
    let id = Field<String>()
    let home = ModelField<Company>().indexed()
}

@Suite struct DeclarationTests {
    @Test func `the schema says which fields are indexed and unique`() {
        let fields = Person.schema.fields
        expect(
            fields.filter(\.isIndexed).map(\.name),
            equals: ["email", "city", "company", "passport"]
        )
        expect(fields.filter(\.isUnique).map(\.name), equals: ["email", "passport"])
        expect(
            Person.schema.description,
            equals: """
                Person: id (string, identifier), email (string, unique) [notBlank], \
                city (string, indexed), age (int), company (Company, foreign key), \
                passport (Company, foreign key, unique), \
                companies (array of Company, foreign key), home (Company)
                """
        )
        expect(Listed.schema.entry(named: "city")?.isIndexed, equals: true)
        expect(Dog.schema.fields.filter(\.isIndexed).map(\.name), equals: ["name", "breed"])
        expect(Dog.schema.entry(named: "name")?.isUnique, equals: true)
    }

    @Test func `a copy of a field asks for the same`() {
        final class Copied: Model {
            let id = Field<String>()
            let number = Field<Int>().unique().copy()
        }
        expect(Copied.schema.entry(named: "number")?.isUnique, equals: true)
    }

    @Test func `a field whose values have no order is not indexed, and that is reported`() {
        let messages = Mutex<[String]>([])
        ModelKitDiagnostics.withHandler({ diagnostic in
            messages.withLock { $0.append(diagnostic.message) }
        }) {
            expect(Odd.schema.fields.filter(\.isIndexed).isEmpty)
        }
        expect(
            messages.withLock { $0 },
            equals: [
                "Odd.home cannot be indexed or unique, as its values have no order"
            ]
        )
    }
}
