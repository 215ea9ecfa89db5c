import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@Suite struct SQLiteLiveScriptTests {
    @Test(arguments: [6, 7] as [UInt64])
    func `live lists of a file are those that are found anew`(_ seed: UInt64) async throws {
        let directory = try TemporaryDirectory()
        let refetches = RefetchCounter()
        let store = try SQLiteModelStore(
            path: directory.file(),
            events: refetches.events
        )
        var script = LiveScript(store, of: [LiveItem.self, LiveNote.self], seed: seed)
        try await script.run()
        expect(refetches.count <= script.deletedFolders * 2, "\(refetches.count), seed \(seed)")
    }

    @Test(arguments: [23, 24] as [UInt64])
    func `live lists follow what another store of the file writes, by its log`(
        _ seed: UInt64
    ) async throws {
        let directory = try TemporaryDirectory()
        let (refetches, path) = (RefetchCounter(), directory.file())
        let writer = try SQLiteModelStore(path: path, sharing: .severalProcesses)
        let observer = try SQLiteModelStore(
            path: path,
            sharing: .severalProcesses,
            events: refetches.events
        )
        var script = LiveScript(
            writer,
            observedBy: observer,
            of: [LiveItem.self, LiveNote.self],
            seed: seed
        )
        try await script.run()
        // Once when others are first seen to write, and when types are used for the first time; and what relations lead
        // to is not known of a deletion.
        let most = script.queryCount * 4 + script.deletedFolders * 2
        expect(refetches.count <= most, "\(refetches.count) of \(most), seed \(seed)")
    }

    @Test(arguments: [17, 20] as [UInt64])
    func `windows of a file are parts of the list that is found anew`(
        _ seed: UInt64
    ) async throws {
        try await runWindows(of: [LiveNote.self], seed)
    }

    @Test func `windows of several classes in a file are parts of the list that is found anew`()
        async throws
    {
        try await runWindows(of: [LiveItem.self, LiveNote.self], 18)
    }

    private func runWindows<Item: LiveEntry>(
        of types: [Item.Type],
        _ seed: UInt64
    ) async throws {
        let directory = try TemporaryDirectory()
        let counter = RefetchCounter()
        let store = try SQLiteModelStore(path: directory.file(), events: counter.events)
        var script = LiveScript(
            store,
            of: types,
            queries: LiveScript.windows,
            values: .exact,
            seed: seed
        )
        try await script.run()
        script.expectFewPages(counter)
    }

    @Test func `windows of what is related in a file are parts of the list that is found anew`()
        async throws
    {
        let directory = try TemporaryDirectory()
        var script = LiveScript(
            try SQLiteModelStore(path: directory.file()),
            of: [LiveItem.self, LiveNote.self],
            queries: LiveScript.relatedWindows,
            values: .others,
            seed: 19
        )
        try await script.run()
    }

    private final class Shelf: Model {
        let id = Field<String>()
        let books = ModelField<Book>(inverse: \.shelf, cascadeDelete: true)*
        let lent = ModelField<Book>(inverse: \.lender)*

        init() { linkFields() }
    }

    private final class Book: Model {
        let id = Field<String>()
        let pages = Field<Int>()
        let shelf = ModelField<Shelf>(foreignKey: true)
        let lender = ModelField<Shelf>(foreignKey: true)

        init() { linkFields() }
    }

    @Test(arguments: [true, false])
    func `what follows from a deletion, and what is imported, moves windows and values`(
        _ isFile: Bool
    ) async throws {
        let directory = try TemporaryDirectory()
        let counter = RefetchCounter()
        let store: any RecordModelStore =
            try isFile
            ? SQLiteModelStore(path: directory.file(), events: counter.events)
            : MemoryModelStore(events: counter.events)
        let shelves = ["x", "y"].map { name in
            let shelf = Shelf()
            shelf.id.value = name
            return shelf
        }
        _ = try await store.create(shelves).value
        func books(_ numbers: Range<Int>) -> [Book] {
            numbers.map { number in
                let book = Book()
                (book.id.value, book.pages.value) = ("\(1_000 + number)", 10)
                (book.shelf.value, book.lender.value) = (shelves[number % 2], shelves[1])
                return book
            }
        }
        _ = try await store.create(books(0..<40)).value
        let window = store.observe(Book.self, orderBy: .ascending(\.id), window: 10..<13)
        let results = window.makeAsyncIterator()
        let pages = store.observe(sum: \.pages, of: Book.self).makeAsyncIterator()
        let lent = store.observe(count: Book.self, where: \.lender == nil).makeAsyncIterator()
        try await expect(results.next()?.total, equals: 40)
        try await expect(pages.next(), equals: 400)
        try await expect(lent.next(), equals: 0)

        try await store.perform([.delete(shelves[0])]).value
        let next = try await results.next()
        expect(next?.total, equals: 20)
        expect(next?.models.map(\.id.value), equals: ["1021", "1023", "1025"])
        try await expect(pages.next(), equals: 200)
        try await store.perform([.delete(shelves[1])]).value
        try await expect(results.next()?.total, equals: 0)
        try await expect(pages.next(), equals: 0)
        expect(counter.count, equals: 0)

        let (stream, new) = AsyncStream.makeStream(of: Book.self)
        for number in 0..<30 {
            let book = Book()
            (book.id.value, book.pages.value) = ("\(2_000 + number)", 7)
            new.yield(book)
        }
        new.finish()
        _ = try await store.importModels(stream)
        let imported = try await results.next()
        expect(imported?.models.map(\.id.value), equals: ["2010", "2011", "2012"])
        try await expect(pages.next(), equals: 210)
        try await expect(lent.next(), equals: 30)
    }

    @Test func `a damaged row stops a window where it is shown, and nowhere else`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let store = try SQLiteModelStore(path: path)
        let people = (0..<100).map { number in
            let person = Person()
            (person.id.value, person.name.value) = ("\(100 + number)", "n")
            return person
        }
        _ = try await store.create(people).value
        let connection = try SQLiteConnection(path: path)
        try connection.execute("UPDATE Person SET name = x'00' WHERE id = '120'")
        connection.close()
        let window = store.observe(Person.self, orderBy: .ascending(\.id), window: 10..<15)
        let results = window.makeAsyncIterator()
        // It is one of those that are held beside the window.
        try await expect(results.next().map { Array($0.models) }, equals: Array(people[10..<15]))
        window.show(18..<22)
        await #expect(throws: StoreError.self) { _ = try await results.next() }
        window.show(30..<32)
        try await expect(results.next().map { Array($0.models) }, equals: Array(people[30..<32]))
        // Nobody knows where it was.
        _ = try await store.delete(Person.self, identifier: "120").value
        try await expect(results.next().map { Array($0.models) }, equals: Array(people[31..<33]))
    }

    private final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
    }

    @Test(arguments: [true, false])
    func `what another store of the file writes comes by itself, or with the next commit`(
        _ isShared: Bool
    ) async throws {
        let directory = try TemporaryDirectory()
        let refetches = RefetchCounter()
        let path = directory.file()
        let store = try SQLiteModelStore(
            path: path,
            sharing: isShared ? .severalProcesses : .oneStore,
            events: refetches.events
        )
        let results = store.observe(Person.self, orderBy: .ascending(\.id)).makeAsyncIterator()
        _ = try await results.next()
        let counts = store.observe(count: Person.self).makeAsyncIterator()
        try await expect(counts.next(), equals: 0)
        let person = Person()
        person.id.value = "b"
        if isShared {
            let other = try SQLiteModelStore(path: path, sharing: .severalProcesses)
            try await other.create(person)
        } else {
            // The store itself may be the only one that is let in.
            let columns = #"("id", "_revision", "_order") VALUES ('b', 1, 1)"#
            try SQLiteConnection(path: path).execute(#"INSERT INTO "Person" \#(columns)"#)
            let own = Person()
            own.id.value = "c"
            try await store.create(own)
        }
        let next = try await results.next()
        expect(next?.models.map(\.id.value), equals: isShared ? ["b"] : ["b", "c"])
        try await expect(counts.next(), equals: isShared ? 1 : 2)
        expect(refetches.count, equals: 2)
    }

    @Test func `a damaged value is an error of a live sum until it is mended`() async throws {
        let directory = try TemporaryDirectory()
        let refetches = RefetchCounter()
        let path = directory.file()
        let store = try SQLiteModelStore(path: path, events: refetches.events)
        func create(_ id: Int) async throws { _ = try await store.create(Entry(id)).value }
        func write(_ value: String) throws {
            let connection = try SQLiteConnection(path: path)
            try connection.execute("UPDATE Entry SET amount = \(value) WHERE id = 1")
            connection.close()
        }
        try await create(1)
        let sums = store.observe(sum: \.amount, of: Entry.self).makeAsyncIterator()
        try await expect(sums.next(), equals: 1)
        // It is seen with the next commit.
        try write("'x'")
        try await create(2)
        await #expect(throws: StoreError.self) { try await sums.next() }
        try write("1")
        try await create(3)
        try await expect(sums.next(), equals: 6)
        try await create(4)
        try await expect(sums.next(), equals: 10)
        expect(refetches.count, equals: 2)
    }

    private final class Entry: Model {
        let id = Field<Int>()
        let amount = Field<Int>()

        convenience init(_ id: Int) {
            self.init()
            (self.id.value, amount.value) = (id, id)
        }
    }
}
