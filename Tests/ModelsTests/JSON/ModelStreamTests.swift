import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct ModelStreamTests {
    private static let document = Data(
        """
        \u{FEFF} [ {"id": 1, "text": "a \\"]}, b", "tags": ["x", "y"]} ,{"id":2},
         {"id": 3, "child": {"id": 4, "children": [{}, {"text": "é"}]}}\t]

        """.utf8
    )

    private func read(
        _ json: Data,
        cutAt cuts: [Int],
        _ policy: ImportPolicy = .strict,
        options: JSONOptions = JSONOptions()
    ) throws -> [Item] {
        var reader = ModelArrayReader<Item>(policy: policy, options: options)
        var items: [Item] = []
        var start = 0
        for cut in cuts.sorted() + [json.count] {
            items += try reader.read(json[start..<cut])
            start = cut
        }
        try reader.finish()
        expect(reader.progress.byteCount, equals: json.count)
        expect(reader.progress.modelCount, equals: items.count)
        return items
    }

    @Test func `however the bytes are cut, the models are the same`() throws {
        let json = Self.document
        let expected = try [Item](json: json).dictionaryValues()
        expect(expected.count, equals: 3)
        for cut in 0...json.count {
            try expect(read(json, cutAt: [cut]).dictionaryValues(), equals: expected)
        }
        try expect(read(json, cutAt: Array(0...json.count)).dictionaryValues(), equals: expected)
    }

    @Test func `any text has the same models and errors as in one piece`() throws {
        withSeed { random in
            let letters = Array("{}[]\",:01a\\ \n-etrufalsn\u{E9}")
            var taken = 0
            for _ in 0..<4_000 {
                var text = String(decoding: Self.document, as: UTF8.self)
                if Bool.random(using: &random) {
                    text = #"[{"id": 1}, {"id": "x", "tags": [1]}, 7, {"id": 2}]"#
                }
                var characters = Array(text)
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    let place = Int.random(in: 0..<characters.count, using: &random)
                    if Bool.random(using: &random),
                        let letter = letters.randomElement(using: &random)
                    {
                        characters[place] = letter
                    } else {
                        characters.removeSubrange(place...)
                    }
                    if characters.isEmpty { break }
                }
                let json = Data(String(characters).utf8)
                let cuts = (0..<3).map { _ in Int.random(in: 0...json.count, using: &random) }
                let report = ImportReport(), otherReport = ImportReport()
                let whole = Result { try [Item](json: json, policy: .skipInvalid(report)) }
                let parts = Result { try read(json, cutAt: cuts, .skipInvalid(otherReport)) }
                switch (whole, parts) {
                case (.success(let items), .success(let others)):
                    taken += 1
                    expect(items.dictionaryValues(), equals: others.dictionaryValues())
                    expect(report.issues, equals: otherReport.issues)
                    expect(
                        report.errors.flatMap(\.places),
                        equals: otherReport.errors.flatMap(\.places),
                        "\(String(characters))"
                    )
                case (.failure(let error as ImportError), .failure(let other as ImportError)):
                    // In one piece a text is read to its end before it is found to be no array.
                    if !other.description.contains("expected '['") {
                        expect(error, equals: other, "\(String(characters).debugDescription)")
                        expect(error.places.map { $0?.byte }, equals: other.places.map { $0?.byte })
                    }
                default: Issue.record("\(whole) but \(parts): \(String(characters))")
                }
            }
            expect(taken > 100)
        }
    }

    @Test func `a strict reader gives the models before the first that does not fit`() throws {
        let json = Data(#"[{"id": 1}, {"id": "x"}, {"id": 2}]"#.utf8)
        var reader = ModelArrayReader<Item>()
        try expect(reader.read(json).map(\.id.value), equals: [1])
        for _ in 0..<2 {
            #expect {
                try reader.finish()
            } throws: { error in
                let error = error as? ImportError
                return error?.issues.map(\.path.description) == ["[1].id"]
                    && error?.places.map { $0?.byte } == [19]
            }
        }
    }

    @Test(
        arguments: [
            (#"[{"id": 1},\n {"child": {"tags": ["x", y]}}]"#, "[1].child.tags[1]", 2, 27),
            (
                #"[{"id": 1},\n {"children": [{}, {"é": 1, "text": tru}]}]"#,
                "[1].children[1].text", 2, 37
            ),
            (#"[{"id" 1}]"#, "[0].id", 1, 8),
            (#"[{"id": 1},\n{"text": "é"#, "[1].text", 2, 10),
            (#"[1, {"a": {"b": [0, {"c": -}]}}]"#, "[1].a.b[1].c", 1, 28),
        ]
    )
    func `a syntax error in an element has its path, line and column`(
        text: String,
        path: String,
        line: Int,
        column: Int
    ) throws {
        let json = Data(text.replacing("\\n", with: "\n").utf8)
        for cut in 0...json.count {
            #expect {
                try read(json, cutAt: [cut], .skipInvalid(nil))
            } throws: { error in
                let place = (error as? ImportError)?.places.first ?? nil
                return place?.path.description == path && place?.line == line
                    && place?.column == column
            }
        }
        #expect {
            try [Item](json: json, policy: .skipInvalid(nil))
        } throws: { error in
            (error as? ImportError)?.places.first??.path.description == path
        }
    }

    @Test func `an element that does not fit is given as one, and the stream goes on`() async throws
    {
        let json = Data(
            #"[{"id": 1},\n {"id": "x", "child": {"tags": [1]}}, 7, {"id": 2}]"#.replacing(
                "\\n",
                with: "\n"
            ).utf8
        )
        var found: [String] = []
        var places: [String] = []
        for try await element in Item.stream(json: json).elements {
            switch element.model {
            case .success(let item): found.append("\(element.path) \(item.id.value ?? 0)")
            case .failure(let error):
                found.append("\(element.path): \(error)")
                places += error.places.map { $0?.description ?? "" }
            }
        }
        expect(
            found,
            equals: [
                "[0] 1",
                "[1]: id must be an integer, not a string; child.tags[0] must be a string, not an integer",
                "[2]: must be a dictionary, not an integer", "[3] 2",
            ]
        )
        expect(places.first, equals: "byte 20 (line 2, column 9)")
        var elements = Item.stream(json: Data(#"[{"id": 1}, x]"#.utf8)).elements.makeAsyncIterator()
        expect(try await elements.next()?.path, equals: [0])
        await #expect(throws: ImportError.self) { try await elements.next() }
        expect(try await elements.next() == nil)
    }

    @Test(arguments: [
        (#"{"id": 99999999999999999999}"#, "id cannot be kept"),
        (#"{"id": 2, "child": {"id": 1e400}}"#, "child.id cannot be kept"),
    ])
    func `a number that no value can be refuses its element alone`(
        text: String,
        message: String
    ) async throws {
        let json = Data(#"[{"id": 1}, \#(text), {"id": 3}]"#.utf8)
        var found: [String] = []
        var paths: [FieldPath] = []
        for try await element in Item.stream(json: json).elements {
            switch element.model {
            case .success(let item): found.append("\(element.path) \(item.id.value ?? 0)")
            case .failure(let error):
                found.append("\(element.path)")
                paths += error.places.compactMap { $0?.path }
                expect("\(error)".hasPrefix(message), "\(error)")
            }
        }
        expect(found, equals: ["[0] 1", "[1]", "[2] 3"])
        expect(paths.map(\.components.first), equals: [.index(1)])
    }

    @Test func `an element with such a number that is no JSON ends the stream`() async throws {
        let json = Data(#"[{"id": 99999999999999999999, "child": [}]"#.utf8)
        var elements = Item.stream(json: json).elements.makeAsyncIterator()
        await #expect(throws: ImportError.self) { try await elements.next() }
        expect(try await elements.next() == nil)
    }

    @Test func `no more models of a long array are alive than those of one piece`() async throws {
        struct Pieces: AsyncSequence, AsyncIteratorProtocol {
            var left = 500
            mutating func next() async throws -> Data? {
                defer { left -= 1 }
                let text = (0..<100).map { _ in #"{"text": "t"},"# }.joined()
                if left > 0 { return Data(((left == 500 ? "[" : "") + text).utf8) }
                return left == 0 ? Data("{}]".utf8) : nil
            }
            func makeAsyncIterator() -> Self { self }
        }
        var (count, most) = (0, 0)
        for try await _ in CountedItem.stream(Pieces()) {
            count += 1
            most = max(most, CountedItem.living.withLock { $0 })
        }
        expect(count, equals: 50_001)
        expect(most <= 101, "\(most)")
    }

    @Test(arguments: [
        #"{"id": "", "text": "", "tags": "", "child": ""}"#,
        #"{"id": "", "text": "", "tags": "", "child": "", "id": ""}"#,
    ])
    func `empty texts stand for null where that is asked for`(text: String) throws {
        let json = Data(text.utf8)
        let options = JSONOptions(emptyTexts: .null)
        let item = try Item(json: json, options: options)
        expect(
            item.dictionaryValue(),
            equals: try Item(dictionaryValue: ["id": nil, "text": nil, "tags": nil, "child": nil])
                .dictionaryValue()
        )
        expect(isRefused(Data(#"{"tags": ["a", ""]}"#.utf8), options))
        expect(isRefused(json, JSONOptions()))
        let value = try AttributeValue(json: Data(#"["", {"": ""}, "a"]"#.utf8), options: options)
        expect(value, equals: [nil, ["": nil], "a"])
    }

    private func isRefused(_ json: Data, _ options: JSONOptions) -> Bool {
        (try? Item(json: json, options: options)) == nil
    }

    @Test(arguments: [false, true])
    func `an array that is written bit by bit is the same as in one piece`(isPretty: Bool) throws {
        let items = (1...5).map { id in
            let item = Item()
            item.id.value = id
            return item
        }
        for cuts in [[], [0], [5], [2, 3], [0, 1, 4]] {
            var writer = ModelArrayWriter(isPretty: isPretty)
            var json = Data()
            for (start, end) in zip([0] + cuts, cuts + [items.count]) {
                json += try writer.write(Array(items[start..<end]))
            }
            json += writer.finish()
            expect(json, equals: try items.jsonData(isPretty: isPretty), "\(cuts)")
        }
        expect(ModelArrayWriter(isPretty: isPretty).finish(), equals: Data("[]".utf8))
    }

    @Test func `a text of something else than is read says where that stands`() throws {
        #expect {
            try Item(json: Data("\n [1]".utf8))
        } throws: { error in
            let error = error as? ImportError
            return error?.issues.map(\.code) == ["type"]
                && error?.places.first??.description == "byte 2 (line 2, column 2)"
                && error?.places.first??.path == []
        }
        #expect {
            try [Item](json: Data(" {\"id\": 1}".utf8))
        } throws: { error in
            let error = error as? ImportError
            return error?.issues.map(\.code) == ["type"]
                && error?.places.first??.description == "byte 1 (line 1, column 2)"
        }
    }

    @Test(arguments: [(510, true), (511, false)])
    func `elements are nested as deep as in one piece`(depth: Int, isRead: Bool) throws {
        let (start, end) = (
            String(repeating: "[", count: depth), String(repeating: "]", count: depth)
        )
        let json = Data(#"[{"id": 1, "other": \#(start)\#(end)}]"#.utf8)
        let whole = Result { try [Item](json: json).count }
        let pieces = Result { try read(json, cutAt: [20, 100]).count }
        expect([try? whole.get(), try? pieces.get()], equals: isRead ? [1, 1] : [nil, nil])
        expect("\(pieces)", equals: "\(whole)")
    }

    @Test func `an element has no more bytes than allowed`() throws {
        var reader = ModelArrayReader<Item>(elementLimit: 20)
        try expect(reader.read(Data(#"[{"id": 1},"#.utf8)).count, equals: 1)
        #expect {
            for _ in 0..<10 { _ = try reader.read(Data(#"{"text": "aaaaaaaaaaa"#.utf8)) }
        } throws: { error in
            "\(error)".contains("an element of more than 20 bytes at byte 11")
        }
    }

    @Test func `a stream gives the models and reports the progress`() async throws {
        let items = (0..<5_000).map { number in
            let item = Item()
            item.id.value = number
            item.text.value = "number \(number)"
            return item
        }
        let json = try items.jsonData()
        let steps = Collector<ImportProgress>()
        var numbers: [Int?] = []
        for try await item in Item.stream(json: json, progress: { steps.add($0) }) {
            numbers.append(item.id.value)
        }
        expect(numbers, equals: Array(0..<5_000))
        expect(steps.values.count > 2)
        expect(steps.values.last?.fraction, equals: 1)
        expect(steps.values.last?.modelCount, equals: 5_000)
        expect(
            zip(steps.values, steps.values.dropFirst()).allSatisfy { $0.byteCount < $1.byteCount }
        )
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        try json.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var count = 0
        for try await _ in Item.stream(contentsOf: file, progress: { steps.add($0) }) { count += 1 }
        expect(count, equals: 5_000)
        expect(steps.values.last?.totalByteCount, equals: json.count)
    }

    @Test func `of a pipe it is not known how many bytes there are`() async throws {
        var ends: [Int32] = [0, 0]
        expect(pipe(&ends), equals: 0)
        let json = Data(#"[{"id": 1}, {"id": 2}]"#.utf8)
        let written = json.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
        expect(written, equals: json.count)
        close(ends[1])
        defer { close(ends[0]) }
        let steps = Collector<ImportProgress>()
        var count = 0
        let url = URL(fileURLWithPath: "/dev/fd/\(ends[0])")
        for try await _ in Item.stream(contentsOf: url, progress: { steps.add($0) }) { count += 1 }
        expect(count, equals: 2)
        expect(steps.values.map(\.byteCount), equals: [json.count])
        expect(steps.values.map(\.totalByteCount), equals: [nil])
        expect(steps.values.map(\.fraction), equals: [nil])
    }

    /// Chunks that record how often they are asked for.
    private struct AskedChunks: AsyncSequence {
        let chunks: [Data]
        let asked: Collector<Int>

        func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks[...], asked: asked) }

        struct Iterator: AsyncIteratorProtocol {
            var chunks: ArraySlice<Data>
            let asked: Collector<Int>

            mutating func next() async -> Data? {
                asked.add(1)
                return chunks.popFirst()
            }
        }
    }

    @Test func `an error that is known is thrown before more bytes are asked for`() async throws {
        let asked = Collector<Int>()
        let chunks = AskedChunks(
            chunks: [Data(#"[{"id": 1}, {"id": "x"}, "#.utf8), Data("{}]".utf8)],
            asked: asked
        )
        var items = Item.stream(chunks).makeAsyncIterator()
        try await expect(items.next()?.id.value, equals: 1)
        do {
            _ = try await items.next()
            Issue.record("nothing was thrown")
        } catch {
            let issues = (error as? ImportError)?.issues
            expect(issues?.map(\.path.description), equals: ["[1].id"])
        }
        expect(asked.values.count, equals: 1)
        try await expect(items.next(), equals: nil)
        expect(asked.values.count, equals: 1)
    }

    @Test func `a cancelled task ends the stream`() async throws {
        let json = Data("[\(Array(repeating: "{}", count: 1_000).joined(separator: ","))]".utf8)
        let task = Task {
            var count = 0
            for try await _ in Item.stream(json: json) {
                count += 1
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return count
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a file that is not there is an error that names it`() async throws {
        let error = await #expect(throws: FileError.self) {
            for try await _ in Item.stream(contentsOf: URL(filePath: "/no/such.json")) {}
        }
        expect(error?.path == "/no/such.json" && error?.code == ENOENT)
        expect(error?.description.hasPrefix("/no/such.json: "), equals: true)
    }

    @Test func `a text that ends early is an error`() async throws {
        await #expect(throws: ImportError.self) {
            for try await _ in Item.stream(json: Data("[{}".utf8)) {}
        }
        await #expect(throws: ImportError.self) {
            for try await _ in Item.stream(json: Data()) {}
        }
    }

    @Test func `the place of an element that does not fit counts from the one before`() throws {
        let json = Data("\u{FEFF}[{\"id\": \"x\"},\n{\"id\": \"é\"},\n\n {\"id\": \"y\"}]".utf8)
        for cut in 0...json.count {
            let report = ImportReport()
            _ = try read(json, cutAt: [cut], .skipInvalid(report))
            let places = report.errors.flatMap(\.places)
            expect(places.map { $0?.line }, equals: [1, 2, 4])
            expect(places.map { $0?.column }, equals: [9, 8, 9])
            expect(places.map { $0?.byte }, equals: [11, 24, 40])
        }
    }

    @Test func `a stream and its reader go from one task to another`() async throws {
        let stream = Item.stream(json: Data(#"[{"id": 1}, {"id": 2}]"#.utf8))
        let count = try await Task.detached {
            var count = 0
            for try await _ in stream { count += 1 }
            return count
        }
        .value
        expect(count, equals: 2)
        let reader = ModelArrayReader<Item>()
        let models = try await Task.detached {
            var reader = reader
            return try reader.read(Data(#"[{"id": 1}]"#.utf8))
        }
        .value
        expect(models.map(\.id.value), equals: [1])
    }

    @Test(arguments: ["http://example.org/items.json", "ftp://example.org/etc/hostname"])
    func `only a file is opened`(text: String) async throws {
        let url = try #require(URL(string: text))
        var progress = 0
        let error = await #expect(throws: FileError.self) {
            for try await _ in Item.stream(contentsOf: url) { progress += 1 }
        }
        expect(error?.path == text && error?.code == ENOTSUP)
        expect(progress, equals: 0)
    }

    final class Office: Model {
        let id = Field<Int>()
        let name = Field<String>()
        let desks = ModelField<Desk>(inverse: \.office, foreignKey: true)*
        init() { linkFields() }
    }

    final class Desk: Model {
        let id = Field<Int>()
        let office = ModelField<Office>(foreignKey: true)
        init() { linkFields() }
    }

    private static func desks(_ count: Int) -> Data {
        let list = (0..<count).map { #"{"id": \#($0), "office": 1}"# }
        return Data("[\(list.joined(separator: ","))]".utf8)
    }

    @Test func `a model of a stream dies with its last owner, whatever its foreign keys are`()
        async throws
    {
        weak var first: Desk?
        weak var office: Office?
        var before: Desk?
        for try await desk in Desk.stream(json: Self.desks(3)) {
            if before == nil { first = desk }
            office = desk.office.value
            expect(desk.office.value?.id.value, equals: 1)
            expect(desk.office.value?.loadState, equals: .incomplete)
            if let before { expect(before.office.value === desk.office.value, "one shell") }
            before = desk
        }
        expect(first, equals: nil)
        expect(office?.desks.isEmpty == true && office?.desks.loadState == .notLoaded)
        before = nil
        expect(office, equals: nil)
    }

    @Test func `a model of a stream takes part in relations with others`() async throws {
        let office = Office()
        for try await desk in Desk.stream(json: Self.desks(1)) {
            let shell = try #require(desk.office.value)
            desk.office.value = office
            expect(office.desks.value, equals: [desk])
            desk.office.value = shell
            expect(office.desks.value, equals: [])
            expect(shell.desks.isEmpty)
        }
    }

    @Test func `with an identity map the models behind the keys of a stream are those in use`()
        throws
    {
        let map = IdentityMap()
        let office = try map.read(Office.self, ["id": 1])
        var reader = ModelArrayReader<Desk>()
        let desks = try map.use { try reader.read(Self.desks(3)) }
        expect(office.desks.value, equals: desks)
        office.unlink()
    }
}

private final class CountedItem: Model {
    let text = Field<String>()
    static let living = Guarded(0)

    init() { Self.living.withLock { $0 += 1 } }
    deinit { Self.living.withLock { $0 -= 1 } }

    private final class Watched: Model {
        static let seen = Collector<Int>()
        let age = Field<Int>()

        init() { age --> { age in if let age { Self.seen.add(age) } } }
    }

    @Test func `a number that a chunk ends in is set once it is whole`() throws {
        var reader = ModelArrayReader<Watched>()
        var models = try reader.read(Data(#"[{"age":1},{"age":12"#.utf8))
        models += try reader.read(Data("3}]".utf8))
        try reader.finish()
        expect(models.map(\.age.value), equals: [1, 123])
        expect(Watched.seen.values, equals: [1, 123])
    }

    @Test func `a long number behind many elements is looked at once`() {
        func time(_ count: Int) -> Duration {
            let elements = String(repeating: "{},", count: count)
            let json = Data(("[" + elements + String(repeating: "1", count: count * 8)).utf8)
            return ContinuousClock().measure {
                var reader = ModelArrayReader<Item>()
                expect((try? reader.read(json))?.count, equals: count)
            }
        }
        // By the square, four times as many would take 16 times as long.
        let ratios = (0..<5).map { _ in time(2_000) / time(500) }
        expect(ratios.contains { $0 < 9 }, "\(ratios)")
    }
}
