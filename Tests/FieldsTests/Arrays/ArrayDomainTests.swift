import ModelKitFields
import TestSupport
import Testing

@Suite struct ArrayDomainTests {
    /// A field whose elements are always in order, and a log of its sets.
    private func sorted() -> (field: ArrayField<Int>, sets: Counter) {
        let inOrder = Rule<[Int]>("must be in order") { $0 == $0.sorted() }
        let field = ArrayField(Field<Int>(), value: [1, 2, 3])
        field.constrain(to: Domain(inOrder) { $0.sorted() })
        let sets = Counter()
        field.observe(when: .changes) { sets.increment() }
        return (field, sets)
    }

    @Test func `an edit that the domain of the array takes back is none`() {
        let (field, sets) = sorted()
        expect(!field.move(from: 0, to: 2))
        expect(!field.sort(by: >))
        expect(field.value, equals: [1, 2, 3])
        expect(field.updatedAt, equals: nil)
        expect(sets.value, equals: 0)
    }

    @Test func `an edit that the domain of the array lets be is one`() {
        let (field, sets) = sorted()
        expect(field.insert(9, at: 0))
        expect(field.remove(at: 1))
        expect(field.replace(at: 0, with: 4))
        expect(field.value, equals: [3, 4, 9])
        expect(sets.value, equals: 3)
    }

    @Test func `elements of the initial value are taken as the inner field's domain takes them`() {
        let digits = ArrayField(Field<Int>().constrain(to: 0...9), value: [12, 5, -1])
        expect(digits.value, equals: [9, 5, 0])
        expect(digits.updatedAt, equals: nil)
        let colors = ArrayField(
            Field<String>().constrain(to: ["red", "blue"]),
            value: ["green", "blue", "red", "blue"],
            allowsDuplicates: false
        )
        expect(colors.value, equals: ["blue", "red"])
    }

    @Test
    func `a domain that the inner field is given later holds for what is there and what comes`() {
        let inner = Field<Int>()
        let fields = [
            ArrayField(inner, value: [50, 5, 60]),
            ArrayField(inner, value: [50, 5, 60], allowsDuplicates: false),
        ]
        inner.constrain(to: 0...9)
        expect(fields.map(\.value), equals: [[9, 5, 9], [9, 5]])
        expect(fields.map(\.updatedAt), equals: [nil, nil])
        for field in fields {
            field.value = [1, 50]
            expect(field.append(-5))
            expect(field.append(contentsOf: [7, 8]))
            expect(field.value, equals: [1, 9, 0, 7, 8])
            expect(field.replace(at: 0, with: -3), equals: field.allowsDuplicates)
        }
        inner.constrain(to: 5...6)
        expect(fields.map(\.value), equals: [[5, 6, 5, 6, 6], [5, 6]])
    }

    @Test func `so does one that it is given by way of the array`() {
        let field = Field<Int>()*
        field.value = [50, 5]
        let log = Log<[ArrayEdit<Int>]>()
        field.observeEdits { log.add($0.edits) }
        let bound = numbers()
        field --> bound
        field.inner.constrain(to: 0...9)
        expect(bound.value, equals: [9, 5])
        expect(log.entries, equals: [[.reset([50, 5])], [.replace(50, with: 9, at: 0)]])
        expect(field.domain == nil)
        let same = field.inner
        expect(same === field.inner)
        same.constrain(to: [1])
        expect(field.value, equals: [])
        expect(!field.append(2))
        expect(field.append(1))
    }

    @Test func `a copy has an inner field of its own, with the domain that there was`() {
        let inner = Field<Int>()
        let array = ArrayField(inner)
        inner.constrain(to: 0...9)
        array.append(60)
        let copy = array.copy()
        copy.append(70)
        expect(copy.value, equals: [9, 9])
        inner.constrain(to: 0...3)
        expect(array.value, equals: [3])
        expect(copy.value, equals: [9, 9])
        copy.inner.constrain(to: 0...1)
        expect(copy.value, equals: [1, 1])
        expect(array.value, equals: [3])
    }

    @Test func `an inner field does not hold its arrays`() {
        let inner = Field<Int>()
        weak var last: ArrayField<Int>?
        for _ in 0..<100 {
            let field = ArrayField(inner, value: [50])
            last = field
            withExtendedLifetime(field) {}
        }
        expect(last == nil)
        let field = ArrayField(inner, value: [50])
        inner.constrain(to: 0...9)
        expect(field.value, equals: [9])
    }

    @Test func `a domain that comes while others add is kept to`() {
        for _ in 0..<50 {
            let field = ArrayField(Field<Int>(), value: [50])
            let inner = field.inner
            let ends = (0..<2).map { thread in
                startThread {
                    for _ in 0..<20 {
                        if thread == 0 { field.append(50) } else { field.value = [50, 60] }
                    }
                }
            }
            inner.constrain(to: 0...9)
            for end in ends { end() }
            expect(field.value?.allSatisfy { $0 == 9 }, equals: true)
        }
    }

    @Test func `edits of an array with a domain are reported as they were made`() {
        let short = Rule<[Int]>("must be short") { $0.count <= 5 }
        let field = numbers(1, 2, 3)
        field.constrain(to: Domain(short) { Array($0.prefix(5)) })
        let (log, mirror) = (Log<[ArrayEdit<Int>]>(), Mirror<Int>())
        field.observeEdits { change in
            log.add(change.edits)
            mirror.follow(change)
        }
        field.move(from: 0, to: 2)
        field.append(1)
        field.sort()
        field.append(contentsOf: [7, 8, 9])
        field.remove(at: 0)
        expect(
            log.entries.dropFirst(),
            equals: [
                [.move(1, from: 0, to: 2)],
                [.insert(1, at: 3)],
                [.move(1, from: 2, to: 0), .move(1, from: 3, to: 1)],
                [.insert(7, at: 4)],
                [.remove(1, at: 0)],
            ]
        )
        expect(mirror.faults.isEmpty)
    }

    @Test func `edits of an array with an equality of its own are reported as they were made`() {
        let field = numbers(1, 2, 3).equality { $0.count == $1.count }
        let (log, changes) = (Log<[ArrayEdit<Int>]>(), Counter())
        field.observeEdits { log.add($0.edits) }
        field.observe(when: .changes) { changes.increment() }
        field.move(from: 0, to: 2)
        field.replace(at: 0, with: 9)
        expect(changes.value, equals: 0)
        field.append(4)
        expect(changes.value, equals: 1)
        expect(
            log.entries.dropFirst(),
            equals: [
                [.move(1, from: 0, to: 2)], [.replace(2, with: 9, at: 0)], [.insert(4, at: 3)],
            ]
        )
    }
}
