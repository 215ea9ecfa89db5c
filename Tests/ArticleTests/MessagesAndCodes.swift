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

extension MessagesAndCodes {
    enum Color: String, CaseIterable { case red, green }

    struct Line: Sendable { var product: String }

    struct Booking: Sendable {
        var arrival = 1
        var departure = 2
        var checkIn: Int?
        var checkOut: Int?
        var email: String?
        var phone: String?
        var voucher: String?
        var password = ""
        var repeated = ""
    }

    @Test func `rules of parts report at the part`() throws {
        let sizes: Rule<[Int]> = .each(.positive && .multipleOf(5) && .digits(integer: 2))
        print(sizes.issues(for: [5, 7]).map(\.description))  // ["[1] must be a multiple of 5"]
        #expect(sizes.issues(for: [5, 7]).map(\.description) == ["[1] must be a multiple of 5"])
        let labels: Rule<[String: Double]> = .keys(.lowercase) && .values(.nonNegative)
        print(labels.issues(for: ["Red": 1, "blue": -1]).map(\.description))
        // ["Red must be lowercase", "blue must be greater than or equal to 0"]
        #expect(labels.issues(for: ["Red": 1, "blue": -1]).map(\.path) == [["Red"], ["blue"]])
        let lines: Rule<[Line]> = .unique { $0.product }
        print(lines.issues(for: [Line(product: "cap"), Line(product: "cap")]).map(\.code))
        // ["unique"]
        let team: Rule<[String]> = .contains(.equal("lead"), max: 1)
        print(team.issues(for: ["guest"]).map(\.message))
        // ["must contain at least 1 and at most 1 matching element"]
        #expect(team.issues(for: ["guest"]).map(\.code) == ["contains"])

        #expect(!lines.isValid(value: [Line(product: "cap"), Line(product: "cap")]))

        let price: Rule<Decimal> = .multipleOf(5) && .digits(integer: 4, fraction: 2) && .integer
        let debt: Rule<Decimal> = .negative
        let recent: Rule<Date> = .within(.seconds(60 * 60))  // an hour from now, before or after
        let color: Rule<String> = .rawValue(of: Color.self)
        let plate: Rule<String> = .pattern(trusted: /^[A-Z]{1,3}-[0-9]+$/)
        print(price.isValid(value: 12.5), color.issues(for: "blue").map(\.message))
        // false ["must be one of red, green"]
        #expect(!price.isValid(value: 12.5) && !debt.isValid(value: 0))
        #expect(recent.isValid(value: Date()))
        #expect(color.issues(for: "blue").map(\.message) == ["must be one of red, green"])
        #expect(plate.isValid(value: "HD-42") && !plate.isValid(value: "hd-42"))

        let booking: Rule<Booking> = .all([
            .lessThan(\.arrival, "arrival", \.departure, "departure"),
            .lessThan(\.checkIn, "checkIn", \.checkOut, "checkOut"),
            .matches(\.repeated, "repeated", \.password),
            .requiredUnless(\.phone, "phone") { $0.email != nil },
            .requiredWith(\.email, "email", \.voucher),
            .together(\.arrival, \.departure, report: "departure", "must be within 30 days") {
                $1 - $0 <= 30
            },
            .together(\.checkIn, \.checkOut, report: "checkOut", "must be 2 hours later") {
                $1 - $0 >= 2
            },
        ])
        let wrong = Booking(arrival: 3, checkIn: 9, checkOut: 10, voucher: "A7", repeated: "x")
        for issue in booking.issues(for: wrong) { print(issue) }
        // arrival must be less than departure
        // repeated must be the same
        // phone is required
        // email is required
        // checkOut must be 2 hours later

        let found = booking.issues(for: wrong).map(\.code)
        #expect(found == ["lessThan", "matches", "required", "required", "custom"])
    }
}
