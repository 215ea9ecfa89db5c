import ModelKitFields
import TestSupport
import Testing

/// What observers of a bound array get of the edits of its source.
@Suite struct BoundEditsTests {
    /// A chain of fields that are bound one to the next, and what observers of the last get.
    private func chain(
        _ count: Int,
        of elements: [Int]
    ) -> (fields: [ArrayField<Int>], log: Log<[ArrayEdit<Int>]>, mirror: Mirror<Int>) {
        let fields = (0..<count).map { _ in ArrayField(Field<Int>()) }
        fields[0].value = elements
        for (source, target) in zip(fields, fields.dropFirst()) { source --> target }
        let log = Log<[ArrayEdit<Int>]>()
        let mirror = Mirror<Int>()
        fields.last?.observeEdits { change in
            log.add(change.edits)
            mirror.follow(change)
        }
        log.clear()
        return (fields, log, mirror)
    }

    @Test(arguments: [2, 3, 50])
    func `edits arrive along bindings as they were made`(length: Int) {
        let (fields, log, mirror) = chain(length, of: [1, 2, 3, 4])
        defer { withExtendedLifetime(fields) {} }
        let first = fields[0]
        first.append(5)
        first.insert(1, at: 0)
        first.move(from: 0, to: 3)
        first.remove(at: 1)
        first.replace(at: 0, with: 9)
        first.sort()
        first.append(contentsOf: [1, 1])
        first.removeAll()
        expect(
            log.entries,
            equals: [
                [.insert(5, at: 4)],
                [.insert(1, at: 0)],
                [.move(1, from: 0, to: 3)],
                [.remove(2, at: 1)],
                [.replace(1, with: 9, at: 0)],
                [.move(1, from: 2, to: 0), .move(9, from: 1, to: 4)],
                [.insert(1, at: 5), .insert(1, at: 6)],
                [.reset([])],
            ]
        )
        expect(mirror.faults.isEmpty)
    }

    @Test
    func `the first edit after a binding arrives as it was made, of every field that is bound`() {
        let source = numbers(1, 2, 3)
        let targets = (0..<3).map { _ in numbers() }
        defer { withExtendedLifetime(targets) {} }
        let logs = targets.map { target in
            source --> target
            let log = Log<[ArrayEdit<Int>]>()
            target.observeEdits { log.add($0.edits) }
            return log
        }
        source.move(from: 0, to: 2)
        for log in logs {
            expect(log.entries, equals: [[.reset([1, 2, 3])], [.move(1, from: 0, to: 2)]])
        }
    }

    @Test func `edits go both ways`() {
        let left = numbers(1, 2, 3)
        let right = numbers()
        right <--> left
        let logs = [left, right].map { field in
            let log = Log<[ArrayEdit<Int>]>()
            field.observeEdits { log.add($0.edits) }
            log.clear()
            return log
        }
        right.move(from: 0, to: 2)
        left.move(from: 2, to: 0)
        for log in logs {
            expect(log.entries, equals: [[.move(1, from: 0, to: 2)], [.move(1, from: 2, to: 0)]])
        }
    }

    @Test func `a sort of a long array is a reset there, too`() {
        let (fields, log, _) = chain(2, of: Array(0..<1000))
        defer { withExtendedLifetime(fields) {} }
        fields[0].sort(by: >)
        expect(log.entries, equals: [[.reset((0..<1000).reversed())]])
    }

    @Test func `the edits of a batch arrive together`() {
        let (fields, log, mirror) = chain(3, of: [1, 2, 3])
        defer { withExtendedLifetime(fields) {} }
        batch {
            fields[0].move(from: 0, to: 2)
            fields[0].append(4)
        }
        expect(log.entries, equals: [[.move(1, from: 0, to: 2), .insert(4, at: 3)]])
        expect(mirror.faults.isEmpty)
    }

    @Test func `what the target has of its own is compared with what it takes`() {
        let (fields, log, mirror) = chain(2, of: [1, 2, 3])
        defer { withExtendedLifetime(fields) {} }
        fields[1].value = [3, 1]
        log.clear()
        fields[0].append(4)
        fields[0].move(from: 0, to: 3)
        expect(
            log.entries,
            equals: [
                [.remove(3, at: 0), .insert(2, at: 1), .insert(3, at: 2), .insert(4, at: 3)],
                [.move(1, from: 0, to: 3)],
            ]
        )
        expect(mirror.elements, equals: [2, 3, 4, 1])
        expect(mirror.faults.isEmpty)
    }

    @Test func `what a transform makes is compared, also where it has the same revision`() {
        let source = numbers(1, 2, 3)
        let (turned, target) = (numbers(), numbers())
        source.bind(to: turned) { $0?.reversed() }
        turned --> target
        source --> target
        let mirror = Mirror<Int>()
        target.observeEdits { mirror.follow($0) }
        for number in 4..<9 {
            source.append(number)
            source.move(from: 0, to: 2)
            expect(mirror.elements, equals: target.value)
        }
        expect(mirror.faults.isEmpty)
    }

    @Test func `observers of a domain that takes another array get what it has taken`() {
        let (fields, log, mirror) = chain(2, of: [1, 2, 3])
        defer { withExtendedLifetime(fields) {} }
        let short = Rule<[Int]>("must be short") { $0.count <= 4 }
        fields[1].constrain(to: Domain(short) { Array($0.suffix(4)) })
        fields[0].move(from: 0, to: 2)
        expect(log.entries.last, equals: [.move(1, from: 0, to: 2)])
        fields[0].append(contentsOf: [4, 5])
        expect(mirror.elements, equals: [3, 1, 4, 5])
        expect(mirror.faults.isEmpty)
    }

    @Test func `elements are not compared where they are added or removed`() {
        let comparisons = Counter()
        let fields = (0..<4).map { _ in ArrayField(Field<Counted>()) }
        defer { withExtendedLifetime(fields) {} }
        for (source, target) in zip(fields, fields.dropFirst()) { source --> target }
        fields[3].observeEdits { _ in }
        for number in 0..<100 { fields[0].append(Counted(number, comparisons)) }
        fields[0].insert(Counted(-1, comparisons), at: 0)
        fields[0].remove(at: 50)
        expect(comparisons.value, equals: 0)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `mirrors of fields that are bound in a ring follow edits of any of them`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let fields = (0..<4).map { _ in ArrayField(Field<Int>()) }
        for index in fields.indices { fields[index] --> fields[(index + 1) % 4] }
        let mirrors = fields.map { field in
            let mirror = Mirror<Int>()
            field.observeEdits { mirror.follow($0) }
            return mirror
        }
        for _ in 0..<60 {
            let field = fields[Int.random(in: 0..<4, using: &random)]
            if Int.random(in: 0..<4, using: &random) == 0 {
                batch { for _ in 0..<3 { editAtRandom(field, &random) } }
            } else {
                editAtRandom(field, &random)
            }
            for (mirror, field) in zip(mirrors, fields) {
                expect(mirror.elements, equals: field.value ?? [], "seed \(seed)")
                expect(field.value, equals: fields[0].value)
            }
        }
        for mirror in mirrors { expect(mirror.faults.isEmpty, "seed \(seed)") }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `mirrors of bound fields follow edits of several threads`(seed: UInt64) async {
        let fields = (0..<3).map { _ in ArrayField(Field<Int>()) }
        fields[0] <--> fields[1]
        fields[1] --> fields[2]
        let mirrors = fields.map { field in
            let mirror = Mirror<Int>()
            field.observeEdits { mirror.follow($0) }
            return mirror
        }
        let ends = (0..<3).map { thread in
            startThread {
                var random = SplitMix(seed: seed &* 3 &+ UInt64(thread))
                ModelKitDiagnostics.withHandler({ _ in }) {
                    for _ in 0..<200 { editAtRandom(fields[thread], &random) }
                }
            }
        }
        for end in ends { end() }
        for (mirror, field) in zip(mirrors, fields) {
            await field.settled()
            expect(mirror.elements, equals: field.value ?? [], "seed \(seed)")
            expect(mirror.faults.isEmpty, "seed \(seed)")
        }
    }
}
