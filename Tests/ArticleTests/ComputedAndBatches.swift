import Dispatch
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

extension ComputedAndBatches {
    @Test @MainActor func `the further examples of the article run`() async {
        let first = Field<String>(value: "Ada")
        let last = Field<String>(value: "Lovelace")
        let full = Computed { [first, last] in "\(first.value ?? "") \(last.value ?? "")" }
        let log = Log<String>()
        let window = Window()
        let screen = MainScreen()
        let queue = DispatchQueue(label: "further effects")

        let length = Field<Int>()
        full.bind(to: length) { name in name?.count }
        first.value = "Augusta Ada"
        print(length.value ?? 0, full.observerCount)  // 20 1
        #expect(length.value == 20 && full.observerCount == 1)

        await full.settled()
        full.removeAllObservers()
        full.dispose()
        first.value = "Ada"
        print(full.value ?? "")  // Augusta Ada Lovelace
        #expect(full.value == "Augusta Ada Lovelace" && length.value == 20)

        let lines = ArrayField(Field<String>(), value: ["to be", "or"])
        let capitals = lines.mapped { $0.uppercased() }
        let words = lines.flatMapped { $0.split(separator: " ").map(String.init) }.sorted()
        lines.append("not")
        print(capitals.value ?? [])  // ["TO BE", "OR", "NOT"]
        print(words.value ?? [])  // ["be", "not", "or", "to"]
        #expect(capitals.value == ["TO BE", "OR", "NOT"])
        #expect(words.value == ["be", "not", "or", "to"])

        let count = Field<Int>(value: 1)
        effect(window) { window in window.title = "\(count.value ?? 0) files" }
        effect(screen, .onMain) { screen in screen.text = "\(count.value ?? 0) files" }
        let main = effect(.onMain) { screen.badge = count.value ?? 0 }
        let background = effect(on: queue) { log.add("\(count.value ?? 0)") }
        effect(window, on: queue) { _ in log.add("owned: \(count.value ?? 0)") }
        count.value = 2
        print(window.title, screen.text, screen.badge)  // 2 files 2 files 2
        #expect(window.title == "2 files" && screen.text == "2 files" && screen.badge == 2)
        main.cancel()
        print(main.isCancelled, background.isCancelled)  // true false
        #expect(main.isCancelled && !background.isCancelled)

        queue.sync {}
        #expect(log.entries.contains("2") && log.entries.contains("owned: 2"))
        background.cancel()
    }
}
