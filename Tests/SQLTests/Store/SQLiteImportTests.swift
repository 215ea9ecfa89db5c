import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

// One after the other, as books are counted.
@Suite(.serialized) struct SQLiteImportTests {
    private final class Book: Model {
        let id = Field<String>()
        let title = Field<String>().require(.notBlank)
        let isbn = Field<Int>().unique()
        let pages = ModelField<Leaf>()*

        init() { Self.living.withLock { $0.add() } }
        deinit { Self.living.withLock { $0.now -= 1 } }

        struct Living {
            var now = 0
            var most = 0
            mutating func add() {
                now += 1
                most = max(most, now)
            }
        }

        /// How many there are, and were at most.
        static let living = Guarded(Living())
    }

    private final class Leaf: Model {
        let text = Field<String>()
    }

    /// A JSON array of books, made as it is read.
    private struct Books: AsyncSequence, AsyncIteratorProtocol {
        let count: Int
        var book: @Sendable (Int) async throws -> String = Self.book
        var next = 0

        static let book: @Sendable (Int) -> String = { number in
            // Not in the order of the index.
            let id = "\((number * 7_919) % 1_000_003)-\(number)"
            return
                #"{"id":"\#(id)","title":"T\#(number)","isbn":\#(number),"pages":[{"text":"a"},{"text":"b"}]}"#
        }

        mutating func next() async throws -> Data? {
            if next == count { return nil }
            var text = next == 0 ? "[" : ","
            let end = Swift.min(count, next + 40)
            for number in next..<end {
                text += try await book(number) + (number + 1 < end ? "," : "")
            }
            next = end
            return Data((text + (end == count ? "]" : "")).utf8)
        }

        func makeAsyncIterator() -> Self { self }
    }

    private func books(
        _ count: Int,
        _ book: @escaping @Sendable (Int) async throws -> String = Books.book
    ) -> ModelElements<Book, Books> {
        Book.stream(Books(count: count, book: book)).elements
    }

    @Test func `of 20 000 books those are stored that can be, in bounded memory`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteModelStore(path: directory.file())
        let last = Guarded(0)
        Book.living.withLock { $0.most = $0.now }
        let summary = try await store.importModels(
            books(20_000) { number in
                switch number % 10 {
                case 3: Books.book(number - 1)
                case 5: #"{"id":"x\#(number)","title":" ","isbn":\#(-number)}"#
                case 7: #"{"id":"x\#(number)","title":"T","isbn":\#(number - 1)}"#
                case 9: #"{"id":7}"#
                default: Books.book(number)
                }
            }
        ) { refusal in
            guard case .index(let index)? = refusal.path.components.first else { return }
            last.withLock { last in
                expect(index > last, "\(index) after \(last)")
                last = index
            }
        }
        expect(summary.createdCount, equals: 12_000)
        expect(summary.refusedCount, equals: 8_000)
        expect(last.withLock { $0 }, equals: 19_999)
        expect(summary.refusals.count, equals: ImportSummary.keptRefusals)
        expect(
            summary.refusals.prefix(4).map(\.description),
            equals: [
                "[3]: id 15838-2 is stored already", "[5]: title cannot be blank",
                "[7]: isbn is taken already", "[9]: id must be a string, not an integer",
            ]
        )
        let page = try await store.page(Book.self, limit: 3)
        expect(page.items.map(\.isbn.value), equals: [0, 1, 2])
        expect(page.items.first?.pages.value?.map(\.text.value), equals: ["a", "b"])
        // Two batches that wait, one that is being made, and a piece of the text.
        expect(Book.living.withLock { $0.most } < 700, "\(Book.living.withLock { $0.most })")
        try await store.close().value
    }

    @Test func `a log is hardly longer than what is written`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteModelStore(path: directory.file())
        let text = String(repeating: "x", count: 1_500)
        try await store.importModels(
            books(10_000) { number in
                #"{"id":"\#(number &* 7_919 % 10_007)","title":"\#(text)","isbn":\#(number)}"#
            }
        )
        func size(_ path: String) throws -> Int {
            try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        }
        let log = try size(directory.file() + "-wal")
        try await store.close().value
        let file = try size(directory.file())
        expect(Double(log) < 2.2 * Double(file), "\(log) of \(file)")
    }

    @Test(arguments: [nil, 1_000]) func `what is cancelled leaves nothing that was not committed`(
        limit: Int?
    ) async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteModelStore(path: directory.file())
        let books = books(20_000) { number in
            if number == 4_500 { withUnsafeCurrentTask { $0?.cancel() } }
            return Books.book(number)
        }
        let importing = Task { try await store.importModels(books, commitEvery: limit) }
        await #expect(throws: CancellationError.self) { try await importing.value }
        let count = try await store.list(Book.self).count
        expect(count, equals: limit == nil ? 0 : 4_000)
        let book = Book()
        book.title.value = "after it"
        try await store.create(book)
        try await store.close().value
    }

    @Test func `one that waits for its turn is cancelled`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteModelStore(path: directory.file())
        let (held, resolver) = Promise<Void>.withResolvers()
        let transaction = store.transaction { _ in try held.wait() }
        let importing = Task { try await store.importModels(books(2_000)) }
        try await Task.sleep(for: .milliseconds(50))
        importing.cancel()
        await #expect(throws: CancellationError.self) { try await importing.value }
        resolver.fulfill()
        try await transaction.value
        try await expect(store.list(Book.self).count, equals: 0)
    }

    @Test func `while it is under way reads see what was there, and its own task must not write`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let store = try SQLiteModelStore(path: directory.file())
        let first = Book()
        (first.id.value, first.title.value) = ("first", "First")
        try await store.create(first)
        let books = books(4_000) { number in
            if number == 3_000 {
                try await expect(store.list(Book.self).count, equals: 1)
                do {
                    try await store.delete(first)
                    Issue.record("it must be refused")
                } catch StoreError.unsupported {}
            }
            return Books.book(number)
        }
        let summary = try await store.importModels(books)
        expect(summary.createdCount, equals: 4_000)
        try await store.delete(first)
        try await expect(store.list(Book.self).count, equals: 4_000)
    }

    @Test func `in a database in memory its own task must not read what waits for it`() async throws
    {
        let store = try SQLiteModelStore(path: ":memory:")
        let books = books(4_000) { number in
            if number == 3_000 { _ = try await store.list(Book.self) }
            return Books.book(number)
        }
        do {
            try await store.importModels(books)
            Issue.record("it must be refused")
        } catch StoreError.unsupported {}
        try await expect(store.list(Book.self).count, equals: 0)
    }

    @Test func `observers are notified once of an import`() async throws {
        let store = try SQLiteModelStore(path: ":memory:")
        let seen = Guarded<[RecordChanges.Change]>([])
        let observation = store.records.observeChanges { changes in
            seen.withLock { $0 += changes.changes }
        }
        try await store.importModels(books(1_200))
        expect(seen.withLock { $0 }, equals: [.init(type: "Book", identifier: nil)])
        // All are stored already.
        let again = try await store.importModels(books(1_200))
        expect(again.refusedCount, equals: 1_200)
        expect(seen.withLock { $0.count }, equals: 1)
        observation?.end()
    }

    @Test func `what the index of another program refuses is reported, and does not end it`()
        async throws
    {
        let store = try SQLiteModelStore(path: ":memory:")
        let first = Book()
        (first.id.value, first.title.value) = ("first", "T1")
        try await store.create(first)
        let records = try #require(store.records as? SQLiteRecordStore)
        let (made, resolver) = Promise<Void>.withResolvers()
        try #require(records.pool.writer).run { connection in
            resolver.resolve(
                Result {
                    try connection.get().execute("CREATE UNIQUE INDEX other ON Book (title)")
                    try connection.get().execute(
                        "CREATE TRIGGER own BEFORE INSERT ON Book WHEN new.title = 'T7' BEGIN SELECT RAISE(ABORT, 'not seven'); END"
                    )
                }
            )
        }
        try await made.value
        let summary = try await store.importModels(books(10))
        expect(summary.createdCount, equals: 8)
        let issues = summary.refusals.map { $0.issues.map(\.code) }
        expect(issues, equals: [["schema"], ["schema"]])
        expect(summary.refusals.first?.description.contains("UNIQUE"), equals: true)
        expect(summary.refusals.last?.description.contains("not seven"), equals: true)
        try await expect(store.list(Book.self).count, equals: 9)
    }

    private final class Ticket: Model {
        let id = Field<Int>()
        let code = Field<String>().unique()
    }

    @Test func `what is refused takes no number`() async throws {
        let store = try SQLiteModelStore(path: ":memory:")
        let tickets = [(nil, "a"), (nil, "a"), (70, "a"), (nil, "b")].map { id, code in
            let ticket = Ticket()
            (ticket.id.value, ticket.code.value) = (id, code)
            return ticket
        }
        let stream = AsyncStream<Ticket> { continuation in
            for ticket in tickets { continuation.yield(ticket) }
            continuation.finish()
        }
        try await expect(store.importModels(stream).refusedCount, equals: 2)
        try await expect(store.list(Ticket.self).map(\.id.value), equals: [1, 2])
    }

    private final class Album: Model {
        let id = Field<String>()
        let songs = ModelField<Song>(inverse: \.album)*

        init() { linkFields() }
    }

    private final class Song: Model {
        let id = Field<String>()
        let album = ModelField<Album>(foreignKey: true)

        init() { linkFields() }
    }

    @Test func `members that are not stored with what is imported are reported`() async throws {
        let store = try SQLiteModelStore(path: ":memory:")
        let json = Data(#"[{"id": "a", "songs": [{"id": "s"}, {"id": "t"}]}, {"id": "b"}]"#.utf8)
        let seen = Guarded<[Diagnostic]>([])
        try await ModelKitDiagnostics.withHandler({ diagnostic in
            seen.withLock { $0.append(diagnostic) }
        }) {
            let summary = try await store.importModels(Album.stream(json: json))
            expect(summary.createdCount, equals: 2)
        }
        let found = seen.withLock { $0.filter { $0.code == .unsavedMembers } }
        expect(
            found.map(\.message),
            equals: [
                "Album is written, but 2 of its songs were never stored; save it including: \\.songs"
            ]
        )
    }

    private final class Part: Model {
        let id = Field<String>()
        let detail = ModelField<Detail>()
        let details = ModelField<Detail>()*
    }

    private final class Detail: Model {
        let text = Field<String>()
        let number = Field<Double>()
        let born = Field<Date>()
        let bytes = Field<Data>()
        let texts = Field<String>()*
        let any = Field<AttributeValue>()
        let first = Field<Int>(key: ["name", "first"])
        let inner = ModelField<Detail>()
    }

    private final class Priced: Model {
        let id = Field<String>()
        let price = ModelField<Price>()
    }

    private final class Price: Model {
        let amount = Field<Int>(key: "$amount")
    }

    /// The rows of a table as SQL literals, without what a store makes of its own.
    private func literals(_ path: String, _ columns: String, _ table: String) throws -> [String] {
        let sql = columns.split(separator: ",").map { "quote(\($0))" }.joined(separator: "||';'||")
        return try SQLiteConnection(path: path).withStatement("SELECT \(sql) FROM \(table)") {
            var rows: [String] = []
            while try $0.step() { rows.append(try $0.string(at: 0)) }
            return rows
        }
    }

    /// Imports a model, and creates another one, and gives what is kept of both.
    private func kept<M: Model>(_ make: () -> M, _ columns: String) async throws -> [[String]] {
        let directory = try TemporaryDirectory()
        var kept: [[String]] = []
        for isImported in [true, false] {
            let path = directory.file("\(isImported).db")
            let store = try SQLiteModelStore(path: path)
            let model = make()
            if isImported {
                let summary = try await store.importModels(
                    AsyncStream<M> { continuation in
                        continuation.yield(model)
                        continuation.finish()
                    }
                )
                expect(summary.createdCount, equals: 1)
            } else {
                try await store.create(model)
            }
            try await store.close().value
            kept.append(try literals(path, columns, M.schema.name))
        }
        return kept
    }

    @Test func `models in what is imported are kept as in what is created`() async throws {
        let changes: [(String, @Sendable (Detail) -> Void)] = [
            ("nothing", { _ in }),
            ("null", { $0.text.value = nil }),
            ("text", { $0.text.value = "a \"b\" \\ \n ü 日本 \u{1}" }),
            ("U+0000", { $0.text.value = "a\u{0}b" }),
            ("U+0000 in an array", { $0.texts.value = ["a", "\u{0}"] }),
            ("numbers", { ($0.number.value, $0.first.value) = (-0.0, .min) }),
            ("whole number", { $0.number.value = 1e300 }),
            ("date", { $0.born.value = Date(timeIntervalSince1970: 1.25) }),
            ("data", { $0.bytes.value = Data([0, 255]) }),
            ("dollar", { $0.any.value = ["$date": 7] }),
            ("dollar inside", { $0.any.value = [["a": ["b", ["$c": .null]]]] }),
            ("date inside", { $0.any.value = [.date(Date(timeIntervalSince1970: 7))] }),
            ("deep", { $0.inner.value = Detail() }),
            (
                "deep date",
                {
                    $0.inner.value = Detail()
                    $0.inner.value?.born.value = Date(timeIntervalSince1970: 3)
                }
            ),
        ]
        for (name, change) in changes {
            let kept = try await kept(
                {
                    let (part, detail) = (Part(), Detail())
                    part.id.value = "p"
                    change(detail)
                    part.detail.value = detail
                    part.details.value = [Detail(), detail]
                    return part
                },
                "id,detail,details"
            )
            expect(kept[0], equals: kept[1], "\(name)")
        }
        let empty = try await kept(
            {
                let part = Part()
                (part.id.value, part.detail.value, part.details.value) = ("p", nil, [])
                return part
            },
            "id,detail,details"
        )
        expect(empty[0], equals: empty[1])
        let priced = try await kept(
            {
                let priced = Priced()
                (priced.id.value, priced.price.value) = ("p", Price())
                priced.price.value?.amount.value = 7
                return priced
            },
            "id,price"
        )
        expect(priced[0], equals: priced[1])
    }

    private final class Step: Model {
        let id = Field<Int>()

        /// How many hooks run, the most at once, and their order.
        static let calls = Guarded((now: 0, most: 0, order: [Int]()))

        func beforeSave() throws {
            Self.calls.withLock { calls in
                calls.now += 1
                calls.most = max(calls.most, calls.now)
                calls.order.append(id.value ?? 0)
            }
            if (id.value ?? 0) % 50 == 0 { Thread.sleep(forTimeInterval: 0.002) }
            Self.calls.withLock { $0.now -= 1 }
        }
    }

    @Test func `hooks are called in the order of the models, one at a time`() async throws {
        let store = try SQLiteModelStore(path: ":memory:")
        let json = "[" + (1...2_000).map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]"
        let summary = try await store.importModels(Step.stream(json: Data(json.utf8)))
        expect(summary.createdCount, equals: 2_000)
        let calls = Step.calls.withLock { $0 }
        expect(calls.most, equals: 1)
        expect(calls.order, equals: Array(1...2_000))
    }
}
