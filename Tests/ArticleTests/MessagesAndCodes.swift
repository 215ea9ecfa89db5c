import Foundation
import ModelKit
import Testing

@Suite(.serialized) struct MessagesAndCodes {
    @Test func `the examples of the article run`() {
        let german = MessageCatalogue { code, parameters in
            switch code {
            case "required": "ist erforderlich"
            case "minLength":
                "braucht mindestens \(parameters["min"] ?? 0) Zeichen"
            case "min": "muss mindestens \(parameters["min"] ?? 0) sein"
            default: nil
            }
        }
        MessageCatalogue.withCurrent(german) {
            let messages = Rule<String>.length(3...20).issues(for: "a").map(\.message)
            #expect(messages == ["braucht mindestens 3 Zeichen"])
            #expect(Rule<Int>.required.issues(for: nil).map(\.message) == ["ist erforderlich"])
            MessageCatalogue.withCurrent(.english) {
                let messages = Rule<Int>.min(18).issues(for: 3).map(\.message)
                #expect(messages == ["must be greater than or equal to 18"])
            }
        }
    }

    /// Is only compiled: another test may be reading messages.
    private func setTheProcess() {
        let german = MessageCatalogue { code, parameters in
            switch code {
            case "required": "ist erforderlich"
            case "minLength":
                "braucht mindestens \(parameters["min"] ?? 0) Zeichen"
            case "min": "muss mindestens \(parameters["min"] ?? 0) sein"
            default: nil
            }
        }
        MessageCatalogue.standard = german
        print(Rule<String>.length(3...20).issues(for: "a").map(\.message))
        // ["braucht mindestens 3 Zeichen"]
        MessageCatalogue.withCurrent(.english) {
            print(Rule<Int>.min(18).issues(for: 3).map(\.message))
            // ["must be greater than or equal to 18"]
        }
        MessageCatalogue.standard = .english
    }

    private static func issues() throws -> [ValidationError] {
        let comparisons: [Rule<String>] = [
            .notEmpty, .notBlank, .absent, .equal("a"), .notEqual("a"), .oneOf(["a", "b"]),
            .noneOf(["a", "b"]), .minLength(3), .maxLength(3), .length(3), .minLength(3, in: .utf8),
        ]
        let texts: [Rule<String>] = [
            .hasPrefix("a"), .hasSuffix("a"), .contains("a"), .digits, .alpha, .alphanumeric,
            .ascii, .lowercase, .uppercase, .slug, .trimmed, .noControlCharacters,
            .characters(in: "ab"), try .pattern("^a$"),
        ]
        let formats: [Rule<String>] = [
            .email, .url, .uri, .uriReference, .uuid, .date, .time, .dateTime, .duration, .hostname,
            .ipv4, .ipv6, .cidr, .base64, .jsonPointer, .e164,
        ]
        let parts: [Rule<String>] = [.notBlank, .digits]
        let several: [Rule<String>] = [
            .atLeastOne(of: [.email, .digits]), .exactlyOne(of: [.email, .digits]),
            .allOrNone(of: parts), .not(.notBlank),
        ]
        // Each rule has something to say of one of them.
        let found = ["", " ", "a", "zzzz", "Ä\u{0}", "-a-", "%%", "\u{7F}", "A"]
        var issues: [ValidationError] = []
        for rule in comparisons + texts + formats + several {
            for text in found { issues += rule.issues(for: text) }
        }
        let numbers: [Rule<Double>] = [
            .min(1), .max(1), .greaterThan(1), .lessThan(1), .multipleOf(5), .finite, .integer,
            .digits(integer: 3, fraction: 2),
        ]
        for rule in numbers {
            for number in [-1, 2, 0.5, 1234.567, Double.infinity] {
                issues += rule.issues(for: number)
            }
        }
        let arrays: [Rule<[Int]>] = [.minItems(1), .maxItems(1), .count(1), .unique]
        for rule in arrays { issues += rule.issues(for: []) + rule.issues(for: [1, 1]) }
        let date = try #require(try? Date("2026-11-21T09:30:00Z", strategy: .iso8601))
        let dates: [Rule<Date>] = [
            .past, .future, .pastOrPresent, .futureOrPresent, .before(date), .after(date),
        ]
        for rule in dates {
            issues += rule.issues(for: .distantPast) + rule.issues(for: .distantFuture)
        }
        let accepted: Rule<Bool> = .accepted
        let required: Rule<Int> = .required
        return issues + accepted.issues(for: false) + required.issues(for: nil)
    }

    final class Book: Model {
        let id = Field<String>()
        let loans = ModelField<Loan>(inverse: \.book)*

        init() { linkFields() }
    }

    final class Loan: Model {
        let id = Field<String>()
        let book = ModelField<Book>(foreignKey: true).require(.required)

        init() { linkFields() }
    }

    @Test func `the table of stores has the code, the parameters and the message`() async throws {
        let store = MemoryModelStore()
        let (book, loan, next) = (Book(), Loan(), Loan())
        (book.id.value, loan.id.value) = ("b1", "l1")
        loan.book.value = book
        var issues: [ValidationError] = []
        func collect(_ work: () async throws -> Void) async {
            do {
                try await work()
            } catch {
                issues += (error as? StoreError)?.issues ?? []
            }
        }
        try await store.perform([.create(book), .create(loan)])
        await collect { try await store.delete(book) }
        try await store.perform([.delete(book), .delete(loan)])
        next.book.value = book
        await collect { try await store.create(next) }
        next.book.value = Book()
        await collect { try await store.create(next) }
        #expect(issues.map(\.code) == ["needed", "deleted", "unsaved"])

        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = "Sources/ModelKit/ModelKit.docc/MessagesAndCodes.md"
        let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
        for issue in issues {
            let names = issue.parameters.keys.sorted().map { "`\($0)`" }.joined(separator: ", ")
            let parameters = names.isEmpty ? "–" : names
            #expect(text.contains("| `\(issue.code)` | \(parameters) | \(issue) |\n"))
        }
    }

    @Test func `the table has the code, the parameters and the message of every rule`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = "Sources/ModelKit/ModelKit.docc/MessagesAndCodes.md"
        let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.dropFirst().map { $0.replacingOccurrences(of: "`", with: "") }
        }
        let table = Set(rows.map { $0.joined(separator: " | ") })
        let found = Set(
            try Self.issues().map { issue in
                let parameters = issue.parameters.keys.sorted().joined(separator: ", ")
                return [issue.code, parameters.isEmpty ? "–" : parameters, issue.message]
                    .joined(separator: " | ")
            }
        )
        #expect(rows.count > 60)
        #expect(table.subtracting(found).sorted() == [])
        #expect(found.subtracting(table).sorted() == [])
    }
}
