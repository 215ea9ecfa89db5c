import ModelKitFields
import TestSupport
import Testing

@Suite struct ArrayDuplicatesTests {
    private func unique(_ values: Int...) -> ArrayField<Int> {
        ArrayField(Field<Int>(), value: values, allowsDuplicates: false)
    }

    @Test func `duplicates are allowed unless it is said`() {
        let field = numbers(1)
        expect(field.allowsDuplicates)
        expect(field.append(1))
        expect(field.value, equals: [1, 1])
    }

    @Test func `the initial value keeps the first of those that are the same`() {
        expect(unique(1, 2, 1, 3, 2).value, equals: [1, 2, 3])
        expect(ArrayField(Field<Int>(value: 1), allowsDuplicates: false).value, equals: [1])
    }

    @Test func `an element that is there is not added and nobody is notified`() {
        let field = unique(1, 2)
        let log = Log<[Int]?>()
        field.observe(when: .everySet) { log.add($0) }
        expect(!field.append(1))
        expect(!field.insert(2, at: 0))
        expect(!field.insert(3, at: 9))
        expect(!field.append(contentsOf: [1, 2]))
        expect(!field.replace(at: 0, with: 2))
        expect(!field.replace(at: 0, with: 1))
        expect(log.count, equals: 1)
        expect(field.updatedAt, equals: nil)
        expect(field.replace(at: 0, with: 3))
        expect(field.append(1))
        expect(field.append(contentsOf: [5, 1, 5, 4]))
        expect(field.value, equals: [3, 2, 1, 5, 4])
        expect(field.removeAll { $0 > 3 })
        expect(field.insert(contentsOf: [1, 5, 6], at: 1))
        expect(field.value, equals: [3, 5, 6, 2, 1])
    }

    @Test func `an element that was removed can be added again`() {
        let field = unique(1, 2, 3)
        expect(field.append(4))
        expect(field.remove(at: 0))
        expect(field.append(1))
        expect(field.removeFirst(2))
        expect(field.append(2))
        expect(field.sort())
        expect(field.move(from: 0, to: 3))
        expect(!field.append(1))
        expect(field.removeAll())
        expect(field.append(contentsOf: [3, 3]))
        expect(field.value, equals: [3])
        field.value = [8]
        expect(!field.append(8))
        expect(field.append(3))
        field.value = nil
        expect(field.append(3))
        expect(field.value, equals: [3])
    }

    @Test func `elements that are not hashable are compared`() {
        struct Plain: Equatable, Sendable { let number: Int }
        let field = ArrayField(Field<Plain>(), allowsDuplicates: false)
        for number in [1, 2, 1, 3, 2, 1] { field.append(Plain(number: number)) }
        expect(field.value?.map(\.number), equals: [1, 2, 3])
        expect(field.removeFirst(Plain(number: 1)))
        expect(field.append(Plain(number: 1)))
        expect(field.value?.map(\.number), equals: [2, 3, 1])
    }

    @Test func `equal hash values do not make elements the same`() {
        struct Poor: Hashable, Sendable {
            let number: Int
            func hash(into hasher: inout Hasher) { hasher.combine(number % 3) }
        }
        var random = SplitMix(seed: 7)
        let field = ArrayField(Field<Poor>(), allowsDuplicates: false)
        var model: [Int] = []
        for _ in 0..<2000 {
            let number = Int.random(in: 0..<12, using: &random)
            if Bool.random(using: &random) {
                expect(field.append(Poor(number: number)), equals: !model.contains(number))
                if !model.contains(number) { model.append(number) }
            } else {
                expect(field.removeFirst(Poor(number: number)), equals: model.contains(number))
                model.removeAll { $0 == number }
            }
        }
        expect(field.value?.map(\.number), equals: model)
    }

    @Test func `10 000 appends look at each element a few times`() {
        let uses = Counter()
        let field = ArrayField(Field<Counted>(), allowsDuplicates: false)
        for number in 0..<10_000 { field.append(Counted(number, uses)) }
        expect(field.count, equals: 10_000)
        // Also those that are there, and with removals in between.
        for number in 0..<10_000 { field.append(Counted(number, uses)) }
        for number in 10_000..<10_100 {
            field.remove(at: 500)
            field.append(Counted(number, uses))
        }
        expect(field.count, equals: 10_000)
        expect(uses.value < 10 * 20_000)
    }

    @Test func `appends of an observer find the index`() {
        let uses = Counter()
        let field = ArrayField(Field<Counted>(), allowsDuplicates: false)
        field.observe(when: .changes) { (value: [Counted]?) in
            guard let last = value?.last, last.number % 2 == 0 else { return }
            field.append(Counted(last.number + 1, last.uses))
        }
        for number in 0..<500 { field.append(Counted(number * 2, uses)) }
        expect(field.count, equals: 1000)
        // Comparing the arrays of a change is none of it.
        expect(uses.value < 10 * 1000)
    }

    @Test func `threads that append the same elements add each once`() {
        let field = unique()
        let added = Counter()
        let ends = (0..<4).map { thread in
            startThread {
                for number in 0..<300 where field.append((number * 7 + thread * 50) % 300) {
                    added.increment()
                }
            }
        }
        for end in ends { end() }
        expect(added.value, equals: 300)
        expect(field.value?.sorted(), equals: Array(0..<300))
    }
}
