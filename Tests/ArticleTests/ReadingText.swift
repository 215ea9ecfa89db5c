import Foundation
import ModelKit
import Testing

// In types it could be that of the tests, too.
import struct ModelKit.Issue

@Suite struct ReadingText {
    @Test func `the examples of the article run`() async throws {
        let store = MemoryModelStore()

        let day: Parser<String, Date> = .trimmed.orNil.then(.date)
        let price: Parser<String, Decimal> = .trimmed.orNil.then(.decimal).then(.min(0))
        print(try price.parse(" 12.50 ") ?? 0)  // 12.5
        #expect(try price.parse(" 12.50 ") == 12.5)
        print(try day.parse(" ") as Any)  // nil: nothing was typed
        #expect(try day.parse(" ") == nil)
        print(day.issues(for: "31.1.2024").map(\.message))
        // ["must be a valid date (yyyy-MM-dd)"]
        #expect(day.issues(for: "31.1.2024").map(\.code) == ["date"])
        print(price.print(0.5) ?? "", day.print(Date(timeIntervalSince1970: 0)) ?? "")
        // 0.5 1970-01-01
        #expect(price.print(0.5) == "0.5")
        #expect(day.print(Date(timeIntervalSince1970: 0)) == "1970-01-01")

        let code = Parser<String, String>.trimmed.map { text in
            text.uppercased()
        } print: { code in
            code
        }
        let tags = Parser<String, [String]>.split(by: ";")
            .then(Parser<String, String>.trimmed.orNil.each())
        let level = Parser<String, Int>.integer.then(Parser<Int, Level>.rawValue)
            .message("must be 1 or 2").code("level")
        print(try code.parse(" de ") ?? "", try tags.parse("red; ;blue") ?? [])
        // DE ["red", "blue"]
        #expect(try code.parse(" de ") == "DE" && tags.parse("red; ;blue") == ["red", "blue"])
        print(level.issues(for: "7").map(\.message))  // ["must be 1 or 2"]
        #expect(level.issues(for: "7").map(\.code) == ["level"])

        let csv = #"""
            id,title,price,published,in print,format,shelf
            f81d4fae-7dec-11d0-a765-00a0c91e6bf6,"Notes, ""A"" to ""G""",12.50,1843-09-01,yes,hardcover,3
            0b3c2f6a-7dec-11d0-a765-00a0c91e6bf6,Sketch,free,1.9.1843,no,paperback,4
            """#
        let (editions, mistakes) = readEditions(csv)
        print(editions[0].title.value ?? "")  // Notes, "A" to "G"
        for mistake in mistakes { print(mistake) }
        // line 3, price: must be a number
        // line 3, published: must be a valid date (yyyy-MM-dd)
        try await store.create(editions)

        #expect(editions.map(\.title.value) == ["Notes, \"A\" to \"G\""])
        #expect(
            mistakes.map(\.description) == [
                "line 3, price: must be a number",
                "line 3, published: must be a valid date (yyyy-MM-dd)",
            ]
        )
        #expect(try await store.list(Edition.self) == editions)
        let short = readEditions("title,id\r\n\r\nSketch\r\n").mistakes
        #expect(short.map(\.description) == ["line 3, all columns: 1 cells, not 2"])
    }

    enum Level: Int { case low = 1, high }

    final class Edition: Model {
        let id = Field<UUID>()
        let title = Field<String>()
        let price = Field<Decimal>()
        let weight = Field<Double>()
        let published = Field<Date>()
        let updated = Field<Date>()
        let isInPrint = Field<Bool>()
        let page = Field<URL>()
        let format = Field<Format>()

        enum Format: String, CaseIterable, AttributeConvertible { case hardcover, paperback }
    }

    struct Column {
        let name: String
        let read: (_ cell: String, _ edition: Edition) -> [Issue]

        init<Value>(
            _ name: String,
            _ field: KeyPath<Edition, Field<Value>>,
            _ parser: Parser<String, Value>
        ) {
            self.name = name
            read = { cell, edition in
                let issues = parser.issues(for: cell)
                if issues.isEmpty { edition[keyPath: field].value = try? parser.parse(cell) }
                return issues
            }
        }
    }

    struct Mistake: CustomStringConvertible {
        let line: Int
        let column: String
        let message: String

        var description: String { "line \(line), \(column): \(message)" }
    }

    func readEditions(_ csv: String) -> (editions: [Edition], mistakes: [Mistake]) {
        let columns = [
            Column("id", \.id, .uuid),
            Column("title", \.title, .trimmed.orNil.then(.required)),
            Column("price", \.price, .trimmed.orNil.then(.decimal).then(.min(0))),
            Column("weight", \.weight, .trimmed.orNil.then(.number)),
            Column("published", \.published, .trimmed.orNil.then(.date)),
            Column("updated", \.updated, .trimmed.orNil.then(.dateTime)),
            Column("in print", \.isInPrint, .trimmed.orNil.then(.bool)),
            Column("page", \.page, .trimmed.orNil.then(.url)),
            Column("format", \.format, .trimmed.orNil.then(.rawValue)),
        ]
        let lines = csv.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        // The first line says which column is where; one of another name is left out.
        let header = cells(of: lines[0]).map { name in columns.first { $0.name == name } }
        var editions: [Edition] = []
        var mistakes: [Mistake] = []
        for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            let row = cells(of: line)
            guard row.count == header.count else {
                let message = "\(row.count) cells, not \(header.count)"
                mistakes.append(Mistake(line: index + 1, column: "all columns", message: message))
                continue
            }
            let edition = Edition()
            var found: [Mistake] = []
            for case (let column?, let cell) in zip(header, row) {
                found += column.read(cell, edition).map {
                    Mistake(line: index + 1, column: column.name, message: $0.message)
                }
            }
            if found.isEmpty { editions.append(edition) }
            mistakes += found
        }
        return (editions, mistakes)
    }

    func cells(of line: Substring) -> [String] {
        var cells = [""]
        var isQuoted = false
        var previous: Character?
        for character in line {
            if character == "\"" {
                isQuoted.toggle()
                if isQuoted, previous == "\"" { cells[cells.count - 1].append("\"") }
            } else if character == ",", !isQuoted {
                cells.append("")
            } else {
                cells[cells.count - 1].append(character)
            }
            previous = character
        }
        return cells
    }
}
