import ModelKitFields
import TestSupport
import Testing

/// What the end of a set or batch reports of computed fields.
@Suite(.timeLimit(.minutes(10))) struct ComputedBatchTests {
    let left = Field<Int>(value: 0)
    let right = Field<Int>(value: 0)

    private func pair() -> Computed<[Int]> {
        Computed { [left, right] in [left.value ?? -1, right.value ?? -1] }
    }

    @Test func `an observer that is added inside brings others no value in between`() {
        let pair = Watched(pair())
        let log = Log<[Int]?>()
        batch {
            left.value = 1
            pair.computed.observe { log.add($0) }
            right.value = 1
        }
        expect(pair.received, equals: [[0, 0], [1, 1]])
        expect(log.entries, equals: [[1, 0], [1, 1]])
    }

    @Test func `nor does a field that is bound inside`() {
        let pair = Watched(pair())
        let bound = Field<[Int]>()
        let log = Log<[Int]?>()
        batch {
            left.value = 1
            pair.computed --> bound
            bound.observe { log.add($0) }
            right.value = 1
        }
        expect(pair.received, equals: [[0, 0], [1, 1]])
        expect(log.entries, equals: [[1, 0], [1, 1]])
    }

    @Test(arguments: [false, true], [false, true])
    func `nor do they within a computation`(isAddedLast: Bool, isObserved: Bool) {
        let source = Field<Int>(value: 0)
        let pair = Watched(pair())
        let bound = Field<[Int]>()
        pair.computed --> bound
        let log = Log<[Int]?>()
        bound.observe { log.add($0) }
        let further = Field<[Int]>()
        bound --> further
        let furtherLog = Log<[Int]?>()
        further.observe { furtherLog.add($0) }
        let writer = Computed { [left, right] in
            batch {
                left.value = source.value
                if !isAddedLast { pair.computed.observe { (_: [Int]?) in } }
                right.value = source.value
                if isAddedLast { pair.computed.observe { (_: [Int]?) in } }
            }
            return source.value
        }
        if isObserved { writer.observe { (_: Int?) in } }
        for value in 1...3 {
            source.value = value
            expect(writer.value, equals: value)
        }
        expect(pair.received, equals: (0...3).map { [$0, $0] })
        expect(log.entries, equals: (0...3).map { [$0, $0] })
        expect(furtherLog.entries, equals: (0...3).map { [$0, $0] })
    }

    @Test func `two batches of a computation report once what is computed from their fields`() {
        let source = Field<Int>(value: 0)
        let pair = Watched(pair())
        let writer = Computed { [left, right] in
            for field in [left, right] {
                batch {
                    field.value = source.value
                    pair.computed.observe { (_: [Int]?) in }
                }
            }
            return source.value
        }
        source.value = 1
        expect(writer.value, equals: 1)
        expect(pair.received, equals: [[0, 0], [1, 1]])
        right.value = 2
        expect(pair.received, equals: [[0, 0], [1, 1], [1, 2]])
    }

    @Test func `a bound field that is set inside, too, notifies once`() {
        let double = Computed { [left] in left.value.map { $0 * 2 } }
        let bound = Field<Int>()
        double --> bound
        let log = Log<Int?>()
        bound.observe { log.add($0) }
        batch {
            bound.value = 9
            left.value = 1
        }
        expect(bound.value, equals: 2)
        expect(log.entries, equals: [0, 2])
    }

    @Test func `fields notify before what is computed from them, in the order of the sets`() {
        let log = Log<String>()
        let pair = pair()
        pair.observe(when: .changes) { (_: [Int]?) in log.add("pair") }
        left.observe(when: .changes) { (_: Int?) in log.add("left") }
        right.observe(when: .changes) { (_: Int?) in log.add("right") }
        batch {
            right.value = 1
            left.value = 1
        }
        expect(log.entries, equals: ["right", "left", "pair"])
    }

    @Test func `what a computation sets at the end is reported with the rest, once`() {
        let side = Field<Int>(value: 0)
        let writer = Watched { [left] in
            side.value = left.value.map { $0 * 10 }
            return left.value
        }
        let sum = Watched { [right] in (side.value ?? 0) + (right.value ?? 0) }
        let log = Log<Int?>()
        side.observe { log.add($0) }
        batch {
            side.value = 7
            left.value = 1
            right.value = 2
        }
        expect(writer.received, equals: [0, 1])
        expect(log.entries, equals: [0, 10])
        expect(sum.received, equals: [0, 12])
    }

    @Test func `what a bound computation sets is computed and bound before all others, once`() {
        let side = Field<Int>(value: 0), sink = Field<Int>(), double = Field<Int>()
        let writer = Computed { [left] in
            side.value = left.value
            return left.value
        }
        writer --> sink
        let doubling = Computed { side.value.map { $0 * 2 } }
        doubling --> double
        let computed = Log<Int>()
        let sum = Watched { [left] () -> Int? in
            let value = (left.value ?? 0) + (double.value ?? 0)
            computed.add(value)
            return value
        }
        left.value = 1
        expect(sum.received, equals: [0, 3])
        expect(computed.entries, equals: [0, 3])
        withExtendedLifetime((writer, doubling)) {}
    }

    @Test func `what a value sets that dies with its computed field at the end is reported`() {
        let side = Field<Int>(value: 0)
        let double = Watched { side.value.map { $0 * 2 } }
        let box = Log<Watched<LastSetter>>()
        box.add(holder(of: LastSetter(of: side, to: 21)) { [left] in _ = left.value })
        batch {
            left.value = 1
            // Now only what is to be looked at when the batch ends holds it.
            box.clear()
            expect(side.value, equals: 0)
        }
        expect(side.value, equals: 21)
        expect(double.received, equals: [0, 42])
    }

    @Test func `so is that of one that dies while others are brought up to date`() {
        let side = Field<Int>(value: 0)
        let double = Watched { side.value.map { $0 * 2 } }
        let box = Log<Watched<LastSetter>>()
        // It is looked at, and keeps its value.
        let isThere = Computed { [left] in left.value != nil }
        box.add(holder(of: LastSetter(of: side, to: 21)) { _ = isThere.value })
        let gate = Gate(at: 2)
        let slow = Watched { [left] in
            gate.pass()
            return left.value
        }
        let end = startWork { [left] in left.value = 1 }
        gate.awaitEntry()
        box.clear()
        expect(side.value, equals: 0)
        gate.open()
        expect(end())
        expect(slow.received, equals: [0, 1])
        expect(side.value, equals: 21)
        expect(double.received, equals: [0, 42])
    }

    /// A computed field that is the last to hold a value.
    private func holder(
        of value: LastSetter,
        reading read: @escaping @Sendable () -> Void
    ) -> Watched<LastSetter> {
        let box = Log<LastSetter>()
        box.add(value)
        return Watched {
            read()
            defer { box.clear() }
            return box.entries.first
        }
    }
}

/// A value that sets a field when it dies.
private final class LastSetter: Equatable, Sendable {
    private let field: Field<Int>
    private let value: Int

    init(of field: Field<Int>, to value: Int) {
        self.field = field
        self.value = value
    }

    deinit { field.value = value }

    static func == (left: LastSetter, right: LastSetter) -> Bool { left === right }
}
