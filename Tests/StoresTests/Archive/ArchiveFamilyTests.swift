import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

// Safe: its properties are constants of types that guard themselves.
private class Animal: ModelObject, @unchecked Sendable {
    let id = Field<Int>()
    let name = Field<String>()

    override class var subclasses: [ModelObject.Type] { [Dog.self, Cat.self] }

    static func named(_ name: String) -> Self {
        let animal = Self()
        animal.name.value = name
        return animal
    }
}

// Safe: as the one above.
private final class Dog: Animal, @unchecked Sendable {
    let breed = Field<String>()
}

// Safe: as the one above.
private final class Cat: Animal, @unchecked Sendable {
    let lives = Field<Int>()
}

/// Models of a class and of those that inherit from it, in an archive.
@Suite struct ArchiveFamilyTests {
    @Test func `a list of a class keeps its models whole, in its order, and as their own class`()
        async throws
    {
        let directory = try Directory()
        let (rex, tom) = (Dog.named("Rex"), Cat.named("Tom"))
        (rex.breed.value, tom.lives.value) = ("terrier", 9)
        let animals = [tom, Animal.named("Any"), rex, Cat.named("Kit")]
        var store = try ArchiveModelStore(directory: directory.path)
        try await expect(store.saveList(Animal.self, animals).value, equals: animals)
        rex.breed.value = "poodle"
        _ = try await store.update(rex).value
        try await expect(store.list(Animal.self).value, equals: animals)
        try await store.close().value
        store = try ArchiveModelStore(directory: directory.path)
        let found = try await store.list(Animal.self).value
        expect(found.map(\.name.value), equals: ["Tom", "Any", "Rex", "Kit"])
        expect((found[0] as? Cat)?.lives.value, equals: 9)
        expect((found[2] as? Dog)?.breed.value, equals: "poodle")
        try await expect(store.list(Dog.self).value.count, equals: 1)
    }

    @Test func `a list of a class takes the place of those of its subclasses, too`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let (rex, tom, any) = (Dog.named("Rex"), Cat.named("Tom"), Animal.named("Any"))
        for animal in [rex, tom, any] { _ = try await store.create(animal).value }
        _ = try await store.saveList(Animal.self, [tom]).value
        try await expect(store.list(Animal.self).value, equals: [tom])
        // It stands for no record any more, though another class has its identifier.
        rex.breed.value = "terrier"
        _ = try await store.save(rex).value
        try await expect(store.list(Animal.self).value.count, equals: 2)
        _ = try await store.saveList(Animal.self, []).value
        try await expect(store.list(Animal.self).value.isEmpty)
    }

    @Test func `all models of a class are deleted with those of its subclasses`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let (rex, any) = (Dog.named("Rex"), Animal.named("Any"))
        for animal in [rex, any] { _ = try await store.create(animal).value }
        try await store.deleteAll(Animal.self).value
        try await expect(store.list(Animal.self).value.isEmpty)
        try await expect(store.list(Dog.self).value.isEmpty)
        _ = try await store.save(rex).value
        try await expect(store.list(Animal.self).value, equals: [rex])
    }
}
