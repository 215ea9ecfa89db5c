import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// Lists that are saved with models of which the group has more than they know.
@Suite struct ArchiveShellTests {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
        let age = Field<Int>()
        let company = ModelField<Company>(foreignKey: true)
    }

    final class Company: Model {
        let id = Field<String>()
        let name = Field<String>()
        let town = Field<String>()
    }

    private func stored(_ directory: Directory) async throws {
        try await withStore(directory) { store in
            let (ada, acme) = (Person(), Company())
            (ada.id.value, ada.name.value) = ("a", "Ada")
            (acme.id.value, acme.name.value, acme.town.value) = ("c1", "Acme", "Rome")
            (ada.age.value, ada.company.value) = (36, acme)
            _ = try await store.create(acme).value
            _ = try await store.create(ada).value
        }
    }

    @Test func `what was unloaded stays in a list that is saved`() async throws {
        let directory = try Directory()
        try await stored(directory)
        try await withStore(directory) { store in
            let ada = try await store.lookup(Person.self, identifier: "a").value
            ada.unload()
            ada.age.value = 37
            _ = try await store.saveList(Person.self, [ada]).value
        }
        try await withStore(directory) { store in
            let ada = try await store.lookup(Person.self, identifier: "a").value
            expect(ada.name.value, equals: "Ada")
            expect(ada.age.value, equals: 37)
            expect(ada.company.value?.id.value, equals: "c1")
        }
    }

    @Test func `a list of models that are only foreign keys takes nothing away`() async throws {
        let directory = try Directory()
        try await stored(directory)
        try await withStore(directory) { store in
            let ada = try await store.lookup(Person.self, identifier: "a").value
            let acme = try #require(ada.company.value)
            expect(acme.loadState, equals: .incomplete)
            acme.name.value = "Acme Ltd"
            _ = try await store.saveList(Company.self, [acme]).value
        }
        try await withStore(directory) { store in
            let acme = try await store.lookup(Company.self, identifier: "c1").value
            expect([acme.name.value, acme.town.value], equals: ["Acme Ltd", "Rome"])
        }
    }

    final class Shop: Model {
        let id = Field<String>()
        let owner = ModelField<Owner>(foreignKey: true)
    }

    final class Owner: Model {
        let id = Field<String>()
        let name = Field<String>().require(.required)
        let town = Field<String>()
        let age = Field<Int>(value: 3)
    }

    @Test func `default values of a related model that is not known stay out of the group`()
        async throws
    {
        let directory = try Directory()
        try await withStore(directory) { store in
            let (shop, owner) = (Shop(), Owner())
            (shop.id.value, owner.id.value, owner.name.value) = ("s", "o", "Ada")
            (shop.owner.value, owner.age.value) = (owner, 36)
            _ = try await store.create(owner).value
            _ = try await store.create(shop).value
        }
        try await withStore(directory) { store in
            let shop = try await store.lookup(Shop.self, identifier: "s").value
            shop.owner.value?.town.value = "Rome"
            _ = try await store.saveList(Shop.self, [shop]).value
        }
        try await withStore(directory) { store in
            let owner = try await store.lookup(Owner.self, identifier: "o").value
            expect([owner.name.value, owner.town.value], equals: ["Ada", "Rome"])
            expect(owner.age.value, equals: 36)
        }
        // The rules of what is not known are asked only where nothing is stored of it.
        try await withStore(directory) { store in
            let shop = try await store.lookup(Shop.self, identifier: "s").value
            let owner = try #require(shop.owner.value)
            _ = try await store.saveList(Owner.self, [owner]).value
            _ = try await store.records.perform([
                RecordWrite(.delete("o", revision: nil), of: Owner.schema)
            ]).value
            await #expect {
                try await store.saveList(Owner.self, [owner]).value
            } throws: { error in
                (error as? StoreError)?.issues.map(\.path.description) == ["[0].name"]
            }
            // Of a related one they are not, which is new then with all that it has.
            owner.town.value = "Pisa"
            _ = try await store.saveList(Shop.self, [shop]).value
            let record = try await store.records.record("o", of: Owner.schema).value
            expect(record?.values["age"], equals: 3)
            expect(record?.values["town"], equals: "Pisa")
        }
    }
}
