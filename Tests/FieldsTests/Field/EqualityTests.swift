import Foundation
import ModelKitFields
import TestSupport
import Testing

@Suite struct EqualityTests {
    @Test func `a field's own equality decides what is a change`() {
        let width = Field<Double>(value: 1).equality { abs($0 - $1) < 0.01 }
        let changes = Log<Double?>()
        let sets = Log<Double?>()
        width.observe(when: .changes) { changes.add($0) }
        width.observe { sets.add($0) }
        width.value = 1.5
        let change = width.changedAt
        width.value = 1.505
        expect(width.value, equals: 1.505, "it is stored all the same")
        expect(width.changedAt, equals: change)
        expect(width.updatedAt != change)
        width.value = 2
        width.value = nil
        width.value = nil
        expect(changes.entries, equals: [1.5, 2, nil])
        expect(sets.entries, equals: [1, 1.5, 1.505, 2, nil, nil])
    }

    @Test func `it may call every set a change, and decides about NaN`() {
        let field = Field<Double>().equality { _, _ in false }
        let count = Counter()
        field.observe(when: .changes) { count.increment() }
        field.value = .nan
        field.value = .nan
        field.value = 1
        field.value = 1
        expect(count.value, equals: 4)
    }

    @Test func `it holds for forwarded values, for batches and for types of the user`() {
        let source = Field<String>()
        let target = Field<String>().equality { $0.lowercased() == $1.lowercased() }
        let changes = Log<String?>()
        source --> target
        target.observe(when: .changes) { changes.add($0) }
        source.value = "Ada"
        source.value = "ADA"
        expect(target.value, equals: "ADA")
        batch {
            target.value = "Bob"
            target.value = "ada"
        }
        expect(changes.entries, equals: ["Ada"])
        let tags = Field<[Int]>(value: [1]).equality { $0.count == $1.count }
        let count = Counter()
        tags.observe(when: .changes) { count.increment() }
        tags.value = [2]
        tags.value = [2, 3]
        expect(count.value, equals: 1)
    }

    @Test func `it may use the field, as no lock is held`() {
        let field = Field<Int>(value: 0)
        field.equality { [unowned field] old, new in
            _ = field.value
            return old == new
        }
        field.value = 1
        expect(field.value, equals: 1)
        expect(field.changedAt, equals: field.updatedAt)
    }

    @Test func `a computed value is made of what is stored, also where that counts as the same`() {
        let width = Field<Double>(value: 1).equality { abs($0 - $1) < 0.01 }
        let target = Field<Double>().equality { abs($0 - $1) < 0.01 }
        width --> target
        let twice = Computed { width.value.map { $0 * 2 } }
        let twiceTarget = Computed { target.value.map { $0 * 2 } }
        let log = Log<Double?>()
        twice --> { log.add($0) }
        expect(twiceTarget.value, equals: 2)
        width.value = 1.005
        expect(twice.value, equals: 2.01)
        expect(twiceTarget.value, equals: 2.01)
        expect(log.entries, equals: [2, 2.01])
    }

    @Test func `a value with NaN inside is another unless it is the same to the bit`() {
        struct Point: Equatable { var x, y: Double }
        let field = Field<Point>(value: Point(x: .nan, y: 1))
        let count = Counter()
        field.observe(when: .changes) { count.increment() }
        field.value = Point(x: .nan, y: 1)
        expect(count.value, equals: 0)
        field.value = Point(x: .nan, y: 2)
        expect(count.value, equals: 1)
    }

    @Test func `every NaN is the same as every other`() {
        let field = Field<Float80OrDouble>(value: .nan)
        let count = Counter()
        field.observe(when: .changes) { count.increment() }
        field.value = -.nan
        field.value = .signalingNaN
        expect(count.value, equals: 0)
    }
}

#if arch(x86_64) && !os(Windows)
private typealias Float80OrDouble = Float80
#else
private typealias Float80OrDouble = Double
#endif
