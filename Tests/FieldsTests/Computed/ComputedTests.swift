import Dispatch
import Foundation
import ModelKitFields
import TestSupport
import Testing

@Suite struct ComputedTests {
    @Test func `it is computed when it is read, and again only when something it read has changed`()
    {
        let first = Field<String>(value: "Ada")
        let last = Field<String>(value: "Lovelace")
        let runs = Counter()
        let full = Computed { () -> String? in
            runs.increment()
            return "\(first.value ?? "") \(last.value ?? "")"
        }
        expect(runs.value, equals: 0)
        expect(full.value, equals: "Ada Lovelace")
        expect(full.value, equals: "Ada Lovelace")
        expect(runs.value, equals: 1)
        let other = Field<Int>(value: 1)
        other.value = 2
        expect(full.value, equals: "Ada Lovelace")
        expect(runs.value, equals: 1)
        first.value = "Augusta Ada"
        expect(full.value, equals: "Augusta Ada Lovelace")
        expect(runs.value, equals: 2)
    }

    @Test func `what it does not read any more does not matter`() {
        let isOn = Field<Bool>(value: true)
        let left = Field<Int>(value: 1)
        let right = Field<Int>(value: 2)
        let runs = Counter()
        let chosen = Computed { () -> Int? in
            runs.increment()
            return isOn.value == true ? left.value : right.value
        }
        let log = Log<Int?>()
        chosen --> { log.add($0) }
        right.value = 3
        expect(runs.value, equals: 1)
        isOn.value = false
        left.value = 9
        expect(runs.value, equals: 2)
        right.value = 4
        expect(log.entries, equals: [1, 3, 4])
        expect(runs.value, equals: 3)
        expect(left.observerCount, equals: 0)
    }

    @Test func `observers are notified now, and once for each set that makes a difference`() {
        let number = Field<Int>(value: 1)
        let isEven = Computed { number.value.map { $0 % 2 == 0 } }
        let log = Log<Bool?>()
        let changes = Log<[Bool?]>()
        isEven --> { log.add($0) }
        isEven --> { old, new in changes.add([old, new]) }
        number.value = 3
        number.value = 4
        number.value = 6
        number.value = 7
        expect(log.entries, equals: [false, true, false])
        expect(changes.entries, equals: [[nil, false], [false, true], [true, false]])
    }

    @Test func `a diamond is evaluated once a set, and never seen torn`() {
        let top = Field<Int>(value: 1)
        let left = Computed { top.value.map { $0 + 1 } }
        let right = Computed { top.value.map { $0 * 10 } }
        let runs = Counter()
        let sum = Computed { () -> [Int?]? in
            runs.increment()
            return [left.value, right.value]
        }
        let log = Log<[Int?]?>()
        sum --> { log.add($0) }
        top.value = 2
        expect(log.entries, equals: [[2, 10], [3, 20]])
        expect(runs.value, equals: 2)
    }

    @Test func `a ladder of diamonds evaluates each node once`() {
        let top = Field<Int>(value: 0)
        let runs = Counter()
        var last = Computed { top.value }
        for _ in 0..<10 {
            let (left, right) = (
                Computed { [last] in last.value }, Computed { [last] in last.value }
            )
            last = Computed {
                runs.increment()
                return (left.value ?? 0) + (right.value ?? 0)
            }
        }
        let log = Log<Int?>()
        last --> { log.add($0) }
        top.value = 1
        expect(log.entries, equals: [0, 1024])
        expect(runs.value, equals: 20)
    }

    @Test func `an equal result stops the propagation`() {
        let number = Field<Double>(value: 1)
        let runs = Counter()
        let constant = Computed { () -> Double? in
            _ = number.value
            return .nan
        }
        let after = Computed { () -> Double? in
            runs.increment()
            return constant.value
        }
        let notifications = Counter()
        after --> { notifications.increment() }
        for value in 2..<10 { number.value = Double(value) }
        expect(runs.value, equals: 1)
        expect(notifications.value, equals: 1)
    }

    @Test func `an error is kept and thrown again until something changes`() throws {
        struct Failure: Error, Equatable { let number: Int }
        let number = Field<Int>(value: -1)
        let runs = Counter()
        let root = Computed { () -> Int? in
            runs.increment()
            guard let value = number.value, value >= 0 else {
                throw Failure(number: number.value ?? 0)
            }
            return value
        }
        let twice = Computed { try root.get().map { $0 * 2 } }
        #expect(throws: Failure(number: -1)) { try twice.get() }
        #expect(throws: Failure(number: -1)) { try root.get() }
        expect(root.value, equals: nil)
        expect(root.error as? Failure, equals: Failure(number: -1))
        expect(runs.value, equals: 1)
        number.value = 4
        try expect(twice.get(), equals: 8)
        expect(root.error == nil)
    }

    @Test func `an observer gets nil for an error`() {
        struct Failure: Error {}
        let number = Field<Int>(value: 1)
        let value = Computed { () -> Int? in
            if number.value == 0 { throw Failure() }
            return number.value
        }
        let log = Log<Int?>()
        value --> { log.add($0) }
        number.value = 0
        number.value = 2
        expect(log.entries, equals: [1, nil, 2])
    }

    @Test func `one that reads itself fails there and is reported`() {
        let codes = Log<Diagnostic.Code>()
        let box = Log<Computed<Int>>()
        let loop = Computed { () -> Int? in
            guard let this = box.entries.first else { return nil }
            return (try this.get() ?? 0) + 1
        }
        box.add(loop)
        _ = ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            #expect(throws: ComputedCycle.self) { try loop.get() }
        }
        expect(codes.entries, equals: [.computedCycle])
        box.clear()
    }

    @Test func `two that read each other fail and are reported`() {
        let codes = Log<Diagnostic.Code>()
        let box = Log<Computed<Int>>()
        let left = Computed { try box.entries.first?.get() }
        let right = Computed { try left.get() }
        box.add(right)
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            #expect(throws: ComputedCycle.self) { try left.get() }
            #expect(throws: ComputedCycle.self) { try right.get() }
        }
        expect(codes.entries.contains(.computedCycle))
        box.clear()
    }

    @Test func `untracked reads are no dependencies`() {
        let tracked = Field<Int>(value: 1)
        let other = Field<Int>(value: 1)
        let sum = Computed { (tracked.value ?? 0) + (untracked { other.value } ?? 0) }
        expect(sum.value, equals: 2)
        other.value = 5
        expect(sum.value, equals: 2)
        tracked.value = 2
        expect(sum.value, equals: 7)
    }

    @Test func `a field bound to it holds its value when the set returns, and keeps it alive`() {
        let first = Field<String>(value: "a")
        let target = Field<String>()
        target <-- Computed { first.value.map { $0 + "!" } }
        expect(target.value, equals: "a!")
        first.value = "b"
        expect(target.value, equals: "b!")
        let log = Log<String?>()
        target.observe(when: .changes) { log.add($0) }
        first.value = "c"
        expect(log.entries, equals: ["c!"])
    }

    @Test func `the end of a binding ends it`() {
        let first = Field<String>(value: "a")
        let target = Field<String>()
        weak var weakly: Computed<String>?
        do {
            let shout = Computed { first.value.map { $0 + "!" } }
            weakly = shout
            shout --> target
        }
        expect(weakly != nil)
        if let shout = weakly { shout -/-> target }
        expect(weakly == nil)
        first.value = "b"
        expect(target.value, equals: "a!")
    }

    @Test func `fields bound in between are up to date, and observers are notified once`() {
        let top = Field<Int>(value: 1)
        let middle = Field<Int>()
        middle <-- Computed { top.value.map { $0 * 2 } }
        let runs = Counter()
        let sum = Computed { () -> [Int?]? in
            runs.increment()
            return [top.value, middle.value]
        }
        let log = Log<[Int?]?>()
        sum --> { log.add($0) }
        top.value = 2
        top.value = 3
        expect(log.entries, equals: [[1, 2], [2, 4], [3, 6]])
        expect(runs.value, equals: 3)
    }

    @Test func `in a batch it is right when it is read, and reported once`() {
        let left = Field<Int>(value: 1)
        let right = Field<Int>(value: 2)
        let sum = Computed { (left.value ?? 0) + (right.value ?? 0) }
        let log = Log<Int?>()
        sum --> { log.add($0) }
        batch {
            left.value = 10
            expect(sum.value, equals: 12)
            right.value = 20
            expect(log.entries, equals: [3])
        }
        batch {
            left.value = 20
            right.value = 10
        }
        expect(log.entries, equals: [3, 30])
    }

    @Test func `without an observer it does not run, and is not kept by what it reads`() {
        let field = Field<Int>(value: 1)
        let runs = Counter()
        weak var weakly: Computed<Int>?
        do {
            let value = Computed { () -> Int? in
                runs.increment()
                return field.value
            }
            weakly = value
            let observation = value --> { _ in }
            field.value = 2
            expect(runs.value, equals: 2)
            observation.cancel()
            field.value = 3
            field.value = 4
            expect(runs.value, equals: 2)
        }
        expect(weakly == nil)
        expect(field.observerCount, equals: 0)
    }

    @Test func `one that has ended keeps its value and notifies nobody`() {
        let field = Field<Int>(value: 1)
        let value = Computed { field.value }
        let log = Log<Int?>()
        value --> { log.add($0) }
        value.dispose()
        field.value = 2
        expect(value.value, equals: 1)
        expect(log.entries, equals: [1])
    }

    @Test func `an object that observes is handed the computed field`() {
        let field = Field<Int>(value: 1)
        let doubled = Computed { field.value.map { $0 * 2 } }
        let screen = Screen()
        doubled --> screen
        field.value = 2
        let seen = screen.seen.entries
        expect(seen.map(\.value), equals: [2, 4])
        expect(seen.allSatisfy { $0.observable === doubled })
        expect(seen.allSatisfy { !($0.observable is Field<Int>) })
        // What reads it is notified of its changes.
        let next = Watched { seen.first?.observable.value.map { $0 + 1 } }
        field.value = 3
        expect(next.received, equals: [5, 7])
        doubled -/-> screen
        field.value = 4
        expect(screen.seen.count, equals: 3)
        expect(doubled.observerCount, equals: 0)
    }

    @Test func `an observer that is a field of the wrong end is no problem`() {
        let field = Field<Int>(value: 1)
        let doubled = Computed { field.value.map { $0 * 2 } }
        let target = Field<Int>()
        expect(doubled.addObserver(target) === target)
        field.value = 3
        expect(target.value, equals: 6)
        doubled.removeAllObservers()
        field.value = 4
        expect(target.value, equals: 6)
    }

    @Test func `one that feeds what it reads comes to rest with a report`() {
        let field = Field<Int>(value: 0)
        let codes = Log<Diagnostic.Code>()
        _ = ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            field <-- Computed { [unowned field] in field.value.map { $0 + 1 } }
        }
        // Beside other threads it may be carried on once more, and reported for that.
        expect(Set(codes.entries), equals: [.computedCycle])
    }

    @Test func `the main thread is notified as by a field`() async {
        let field = Field<Int>(value: 1)
        let doubled = Computed { field.value.map { $0 * 2 } }
        await MainActor.run {
            let log = Log<Int?>()
            doubled.onMain.observe { log.add($0) }
            field.value = 2
            expect(log.entries, equals: [2, 4])
        }
    }
}

/// Records what it receives, and from what.
private final class Screen: ValueObserver {
    let seen = Log<(observable: any ValueObservable<Int>, value: Int?)>()

    func valueChanged(_ observable: any ValueObservable<Int>, value: Int?) {
        seen.add((observable, value))
    }
}

@Suite struct ComputedDepthTests {
    @Test(arguments: [10_000, 100_000])
    func `a long chain needs no stack`(length: Int) {
        onSmallStack {
            let top = Field<Int>(value: 0)
            let log = Log<Int?>()
            do {
                var last = Computed { top.value }
                for _ in 1..<length { last = Computed { [last] in last.value.map { $0 + 1 } } }
                expect(last.value, equals: length - 1)
                top.value = 1
                expect(last.value, equals: length)
                last --> { log.add($0) }
                top.value = 2
            }
            expect(log.entries, equals: [length, length + 1])
            top.value = 3
        }
    }

    @Test func `a long chain whose nodes all read the first field needs no stack`() {
        onSmallStack {
            let top = Field<Int>(value: 0)
            var last = Computed { top.value }
            for _ in 1..<10_000 {
                last = Computed { [last] in
                    guard let step = top.value else { return nil }
                    return (last.value ?? 0) + step
                }
            }
            expect(last.value, equals: 0)
            top.value = 1
            expect(last.value, equals: 10_000)
        }
    }

    @Test func `a long chain some of whose nodes read the first field needs no stack`() {
        onSmallStack {
            let top = Field<Int>(value: 0)
            var last = Computed { top.value }
            for index in 1..<10_000 {
                let isReader = index % 17 == 0
                last = Computed { [last] in
                    if isReader, top.value == nil { return nil }
                    return last.value
                }
            }
            expect(last.value, equals: 0)
            top.value = 1
            expect(last.value, equals: 1)
        }
    }
}

@Suite struct ComputedThreadTests {
    @Test func `what several threads set is in the value when all are done`() async {
        for _ in 0..<20 {
            let fields = (0..<4).map { _ in Field<Int>(value: 0) }
            let sum = Computed { fields.reduce(0) { $0 + ($1.value ?? 0) } }
            let target = Field<Int>()
            let log = Log<Int?>()
            sum --> { log.add($0) }
            sum --> target
            let ends = fields.map { field in
                startThread { for value in 1...200 { field.value = value } }
            }
            for end in ends { end() }
            expect(sum.value, equals: 800)
            expect(target.value, equals: 800)
            // What is left of a long turn is delivered by another thread.
            await sum.settled()
            expect(log.entries.last, equals: 800)
        }
    }

    @Test func `a set returns when the computed value is right, whatever others do`() {
        let mine = Field<Int>(value: 0)
        let others = Field<Int>(value: 0)
        let target = Field<[Int]>()
        target <-- Computed { [mine.value ?? -1, others.value ?? -1] }
        let isDone = Counter()
        let ends = (0..<2).map { _ in
            startThread {
                var number = 0
                while isDone.value == 0 {
                    number += 1
                    others.value = number
                }
            }
        }
        for value in 1...2000 {
            mine.value = value
            expect(target.value?.first, equals: value)
        }
        isDone.increment()
        for end in ends { end() }
        expect(target.value, equals: [2000, others.value ?? -1])
    }

    @Test func `dependencies that change on several threads are all found`() async {
        for seed in UInt64(1)...10 {
            let fields = (0..<8).map { Field<Int>(value: $0) }
            let index = Field<Int>(value: 0)
            let chosen = Computed { index.value.flatMap { fields[$0 % 8].value } }
            let twice = Computed { chosen.value.map { $0 * 2 } }
            let log = Log<Int?>()
            twice --> { log.add($0) }
            let ends = (0..<3).map { thread in
                startThread {
                    var random = SplitMix(seed: seed &* 31 &+ UInt64(thread))
                    for _ in 0..<300 {
                        if Bool.random(using: &random) {
                            index.value = Int.random(in: 0..<8, using: &random)
                        } else {
                            fields.randomElement(using: &random)?.value =
                                Int.random(in: 0..<100, using: &random)
                        }
                    }
                }
            }
            for end in ends { end() }
            let expected = (fields[(index.value ?? 0) % 8].value ?? 0) * 2
            expect(twice.value, equals: expected, "seed \(seed)")
            await twice.settled()
            expect(log.entries.last, equals: expected, "seed \(seed)")
        }
    }
}

@Suite struct ComputedSequenceTests {
    @Test func `its values come as a sequence that ends with it`() async {
        let number = Field<Int>(value: 1)
        var doubled: Computed<Int>? = Computed { number.value.map { $0 * 2 } }
        let values = doubled?.values(buffering: .unbounded)
        var iterator = values?.makeAsyncIterator()
        number.value = 2
        await expect(iterator?.next(), equals: 2)
        await expect(iterator?.next(), equals: 4)
        doubled = nil
        await expect(iterator?.next(), equals: nil)
    }

    @Test func `a queue is notified as by a field`() {
        let number = Field<Int>(value: 1)
        let doubled = Computed { number.value.map { $0 * 2 } }
        let queue = DispatchQueue(label: "test")
        let log = Log<Int?>()
        doubled.on(queue).observe { log.add($0) }
        queue.sync {}
        number.value = 2
        queue.sync {}
        expect(log.entries, equals: [2, 4])
    }
}

@Suite struct ComputedBindingTests {
    @Test func `what reads a field at the end of a transform is up to date when the set returns`() {
        let text = Field<String>(value: "1")
        let number = Field<Int>()
        text.bind(to: number) { $0.flatMap { Int($0) } }
        let target = Field<Int>()
        target <-- Computed { number.value.map { $0 * 2 } }
        let log = Log<Int?>()
        target.observe { log.add($0) }
        text.value = "7"
        expect(target.value, equals: 14)
        expect(log.entries, equals: [2, 14])
    }

    @Test func `what reads a field that coerces sees what the field made of it`() {
        let source = Field<Int>(value: 1)
        let limited = Field<Int>().constrain(to: 0...10)
        source <--> limited
        let sum = Computed { [source.value ?? -1, limited.value ?? -1] }
        let log = Log<[Int]?>()
        sum --> { log.add($0) }
        source.value = 50
        expect(log.entries.last, equals: [10, 10])
        expect(!log.entries.contains([50, 10]))
    }
}
