import Dispatch
import Foundation
import ModelKitFields
import Observation
import TestSupport
import Testing

/// What two threads do at the worst moment, brought about by closures, comparisons and clocks that
/// wait.
@Suite(.timeLimit(.minutes(10))) struct ComputedRaceTests {
    @Test func `one evaluated before a bound field has its value is evaluated again`() {
        let source = Field<Gated>(value: Gated(number: 1))
        let target = Field<Gated>()
        source --> target
        let number = Computed { target.value?.number }
        let log = Log<Int?>()
        let observed = Computed { target.value?.number }
        observed --> { log.add($0) }
        expect(number.value, equals: 1)
        // It is compared in the source, then in the target.
        let gate = Gate(at: 2)
        let end = startWork { source.value = Gated(number: 2, gate: gate) }
        gate.awaitEntry()
        expect(number.value, equals: 1)
        expect(observed.value, equals: 1)
        gate.open()
        expect(end())
        expect(number.value, equals: 2)
        expect(log.entries, equals: [1, 2])
    }

    @Test func `of two evaluations at once, the later result keeps the links that it needs`() {
        let isLeft = Field<Bool>(value: true)
        let left = Field<Int>(value: 1)
        let right = Field<Int>(value: 2)
        let gates = [Gate(at: 1), Gate(at: 1)]
        let runs = Counter()
        let chosen = Computed { () -> Int? in
            let value = isLeft.value == true ? left.value : right.value
            runs.increment()
            if runs.value == 2 { gates[0].pass() } else if runs.value == 3 { gates[1].pass() }
            return value
        }
        let log = Log<Int?>()
        chosen --> { log.add($0) }
        let isRead = Gate(at: 1)
        let first = startWork {
            // Within the batch only the read evaluates it.
            batch {
                isLeft.value = false
                _ = chosen.value
                isRead.pass()
            }
        }
        gates[0].awaitEntry()
        let second = startWork { isLeft.value = true }
        gates[1].awaitEntry()
        gates[0].open()
        isRead.awaitEntry()
        gates[1].open()
        expect(second())
        left.value = 10
        expect(log.entries.last, equals: 10)
        isRead.open()
        expect(first())
        left.value = 11
        expect(log.entries.last, equals: 11)
    }

    @Test func `an observer gets the value first, also while another thread brings it`() async {
        let number = Field<Int>(value: 5)
        let same = Computed { number.value }
        let gate = Gate(at: 1)
        let end = startWork {
            FieldClock.withCurrent(gate.clock) { _ = same.observe { _ in } }
        }
        gate.awaitEntry()
        let log = Log<Int?>()
        same.observe { log.add($0) }
        expect(log.entries, equals: [5])
        gate.open()
        expect(end())
        await same.settled()
        expect(log.entries, equals: [5])
    }

    @Test func `settled waits also for a change that another thread is still bringing`() async {
        let number = Field<Int>(value: 1)
        let same = Computed { number.value }
        let log = Log<Int?>()
        same.observe { log.add($0) }
        // The clock is asked for the set, then for the change of the computed field.
        let gate = Gate(at: 2)
        let end = startWork {
            FieldClock.withCurrent(gate.clock) { number.value = 2 }
        }
        gate.awaitEntry()
        expect(same.value, equals: 2)
        await same.settled()
        expect(log.entries, equals: [1, 2])
        gate.open()
        expect(end())
        await same.settled()
        expect(log.entries, equals: [1, 2])
    }

    @Test func `a read that is about to be tracked misses no change`() {
        let number = Field<Int>(value: 1)
        let gate = Gate(at: 1)
        let same = Computed { () -> Int? in
            gate.pass()
            return number.value
        }
        let end = startWork { _ = same.observed }
        gate.awaitEntry()
        let notifications = Counter()
        withObservationTracking {
            _ = same.observed
        } onChange: {
            notifications.increment()
        }
        number.value = 2
        expect(notifications.value, equals: 1)
        gate.open()
        expect(end())
    }

    @Test func `a set returns when all behind a bound field has the value, whatever others do`() {
        let mine = Field<Int>(value: 0)
        let others = Field<Int>(value: 0)
        let target = Field<[Int]>()
        let next = Field<[Int]>()
        let last = Field<[Int]>()
        target <-- Computed { [mine.value ?? -1, others.value ?? -1] }
        target --> next
        last <-- Computed { next.value }
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
        var (lateNext, lateLast) = (0, 0)
        for value in 1...3000 {
            mine.value = value
            if next.value?.first != value { lateNext += 1 }
            if last.value?.first != value { lateLast += 1 }
        }
        isDone.increment()
        for end in ends { end() }
        expect(lateNext, equals: 0)
        expect(lateLast, equals: 0)
        expect(last.value, equals: [3000, others.value ?? -1])
    }

    @Test func `two fields that are computed from each other come to rest beside other threads`() {
        let codes = Log<Diagnostic.Code>()
        let celsius = Field<Int>(value: 0)
        let fahrenheit = Field<Int>()
        let back = Field<Int>()
        let other = Field<Int>(value: 0)
        let watched = Computed { other.value }
        watched --> { _ in }
        let isDone = Counter()
        let end = startThread { while isDone.value == 0 { other.value = 1 } }
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            fahrenheit <-- Computed { [unowned celsius] in celsius.value.map { $0 * 2 } }
            back <-- Computed { [unowned fahrenheit] in fahrenheit.value.map { $0 / 2 } }
            celsius <-- Computed { [unowned back] in back.value }
            for value in 1...300 {
                celsius.value = value
                expect(fahrenheit.value, equals: value * 2)
                expect(back.value, equals: value)
            }
        }
        isDone.increment()
        end()
        expect(codes.entries, equals: [])
    }

    @Test func `one that is found unchanged is not read as an older result`() {
        let (isDeep, bottom) = (Field<Bool>(value: false), Field<Int>(value: 0))
        let (first, second) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let gates = [Gate(at: 2), Gate(at: 2)]
        let constants = zip([first, second], gates).map { field, gate in
            Computed { () -> Int? in
                _ = field.value
                gate.pass()
                return -1
            }
        }
        var deep = Computed { bottom.value }
        for _ in 0..<40 { deep = Computed { [deep] in deep.value } }
        let chosen = Computed { [deep] in
            isDeep.value == true ? deep.value : constants[0].value
        }
        let outer = Computed { [constants[1].value ?? 0, chosen.value ?? 0] }
        expect(outer.value, equals: [-1, -1])
        (first.value, second.value) = (1, 1)
        let early = startWork { _ = outer.value }
        gates[1].awaitEntry()
        // Right later than `early` has asked, and not when `late` does.
        expect(deep.value, equals: 0)
        bottom.value = 5
        let log = Log<Int?>()
        let late = startWork { log.add(chosen.value) }
        gates[0].awaitEntry()
        isDeep.value = true
        gates[1].open()
        expect(early())
        gates[0].open()
        expect(late())
        expect(log.entries, equals: [5])
        expect(outer.value, equals: [-1, 5])
    }

    @Test(arguments: [false, true])
    func `one that two threads find changed is evaluated by one of them`(isObserved: Bool) async {
        // In a process of its own, where nobody else commits.
        await #expect(processExitsWith: .success) { [isObserved] in
            let (number, other) = (Field<Int>(value: 1), Field<Int>(value: 0))
            let gate = Gate(at: 2)
            let source = Computed { () -> Int? in
                let value = number.value
                gate.pass()
                return value
            }
            let runs = Counter()
            let same = Computed { () -> Int? in
                runs.increment()
                return source.value
            }
            precondition(same.value == 1)
            number.value = 2
            let end = startWork { precondition(same.value == 2) }
            gate.awaitEntry()
            precondition(same.value == 2)
            gate.open()
            precondition(end())
            if isObserved {
                let log = Log<Int?>()
                same --> { log.add($0) }
                number.value = 3
                precondition(log.entries == [2, 3])
            } else {
                other.value = 1
                precondition(same.value == 2)
                precondition(runs.value == 2)
            }
        }
    }

    @Test func `what plain reads find out about dependencies loses no change`() async {
        let seed = UInt64.random(in: .min ... .max)
        let fields = (0..<8).map { Field<Int>(value: $0) }
        let index = Field<Int>(value: 0)
        let chosen = Computed { index.value.flatMap { fields[$0 % 8].value } }
        let log = Log<Int?>()
        chosen --> { log.add($0) }
        let isDone = Counter()
        let readers = (0..<2).map { _ in
            startThread { while isDone.value == 0 { _ = chosen.value } }
        }
        for round in 0..<15 {
            let ends = (0..<2).map { thread in
                startThread {
                    var random = SplitMix(seed: seed &+ UInt64(round * 2 + thread))
                    for _ in 0..<40 {
                        let number = Int.random(in: 0..<1000, using: &random)
                        if thread == 0 {
                            index.value = number
                        } else {
                            fields[number % 8].value = number
                        }
                    }
                }
            }
            for end in ends { end() }
            await chosen.settled()
            let expected = fields[(index.value ?? 0) % 8].value
            expect(log.entries.last, equals: expected, "seed \(seed), round \(round)")
        }
        isDone.increment()
        for reader in readers { reader() }
    }

    @Test func `links that another thread makes all the time are no cycle`() {
        let (number, other) = (Field<Int>(value: 0), Field<Int>())
        let made = Log<Watched<Int>>()
        expectNoCycle(reading: number) { round in
            number.value = round
            made.add(Watched { other.value })
        }
    }

    @Test func `links that another thread changes all the time are no cycle either`() {
        let number = Field<Int>(value: 0)
        let (flag, left, right) = (Field<Bool>(value: false), Field<Int>(value: 1), Field<Int>())
        let pick = Computed { flag.value == true ? left.value : right.value }
        let outer = Computed { pick.value }
        outer.observe { (_: Int?) in }
        expectNoCycle(reading: number) { round in
            number.value = round
            flag.value = round % 2 == 1
            _ = outer.value
        }
    }

    /// Evaluates the sum of a trigger and a number while another thread changes the number and links,
    /// each time that the sum is evaluated.
    private func expectNoCycle(
        reading number: Field<Int>,
        whileChanging change: @escaping @Sendable (_ round: Int) -> Void
    ) {
        let trigger = Field<Int>(value: 0)
        let (asked, answered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isOver = Log<Bool>()
        // Its batch goes on, so that its sets are reported to nobody.
        let end = startWork {
            batch {
                var round = 0
                while true {
                    asked.wait()
                    guard isOver.count == 0 else { return }
                    round += 1
                    change(round)
                    answered.signal()
                }
            }
        }
        let sum = Tallied { () -> Int? in
            let sum = (trigger.value ?? 0) + (number.value ?? 0)
            if trigger.value == 1, isOver.count == 0 {
                asked.signal()
                answered.wait()
            }
            return sum
        }
        sum.computed.observe(when: .changes) { (_: Int?) in }
        let codes = Log<Diagnostic.Code>()
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { trigger.value = 1 }
        expect(codes.entries.isEmpty)
        expect(sum.runs < 100)
        isOver.add(true)
        asked.signal()
        expect(end())
        expect(sum.value, equals: 1 + (number.value ?? 0))
    }
}

extension Gate {
    /// A clock that passes it whenever it is asked.
    fileprivate var clock: FieldClock {
        FieldClock {
            self.pass()
            return Date()
        }
    }
}
