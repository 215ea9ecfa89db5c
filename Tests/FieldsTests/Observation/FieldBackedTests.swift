import Foundation
import ModelKitFields
import TestSupport
import Testing

/// An app's own observables.
@Suite struct FieldBackedTests {
    @Test func `an object that is backed by a field has its value`() {
        let object = Backed()
        object.value = 1
        expect(object.field.value, equals: 1)
        object.field.value = 2
        expect(object.value, equals: 2)
    }

    @Test func `it notifies its observers, which are handed the object`() {
        let object = Backed()
        object.value = 1
        let watcher = Handed()
        expect((object --> watcher) === watcher)
        object.value = 2
        expect(watcher.log.entries.map(\.value), equals: [1, 2])
        expect(watcher.log.entries.allSatisfy { $0.observable == ObjectIdentifier(object) })
        object -/-> watcher
        object.value = 3
        expect(watcher.log.count, equals: 2)
    }

    @Test func `bound both ways to a field, both start with the right one's value`() {
        let object = Backed(Field(value: 1))
        let field = Field<Int>(value: 2)
        expect((object <--> field) === field)
        expect(object.value, equals: 2)
        object.value = 3
        expect(field.value, equals: 3)
        field.value = 4
        expect(object.value, equals: 4)
        let other = Backed(Field(value: 5))
        expect((field <--> other) === other)
        expect([object.value, field.value], equals: [5, 5])
        let last = Backed(Field(value: 6))
        expect((other.field <--> last) === last)
        last.value = 7
        expect([object.value, field.value, other.value], equals: [7, 7, 7])
    }

    @Test func `as an observer it is bound: when the set returns it has the value`() {
        let (source, target) = (Backed(Field(value: 1)), Backed())
        let field = Field<Int>(value: 0)
        let log = Log<Int?>()
        // A delivery would come too late.
        field.observe(when: .changes) { log.add(target.value) }
        expect((field --> target) === target)
        expect((target <-- source) === source)
        expect(target.value, equals: 1)
        batch {
            field.value = 2
            expect(target.value, equals: 2)
        }
        expect(log.entries, equals: [2])
        expect(target.field.updatedAt, equals: field.updatedAt)
        expect(source.value, equals: 1, "it does not flow back")
        field -/-> target
        source -/-> target
        field.value = 3
        source.value = 4
        expect(target.value, equals: 2)
        expect(field.observerCount, equals: 1)
    }

    @Test func `a chain goes through it`() {
        let fields = [Field<Int>(value: 0), Field<Int>(value: 0)]
        let object = Backed()
        let log = Log<Int?>()
        fields[0] --> object --> fields[1] --> { log.add($0) }
        fields[0].value = 1
        expect(log.entries, equals: [0, 1])
    }

    @Test func `a computed field is bound to it, and ends`() {
        let field = Field<Int>(value: 1)
        let object = Backed()
        let twice = Computed { field.value.map { $0 * 2 } }
        twice --> object
        field.value = 2
        expect(object.value, equals: 4)
        twice -/-> object
        field.value = 3
        expect(object.value, equals: 4)
        expect(twice.observerCount, equals: 0)
    }

    @Test func `neither it nor what it is bound to is kept alive`() {
        weak var weakly: Backed?
        let field = Field<Int>(value: 1)
        do {
            let object = Backed()
            weakly = object
            object <--> field
            field --> object
            object --> { _ in }
            object.observe(object) { object, value in _ = (object, value) }
        }
        expect(weakly == nil)
        field.value = 2
        expect(field.value, equals: 2)
    }

    @Test func `it observes changes as any object does`() {
        let field = Field<Int>(value: 1)
        let object = Backed()
        field.addObserver(object, when: .changes)
        expect(object.value, equals: nil)
        field.value = 2
        expect(object.value, equals: 2)
    }

    @Test func `whatever its field does, it does`() {
        let object = Backed(Field<Int>().constrain(to: 0...10))
        let field = Field<Int>(value: 50)
        object <--> field
        expect([object.value, field.value], equals: [10, 10])
    }
}

private final class Handed: ValueObserver {
    let log = Log<(value: Int?, observable: ObjectIdentifier)>()
    func valueChanged(_ observable: any ValueObservable<Int>, value: Int?) {
        log.add((value, ObjectIdentifier(observable)))
    }
}
