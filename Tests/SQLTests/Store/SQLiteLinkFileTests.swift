import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

/// A type over the years: with tags that do not know of it, with ones that do, and renamed.
private enum Plain {
    final class Tag: Model {
        let id = Field<String>()
    }

    final class Post: Model {
        let id = Field<String>()
        let tags = ModelField<Tag>(foreignKey: true)*
    }
}

private final class Tag: Model {
    let id = Field<String>()
    let posts = ModelField<Post>(inverse: \.tags)*

    init() { linkFields() }
}

private final class Post: Model {
    let id = Field<String>()
    let tags = ModelField<Tag>(foreignKey: true)*

    init() { linkFields() }
}

/// A type with the names that the parts of a query could have.
private final class Each: Model {
    let id = Field<String>()
    let key = Field<String>()
    let value = Field<String>()
    let type = Field<String>()
    let tags = ModelField<Label>(foreignKey: true)*

    init() { linkFields() }
}

private final class Label: Model {
    let id = Field<String>()
    let each = ModelField<Each>(inverse: \.tags)*

    init() { linkFields() }
}

private enum Renamed {
    final class Tag: Model {
        let id = Field<String>()
        let notes = ModelField<Note>(inverse: \.labels)*

        init() { linkFields() }
    }

    final class Note: Model {
        let id = Field<String>()
        let labels = ModelField<Tag>(foreignKey: true)*

        init() { linkFields() }
    }
}

@Suite struct SQLiteLinkFileTests {
    let file: MigratedFile

    init() throws { file = try MigratedFile() }

    /// The link tables, and what keeps them.
    private func links() throws -> [String] {
        try file.column(
            "SELECT name FROM sqlite_master WHERE name GLOB '_modelkit_links:*' ORDER BY name"
        )
    }

    private static func parts(_ link: String) -> [String] {
        ["", ":delete", ":insert", ":owner", ":update"].map { "_modelkit_links:\(link)\($0)" }
    }

    private func fill(_ schema: ModelSchema) async throws {
        try await file.withStore { store in
            let writes = [("p", ["a", "b"]), ("q", ["b"])].map { (id, tags: [AttributeValue]) in
                RecordWrite(.create(.string(id), ["tags": .array(tags)]), of: schema)
            }
            _ = try await store.records.perform(writes).value
        }
    }

    private func posts(
        of tag: AttributeValue,
        in schema: ModelSchema = Post.schema,
        at key: FieldKey = "tags",
        _ migrations: [SQLiteMigration] = []
    ) async throws -> [Identifier] {
        try await file.withStore(migrations) { store in
            let query = RecordQuery(filter: .contains(key, tag))
            let records = try #require(store.records as? SQLiteRecordStore)
            let plan = try await records.explanation(of: query, of: schema).value
            expect(!plan.contains { $0.contains("SCAN \(schema.name)") }, "\(plan)")
            return try await records.fetch(query, of: schema).value.map(\.identifier)
        }
    }

    @Test func `a file of before gets its link table, and loses it with the declaration`()
        async throws
    {
        try await fill(Plain.Post.schema)
        try expect(links(), equals: [])
        try await expect(posts(of: "b"), equals: ["p", "q"])
        try expect(links(), equals: Self.parts("Post.tags"))
        let count = try await file.withStore { store in
            try await store.list(Plain.Post.self).value.count
        }
        expect(count, equals: 2)
        try expect(links(), equals: [])
        try await expect(posts(of: "a"), equals: ["p"])
    }

    @Test func `one that is only read is read as it is`() async throws {
        try await fill(Plain.Post.schema)
        for hasLinks in [false, true] {
            if hasLinks { _ = try await posts(of: "a") }
            let store = try SQLiteModelStore(path: file.path, access: .readOnly)
            let records = try #require(store.records as? SQLiteRecordStore)
            let query = RecordQuery(filter: .contains("tags", "b"))
            let found = try await records.fetch(query, of: Post.schema).value
            expect(found.map(\.identifier), equals: ["p", "q"])
            let plan = try await records.explanation(of: query, of: Post.schema).value
            expect(plan.contains { $0.contains("SCAN Post") }, equals: !hasLinks, "\(plan)")
            try await store.close().value
        }
    }

    @Test(arguments: [
        "DROP TRIGGER \"_modelkit_links:Post.tags:insert\"",
        "DROP TABLE \"_modelkit_links:Post.tags\"",
        "DROP INDEX \"_modelkit_links:Post.tags:owner\"",
        """
        DROP TRIGGER "_modelkit_links:Post.tags:insert"; \
        CREATE TRIGGER "_modelkit_links:Post.tags:insert" AFTER INSERT ON Post BEGIN SELECT 1; END
        """,
    ])
    func `a link table that was left to itself is made anew`(_ sql: String) async throws {
        try await fill(Post.schema)
        try file.execute(sql)
        try? file.execute("INSERT INTO Post (_revision, id, tags) VALUES (1, 'r', '[\"b\"]')")
        try? file.execute("DELETE FROM Post WHERE id = 'p'")
        let expected = try file.column(
            "SELECT id FROM Post WHERE tags LIKE '%\"b\"%' ORDER BY _order"
        )
        try await expect(posts(of: "b").map { "\($0)" }, equals: expected)
        try expect(links(), equals: Self.parts("Post.tags"))
    }

    @Test func `a migration may rename the type and the field, by whatever SQL`() async throws {
        for renaming in [
            { @Sendable (migration: SQLiteMigration.Context) throws in
                try migration.rename("tags", to: "labels", in: "Post")
                try migration.rename(type: "Post", to: "Note")
            },
            { @Sendable (migration) throws in
                try migration.execute("ALTER TABLE Post RENAME COLUMN tags TO labels")
                try migration.execute("ALTER TABLE Post RENAME TO Note")
            },
        ] {
            let file = try MigratedFile()
            let test = SQLiteLinkFileTests(file)
            try await test.fill(Post.schema)
            let migrations = [
                SQLiteMigration("m") { migration in
                    try renaming(migration)
                    try migration.execute(
                        "INSERT INTO Note (_revision, id, labels) VALUES (1, 'r', '[\"b\"]')"
                    )
                }
            ]
            // Another type of the old name is made before the renamed one is used.
            try await file.withStore(migrations) { store in
                _ = try await store.list(Post.self).value
            }
            let found = try await test.posts(
                of: "b",
                in: Renamed.Note.schema,
                at: "labels",
                migrations
            )
            expect(found, equals: ["p", "q", "r"])
            try expect(test.links(), equals: Self.parts("Note.labels") + Self.parts("Post.tags"))
            _ = try await file.withStore(migrations) { store in
                try await store.records.perform([
                    RecordWrite(.create("n", ["tags": ["b"]]), of: Post.schema)
                ]).value
            }
            try await expect(test.posts(of: "b", migrations), equals: ["n"])
        }
    }

    private init(_ file: MigratedFile) { self.file = file }

    @Test func `what a migration makes of the values is found`() async throws {
        try await fill(Post.schema)
        let migrations = [
            SQLiteMigration("change") { migration in
                try migration.change("tags", in: "Post", to: .array) { tags in
                    guard case .string(let text) = tags else { return tags }
                    let value = try AttributeValue(json: Data(text.utf8))
                    guard case .array(let tags) = value else { return .null }
                    return .array(tags.map { $0 == "b" ? "c" : $0 })
                }
                try migration.execute("UPDATE Post SET tags = '[\"d\"]' WHERE id = 'q'")
            }
        ]
        try await expect(posts(of: "c", migrations), equals: ["p"])
        try await expect(posts(of: "b", migrations), equals: [])
        try await expect(posts(of: "d", migrations), equals: ["q"])
    }

    @Test func `a field or a type that is removed takes the link table along`() async throws {
        for isType in [false, true] {
            let file = try MigratedFile()
            let test = SQLiteLinkFileTests(file)
            try await test.fill(Post.schema)
            try await file.migrate([
                SQLiteMigration("m") { migration in
                    if isType {
                        try migration.remove(type: "Post")
                    } else {
                        try migration.remove("tags", from: "Post")
                    }
                }
            ])
            try expect(test.links(), equals: [])
            if !isType {
                try file.execute("INSERT INTO Post (_revision, id) VALUES (1, 'r')")
            }
        }
    }

    @Test func `a migration's own SQL may drop the column`() async throws {
        for sql in [
            "ALTER TABLE Post DROP COLUMN tags", "/* all */ alter table \"post\" drop \"tags\"",
        ] {
            let file = try MigratedFile()
            let test = SQLiteLinkFileTests(file)
            try await test.fill(Post.schema)
            let migrations = [
                SQLiteMigration("drop") { migration in
                    let count = try migration.execute("UPDATE Post SET tags = NULL; \(sql)")
                    expect(count >= 2)
                }
            ]
            try await file.migrate(migrations)
            try expect(test.links(), equals: [])
            try await expect(test.posts(of: "b", migrations), equals: [])
            try expect(test.links(), equals: Self.parts("Post.tags"))
        }
    }

    @Test func `a migration may drop another column, and links are found as before`() async throws {
        try await fill(Post.schema)
        try file.execute("ALTER TABLE Post ADD COLUMN more TEXT")
        let migrations = [
            SQLiteMigration("drop") { try $0.execute("ALTER TABLE Post DROP COLUMN more") }
        ]
        try await expect(posts(of: "b", migrations), equals: ["p", "q"])
    }

    @Test func `a type may have any name`() async throws {
        try await fill(Each.schema)
        try await expect(posts(of: "b", in: Each.schema), equals: ["p", "q"])
        try file.execute("DROP TABLE \"_modelkit_links:Each.tags\"")
        try await expect(posts(of: "b", in: Each.schema), equals: ["p", "q"])
    }

    @Test func `what replaced rows have left is cleared at the next opening`() async throws {
        try await fill(Post.schema)
        let entries = "SELECT \"key\" || \"owner\" FROM \"_modelkit_links:Post.tags\" ORDER BY 1"
        try file.execute(
            "REPLACE INTO Post (_revision, id, tags) VALUES (2, 'p', '[\"a\"]'), (2, 'q', NULL)"
        )
        let store = try SQLiteModelStore(path: file.path, access: .readOnly)
        let query = RecordQuery(filter: .contains("tags", "b"))
        try await expect(store.records.fetch(query, of: Post.schema).value, equals: [])
        try await store.close().value
        try expect(file.column(entries), equals: ["a1", "a3", "b1", "b2"])
        try await expect(posts(of: "a"), equals: ["p"])
        try expect(file.column(entries), equals: ["a3"])
    }

    @Test func `a backup has the link table`() async throws {
        try await fill(Post.schema)
        let copy = file.directory.file("copy.db")
        try await file.withStore { try await $0.backup(to: copy).value }
        let connection = try SQLiteConnection(path: copy)
        try connection.execute("DELETE FROM Post WHERE id = 'p'")
        connection.close()
        let store = try SQLiteModelStore(path: copy)
        let found = try await store.records.fetch(
            RecordQuery(filter: .contains("tags", "b")),
            of: Post.schema
        ).value
        expect(found.map(\.identifier), equals: ["q"])
        let left = try file.column("SELECT count(*) FROM \"_modelkit_links:Post.tags\"", of: copy)
        expect(left, equals: ["1"])
    }
}
