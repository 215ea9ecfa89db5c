import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Types that forget `linkFields()`, or declare inverses that do not fit.
@Suite struct UnlinkedModelTests {
    final class Shelf: Model {
        let books = ModelField<Book>(inverse: \.shelf)*
        init() { linkFields() }
    }

    final class Book: Model {
        let shelf = ModelField<Shelf>()
    }

    @Test func `a type that does not link the side that is not declared is reported, once`() {
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            let shelf = Shelf(), book = Book()
            shelf.books.append(book)
            expect(book.shelf.value, equals: shelf, "the declared side sets both")
            book.shelf.value = nil
            expect(shelf.books.value, equals: [], "and links the other")
            _ = Shelf()
        }
        expect(
            messages.values.map(\.message),
            equals: [
                "Book.shelf and Shelf.books are inverses, but the init of Book does not call "
                    + "linkFields()"
            ]
        )
        expect(messages.values.map(\.code), equals: [.modelDeclaration])
    }

    final class Box: Model {
        let things = ModelField<Thing>(inverse: \.box)*
        let first = ModelField<Thing>(inverse: \.box)
    }

    final class Thing: Model {
        let box = ModelField<Box>()
    }

    @Test func `a field whose type does not link the declared side is reported when it is set`() {
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            let box = Box()
            box.things.append(Thing())
            box.things.append(Thing())
            box.first.value = Thing()
            expect(box.things.count, equals: 2)
        }
        expect(messages.values.count, equals: 2)
        expect(messages.values.allSatisfy { $0.message.contains("linkFields()") })
    }

    final class Zoo: Model {
        let animals = ModelField<Animal>(inverse: \.zoo)*
        let stars = ModelField<Animal>(inverse: \.zoo)*
        init() { linkFields() }
    }

    final class Animal: Model {
        let zoo = ModelField<Zoo>()
        init() { linkFields() }
    }

    @Test func `a field that is the inverse of two is reported and has one`() {
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            let zoo = Zoo(), animal = Animal()
            animal.zoo.value = zoo
            expect(zoo.animals.value, equals: [animal])
            zoo.stars.append(animal)
            expect(zoo.stars.value, equals: [animal])
        }
        expect(messages.values.contains { $0.message.contains("inverse of both") })
    }
}
