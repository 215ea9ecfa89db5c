import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private let epoch = Date(timeIntervalSince1970: 1_000)

final class Book: Model {
    let bookID = Field<Int>(key: "bookID").identifier()
    let longTitle = Field<String>()
    let published = Field<Date>()
    let editions = Field<Date>()*
    let mainAuthor = ModelField<Writer>()
    let coAuthors = ModelField<Writer>()*
    let place = Field<String>(key: ["homeShelf", "rowNumber"])
}

final class Writer: Model {
    let writerID = Field<Int>().identifier()
    let fullName = Field<String>()
    let born = Field<Date>()
    let bestBook = ModelField<Book>()
}

private func sampleBook() -> Book {
    let writer = Writer()
    writer.writerID.value = 7
    writer.fullName.value = "Ada"
    writer.born.value = epoch
    let book = Book()
    book.bookID.value = 1
    book.longTitle.value = "On Notes"
    book.published.value = epoch
    book.editions.value = [epoch, Date(timeIntervalSince1970: 2_000.5)]
    book.mainAuthor.value = writer
    book.coAuthors.value = [writer]
    book.place.value = "B4"
    return book
}

@Suite struct ContextTests {
    @Test func `keys have the context's case at every level, also those that are given`() throws {
        let context = ValueTransformerContext(name: "api", keyCase: .snake)
        let book = sampleBook()
        let dictionary = book.dictionaryValue(in: context)
        let writer: AttributeValue = [
            "writer_id": 7, "full_name": "Ada", "born": .date(epoch),
        ]
        expect(
            dictionary,
            equals: [
                "book_id": 1, "long_title": "On Notes", "published": .date(epoch),
                "editions": [.date(epoch), .date(Date(timeIntervalSince1970: 2_000.5))],
                "main_author": writer, "co_authors": [writer],
                "home_shelf": ["row_number": "B4"],
            ]
        )
        let copy = try Book(dictionaryValue: dictionary, in: context)
        expect(copy.dictionaryValue(), equals: book.dictionaryValue())
        expect(copy.place.value, equals: "B4")
    }

    @Test func `a cycle ends with the identifier in the context's form`() {
        let book = sampleBook()
        book.mainAuthor.value?.bestBook.value = book
        book.coAuthors.value = []
        var context = ValueTransformerContext(name: "api", keyCase: .upperCamel)
        context.transform(Int.self, with: .text)
        let author = book.dictionaryValue(in: context)["MainAuthor"]
        expect(
            author,
            equals: [
                "WriterID": "7", "FullName": "Ada", "Born": .date(epoch),
                "BestBook": ["BookID": "1"],
            ]
        )
    }

    @Test func `a type has its form in models, in arrays and in both directions`() throws {
        var context = ValueTransformerContext(name: "api")
        context.transform(Date.self, with: .epochSeconds)
        let book = sampleBook()
        let dictionary = book.dictionaryValue(in: context)
        expect(dictionary["published"], equals: 1_000)
        expect(dictionary["editions"], equals: [1_000, 2_000.5])
        guard case .dictionary(let author)? = dictionary["mainAuthor"],
            case .array(let authors)? = dictionary["coAuthors"],
            case .dictionary(let coAuthor)? = authors.first
        else {
            Issue.record("no authors: \(dictionary)")
            return
        }
        expect(author["born"], equals: 1_000)
        expect(coAuthor["born"], equals: 1_000)
        let copy = try Book(dictionaryValue: dictionary, in: context)
        expect(copy.dictionaryValue(), equals: book.dictionaryValue())
        expect(book.dictionaryValue()["published"], equals: .date(epoch), "others are as before")
    }

    final class Dates: Model {
        let plain = Field<Date>()
        let own = Field<Date>().transform(with: .epochSeconds)
        let special = Field<Date>().transform(with: .epochMilliseconds, in: .api)
        let both = Field<Date>().transform(with: .epochSeconds)
            .transform(with: .epochMilliseconds, in: .api)
        let many = Field<Date>().transform(with: .epochMilliseconds, in: .api)*
    }

    @Test func `a field's form in the context comes before the type's, and that before its own`()
        throws
    {
        let dates = Dates()
        for field in [dates.plain, dates.own, dates.special, dates.both] { field.value = epoch }
        dates.many.value = [epoch]
        func forms(_ context: ValueTransformerContext) throws -> [AttributeValue?] {
            let dictionary = dates.dictionaryValue(in: context)
            let copy = try Dates(dictionaryValue: dictionary, in: context)
            expect(copy.dictionaryValue(), equals: dates.dictionaryValue())
            return ["plain", "own", "special", "both", "many"].map { dictionary[$0] }
        }
        let date = AttributeValue.date(epoch)
        try expect(forms(.default), equals: [date, 1_000, date, 1_000, [date]])
        try expect(forms(.api), equals: [date, 1_000, 1_000_000, 1_000_000, [1_000_000]])
        var typed = ValueTransformerContext.api
        typed.transform(Date.self, with: .rfc3339)
        let text: AttributeValue = "1970-01-01T00:16:40Z"
        try expect(forms(typed), equals: [text, text, 1_000_000, 1_000_000, [1_000_000]])
        let child = ValueTransformerContext(name: "child", parent: typed)
        try expect(forms(child), equals: [text, text, 1_000_000, 1_000_000, [1_000_000]])
        var typedChild = ValueTransformerContext(name: "child", parent: .api)
        typedChild.transform(Date.self, with: .rfc3339)
        try expect(forms(typedChild), equals: [text, text, text, text, [text]])
        var named = ValueTransformerContext.default
        named.transform(Date.self, with: .rfc3339)
        try expect(forms(named), equals: [text, 1_000, text, 1_000, [text]])
    }

    @Test func `a context is a value, and a child starts as its parent`() {
        let parent = ValueTransformerContext(name: "parent", keyCase: .kebab, explicitNull: false)
        var child = ValueTransformerContext(name: "child", parent: parent)
        expect(child.keyCase, equals: .kebab)
        expect(!child.explicitNull)
        let before = child
        child.keyCase = nil
        child.explicitNull = true
        expect(before.keyCase, equals: .kebab)
        expect(child.keyCase, equals: nil)
        expect(child.explicitNull)
        expect(child.description, equals: "child < parent")
        expect(ValueTransformerContext.default.description, equals: "default")
    }

    @Test(arguments: [true, false])
    func `nil that was set is null or absent at every level, never set absent`(isExplicit: Bool) {
        let context = ValueTransformerContext(name: "api", explicitNull: isExplicit)
        let writer = Writer()
        writer.fullName.value = nil
        let book = Book()
        book.longTitle.value = nil
        book.place.value = nil
        book.mainAuthor.value = writer
        book.coAuthors.value = nil
        expect(
            book.dictionaryValue(in: context),
            equals: (isExplicit
                ? [
                    "longTitle": nil, "mainAuthor": ["fullName": nil], "coAuthors": nil,
                    "editions": [], "homeShelf": ["rowNumber": nil],
                ] : ["mainAuthor": [:], "editions": []])
        )
    }

    final class Alike: Model {
        let userId = Field<Int>()
        let userID = Field<Int>()
        let user_id = Field<Int>()
    }

    @Test func `fields whose keys would be the same keep their own`() throws {
        let context = ValueTransformerContext(name: "api", keyCase: .snake)
        let model = Alike()
        model.userId.value = 1
        model.userID.value = 2
        model.user_id.value = 3
        let messages = Collector<Diagnostic>()
        let dictionary = ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            model.dictionaryValue(in: context)
        }
        expect(dictionary, equals: ["userId": 1, "userID": 2, "user_id": 3])
        expect(messages.values.map(\.field), equals: ["userId", "userID"])
        let copy = try Alike(dictionaryValue: dictionary, in: context)
        expect(copy.dictionaryValue(), equals: model.dictionaryValue())
        expect(messages.values.count, equals: 2, "it is said once")
    }

    @Test func `a type of models has its form in fields and arrays`() throws {
        var context = ValueTransformerContext(name: "short")
        context.transform(
            Writer.self,
            with: FieldTransformer(
                kind: .int,
                export: { writer in writer.writerID.value.map { .int(Int64($0)) } ?? .null },
                import: { value throws(ModelKitFields.Issue) in
                    let writer = Writer()
                    writer.writerID.value = try Int(attributeValue: value)
                    return writer
                }
            )
        )
        let dictionary = sampleBook().dictionaryValue(in: context)
        expect(dictionary["mainAuthor"], equals: 7)
        expect(dictionary["coAuthors"], equals: [7])
        let copy = try Book(dictionaryValue: dictionary, in: context)
        expect(copy.coAuthors[0]?.writerID.value, equals: 7)
        expect(copy.mainAuthor.value?.writerID.value, equals: 7)
    }

    @Test func `a copy of a field has its forms`() {
        let field = Field<Date>(value: epoch).transform(with: .epochSeconds, in: .api)
        let copy = field.copy()
        final class Holder: Model {
            let date: Field<Date>
            init() { date = Field() }
            init(_ field: Field<Date>) { date = field }
        }
        expect(Holder(copy).dictionaryValue(in: .api), equals: ["date": 1_000])
    }

    @Test func `some fields are written`() {
        let book = sampleBook()
        expect(
            book.dictionaryValue(fields: [book.longTitle, book.place]),
            equals: ["longTitle": "On Notes", "homeShelf": ["rowNumber": "B4"]]
        )
        expect(book.dictionaryValue(fields: []), equals: [:])
    }

    @Test func `what is wrong has the path that the dictionary has`() {
        let context = ValueTransformerContext(name: "api", keyCase: .snake)
        #expect {
            try Book(
                dictionaryValue: [
                    "long_title": 1, "home_shelf": ["row_number": true],
                    "co_authors": [["full_name": "x"], ["full_name": 3]],
                ],
                in: context
            )
        } throws: { error in
            (error as? ImportError)?.issues.map(\.path.description) == [
                "long_title", "co_authors[1].full_name", "home_shelf.row_number",
            ]
        }
    }

    @Test func `many threads share a context`() async {
        var context = ValueTransformerContext(name: "api", keyCase: .snake)
        context.transform(Date.self, with: .epochSeconds)
        let shared = context
        let expected = sampleBook().dictionaryValue(in: shared)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<50).allSatisfy { _ in
                        sampleBook().dictionaryValue(in: shared) == expected
                    }
                }
            }
            for await isSame in group { expect(isSame) }
        }
    }
}

extension ValueTransformerContext {
    fileprivate static let api = ValueTransformerContext(name: "api")
}
