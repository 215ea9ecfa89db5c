import Foundation
import ModelKitFields
import Testing

@Suite struct OpenCaseTests {
    @Test(arguments: [false, true])
    func `a set of the value that was there makes nothing run`(isObserved: Bool) {
        let number = Field<Int>(value: 1)
        let same = Tallied { number.value }
        let watched = isObserved ? Watched(same.computed) : nil
        #expect(same.value == 1)
        number.value = 1
        #expect(same.value == 1)
        #expect(same.runs == 1)
        _ = watched
    }

    @Test func `what an observer reads that a computation adds is nothing to the computation`() {
        let (number, side, other) = (
            Field<Int>(value: 1), Field<Int>(value: 1), Field<Int>(value: 1)
        )
        let same = Tallied { () -> Int? in
            side.observe { (_: Int?) in _ = other.value }.cancel()
            return number.value
        }
        #expect(same.value == 1)
        other.value = 2
        #expect(same.value == 1)
        #expect(same.runs == 1)
    }

    @Test func `what an observer reads that a computation calls by a set is nothing to it`() {
        let (number, side, other) = (
            Field<Int>(value: 1), Field<Int>(value: 1), Field<Int>(value: 1)
        )
        side.observe { (_: Int?) in _ = other.value }
        let same = Tallied { () -> Int? in
            side.value = number.value
            return number.value
        }
        #expect(same.value == 1)
        other.value = 2
        #expect(same.value == 1)
        #expect(same.runs == 1)
    }

    @Test func `sets of several fields by turns are told in the order of the sets`() {
        let field = Field<Int>(value: 0)
        let others = [Field<Int>(value: 0), Field<Int>(value: 0)]
        let log = Log<[Int?]>()
        for (index, other) in others.enumerated() {
            other.observe(when: .changes) { log.add([index, $0]) }
        }
        field.observe(when: .changes) { (_: Int?) in
            for step in 1...3 { for other in others { other.value = step } }
        }
        field.value = 1
        #expect(log.entries == (1...3).flatMap { step in others.indices.map { [$0, step] } })
    }

    @Test func `a set of the field that is told of waits its turn like those of others`() {
        let (field, other) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let log = Log<String>()
        other.observe(when: .changes) { log.add("other \($0 ?? -1)") }
        field.observe(when: .changes) { (value: Int?) in
            log.add("field \(value ?? -1)")
            guard value == 1 else { return }
            other.value = 1
            field.value = 2
        }
        field.value = 1
        #expect(log.entries == ["field 1", "other 1", "field 2"])
    }

    @Test func `a bound field has the time of the set, also by a clock that is behind`() {
        let (source, target) = (Field<Int>(), Field<Int>())
        source --> target
        source.value = 1
        let past = FieldClock { Date(timeIntervalSinceReferenceDate: 0) }
        FieldClock.withCurrent(past) { source.value = 2 }
        #expect(target.value == 2)
        #expect(target.updatedAt == source.updatedAt)
        #expect(target.changedAt == source.changedAt)
    }
}
