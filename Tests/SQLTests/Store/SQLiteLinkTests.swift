import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct SQLiteLinkTests {
    final class Tag: Model {
        let id = Field<AttributeValue>()
        let posts = ModelField<Post>(inverse: \.tags)*

        init() { linkFields() }
    }

    class Post: ModelObject, @unchecked Sendable {
        let id = Field<String>()
        let title = Field<String>().indexed()
        let tags = ModelField<Tag>(foreignKey: true)*
        let author = ModelField<Author>(foreignKey: true)
    }

    final class Article: Post, @unchecked Sendable {
        let text = Field<String>()
    }

    final class Author: Model {
        let id = Field<String>()
        let posts = ModelField<Post>(inverse: \.author)*

        init() { linkFields() }
    }

    let directory: TemporaryDirectory
    let path: String
    let store: SQLiteModelStore
    let records: SQLiteRecordStore

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
        store = try SQLiteModelStore(path: path)
        records = try #require(store.records as? SQLiteRecordStore)
    }

    private func create(
        _ posts: [(String, [AttributeValue]?)]
    ) async throws {
        let writes = posts.map { id, tags in
            RecordWrite(
                .create(.string(id), ["tags": tags.map { .array($0) } ?? .null]),
                of: Post.schema
            )
        }
        _ = try await records.perform(writes).value
    }

    private func posts(of tag: AttributeValue) async throws -> [String] {
        try await page(RecordQuery(filter: .contains("tags", tag))).map { "\($0.identifier)" }
    }

    private func execute(_ sql: String) throws {
        let connection = try SQLiteConnection(path: path)
        try connection.execute(sql)
        connection.close()
    }

    // MARK: Plans

    static let filters: [RecordFilter] = [
        .contains("tags", "t1"), .contains("tags", 1),
        .or([.contains("tags", "t1"), .contains("tags", 7)]),
        .or((0..<40_000).map { .contains("tags", .int($0)) }),
        .and([.contains("tags", "t1"), .compare("title", .greater, "a")]),
        .and([.contains("tags", "t1"), .contains("tags", "t2")]),
        .and([.contains("tags", "t1"), .hasSubstring("title", "a")]),
    ]

    @Test(arguments: filters)
    func `members are found by the link table, and no row is looked at in vain`(
        _ filter: RecordFilter
    ) async throws {
        for query in [
            RecordQuery(filter: filter), RecordQuery(filter: filter, limit: 5),
            RecordQuery(filter: filter, order: [RecordQuery.Order("title")], limit: 5),
            RecordQuery(filter: filter, order: [RecordQuery.Order("tags")]),
        ] {
            let plan = try await records.explanation(of: query, of: Post.schema).value
            expect(plan.count, equals: 1)
            expect(!plan.contains { $0.contains("SCAN Post") }, "\(plan)")
            expect(plan[0].contains("SEARCH _modelkit_links:Post.tags USING"), "\(plan)")
            if query.order.isEmpty, case .contains = filter {
                expect(!plan[0].contains("TEMP B-TREE"), "\(plan)")
            }
        }
    }

    @Test func `keys of one model are found by their index`() async throws {
        let relation = try #require(Author.schema.derivedRelations.first)
        for schema in [relation.partner] + relation.partner.subclasses {
            for owners in [["a"], ["a", "b"]] as [[Identifier]] {
                let query = RecordQuery(filter: relation.filter(owners: owners))
                let plan = try await records.explanation(of: query, of: schema).value
                expect(plan.allSatisfy { $0.contains("USING INDEX _modelkit_index:") }, "\(plan)")
            }
        }
    }

    @Test func `what most rows have is looked for along the rows`() async throws {
        let (even, odd): ([AttributeValue], [AttributeValue]) = (["t", "t"], ["u"])
        try await create((0..<5_000).map { ("p\($0)", $0 % 2 == 0 ? even : odd) })
        var query = RecordQuery(filter: .contains("tags", "t"), limit: 300)
        let plan = try await records.explanation(of: query, of: Post.schema).value
        expect(plan.first?.contains("LIST SUBQUERY"), equals: false)
        var names: [String] = []
        while let last = try await page(query).last {
            names += try await page(query).map { "\($0.identifier)" }
            query.after = PageCursor(after: last, in: query, of: Post.schema)
        }
        expect(names, equals: stride(from: 0, to: 5_000, by: 2).map { "p\($0)" })
        try await expect(posts(of: "t"), equals: names)
    }

    private func page(_ query: RecordQuery) async throws -> [Record] {
        try await records.fetch(query, of: Post.schema).value
    }

    // MARK: Other programs

    /// What another program does to the posts `x`, which has the tag `a`, `y` with 1 and `1`, and `n` with none,
    /// and which of them have `a`, 1 and `1` then.
    struct Foreign: Sendable, CustomTestStringConvertible {
        let sql: String
        let text: String
        let number: String
        let numberText: String

        init(_ sql: String, _ text: String, _ number: String, _ numberText: String) {
            (self.sql, self.text, self.number, self.numberText) = (sql, text, number, numberText)
        }

        /// A new post `z` with what is written as SQL.
        init(inserting tags: String, _ text: String = "x", _ number: String = "y") {
            self.init(
                "INSERT INTO Post (_revision, id, tags) VALUES (1, 'z', \(tags))",
                text,
                number,
                "y"
            )
        }

        var testDescription: String { sql }
    }

    static let foreign: [Foreign] = [
        Foreign(inserting: "'[\"a\",1]'", "xz", "yz"),
        Foreign(inserting: "NULL"),
        Foreign(inserting: "'[\"a\"'"),
        Foreign(inserting: "'{\"a\":\"a\"}'"),
        Foreign(inserting: "'\"a\"'"),
        Foreign(inserting: "''"),
        Foreign(inserting: "x'5B2261225D'"),
        Foreign(inserting: "'[[\"a\"],true]'"),
        Foreign("UPDATE Post SET tags = '[\"a\"]' WHERE id = 'y'", "xy", "", ""),
        Foreign("UPDATE Post SET tags = NULL", "", "", ""),
        Foreign("UPDATE Post SET tags = 'no JSON' WHERE id = 'x'", "", "y", "y"),
        Foreign("UPDATE Post SET _order = 10 WHERE id = 'x'", "x", "y", "y"),
        Foreign("UPDATE Post SET rowid = 10 WHERE id = 'y'", "x", "y", "y"),
        Foreign("UPDATE Post SET id = 'q' WHERE id = 'x'", "q", "y", "y"),
        Foreign("DELETE FROM Post WHERE id = 'y'", "x", "", ""),
        Foreign("DELETE FROM Post", "", "", ""),
        Foreign("REPLACE INTO Post (_revision, id, tags) VALUES (1, 'x', '[1]')", "", "yx", "y"),
        Foreign(
            "REPLACE INTO Post (_order, _revision, id, tags) VALUES (1, 1, 'z', '[1]')",
            "",
            "zy",
            "y"
        ),
        Foreign(
            "INSERT OR IGNORE INTO Post (_order, _revision, id, tags) VALUES (1, 1, 'z', '[1]')",
            "x",
            "y",
            "y"
        ),
        Foreign(
            "UPDATE OR REPLACE Post SET id = 'x', tags = '[\"a\"]' WHERE id = 'y'",
            "x",
            "",
            ""
        ),
        Foreign(
            """
            INSERT INTO Post (_revision, id, tags) VALUES (1, 'x', '["a","a",1]') \
            ON CONFLICT (id) DO UPDATE SET tags = excluded.tags
            """,
            "x",
            "xy",
            "y"
        ),
        Foreign("BEGIN; DELETE FROM Post; ROLLBACK", "x", "y", "y"),
        Foreign(
            """
            DROP TRIGGER "_modelkit_links:Post.tags:update"; \
            UPDATE Post SET tags = '["1","a"]' WHERE id = 'n'
            """,
            "xn",
            "y",
            "yn"
        ),
        Foreign("DROP TABLE \"_modelkit_links:Post.tags\"", "x", "y", "y"),
    ]

    @Test(arguments: foreign)
    func `rows of other programs are found`(_ foreign: Foreign) async throws {
        try await create([("x", ["a"]), ("y", [1, "1", 1]), ("n", nil)])
        try execute(foreign.sql)
        // Rows that cannot be read are left out.
        func found(_ tag: AttributeValue) async throws -> String {
            let query = RecordQuery(filter: .contains("tags", tag))
            return try await records.fetch(query, of: Post.schema) { _ in }.value
                .map { "\($0.identifier)" }.joined()
        }
        let (text, number, numberText) = (
            try await found("a"), try await found(1), try await found("1")
        )
        expect(text, equals: foreign.text)
        expect(number, equals: foreign.number)
        expect(numberText, equals: foreign.numberText)
    }

    @Test(arguments: [false, true])
    func `whatever is written, the link table has what the rows have`(
        replacesByTriggers: Bool
    ) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SplitMix(seed: seed)
        try await create([("p0", [])])
        let connection = try SQLiteConnection(path: path)
        if replacesByTriggers { try connection.execute("PRAGMA recursive_triggers = ON") }
        let elements: [AttributeValue] = [
            "a", "b", "\u{e9}", "a\u{0}", "1", 1, 2, .double(1.5), true,
        ]
        func tags() -> AttributeValue {
            if chance.pick([true, false, false]) { return .null }
            let count: Int = chance.pick([0, 1, 2, 5])
            return .array((0..<count).map { _ in chance.pick(elements) })
        }
        for round in 0..<300 {
            let id = "p\(chance.pick(Array(0..<20)))"
            let (tags, order) = (tags(), chance.pick(Array(1..<40)))
            let text = tags.isNull ? "NULL" : "'\(try StoredJSON.text(of: tags))'"
            let write: RecordWrite.Action? =
                switch chance.pick(Array(0..<10)) {
                case 0: .create(.string(id), ["tags": tags])
                case 1: .save(.string(id), ["tags": tags], chance.pick([.replace, .merge]))
                case 2: .update(.string(id), ["title": "t"], revision: nil)
                case 3: .delete(.string(id), revision: nil)
                default: nil
                }
            if let write {
                _ = try? await records.perform([RecordWrite(write, of: Post.schema)]).value
            } else {
                let verb = chance.pick([
                    "INSERT OR REPLACE", "INSERT OR IGNORE", "REPLACE", "INSERT",
                ])
                let inOrder = "INTO Post (_order, _revision, id, tags)"
                let statements: [String] = [
                    "\(verb) INTO Post (_revision, id, tags) VALUES (1, '\(id)', \(text))",
                    "\(verb) \(inOrder) VALUES (\(order), 1, '\(id)', \(text))",
                    "UPDATE OR REPLACE Post SET _order = \(order) WHERE id = '\(id)'",
                    "UPDATE OR REPLACE Post SET id = '\(id)', tags = \(text) WHERE _order = \(order)",
                    "DELETE FROM Post WHERE _order > \(order)",
                ]
                try? connection.execute(chance.pick(statements))
            }
            let wrong = try connection.withStatement(
                """
                WITH linked AS (SELECT "key", "owner", "place" FROM "_modelkit_links:Post.tags" \
                WHERE "owner" IN (SELECT _order FROM Post)), \
                stored AS (SELECT e.value, p._order, e.key FROM Post p, json_each(p.tags) e \
                WHERE e.type IN ('text', 'integer', 'real')) \
                SELECT count(*) FROM (SELECT * FROM (SELECT * FROM linked EXCEPT SELECT * FROM stored) \
                UNION ALL SELECT * FROM (SELECT * FROM stored EXCEPT SELECT * FROM linked))
                """
            ) { try $0.step() ? $0.int64(at: 0) : -1 }
            expect(wrong, equals: 0, "seed: \(seed), round \(round)")
            if wrong != 0 { return }
        }
    }

    // MARK: Models

    @Test func `models of all classes are loaded, and lose a tag that is deleted`() async throws {
        let tags = [AttributeValue.int(1), .string("1")].map { id in
            let tag = Tag()
            tag.id.value = id
            return tag
        }
        let (post, article) = (Post(), Article())
        (post.id.value, article.id.value) = ("p", "a")
        post.tags.value = [tags[0]]
        article.tags.value = [tags[1], tags[0]]
        _ = try await store.create(tags).value
        _ = try await store.create(post).value
        _ = try await store.create(article).value
        try await expect(store.load(tags, \.posts).value, equals: [article, post])
        expect(tags[1].posts.value, equals: [article])
        _ = try await store.delete(tags[0]).value
        expect(article.tags.value, equals: [tags[1]])
        let left = try await records.fetch(RecordQuery(), of: Article.schema).value
        expect(left.map { $0["tags"] }, equals: [["1"]])
        try await expect(posts(of: 1), equals: [])
    }
}
