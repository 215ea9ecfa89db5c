import Foundation
import ModelKitFields
import TestSupport
import Testing

/// Which of two writes is newer is decided by the order of the commits of this process alone; nothing
/// that comes from outside, or goes there, has a part in it.
@Suite struct RevisionTests {
    private let past = FieldClock { .distantPast.addingTimeInterval(1) }
    private let future = FieldClock { .distantFuture }

    @Test func `a later set counts, whatever the times say`() {
        let sources = [Field<Int>(), Field<Int>()]
        let target = Field<Int>()
        for source in sources { source <--> target }
        let sum = Computed { sources.map(\.value) }
        FieldClock.withCurrent(future) { sources[0].value = 1 }
        expect(target.value, equals: 1)
        FieldClock.withCurrent(past) { sources[1].value = 2 }
        expect([target.value, sources[0].value], equals: [2, 2])
        expect(sum.value, equals: [2, 2])
        sources[0].value = 3
        expect([target.value, sources[1].value], equals: [3, 3])
        expect(sum.value, equals: [3, 3])
    }

    @Test func `what is merged is a write of now, though its times are older`() {
        let old = Field<Int>()
        let target = Field<Int>()
        let mine = Field<Int>()
        mine <--> target
        let double = Computed { mine.value.map { $0 * 2 } }
        // It is set first, in a time that is later than that of the others.
        FieldClock.withCurrent(future) { old.value = 1 }
        target.value = 2
        expect(double.value, equals: 4)
        expect(mine.merge(from: old))
        expect([mine.value, target.value, double.value], equals: [1, 1, 2])
        expect(mine.updatedAt, equals: old.updatedAt)
        target.value = 3
        expect([mine.value, double.value], equals: [3, 6])
    }

    @Test func `a copy is neither newer nor older than its original`() {
        let original = Field<Int>()
        FieldClock.withCurrent(future) { original.value = 1 }
        let copy = original.copy()
        expect(copy.updatedAt, equals: original.updatedAt)
        let target = Field<Int>()
        target.value = 5
        copy --> target
        expect(target.value, equals: 1, "it takes the value when it is bound")
        target.value = 6
        original --> target
        expect(target.value, equals: 1)
        copy.value = 2
        expect(target.value, equals: 2)
        original.value = 3
        expect(target.value, equals: 3)
        copy.value = 4
        expect(target.value, equals: 4)
    }

    @Test func `a computed field that changes to a copy, or back, has the value of that`() {
        let original = Field<Int>(value: 1)
        original.value = 2
        let fields = [original, original.copy()]
        let index = Field<Int>(value: 0)
        let chosen = Computed { index.value.flatMap { fields[$0].value } }
        expect(chosen.value, equals: 2)
        fields[1].value = 3
        expect(chosen.value, equals: 2)
        index.value = 1
        expect(chosen.value, equals: 3)
        original.value = 4
        index.value = 0
        expect(chosen.value, equals: 4)
    }
}
