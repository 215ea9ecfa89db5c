import Dispatch
import ModelKitFields
import TestSupport
import Testing

/// What a computation reads while another thread sets it.
@Suite(.timeLimit(.minutes(10))) struct ComputedTornTests {
    @Test(arguments: [false, true])
    func `nobody gets a pair that never was`(sets: Bool) {
        let (number, trigger) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let note = Field<Int>()
        let (inPair, inDouble) = (Gate(at: 2), Gate(at: 2))
        let double = Computed { () -> Int? in
            let value = number.value
            inDouble.pass()
            return value.map { $0 * 2 }
        }
        let pair = Computed { () -> [Int]? in
            _ = trigger.value
            let value = number.value ?? -1
            inPair.pass()
            let twice = double.value ?? -1
            if sets { note.value = 1 }
            return [value, twice]
        }
        let log = Log<[Int]?>()
        let bound = Field<[Int]>()
        pair.observe { log.add($0) }
        pair --> bound
        let end = startWork { trigger.value = 1 }
        inPair.awaitEntry()
        let otherEnd = startWork { number.value = 1 }
        inDouble.awaitEntry()
        inPair.open()
        expect(end())
        expect(bound.value, equals: [1, 2])
        inDouble.open()
        expect(otherEnd())
        expect(bound.value, equals: [1, 2])
        expect(log.entries, equals: [[0, 0], [1, 2]])
    }

    @Test func `a read gives no pair that never was`() {
        let number = Field<Int>(value: 0)
        let gate = Gate(at: 1)
        let double = Computed { number.value.map { $0 * 2 } }
        let pair = Computed { () -> [Int]? in
            let value = number.value ?? -1
            gate.pass()
            return [value, double.value ?? -1]
        }
        let log = Log<[Int]?>()
        let end = startWork { log.add(pair.value) }
        gate.awaitEntry()
        number.value = 1
        gate.open()
        expect(end())
        expect(log.entries, equals: [[1, 2]])
    }

    @Test func `nothing is computed again for what another thread sets that was not read`() {
        let number = Field<Int>(value: 1), other = Field<Int>(value: 0)
        let log = Log<String>()
        let base = Computed { number.value }
        let part = Computed { () -> Int? in
            log.add("part")
            let value = base.value
            expect(startWork { other.value = 2 }())
            return value
        }
        let whole = Computed { () -> Int? in
            log.add("whole")
            return part.value
        }
        expect([whole.value, part.value, whole.value], equals: [1, 1, 1])
        other.value = 3
        expect([whole.value, part.value], equals: [1, 1])
        expect(log.entries, equals: ["whole", "part"])
    }

    @Test(arguments: [10, 100, 1_000])
    func `what is set before a computation reads it is seen in a chain, too`(length: Int) {
        let (number, trigger) = (Field<Int>(value: 0), Field<Int>(value: 0))
        var chain = Computed { number.value }
        for _ in 1..<length { chain = Computed { [chain] in chain.value } }
        let last = chain
        let gate = Gate(at: 2)
        let pair = Computed { () -> [Int]? in
            _ = trigger.value
            gate.pass()
            return [number.value ?? -1, last.value ?? -1]
        }
        expect(pair.value, equals: [0, 0])
        trigger.value = 1
        let log = Log<[Int]?>()
        let end = startWork { log.add(pair.value) }
        gate.awaitEntry()
        _ = last.value
        number.value = 7
        gate.open()
        expect(end())
        expect(log.entries, equals: [[7, 7]])
    }

    @Test func `of what two threads set all the time nobody gets a torn pair`() async {
        let number = Field<Int>(value: 0)
        let double = Computed { number.value.map { $0 * 2 } }
        let pair = Computed { () -> [Int]? in [number.value ?? -1, double.value ?? -1] }
        let torn = Log<[Int]>()
        pair.observe { (pair: [Int]?) in
            if let pair, pair[1] != pair[0] * 2 { torn.add(pair) }
        }
        let ends = (0..<2).map { offset in
            startThread { for value in 0..<2_000 { number.value = 2 * value + offset } }
        }
        for end in ends { end() }
        await pair.settled()
        expect(torn.entries, equals: [])
        expect(pair.value, equals: [number.value ?? -1, (number.value ?? -1) * 2])
    }

    @Test(arguments: [1, 4, 12], [false, true])
    func `a chain over what is set all the time is evaluated a few times for each, not for all`(
        length: Int,
        isUntracked: Bool
    ) {
        let number = Field<Int>(value: 0)
        let runs = Counter()
        let (asked, answered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isOver = Log<Bool>()
        // Its batch goes on, so that it does not evaluate itself.
        let end = startWork {
            batch {
                while true {
                    asked.wait()
                    guard isOver.count == 0 else { return }
                    number.value = runs.value
                    answered.signal()
                }
            }
        }
        var chain = Computed { () -> Int? in
            let value = number.value
            runs.increment()
            asked.signal()
            answered.wait()
            return value
        }
        for _ in 1..<length {
            chain = Computed { [chain] () -> Int? in
                runs.increment()
                return isUntracked ? untracked { chain.value } : chain.value
            }
        }
        let last = chain
        _ = isUntracked ? Computed { untracked { last.value } }.value : last.value
        let count = runs.value
        isOver.add(true)
        asked.signal()
        expect(end())
        expect(count < 50 * length)
    }

    @Test func `what a computation reads after it has set something is no pair that never was`() {
        let (left, right, note) = (Field<Int>(value: 0), Field<Int>(value: 0), Field<Int>())
        let gate = Gate(at: 1)
        let pair = Computed { () -> [Int]? in
            let value = left.value ?? -1
            gate.pass()
            return [value, right.value ?? -1]
        }
        let reader = Computed { () -> [Int]? in
            note.value = 1
            return pair.value
        }
        let log = Log<[Int]?>()
        let end = startWork { log.add(reader.value) }
        gate.awaitEntry()
        batch {
            left.value = 1
            right.value = 1
        }
        gate.open()
        expect(end())
        expect(log.entries, equals: [[1, 1]])
    }

    @Test func `an observer is notified though another thread's evaluation has made the value`() {
        let (source, other) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let (inFlush, inPart, inReader) = (Gate(at: 2), Gate(at: 2), Gate(at: 2))
        let middle = Computed { () -> Int? in
            let value = source.value
            inFlush.pass()
            inPart.pass()
            return value
        }
        let reader = Computed { () -> Int? in
            let value = middle.value
            inReader.pass()
            return value
        }
        _ = reader.value
        let log = Log<Int?>()
        middle.observe { log.add($0) }
        let setting = startWork { source.value = 1 }
        inFlush.awaitEntry()
        let reading = startWork { _ = reader.value }
        inPart.awaitEntry()
        other.value = 1
        inPart.open()
        inReader.awaitEntry()
        inFlush.open()
        expect(setting())
        inReader.open()
        expect(reading())
        expect(log.entries, equals: [0, 1])
    }
}
