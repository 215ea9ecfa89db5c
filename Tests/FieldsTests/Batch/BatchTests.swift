import ModelKitFields
import TestSupport
import Testing

@Suite struct BatchTests {
    @Test func `observers are notified once, with the final value, when it ends`() {
        let field = Field<Int>(value: 0)
        let log = Log<Step>()
        field.observe(when: .everySet) { old, new in log.add(Step(old, new)) }
        batch {
            field.value = 1
            field.value = 2
            expect(field.value, equals: 2)
            expect(log.entries, equals: [Step(nil, 0)])
        }
        expect(log.entries, equals: [Step(nil, 0), Step(0, 2)])
    }

    @Test func `back to the value of before is a set, but no change`() {
        let field = Field<Int>(value: 0)
        let sets = Log<Step>()
        let changes = Log<Step>()
        field.observe(when: .changes) { old, new in changes.add(Step(old, new)) }
        field.observe { old, new in sets.add(Step(old, new)) }
        batch {
            field.value = 1
            field.value = 0
        }
        expect(changes.entries.isEmpty)
        expect(sets.entries, equals: [Step(nil, 0), Step(0, 0)])
    }

    @Test func `observers of several fields see all final values`() {
        let left = Field<Int>(value: 1)
        let right = Field<Int>(value: 1)
        let log = Log<[Int?]>()
        left.observe(when: .changes) { _ in log.add([left.value, right.value]) }
        right.observe(when: .changes) { _ in log.add([left.value, right.value]) }
        batch {
            left.value = 2
            right.value = 2
        }
        expect(log.entries, equals: [[2, 2], [2, 2]])
    }

    @Test func `the outermost of nested ones notifies`() {
        let field = Field<Int>(value: 0)
        let log = Log<Int?>()
        field.observe(when: .changes) { log.add($0) }
        batch {
            batch { field.value = 1 }
            expect(log.entries.isEmpty)
            field.value = 2
        }
        expect(log.entries, equals: [2])
    }

    @Test func `it notifies also when the closure throws, and hands the error on`() {
        struct Stop: Error {}
        let field = Field<Int>(value: 0)
        let log = Log<Int?>()
        field.observe(when: .changes) { log.add($0) }
        #expect(throws: Stop.self) {
            try batch {
                field.value = 1
                throw Stop()
            }
        }
        expect(log.entries, equals: [1])
    }

    @Test func `it returns what the closure returns`() {
        expect(batch { 7 }, equals: 7)
    }

    @Test func `bound fields have the value inside, and notify their observers at the end`() {
        let source = Field<Int>(value: 0)
        let target = Field<Int>()
        source --> target
        let log = Log<Step>()
        target.observe(when: .changes) { old, new in log.add(Step(old, new)) }
        batch {
            source.value = 1
            expect(target.value, equals: 1)
            source.value = 2
            expect(log.entries.isEmpty)
        }
        expect(log.entries, equals: [Step(0, 2)])
    }

    @Test func `a new observer is notified at once, and then only of later changes`() {
        let field = Field<Int>(value: 0)
        let first = Log<Step>()
        let late = Log<Step>()
        let last = Log<Step>()
        field.observe { old, new in first.add(Step(old, new)) }
        batch {
            field.value = 1
            field.observe { old, new in late.add(Step(old, new)) }
            expect(late.entries, equals: [Step(nil, 1)])
            field.value = 2
            field.observe { old, new in last.add(Step(old, new)) }
        }
        expect(first.entries, equals: [Step(nil, 0), Step(0, 2)])
        expect(late.entries, equals: [Step(nil, 1), Step(1, 2)])
        expect(last.entries, equals: [Step(nil, 2)])
    }

    @Test func `inside an observer it notifies after that observer`() {
        let field = Field<Int>(value: 0)
        let other = Field<Int>(value: 0)
        let log = Log<String>()
        other.observe(when: .changes) { log.add("other \($0 ?? -1)") }
        field.observe(when: .changes) { _ in
            batch {
                other.value = 1
                other.value = 2
            }
            log.add("end")
        }
        field.value = 1
        expect(log.entries, equals: ["end", "other 2"])
    }

    @Test func `observers that set one another in batches come to an end`() {
        let field = Field<Int>(value: 0)
        let codes = Log<Diagnostic.Code>()
        field.observe(when: .changes) { (value: Int?) in
            if let value, value < 5000 { batch { field.value = value + 1 } }
        }
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { field.value = 1 }
        expect(codes.entries, equals: [.endlessDelivery])
    }

    @Test func `a set of another thread reports what the batch has set, and no change twice`() {
        let field = Field<Int>(value: 0)
        let log = Log<Step>()
        field.observe(when: .changes) { old, new in log.add(Step(old, new)) }
        batch {
            field.value = 1
            startThread { field.value = 2 }()
            expect(log.entries, equals: [Step(0, 2)])
            field.value = 3
        }
        expect(log.entries, equals: [Step(0, 2), Step(2, 3)])
    }

    @Test func `batches of several threads on one field lose nothing and keep the order`() async {
        let field = Field<Int>(value: -1)
        let log = Log<Step>()
        field.observe(when: .changes) { old, new in log.add(Step(old, new)) }
        let ends = (0..<4).map { thread in
            startThread {
                for round in 0..<500 {
                    batch {
                        field.value = thread * 10_000 + round
                        field.value = thread * 10_000 + round + 5000
                    }
                }
            }
        }
        for end in ends { end() }
        await field.settled()
        expect(isChain(log.entries))
        expect(log.entries.last?.new, equals: field.value)
    }
}
