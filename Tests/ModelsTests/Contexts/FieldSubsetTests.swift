import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private let brief = ValueTransformerContext(name: "brief", keyCase: .snake)

private final class Post: Model {
    let id = Field<Int>()
    let title = Field<String>()
    let author = ModelField<Author>().transform(with: .fields(\.id, \.fullName), in: brief)
    let readers = ModelField<Author>().transform(with: .fields(\.id), in: brief)*
    let editor = ModelField<Author>().transform(with: .fields(\.fullName))
    let plain = Field<[Author]>()
}

private final class Author: Model {
    let id = Field<Int>()
    let fullName = Field<String>()
    let born = Field<Date>()
    let latest = ModelField<Post>()

    static func ada() -> Author {
        let author = Author()
        author.id.value = 1
        author.fullName.value = "Ada"
        author.born.value = Date(timeIntervalSince1970: 0)
        return author
    }
}

/// Some of the fields, of a model and of those in its fields.
@Suite struct FieldSubsetTests {
    private func post() -> Post {
        let post = Post()
        post.id.value = 9
        post.title.value = "On notes"
        let ada = Author.ada()
        post.author.value = ada
        post.readers.value = [ada, Author.ada()]
        post.editor.value = Author.ada()
        ada.latest.value = post
        return post
    }

    @Test func `case 57: a transformer of some fields writes those, in its context alone`() throws {
        let post = post()
        let dictionary = post.dictionaryValue(in: brief)
        let expected: AttributeDictionary = [
            "id": 9, "title": "On notes", "author": ["id": 1, "full_name": "Ada"],
            "readers": [["id": 1], ["id": 1]], "editor": ["full_name": "Ada"],
        ]
        expect(dictionary, equals: expected)
        try expect(AttributeValue(json: post.jsonData(in: brief)), equals: .dictionary(expected))
        let whole = post.dictionaryValue()
        expect(whole["editor"], equals: ["fullName": "Ada"])
        guard case .dictionary(let author)? = whole["author"] else { return }
        expect(Set(author.keys), equals: ["id", "fullName", "born", "latest"])
    }

    @Test func `what it wrote is read into those fields, and the others are not known`() throws {
        let dictionary = post().dictionaryValue(in: brief)
        let json = try post().jsonData(in: brief)
        for read in [
            try Post(dictionaryValue: dictionary, in: brief), try Post(json: json, in: brief),
        ] {
            expect(read.author.value?.fullName.value, equals: "Ada")
            expect(read.author.value?.born.loadState, equals: .notLoaded)
            expect(read.dictionaryValue(in: brief), equals: dictionary)
            expect(read.copy().dictionaryValue(in: brief), equals: dictionary)
        }
    }

    @Test func `some fields of the model are written with the forms of the context`() throws {
        let post = post()
        let dictionary = post.dictionaryValue(fields: [post.id, post.author], in: brief)
        expect(dictionary, equals: ["id": 9, "author": ["id": 1, "full_name": "Ada"]])
        let read = try Post(dictionaryValue: dictionary, in: brief)
        expect(read.dictionaryValue(in: brief)["author"], equals: dictionary["author"])
        let json = try post.jsonData(fields: [post.id, post.author], in: brief)
        try expect(AttributeValue(json: json), equals: .dictionary(dictionary))
        let copy = post.copy(fields: [post.id, post.author])
        expect(copy.dictionaryValue(in: brief).filter { $0.value != [] }, equals: dictionary)
        expect(copy.author.value?.born.value != nil, "a copy is not made of dictionaries")
    }

    @Test func `a cycle through some fields has an end`() {
        final class Node: Model {
            let id = Field<Int>()
            let next: ModelField<Node> = ModelField().transform(with: .fields(\.id, \.next))
        }
        let node = Node()
        node.id.value = 1
        node.next.value = node
        expect(node.dictionaryValue(), equals: ["id": 1, "next": ["id": 1]])
    }
}
