import ModelKitFields
import TestSupport
import Testing

@Suite struct ArrayEditingTests {
    @Test func `each method edits the array and says so`() {
        let field = numbers(3, 1)
        expect(field.append(contentsOf: [2, 2]))
        expect(field.insert(0, at: 4))
        expect(field.value, equals: [3, 1, 2, 2, 0])
        expect(field.replace(at: 4, with: 9))
        expect(field.move(from: 4, to: 1))
        expect(field.value, equals: [3, 9, 1, 2, 2])
        expect(field.move(from: 0, to: 4))
        expect(field.value, equals: [9, 1, 2, 2, 3])
        expect(field.sort())
        expect(field.value, equals: [1, 2, 2, 3, 9])
        expect(field.sort { $0 > $1 })
        expect(field.value, equals: [9, 3, 2, 2, 1])
        expect(field.removeFirst(2))
        expect(field.remove(at: 0))
        expect(field.value, equals: [3, 2, 1])
        expect(field.insert(contentsOf: [8, 9], at: 1))
        expect(field.value, equals: [3, 8, 9, 2, 1])
        expect(field.removeAll { $0 > 2 })
        expect(field.value, equals: [2, 1])
        expect(field.removeAll())
        expect(field.value, equals: [])
    }

    @Test func `what changes nothing is no set and notifies nobody`() {
        let field = numbers(1, 2, 2)
        let log = Log<[Int]?>()
        field.observe { log.add($0) }
        field.observeEdits { log.add($0.new) }
        expect(!field.insert(9, at: 4))
        expect(!field.insert(9, at: -1))
        expect(!field.insert(contentsOf: [8, 9], at: 4))
        expect(!field.insert(contentsOf: [], at: 0))
        expect(!field.removeAll { $0 > 2 })
        expect(!field.remove(at: 3))
        expect(!field.remove(at: -1))
        expect(!field.removeFirst(9))
        expect(!field.replace(at: 3, with: 9))
        expect(!field.replace(at: -1, with: 9))
        expect(!field.replace(at: 0, with: 1))
        expect(!field.move(from: 1, to: 1))
        expect(!field.move(from: 1, to: 2))
        expect(!field.move(from: 0, to: 3))
        expect(!field.move(from: 3, to: 0))
        expect(!field.move(from: -1, to: 0))
        expect(!field.append(contentsOf: []))
        expect(!field.sort())
        expect(field.updatedAt, equals: nil)
        field.value = []
        log.clear()
        expect(!field.removeAll())
        expect(!field.sort())
        field.value = nil
        log.clear()
        expect(!field.removeAll())
        expect(!field.remove(at: 0))
        expect(!field.sort())
        expect(!field.append(contentsOf: []))
        expect(log.entries.isEmpty)
        expect(field.value, equals: nil)
    }

    @Test func `nil becomes an array`() {
        let field = numbers()
        field.value = nil
        expect(field.append(contentsOf: [1, 2]))
        expect(field.value, equals: [1, 2])
        field.value = nil
        expect(!field.insert(1, at: 1))
        expect(field.insert(1, at: 0))
        expect(field.value, equals: [1])
    }

    @Test func `one not-a-number is the same as another`() {
        let field = ArrayField(Field<Double>(), value: [.nan, 1])
        let log = Log<ArrayChange<Double>>()
        field.observeEdits { log.add($0) }
        expect(!field.replace(at: 0, with: .nan))
        field.value = [.nan, 1]
        expect(log.count, equals: 1)
        field.value = [.nan, 2]
        expect(log.entries.last?.edits, equals: [.replace(1, with: 2, at: 1)])
    }

    @Test func `sorting keeps the order of equal elements and hands an error on`() {
        struct Stop: Error {}
        let field = ArrayField(Field<String>(), value: ["bb", "c", "aa", "d"])
        expect(field.sort { $0.count < $1.count })
        expect(field.value, equals: ["c", "d", "bb", "aa"])
        #expect(throws: Stop.self) { try field.sort { _, _ in throw Stop() } }
        expect(field.value, equals: ["c", "d", "bb", "aa"])
    }

    @Test func `elements that a closure finds are removed in one set, and an error is handed on`() {
        struct Stop: Error {}
        let field = numbers(1, 2, 3, 4)
        let log = Log<[ArrayEdit<Int>]>()
        field.observeEdits { log.add($0.edits) }
        #expect(throws: Stop.self) { try field.removeAll { _ in throw Stop() } }
        field.removeAll { $0 % 2 == 1 }
        field.insert(contentsOf: [6, 8], at: 1)
        expect(
            log.entries,
            equals: [
                [.reset([1, 2, 3, 4])], [.remove(1, at: 0), .remove(3, at: 1)],
                [.insert(6, at: 1), .insert(8, at: 2)],
            ]
        )
    }

    @Test func `a sort begins again when the field was set meanwhile`() {
        let field = numbers(2, 1)
        let calls = Counter()
        field.sort { left, right in
            if calls.value == 0 { startThread { field.append(0) }() }
            calls.increment()
            return left < right
        }
        expect(field.value, equals: [0, 1, 2])
    }

    @Test func `a sort of many is a reset`() {
        let field = ArrayField(Field<Int>(), value: Array((0..<500).reversed()))
        let log = Log<[ArrayEdit<Int>]>()
        field.observeEdits { log.add($0.edits) }
        field.sort()
        expect(log.entries.last, equals: [.reset(Array(0..<500))])
    }

    @Test func `elements and closures may use the field`() {
        struct Nosy: Comparable, Hashable, Sendable {
            let number: Int
            let field: Field<[Nosy]>?
            static func == (left: Nosy, right: Nosy) -> Bool {
                _ = (left.field?.value, right.field?.value)
                return left.number == right.number
            }
            static func < (left: Nosy, right: Nosy) -> Bool {
                _ = left.field?.value
                return left.number < right.number
            }
            func hash(into hasher: inout Hasher) {
                _ = field?.value
                hasher.combine(number)
            }
        }
        for allowsDuplicates in [true, false] {
            let field = ArrayField(Field<Nosy>(), allowsDuplicates: allowsDuplicates)
            field.observeEdits { _ in }
            let elements = (0..<6).map { Nosy(number: $0, field: field) }
            field.append(contentsOf: elements.lazy.filter { _ in field.count == 0 })
            field.append(Nosy(number: 9, field: field))
            field.insert(Nosy(number: 8, field: field), at: 0)
            field.replace(at: 2, with: Nosy(number: 7, field: field))
            field.move(from: 1, to: 3)
            field.sort { left, right in
                _ = field.value
                return left < right
            }
            field.removeFirst(Nosy(number: 5, field: nil))
            field.remove(at: 0)
            expect(field.value?.map(\.number), equals: [2, 3, 4, 7, 8, 9])
            field.value = nil
        }
    }

    @Test func `an element may use the field when it dies`() {
        final class Probe: Hashable, Sendable {
            let field: ArrayField<Probe>
            let log: Log<Int>
            init(_ field: ArrayField<Probe>, _ log: Log<Int>) {
                self.field = field
                self.log = log
            }
            deinit { log.add(field.count) }
            static func == (left: Probe, right: Probe) -> Bool { left === right }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
        for allowsDuplicates in [true, false] {
            let log = Log<Int>()
            let field = ArrayField(Field<Probe>(), allowsDuplicates: allowsDuplicates)
            func probe() -> Probe { Probe(field, log) }
            field.append(probe())
            field.replace(at: 0, with: probe())
            field.remove(at: 0)
            field.append(contentsOf: [probe(), probe()])
            field.removeAll()
            expect(log.entries, equals: [1, 0, 0, 0])
            log.clear()
            field.observeEdits { _ in }
            // Edits that are dropped, because they are too many or a whole array follows.
            batch {
                for _ in 0..<2000 {
                    field.append(probe())
                    field.remove(at: 0)
                }
            }
            batch {
                field.append(probe())
                field.remove(at: 0)
                field.value = []
            }
            expect(log.count, equals: 2001)
        }
    }
}
