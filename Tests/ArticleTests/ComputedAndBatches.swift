import ModelKit
import Testing

@Suite struct ComputedAndBatches {
    final class Person: Model {
        let first = Field<String>()
        let last = Field<String>()
        let full: Computed<String>

        init() {
            full = Computed { [first, last] in "\(first.value ?? "") \(last.value ?? "")" }
        }
    }

    struct NotANumber: Error {}

    @Test func `the examples of the article run`() {
        let first = Field<String>(value: "Ada")
        let last = Field<String>(value: "Lovelace")
        let full = Computed { [first, last] in "\(first.value ?? "") \(last.value ?? "")" }
        print(full.value ?? "")  // Ada Lovelace
        #expect(full.value == "Ada Lovelace")

        full --> { value in print(value ?? "") }
        let header = Field<String>()
        header <-- full
        first.value = "Augusta Ada"
        print(header.value ?? "")  // Augusta Ada Lovelace
        #expect(header.value == "Augusta Ada Lovelace")

        let status = Computed { first.updatedAt == nil ? "new" : "edited" }
        print(status.value ?? "")  // edited
        #expect(status.value == "edited")

        let marked = ArrayField(Field<Int>(), value: [3, 8, 5])
        let passed = Computed { marked.filtered { $0 >= 5 }.value?.count }
        marked.append(9)
        print(passed.value ?? 0)  // 3
        #expect(passed.value == 3)

        let table = Table()
        let marks = ArrayField(Field<Int>(), value: [3, 8, 5])
        let best = marks.filtered { $0 >= 5 }.sorted { $0 > $1 }
        best.observeEdits { change in table.follow(change) }
        marks.append(9)
        print(table.rows)  // [9, 8, 5]
        #expect(table.rows == [9, 8, 5])

        let text = Field<String>(value: "x")
        let number = Computed { () -> Int? in
            guard let number = Int(text.value ?? "") else { throw NotANumber() }
            return number
        }
        let half = Computed { try number.get().map { $0 / 2 } }
        print(half.value as Any, half.error as Any)  // nil Optional(NotANumber())
        #expect(half.value == nil)
        #expect(half.error is NotANumber)
        text.value = "42"
        print(half.value ?? 0)  // 21
        #expect(half.value == 21)

        let window = Window()
        let heading = effect { window.title = "\(full.value ?? "") (\(marks.value?.count ?? 0))" }
        first.value = "Byron"
        print(window.title)  // Byron Lovelace (4)
        #expect(window.title == "Byron Lovelace (4)")
        heading.cancel()

        batch {
            first.value = "Grace"
            last.value = "Hopper"
            print(full.value ?? "")  // Grace Hopper: reads are up to date inside, too
            #expect(header.value == "Byron Lovelace")
        }
        #expect(header.value == "Grace Hopper")
    }

    @Test func `a model has a computed field`() throws {
        let person = try Person(dictionaryValue: ["first": "Ada", "last": "Lovelace"])
        #expect(person.full.value == "Ada Lovelace")
        #expect(person.dictionaryValue() == ["first": "Ada", "last": "Lovelace"])
    }
}

/// A table that follows an array by its edits, on one thread.
private final class Table: @unchecked Sendable {
    private(set) var rows: [Int] = []

    func follow(_ change: ArrayChange<Int>) {
        do {
            try change.apply(to: &rows)
        } catch {
            Issue.record(error)
        }
    }
}

/// A window, on one thread.
private final class Window: @unchecked Sendable {
    var title = ""
}
