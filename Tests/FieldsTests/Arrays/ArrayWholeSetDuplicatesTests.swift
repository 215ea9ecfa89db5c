import ModelKitFields
import TestSupport
import Testing

@Suite
struct ArrayWholeSetDuplicatesTests {
    @Test func `a set of a whole array keeps the first of those that are the same`() {
        let field = ArrayField(Field<Int>(), allowsDuplicates: false)
        let log = Log<[Int]?>()
        field.observe(when: .changes) { log.add($0) }
        field.value = [3, 1, 3, 2, 1]
        expect(field.value, equals: [3, 1, 2])
        field.value = [3, 1, 2, 2]
        field.value = nil
        expect(log.entries, equals: [[3, 1, 2], nil])
    }

    @Test func `a bound field without duplicates takes each once`() {
        let source = ArrayField(Field<Int>())
        let target = ArrayField(Field<Int>(), allowsDuplicates: false)
        source --> target
        source.value = [1, 1, 2]
        expect(target.value, equals: [1, 2])
    }

    @Test func `the edits are those of what is stored`() {
        let field = ArrayField(Field<Int>(), allowsDuplicates: false)
        let mirror = Mirror<Int>()
        field.observeEdits { mirror.follow($0) }
        field.value = [1, 1, 2]
        field.value = [2, 2, 3]
        expect(mirror.elements, equals: [2, 3])
        expect(mirror.faults.isEmpty)
    }

    @Test func `elements that a set has removed are released`() {
        final class Probe: Hashable, Sendable {
            static func == (left: Probe, right: Probe) -> Bool { left === right }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
        let field = ArrayField(Field<Probe>(), allowsDuplicates: false)
        weak var probe: Probe?
        do {
            let made = Probe()
            probe = made
            field.append(made)
        }
        field.value = []
        expect(probe, equals: nil)
    }
}
