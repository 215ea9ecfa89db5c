import ModelKitFields
import TestSupport
import Testing

/// Changes that wait for observers: each is delivered, in order, and what it held is released.
@Suite struct WaitingChangesTests {
    private let lives = Counter()

    @Test func `one that moves to the front of the memory of those before it keeps its place`() {
        let field = Field<Life>()
        let log = Log<[Int]>()
        // Four wait at first; when three of them were taken out, one more comes.
        let following = [1: [2, 3, 4, 5], 4: [6], 6: [7, 8]]
        field.observe(when: .changes) { [weak field, lives] old, new in
            log.add([old?.number ?? 0, new?.number ?? 0])
            for number in following[new?.number ?? 0] ?? [] { field?.value = Life(number, lives) }
        }
        field.value = Life(1, lives)
        expect(log.entries, equals: (0..<8).map { [$0, $0 + 1] })
        expect(lives.value, equals: 1)
        field.value = nil
        expect(lives.value, equals: 0)
    }

    @Test func `they are merged also after some were delivered`() {
        let field = ArrayField(Field<Life>())
        let (log, mirror, codes) = (Log<Int>(), Mirror<Life>(), Log<Diagnostic.Code>())
        field.observeEdits { [weak field, lives] change in
            mirror.follow(change)
            guard let number = change.new.first?.number else { return }
            log.add(number)
            let following = number == 1 ? 2...11 : number == 3 ? 12...2000 : nil
            for next in following.map(Array.init) ?? [] {
                field?.replace(at: 0, with: Life(next, lives))
            }
        }
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            _ = field.append(Life(1, lives))
        }
        // 4 to 1027 wait when one more comes.
        expect(log.entries, equals: [1, 2, 3] + (1028...2000))
        expect(mirror.faults.isEmpty)
        expect(codes.entries, equals: [.mergedChanges])
        expect(lives.value, equals: 1)
        field.value = nil
        expect(lives.value, equals: 0)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `they are delivered in the order of the sets, whoever makes them when`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        // How many edits follow from each.
        let plan = (0..<300).map { _ in
            Int.random(in: 0..<8, using: &random) == 0 ? 6 : Int.random(in: 0...2, using: &random)
        }
        let (field, number) = (ArrayField(Field<Life>()), Field<Int>(value: 0))
        let (expected, seen) = (Log<[Int]>(), Log<[Int]>())
        let (made, numbers, mirror) = (Counter(), Log<Int>(), Mirror<Life>())
        @Sendable func edit() {
            made.increment()
            let life = Life(made.value, lives)
            switch made.value % 4 {
            case 0 where field.count > 0: field.remove(at: 0)
            case 1 where field.count > 0: field.replace(at: 0, with: life)
            default: field.append(life)
            }
            number.value = made.value
            expected.add(field.value?.map(\.number) ?? [])
        }
        number.observe(when: .changes) { (value: Int?) in numbers.add(value ?? 0) }
        field.observeEdits { change in
            mirror.follow(change)
            if made.value == 0 || seen.count == plan.count { return }
            seen.add(change.new.map(\.number))
            for _ in 0..<plan[seen.count - 1] where made.value < plan.count { edit() }
        }
        // What is set in an observer is delivered after it.
        let start = Field<Int>()
        start.observe(when: .changes) { edit() }
        while made.value < plan.count { start.value = made.value }
        expect(seen.entries, equals: expected.entries, "seed \(seed)")
        expect(numbers.entries, equals: Array(1...plan.count), "seed \(seed)")
        expect(mirror.faults.isEmpty, "seed \(seed)")
        field.value = nil
        field.removeAllObservers()
        expect(lives.value, equals: 0, "seed \(seed)")
    }
}

/// A value that counts how many of it there are.
private final class Life: Equatable, Sendable {
    let number: Int
    private let count: Counter

    init(_ number: Int, _ count: Counter) {
        (self.number, self.count) = (number, count)
        count.increment()
    }

    deinit { count.decrement() }

    static func == (left: Life, right: Life) -> Bool { left.number == right.number }
}
