import Benchmark
import GRDBSQLite
import ModelKit
import ModelKitSQL

// The posts of a tag, of 100 000 with 3 of 1 000 tags each: some 300. They are asked for 100 tags, one after the
// other: a single one, asked for again and again, is found in the cache of a core by whoever stays on it. Beside
// them the same join by hand: a table of tags and posts, by whose primary key the posts are found, in the same
// order and with the same columns, which are read into plain values; the tags of a post stay the JSON text that
// they are in.

private final class Post: Model {
    let id = Field<Int>()
    let title = Field<String>()
    let text = Field<String>()
    let tags = ModelField<Tag>(foreignKey: true)*

    init() { linkFields() }
}

private final class Tag: Model {
    let id = Field<Int>()
    let posts = ModelField<Post>(inverse: \.tags)*

    init() { linkFields() }
}

private struct PlainPost {
    var id: Int64
    var title: String
    var text: String
    var tags: [Int64]

    init(_ number: Int) {
        id = Int64(number)
        title = "Title \(number)"
        text = "Some text that is a little longer than a small string is."
        tags = [number % 1_000, number * 7 % 999, number * 11 % 997].map { Int64($0) + 1 }
    }

    static let count = 100_000

    var creation: RecordWrite {
        let values: [FieldKey: AttributeValue] = [
            "id": .int(id), "title": .string(title), "text": .string(text),
            "tags": .array(tags.map { .int($0) }),
        ]
        return RecordWrite(.create(.int(id), values), of: Post.schema)
    }
}

private let tags = Array(Keys(upTo: 990).prefix(100))

func addRelationBenchmarks() {
    Benchmark(
        "posts of 100 tags among 100000, ModelKit",
        configuration: posts,
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            for tag in benchmark.scaledIterations.flatMap({ _ in tags }) {
                let query = RecordQuery(filter: .contains("tags", .int(Int64(tag))))
                let found = try await store.records.fetch(query, of: Post.schema).value
                precondition(found.count > 200)
            }
        },
        setup: { try await filledStore() }
    )
    Benchmark(
        "posts of 100 tags among 100000, a join by hand",
        configuration: posts,
        closure: { (benchmark: Benchmark, database: RawPosts) in
            for tag in benchmark.scaledIterations.flatMap({ _ in tags }) {
                precondition(database.posts(of: Int64(tag)).count > 200)
            }
        },
        setup: { try RawPosts(path: Scratch.file()) }
    )
    Benchmark(
        "posts of 100 tags among 100000, by their identifiers",
        configuration: posts,
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            for tag in benchmark.scaledIterations.flatMap({ _ in tags }) {
                let numbers = stride(from: tag, to: PlainPost.count, by: 333)
                let query = RecordQuery(filter: .isIn("id", numbers.map { .int(Int64($0)) }))
                let found = try await store.records.fetch(query, of: Post.schema).value
                precondition(found.count > 200)
            }
        },
        setup: { try await filledStore() }
    )
    Benchmark(
        "load the posts of 100 tags among 100000, ModelKit",
        configuration: posts,
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            for key in benchmark.scaledIterations.flatMap({ _ in tags }) {
                let tag = Tag()
                tag.id.value = key
                let found = try await store.load(tag, \.posts).value
                precondition(found.count > 200)
            }
        },
        setup: { try await filledStore() }
    )
    Benchmark(
        "load the posts of 100 tags among 100000, a list by the key",
        configuration: posts,
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            for tag in benchmark.scaledIterations.flatMap({ _ in tags }) {
                let query = RecordQuery(filter: .contains("tags", .int(Int64(tag))))
                let found = try await store.list(Post.self, matching: query).value
                precondition(found.count > 200)
            }
        },
        setup: { try await filledStore() }
    )
}

private var posts: Benchmark.Configuration {
    .init(
        metrics: [.cpuTotal, .throughput],
        timeUnits: .microseconds,
        warmupIterations: 2,
        scalingFactor: .one,
        maxDuration: .seconds(3),
        maxIterations: 2_000
    )
}

private func filledStore() async throws -> SQLiteModelStore {
    let store = try await Scratch.store(for: Post.self)
    for start in stride(from: 1, through: PlainPost.count, by: 10_000) {
        let writes = (start..<start + 10_000).map { PlainPost($0).creation }
        _ = try await store.records.perform(writes).value
    }
    return store
}

// Safe: one task after the other uses it.
private final class RawPosts: @unchecked Sendable {
    private var handle: OpaquePointer?
    private var select: OpaquePointer?

    struct Row {
        var id: Int64
        var title: String
        var text: String
        var tags: String
    }

    init(path: String) {
        check(sqlite3_open(path, &handle))
        run("PRAGMA journal_mode = WAL")
        run("CREATE TABLE post (id INTEGER PRIMARY KEY, title TEXT, text TEXT, tags TEXT)")
        run(
            """
            CREATE TABLE post_tag (tag INTEGER, post INTEGER, PRIMARY KEY (tag, post)) \
            WITHOUT ROWID
            """
        )
        run("BEGIN")
        for post in (1...PlainPost.count).lazy.map(PlainPost.init) {
            run(
                """
                INSERT INTO post VALUES (\(post.id), '\(post.title)', '\(post.text)', \
                '\(post.tags)')
                """
            )
            for tag in post.tags {
                run("INSERT OR IGNORE INTO post_tag VALUES (\(tag), \(post.id))")
            }
        }
        run("COMMIT")
        let sql = """
            SELECT id, title, text, tags FROM post_tag JOIN post ON id = post WHERE tag = ? \
            ORDER BY id
            """
        check(sqlite3_prepare_v2(handle, sql, -1, &select, nil))
    }

    deinit {
        sqlite3_finalize(select)
        sqlite3_close(handle)
    }

    func posts(of tag: Int64) -> [Row] {
        sqlite3_bind_int64(select, 1, tag)
        defer { sqlite3_reset(select) }
        var rows: [Row] = []
        while sqlite3_step(select) == SQLITE_ROW {
            rows.append(
                Row(
                    id: sqlite3_column_int64(select, 0),
                    title: text(1),
                    text: text(2),
                    tags: text(3)
                )
            )
        }
        return rows
    }

    private func text(_ column: Int32) -> String {
        sqlite3_column_text(select, column).map { String(cString: $0) } ?? ""
    }

    private func run(_ sql: String) { check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    private func check(_ code: Int32) {
        precondition(code == SQLITE_OK, "SQLite says \(code)")
    }
}
