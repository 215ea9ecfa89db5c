import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

// Safe: its properties are constants of types that guard themselves.
private class Animal: ModelObject, @unchecked Sendable {
    let id = Field<Int>()
    let name = Field<String>()
    let age = Field<Int>()

    override class var subclasses: [ModelObject.Type] { [Dog.self, Cat.self] }
}

// Safe: as the one above.
private final class Dog: Animal, @unchecked Sendable {
    let breed = Field<String>()
}

// Safe: as the one above.
private final class Cat: Animal, @unchecked Sendable {
    let lives = Field<Int>()
}

/// Models of a class and of those that inherit from it.
@Suite struct FamilyTests {
    private func animal(_ animal: Animal, _ name: String, _ age: Int?) -> Animal {
        animal.name.value = name
        animal.age.value = age
        return animal
    }

    @Test func `pages leave out no model whose identifier another class has, too`() async throws {
        let store = MemoryModelStore()
        let animals = [
            animal(Dog(), "Rex", 3), animal(Cat(), "Tom", 3), animal(Animal(), "Any", 3),
            animal(Dog(), "Fido", nil), animal(Cat(), "Kit", nil), animal(Cat(), "Old", 9),
        ]
        for animal in animals { _ = try await store.create(animal).value }
        expect(animals[0].id.value == 1 && animals[1].id.value == 1)
        for ordering in [Ordering<Animal>.ascending(\.age), .descending(\.age)] {
            for condition in [nil, \.name != "Tom"] as [Condition<Animal>?] {
                let all = try await store.list(Animal.self, where: condition, orderBy: ordering)
                    .value
                expect(all.count, equals: (condition == nil ? 6 : 5))
                for limit in 1...3 {
                    var found: [Animal] = []
                    var next: PageCursor?
                    repeat {
                        let page = try await store.page(
                            Animal.self,
                            where: condition,
                            orderBy: ordering,
                            limit: limit,
                            after: next
                        ).value
                        found += page.items
                        next = try page.next.map { try #require(PageCursor($0.description)) }
                    } while next != nil && found.count < 10
                    expect(found, equals: all)
                }
            }
        }
    }

    @Test func `a cursor that somebody has written is no cause to stop`() async throws {
        let store = MemoryModelStore()
        for index in 0..<3 { _ = try await store.create(animal(Animal(), "\(index)", index)).value }
        let text = try #require(try await store.page(Animal.self, limit: 1).value.next?.description)
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let plain = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        let content = String(decoding: try #require(Data(base64Encoded: plain)), as: UTF8.self)
        let forged = content.replacing("],1,1,", with: "],1,\(Int64.min),")
        expect(forged != content)
        let cursor = try #require(PageCursor(Data(forged.utf8).base64EncodedString()))
        let page = try await store.page(Animal.self, limit: 5, after: cursor).value
        expect(page.items.count, equals: 3)
    }
}
