import Dispatch
import ModelKitFields
import TestSupport
import Testing

@Suite struct TouchTests {
    @Test func `it notifies every observer, also of changes, and moves the times`() {
        let field = Field<Int>(value: 1)
        field.value = 1
        field.validate()
        let changes = Log<[Int?]>()
        let count = Counter()
        field.observe(when: .changes) { old, new in changes.add([old, new]) }
        field.observe { count.increment() }
        let before = field.updatedAt
        field.touch()
        expect(changes.entries, equals: [[1, 1]])
        expect(count.value, equals: 2)
        expect(field.updatedAt != before)
        expect(field.changedAt, equals: field.updatedAt)
        expect(field.validationState, equals: .unknown)
        expect(field.value, equals: 1)
    }

    @Test func `a default value stays not loaded, and bound fields take it`() {
        let field = Field<Int>(value: 1)
        let other = Field<Int>()
        field --> other
        let count = Counter()
        other.observe(when: .everySet) { count.increment() }
        let erased: AnyField = field
        erased.touch()
        expect(field.loadState, equals: .notLoaded)
        expect(count.value, equals: 2)
        expect(other.updatedAt, equals: field.updatedAt)
    }

    @Test func `what is computed from the inside of a value is right again, also along bindings`() {
        let field = Field<CountedBox>(value: CountedBox())
        let other = Field<CountedBox>()
        field --> other
        let counts = [field, other].map { field in Computed { field.value?.count.value } }
        let logs = [Log<Int?>(), Log<Int?>()]
        for (count, log) in zip(counts, logs) { count --> { log.add($0) } }
        field.value?.count.increment()
        field.touch()
        expect(counts.map(\.value), equals: [1, 1])
        expect(logs.map(\.entries), equals: [[0, 1], [0, 1]])
    }

    @Test func `it is not lost in a batch`() {
        let field = Field<Int>(value: 0)
        let changes = Log<Int?>()
        field.observe(when: .changes) { changes.add($0) }
        batch {
            field.value = 1
            field.touch()
            field.value = 0
        }
        expect(changes.entries, equals: [0])
        batch {
            field.value = 1
            field.value = 0
        }
        expect(changes.entries, equals: [0])
    }

    @Test func `it is not lost when changes are merged`() {
        let field = Field<Int>(value: 0)
        let changes = Log<[Int?]>()
        ModelKitDiagnostics.withHandler({ _ in }) {
            field.observe(when: .changes) { value in
                guard value == 5 else { return }
                field.touch()
                field.removeAllObservers()
                field.observe(when: .changes) { old, new in changes.add([old, new]) }
                field.touch()
                for _ in 0..<2000 { field.value = 5 }
            }
            field.value = 5
        }
        expect(changes.entries, equals: [[5, 5]])
    }

    @Test func `it is not lost when it waits with another`() async {
        let field = Field<Int>(value: 0)
        let queue = DispatchQueue(label: "observers")
        let log = Log<[Int?]>()
        var changes = field.changes(buffering: .newest).makeAsyncIterator()
        queue.suspend()
        field.on(queue).observe(when: .changes) { old, new in log.add([old, new]) }
        field.touch()
        field.touch()
        queue.resume()
        await withCheckedContinuation { done in queue.async { done.resume() } }
        expect(log.entries, equals: [[0, 0]])
        queue.suspend()
        field.value = 1
        field.touch()
        field.value = 0
        queue.resume()
        await withCheckedContinuation { done in queue.async { done.resume() } }
        expect(log.entries, equals: [[0, 0], [0, 0]])
        await expect(changes.next(), equals: FieldChange(old: 0, new: 0))
    }

    @Test func `observers of edits get a reset`() {
        let field = ArrayField(Field<Int>(), value: [1])
        let log = Log<[ArrayEdit<Int>]>()
        field.observeEdits { log.add($0.edits) }
        field.touch()
        expect(log.entries, equals: [[.reset([1])], [.reset([1])]])
        batch {
            field.append(2)
            field.touch()
        }
        batch {
            field.touch()
            field.append(3)
        }
        expect(log.entries.dropFirst(2), equals: [[.reset([1, 2])], [.reset([1, 2, 3])]])
    }
}

/// A value that changes inside.
final class CountedBox: Equatable, Sendable {
    let count = Counter()

    static func == (left: CountedBox, right: CountedBox) -> Bool { left === right }
}
