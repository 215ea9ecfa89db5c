import Dispatch
import Foundation
import ModelKitFields
import TestSupport
import Testing

/// The contract of sets and deliveries, a test for a sentence.
@Suite(.timeLimit(.minutes(10))) struct ContractTests {
    // MARK: - Commit

    @Test func `a set stores the value here and in every field bound to it`() {
        let field = Field<Int>(value: 1)
        let bound = Field<Int>()
        let next = Field<Int>()
        field --> bound --> next
        field.value = 2
        expect([field.value, bound.value, next.value], equals: [2, 2, 2])
    }

    @Test func `when the set returns all hold the value, also while a thread delivers another`() {
        let field = Field<Int>(value: 0)
        let bound = Field<Int>()
        field --> bound
        let gate = Gate(at: 1)
        bound.observe(when: .changes) { gate.pass() }
        let end = startWork { field.value = 1 }
        gate.awaitEntry()
        field.value = 2
        expect(field.value, equals: 2)
        expect(bound.value, equals: 2)
        gate.open()
        expect(end())
    }

    // MARK: - Delivery

    @Test func `a field has one drainer at a time`() async {
        let field = Field<Int>(value: 0)
        let inside = Counter()
        let overlaps = Counter()
        field.observe(when: .changes) {
            inside.increment()
            if inside.value > 1 { overlaps.increment() }
            inside.decrement()
        }
        let ends = (0..<3).map { thread in
            startWork { for step in 1...200 { field.value = thread * 1000 + step } }
        }
        for end in ends { expect(end()) }
        await field.settled()
        expect(overlaps.value, equals: 0)
    }

    @Test func `an observer's own sets commit at once and are delivered after the running call`() {
        let first = Field<Int>(value: 0)
        let second = Field<Int>(value: 0)
        let log = Log<String>()
        second.observe(when: .changes) { log.add("second \($0 ?? -1)") }
        first.observe(when: .changes) { value in
            second.value = value
            log.add("first holds \(second.value ?? -1)")
        }
        first.value = 1
        expect(log.entries, equals: ["first holds 1", "second 1"])
    }

    @Test func `the outermost set runs the loop until it is empty`() {
        let fields = (0..<5).map { _ in Field<Int>(value: 0) }
        let log = Log<Int?>()
        for index in 0..<4 {
            fields[index].observe(when: .changes) { fields[index + 1].value = $0 }
        }
        fields[4].observe(when: .changes) { log.add($0) }
        fields[0].value = 1
        expect(log.entries, equals: [1])
    }

    @Test func `observers run in the order of registration`() {
        let field = Field<Int>()
        let log = Log<Int>()
        for number in 0..<5 { field.observe(when: .changes) { log.add(number) } }
        field.value = 1
        expect(log.entries, equals: [0, 1, 2, 3, 4])
    }

    @Test func `they see every change once, in one order, each from where the last one ended`() {
        let field = Field<Int>(value: 0)
        let logs = [Log<Step>(), Log<Step>()]
        for log in logs {
            field.observe(when: .changes) { old, new in
                log.add(Step(old, new))
                if let new, new < 5 { field.value = new + 1 }
            }
        }
        field.value = 1
        expect(logs[0].entries, equals: logs[1].entries)
        expect(isChain(logs[0].entries))
        expect(Set(logs[0].entries.map(\.new)).isSuperset(of: [1, 2, 3, 4, 5]))
    }

    @Test func `a set returns before its observers ran if another thread is draining`() async {
        let field = Field<Int>(value: 0)
        let gate = Gate(at: 1)
        let log = Log<Int?>()
        field.observe(when: .changes) { value in
            gate.pass()
            log.add(value)
        }
        let end = startWork { field.value = 1 }
        gate.awaitEntry()
        field.value = 2
        expect(log.entries, equals: [])
        gate.open()
        await field.settled()
        expect(log.entries, equals: [1, 2])
        expect(end())
    }

    @Test func `a drainer hands over to the next setter after 256 changes`() async {
        let field = Field<Int>(value: 0)
        let gate = Gate(at: 1)
        let threads = Log<(number: Int?, isFirst: Bool)>()
        field.observe(when: .changes) { value in
            gate.pass()
            threads.add((value, Thread.current.name == "first"))
        }
        let end = startWork {
            Thread.current.name = "first"
            field.value = 1
        }
        gate.awaitEntry()
        for value in 2...1000 { field.value = value }
        gate.open()
        expect(end(), "its set returns")
        await field.settled()
        expect(threads.entries.map(\.number), equals: (1...1000).map { $0 })
        expect(threads.entries.filter(\.isFirst).count <= 256)
    }

    @Test func `more than 1024 waiting changes are merged into one with a diagnostic`() {
        let field = Field<Int>(value: 0)
        let codes = Log<Diagnostic.Code>()
        let log = Log<Step>()
        field.observe(when: .changes) { old, new in
            log.add(Step(old, new))
            if new == 1 { for value in 2...1026 { field.value = value } }
        }
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { field.value = 1 }
        expect(log.entries, equals: [Step(0, 1), Step(1, 1026)])
        expect(codes.entries, equals: [.mergedChanges])
    }

    // MARK: - The pipeline of a set

    @Test func `value, times and load state are committed before the observers run`() {
        let field = Field<Int>(value: 0).require { $0 > 0 }
        field.validate()
        let log = Log<String>()
        field.observe(when: .changes) {
            log.add("\(field.value ?? 0) \(field.loadState) \(field.validationState)")
            if field.updatedAt != nil, field.changedAt != nil { log.add("stamped") }
        }
        field.value = 2
        expect(log.entries, equals: ["2 loaded unknown", "stamped"])
    }

    @Test func `a change that a field caused itself over 100 times is stored, not delivered`() {
        let field = Field<Int>(value: 0)
        let codes = Log<Diagnostic.Code>()
        let count = Counter()
        field.observe(when: .changes) { value in
            count.increment()
            field.value = (value ?? 0) + 1
        }
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { field.value = 1 }
        expect(count.value, equals: 101)
        expect(field.value, equals: 102)
        expect(codes.entries, equals: [.endlessDelivery])
    }

    @Test func `hops along bindings and between fields do not count`() {
        let fields = (0..<300).map { _ in Field<Int>(value: 0) }
        for (source, target) in zip(fields, fields.dropFirst(1)) {
            source.observe(when: .changes) { target.value = $0 }
        }
        let codes = Log<Diagnostic.Code>()
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { fields[0].value = 7 }
        expect(fields[299].value, equals: 7)
        expect(codes.entries, equals: [])
    }

    // MARK: - Times

    @Test func `updatedAt moves at every set, changedAt only when the value differs`() {
        let field = Field<Double>(value: 1)
        field.value = .nan
        let (updated, changed) = (field.updatedAt, field.changedAt)
        field.value = .nan
        expect(field.changedAt, equals: changed)
        expect(field.updatedAt != updated)
        field.value = 2
        expect(field.changedAt, equals: field.updatedAt)
    }

    @Test func `times come from the clock of the task and strictly increase`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1000)
        let (left, right) = (Field<Int>(), Field<Int>())
        FieldClock.withCurrent(FieldClock { date }) {
            left.value = 1
            right.value = 1
        }
        expect(left.updatedAt, equals: date)
        try expect(#require(right.updatedAt) > date)
        left.value = 2
        right.value = 2
        try expect(#require(right.updatedAt) > #require(left.updatedAt))
    }
}
