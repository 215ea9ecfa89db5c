import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// The types of before, by the same names.
private enum Old {
    final class Shelf: Model {
        let id = Field<String>()
        let items = ModelField<Item>()*
    }

    final class Item: Model {
        let id = Field<Int>()
        let name = Field<String>()
    }

    final class Tag: Model {
        let id = Field<String>()
        let posts = ModelField<Post>(foreignKey: true)*
        let drafts = ModelField<Draft>()*
    }

    final class Post: Model {
        let id = Field<Int>()
    }

    final class Draft: Model {
        let id = Field<Int>()
    }
}

private final class Shelf: Model {
    let id = Field<String>()
    let items = ModelField<Item>(inverse: \.shelf)*
    init() { linkFields() }
}

private final class Item: Model {
    let id = Field<Int>()
    let name = Field<String>()
    let shelf = ModelField<Shelf>(foreignKey: true)
    init() { linkFields() }
}

private final class Tag: Model {
    let id = Field<String>()
    let posts = ModelField<Post>(inverse: \.tags)*
    let drafts = ModelField<Draft>(inverse: \.tags)*
    init() { linkFields() }
}

private final class Post: Model {
    let id = Field<Int>()
    let tags = ModelField<Tag>(foreignKey: true)*
    init() { linkFields() }
}

private final class Draft: Model {
    let id = Field<Int>()
    let tags = ModelField<Tag>(foreignKey: true)*
    init() { linkFields() }
}

extension OldRelationTests {
    /// What old records of archives may have in them.
    @Suite struct ArchiveValues {
        private let directory: TemporaryDirectory

        init() throws { directory = try TemporaryDirectory() }

        /// What is reported of old relations meanwhile.
        @discardableResult
        private func reports(
            _ body: @escaping (ArchiveModelStore) async throws -> Void
        ) async throws -> [String] {
            try await OldRelationTests.reports {
                let store = try ArchiveModelStore(directory: directory.path)
                try await body(store)
                try await store.close().value
            }
            .map(\.message)
        }

        private func report(_ relation: String, _ found: String) -> String {
            "what was kept of \(relation) with the owners is not read any more, but has \(found): "
                + "moveChildren(of: \\\(relation)) of the store makes records of them"
        }

        private func fill(_ items: [(id: Int?, name: String)]) async throws {
            try await reports { store in
                let shelf = Old.Shelf()
                shelf.id.value = "s"
                shelf.items.value = items.map { id, name in
                    let item = Old.Item()
                    if let id { item.id.value = id }
                    item.name.value = name
                    return item
                }
                _ = try await store.create(shelf).value
            }
        }

        private func items(_ store: ArchiveModelStore) async throws -> [String] {
            try await store.list(Item.self).value.map { item in
                "\(item.id.value ?? 0) \(item.name.value ?? "") \(item.shelf.value?.id.value ?? "-")"
            }
        }

        @Test func `a record is made of each of several equal models`() async throws {
            try await fill([(nil, "milk"), (nil, "milk"), (nil, "bread")])
            let found = try await reports { store in
                _ = try await store.list(Shelf.self).value
                try await expect(store.moveChildren(of: \Shelf.items).value, equals: 3)
                try await expect(items(store), equals: ["1 milk s", "2 milk s", "3 bread s"])
            }
            expect(found, equals: [report("Shelf.items", "3 models without a record")])
        }

        @Test func `records that are there count once, and not where they are named`() async throws
        {
            try await fill([(nil, "milk"), (nil, "milk"), (7, "bread"), (nil, "bread")])
            try await reports { store in
                for (id, name) in [(1, "milk"), (7, "bread")] {
                    let write = RecordWrite(
                        .create(.int(Int64(id)), ["name": .string(name), "shelf": "s"]),
                        of: Item.schema
                    )
                    _ = try await store.records.perform([write]).value
                }
            }
            let found = try await reports { store in
                _ = try await store.list(Shelf.self).value
                try await expect(store.moveChildren(of: \Shelf.items).value, equals: 2)
                try await expect(
                    items(store),
                    equals: ["1 milk s", "7 bread s", "8 milk s", "9 bread s"]
                )
            }
            expect(found, equals: [report("Shelf.items", "2 models without a record")])
        }

        @Test(arguments: [false, true])
        func `records without the key are found in whatever order types are used`(
            _ membersFirst: Bool
        ) async throws {
            try await fillTags()
            let found = try await reports { store in
                if membersFirst { _ = try await store.list(Post.self).value }
                _ = try await store.list(Tag.self).value
            }
            expect(
                found,
                equals: [
                    report("Tag.posts", "the owners of 2 records without a key"),
                    report("Tag.drafts", "1 model without a record"),
                ]
            )
        }

        private func fillTags() async throws {
            try await reports { store in
                let posts = [5, 6].map { id in
                    let post = Old.Post()
                    post.id.value = id
                    return post
                }
                _ = try await store.create(posts).value
                for (id, members) in [("A", [posts[0]]), ("B", [posts[1], posts[0]])] {
                    let tag = Old.Tag()
                    tag.id.value = id
                    tag.posts.value = members
                    let draft = Old.Draft()
                    draft.id.value = 9
                    tag.drafts.value = [draft]
                    _ = try await store.create(tag).value
                }
            }
        }

        @Test func `a record with several owners gets all of them`() async throws {
            try await fillTags()
            try await reports { store in
                try await expect(store.moveChildren(of: \Tag.posts).value, equals: 2)
                try await expect(store.moveChildren(of: \Tag.drafts).value, equals: 1)
                let posts = try await store.records.fetch(RecordQuery(), of: Post.schema).value
                expect(posts.map { $0["tags"] }, equals: [["A", "B"], ["B"]])
                let drafts = try await store.records.fetch(RecordQuery(), of: Draft.schema).value
                expect(drafts.map { $0["tags"] }, equals: [["A", "B"]])
            }
        }
    }
}
