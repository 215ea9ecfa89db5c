import ModelKitFields
import TestSupport
import Testing

@Suite struct LiveArrayTests {
    @Test func `a filtered array is right whenever it is read`() {
        let numbers = ArrayField(Field<Int>(), value: [1, 2, 3, 4])
        let even = numbers.filtered { $0 % 2 == 0 }
        expect(even.value, equals: [2, 4])
        numbers.append(6)
        expect(even.value, equals: [2, 4, 6])
        batch {
            numbers.remove(at: 1)
            expect(even.value, equals: [4, 6])
            numbers.insert(8, at: 0)
            expect(even.value, equals: [8, 4, 6])
        }
        numbers.value = [10, 11]
        expect(even.value, equals: [10])
        numbers.value = nil
        expect(even.value, equals: nil)
        numbers.append(12)
        expect(even.value, equals: [12])
    }

    @Test func `the closure runs for what is new`() {
        let calls = Counter()
        let numbers = ArrayField(Field<Int>(), value: Array(0..<1000))
        let even = numbers.filtered { number in
            calls.increment()
            return number % 2 == 0
        }
        expect(even.value?.count, equals: 500)
        expect(calls.value, equals: 1000)
        numbers.insert(2000, at: 10)
        numbers.remove(at: 500)
        numbers.move(from: 3, to: 900)
        expect(even.value, equals: numbers.value?.filter { $0 % 2 == 0 })
        expect(calls.value, equals: 1001)
        numbers.replace(at: 7, with: 3000)
        expect(even.value, equals: numbers.value?.filter { $0 % 2 == 0 })
        expect(calls.value, equals: 1002)
    }

    @Test func `so do those of a chain, and a sort asks as often as a binary search`() {
        let (asked, made, compared) = (Counter(), Counter(), Counter())
        let numbers = ArrayField(Field<Int>(), value: (0..<1024).map { ($0 * 37) % 1024 })
        let texts = numbers.filtered { number in
            asked.increment()
            return number % 2 == 0
        }.sorted { first, second in
            compared.increment()
            return first < second
        }.mapped { number in
            made.increment()
            return "\(number)"
        }
        expect(texts.value, equals: stride(from: 0, to: 1024, by: 2).map { "\($0)" })
        let (before, mapped) = (compared.value, made.value)
        numbers.append(501)
        numbers.append(500)
        expect(texts.value?.count, equals: 513)
        expect(asked.value, equals: 1026)
        expect(made.value, equals: mapped + 1)
        expect(compared.value - before <= 20)
    }

    @Test func `observers of edits get what was done, without a comparison`() {
        let uses = Counter()
        let field = ArrayField(
            Field<Counted>(),
            value: (0..<500).map { Counted($0, uses) }
        )
        let low = field.filtered { $0.number < 250 }
        let edits = Log<[ArrayEdit<Counted>]>()
        low.observeEdits { edits.add($0.edits) }
        let before = uses.value
        let new = Counted(-1, uses)
        field.insert(new, at: 100)
        field.insert(Counted(1000, uses), at: 0)
        expect(uses.value, equals: before)
        expect(edits.entries.dropFirst(), equals: [[.insert(new, at: 100)]])
    }

    @Test func `an array that is bound to it gets the edits, too`() {
        let numbers = ArrayField(Field<Int>(), value: [3, 1, 2])
        let shown = ArrayField(Field<Int>())
        shown <-- numbers.sorted()
        let edits = Log<[ArrayEdit<Int>]>()
        shown.observeEdits { edits.add($0.edits) }
        numbers.append(0)
        numbers.replace(at: 0, with: 5)
        expect(shown.value, equals: [0, 1, 2, 5])
        expect(
            edits.entries,
            equals: [
                [.reset([1, 2, 3])], [.insert(0, at: 0)], [.replace(3, with: 5, at: 3)],
            ]
        )
    }

    @Test func `a field of an element counts, and so does any other that is read`() {
        final class Task: Sendable, Equatable {
            let title: String
            let isDone = Field<Bool>(value: false)
            init(_ title: String) { self.title = title }
            static func == (left: Task, right: Task) -> Bool { left === right }
        }
        let tasks = ArrayField(Field<Task>(), value: [Task("write"), Task("read"), Task("rest")])
        let wanted = Field<String>(value: "r")
        let open = tasks.filtered { [wanted] task in
            task.isDone.value == false && task.title.hasPrefix(wanted.value ?? "")
        }
        let titles = open.mapped(\.title)
        let received = Log<[String]?>()
        titles --> { (titles: [String]?) in received.add(titles) }
        tasks[1]?.isDone.value = true
        wanted.value = ""
        let run = Task("run")
        tasks.append(run)
        run.isDone.value = true
        expect(
            received.entries,
            equals: [
                ["read", "rest"], ["rest"], ["write", "rest"], ["write", "rest", "run"],
                ["write", "rest"],
            ]
        )
    }

    @Test func `a closure that reads the array itself sees every element of it`() {
        let numbers = ArrayField(Field<Int>(), value: [5, 6])
        let parts = numbers.mapped { [numbers] in "\($0) of \(numbers.count)" }
        expect(parts.value, equals: ["5 of 2", "6 of 2"])
        numbers.append(7)
        expect(parts.value, equals: ["5 of 3", "6 of 3", "7 of 3"])
    }

    @Test func `an error of the closure is kept until the array is another`() {
        struct Odd: Error, Equatable { let number: Int }
        let numbers = ArrayField(Field<Int>(), value: [2])
        let halves = numbers.mapped { number in
            if number % 2 != 0 { throw Odd(number: number) }
            return number / 2
        }
        expect(halves.value, equals: [1])
        numbers.append(3)
        #expect(throws: Odd(number: 3)) { try halves.get() }
        numbers.replace(at: 1, with: 4)
        expect(halves.value, equals: [1, 2])
    }

    @Test func `equal elements keep their order, also those that come later`() {
        struct Entry: Equatable, Sendable {
            let rank: Int
            let name: String
        }
        let entries = ArrayField(
            Field<Entry>(),
            value: [Entry(rank: 1, name: "a"), Entry(rank: 0, name: "b")]
        )
        let names = entries.sorted { $0.rank < $1.rank }.mapped(\.name)
        expect(names.value, equals: ["b", "a"])
        entries.insert(Entry(rank: 1, name: "c"), at: 0)
        entries.append(Entry(rank: 0, name: "d"))
        expect(names.value, equals: ["b", "d", "c", "a"])
        entries.move(from: 0, to: 3)
        expect(names.value, equals: ["b", "d", "a", "c"])
    }

    @Test func `what it is made of is freed with it`() {
        weak var source: ArrayField<Int>?
        var live: Computed<[Int]>?
        do {
            let numbers = ArrayField(Field<Int>(), value: [1])
            source = numbers
            live = numbers.filtered { $0 > 0 }.sorted()
            expect(live?.value, equals: [1])
            numbers.append(2)
        }
        expect(live?.value, equals: [1, 2])
        expect(source != nil)
        live = nil
        expect(source == nil)
    }

    @Test func `elements that are removed are freed while nobody reads`() {
        final class Token: Sendable, Equatable {
            static func == (left: Token, right: Token) -> Bool { left === right }
        }
        let field = ArrayField(Field<Token>())
        let live = field.filtered { _ in true }
        expect(live.value, equals: [])
        weak var token: Token?
        do {
            let new = Token()
            token = new
            field.append(new)
            field.remove(at: 0)
        }
        for _ in 0..<2000 {
            field.append(Token())
            field.remove(at: 0)
        }
        expect(token, equals: nil)
        expect(live.value, equals: [])
    }

    @Test func `a domain that comes later counts, though it is no set`() {
        let inner = Field<Int>()
        let numbers = ArrayField(inner, value: [5, 20])
        let same = numbers.mapped { $0 }
        expect(same.value, equals: [5, 20])
        inner.constrain(to: 0...10)
        expect(same.value, equals: [5, 10])
        numbers.append(7)
        expect(same.value, equals: [5, 10, 7])
    }

    @Test func `so does one of which the array was not asked`() {
        let numbers = ArrayField(Field<Int>(), value: [1, 50])
        let twice = numbers.mapped { $0 * 2 }
        expect(twice.value, equals: [2, 100])
        numbers.inner.constrain(to: 0...10)
        numbers.append(3)
        expect(twice.value, equals: [2, 20, 6])
    }

    @Test func `elements that are removed are freed where closures read them`() {
        final class Token: Sendable, Equatable {
            let isIn = Field<Bool>(value: true)
            static func == (left: Token, right: Token) -> Bool { left === right }
        }
        let field = ArrayField(Field<Token>())
        let live = field.filtered { $0.isIn.value ?? false }
        live.observe { (_: [Token]?) in }
        weak var token: Token?
        do {
            let new = Token()
            token = new
            field.append(new)
        }
        expect(token != nil)
        field.remove(at: 0)
        expect(token, equals: nil)
    }

    @Test(arguments: 0..<120 as Range<UInt64>)
    func `chains follow random edits as if they were made anew`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let field = ArrayField(Field<Int>(), allowsDuplicates: seed % 3 != 0)
        let even = field.filtered { $0 % 2 == 0 }
        let tens = field.mapped { $0 / 3 }
        let ordered = tens.sorted { $0 > $1 }
        let spread = field.flatMapped { Array(repeating: $0, count: $0 % 4) }
        let all = spread.filtered { $0 > 1 }.sorted().mapped { "\($0)" }
        func check() {
            let value = field.value
            expect(even.value, equals: value?.filter { $0 % 2 == 0 })
            expect(tens.value, equals: value?.map { $0 / 3 })
            expect(ordered.value, equals: value?.map { $0 / 3 }.sorted { $0 > $1 })
            let flat = value?.flatMap { Array(repeating: $0, count: $0 % 4) }
            expect(spread.value, equals: flat)
            expect(all.value, equals: flat?.filter { $0 > 1 }.sorted().map { "\($0)" })
        }
        let mirrors = (0..<3).map { _ in Mirror<Int>() }
        let texts = Mirror<String>()
        if seed % 2 == 0 {
            even.observeEdits { mirrors[0].follow($0) }
            ordered.observeEdits { mirrors[1].follow($0) }
            spread.observeEdits { mirrors[2].follow($0) }
            all.observeEdits { texts.follow($0) }
        }
        for _ in 0..<60 {
            if Int.random(in: 0..<3, using: &random) == 0 {
                batch {
                    for _ in 0..<Int.random(in: 0..<6, using: &random) {
                        editAtRandom(field, &random)
                        if Bool.random(using: &random) { check() }
                    }
                }
            } else {
                editAtRandom(field, &random)
            }
            // Not always, so that several edits come at once.
            if Bool.random(using: &random) { check() }
        }
        check()
        guard seed % 2 == 0 else { return }
        expect(mirrors.map(\.elements), equals: [even, ordered, spread].map { $0.value ?? [] })
        expect(texts.elements, equals: all.value ?? [])
        expect(mirrors.flatMap(\.faults) + texts.faults, equals: [])
    }

    @Test(arguments: [[2, 1, 3], [2, 300, 1]])
    func `an element may become hundreds of others, and few again`(numbers: [Int]) {
        let field = ArrayField(Field<Int>(), value: numbers)
        let spread = field.flatMapped { Array(repeating: $0, count: $0) }
        let mirror = Mirror<Int>()
        spread.observeEdits { mirror.follow($0) }
        let edits: [(String, () -> Void)] = [
            ("a move", { field.move(from: 1, to: 0) }),
            ("hundreds for few", { field.replace(at: 1, with: 256) }),
            ("an insert", { field.insert(700, at: 1) }),
            ("a move of hundreds", { field.move(from: 1, to: 3) }),
            ("few for hundreds", { field.replace(at: 3, with: 255) }),
            ("a removal", { field.remove(at: 0) }),
            ("another value", { field.value = [300, 0, 5] }),
        ]
        for (name, edit) in edits {
            edit()
            let flat = (field.value ?? []).flatMap { Array(repeating: $0, count: $0) }
            expect(spread.value, equals: flat, "\(name)")
            expect(mirror.elements, equals: flat, "\(name)")
        }
        expect(mirror.faults, equals: [])
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `chains follow four threads`(seed: UInt64) async {
        let field = ArrayField(Field<Int>())
        let live = field.filtered { $0 % 3 != 0 }.sorted()
        let mirror = Mirror<Int>()
        live.observeEdits { mirror.follow($0) }
        let ends = (0..<4).map { thread in
            startThread {
                var random = SplitMix(seed: seed &* 4 &+ UInt64(thread))
                for round in 0..<200 {
                    editAtRandom(field, &random)
                    if round % 8 == 0 { _ = live.value }
                }
            }
        }
        for end in ends { end() }
        await live.settled()
        // The last one may have set the field to nil.
        expect(live.value, equals: field.value?.filter { $0 % 3 != 0 }.sorted())
        expect(mirror.elements, equals: live.value ?? [])
        expect(mirror.faults, equals: [])
    }
}
