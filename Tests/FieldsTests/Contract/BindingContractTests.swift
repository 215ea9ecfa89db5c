import ModelKitFields
import TestSupport
import Testing

/// The contract of bindings, computed fields and batches, a test for a sentence.
@Suite(.timeLimit(.minutes(10))) struct BindingContractTests {
    @Test func `bound both ways, both start with the right one's value`() {
        let left = Field<Int>(value: 1)
        let right = Field<Int>(value: 2)
        left <--> right
        expect([left.value, right.value], equals: [2, 2])
        left.value = 3
        expect(right.value, equals: 3)
    }

    @Test func `a forwarded write is accepted only if it is newer`() {
        let source = Field<Gated>(value: Gated(number: 0))
        let target = Field<Gated>()
        source --> target
        // Compared in the source, then in the target.
        let gate = Gate(at: 2)
        let end = startWork { source.value = Gated(number: 1, gate: gate) }
        gate.awaitEntry()
        target.value = Gated(number: 2)
        gate.open()
        expect(end())
        expect(target.value?.number, equals: 2)
    }

    @Test func `echoes and cycles of any length stop without ==`() {
        let fields = (0..<7).map { _ in Field<Double>(value: 0) }
        let counts = fields.map { _ in Counter() }
        for index in 0..<7 {
            fields[index] --> fields[(index + 1) % 7]
            fields[index].observe { counts[index].increment() }
        }
        let before = counts.map(\.value)
        fields[3].value = .nan
        expect(fields.allSatisfy { $0.value?.isNaN == true })
        expect(counts.map(\.value), equals: before.map { $0 + 1 })
    }

    @Test func `a normalising observer's write travels back`() {
        let left = Field<Int>(value: 0)
        let right = Field<Int>(value: 0)
        left <--> right
        right.observe(when: .changes) { if let value = $0, value < 0 { right.value = 0 } }
        left.value = -5
        expect([left.value, right.value], equals: [0, 0])
    }

    @Test func `concurrent writers converge`() {
        let left = Field<Int>(value: 0)
        let right = Field<Int>(value: 0)
        left <--> right
        let ends = [left, right].map { field in
            startWork { for value in 1...500 { field.value = value } }
        }
        for end in ends { expect(end()) }
        expect(left.value, equals: right.value)
    }

    @Test func `an echo touches neither times nor validation state`() {
        let left = Field<Int>(value: 1)
        let right = Field<Int>(value: 1)
        left <--> right
        let log = Log<ValidationState>()
        // Had the right one's write come back, it would have undone this.
        left.observe(when: .changes) { log.add(left.validate()) }
        left.value = 2
        expect(right.value, equals: 2)
        expect(left.updatedAt, equals: right.updatedAt)
        expect(left.validationState, equals: .valid)
        expect(log.entries, equals: [.valid])
    }

    @Test func `bindings retain neither end and die with either`() {
        let source = Field<Int>(value: 1)
        weak var weakly: Field<Int>?
        do {
            let target = Field<Int>()
            weakly = target
            source <--> target
        }
        expect(weakly == nil)
        source.value = 2
        expect(source.value, equals: 2)
    }

    // MARK: - Computed fields

    @Test func `a computed field is lazy and cached`() {
        let number = Field<Int>(value: 1)
        let runs = Counter()
        let twice = Computed { () -> Int? in
            runs.increment()
            return number.value.map { $0 * 2 }
        }
        number.value = 2
        expect(runs.value, equals: 0)
        expect([twice.value, twice.value], equals: [4, 4])
        expect(runs.value, equals: 1)
    }

    @Test func `its dependencies are tracked automatically`() {
        let isLeft = Field<Bool>(value: true)
        let left = Field<Int>(value: 1)
        let right = Field<Int>(value: 2)
        let chosen = Computed { isLeft.value == true ? left.value : right.value }
        expect(chosen.value, equals: 1)
        isLeft.value = false
        right.value = 3
        expect(chosen.value, equals: 3)
    }

    @Test func `each is evaluated once per change, and no observer sees a torn pair`() {
        let top = Field<Int>(value: 1)
        let left = Computed { top.value }
        let right = Computed { top.value }
        let runs = Counter()
        let pair = Computed { () -> [Int?]? in
            runs.increment()
            return [left.value, right.value]
        }
        let log = Log<[Int?]?>()
        pair --> { log.add($0) }
        top.value = 2
        expect(log.entries, equals: [[1, 1], [2, 2]])
        expect(runs.value, equals: 2)
    }

    @Test func `equal results cut the propagation`() {
        let number = Field<Int>(value: 1)
        let isOdd = Computed { number.value.map { $0 % 2 == 1 } }
        let runs = Counter()
        let text = Computed { () -> String? in
            runs.increment()
            return isOdd.value == true ? "odd" : "even"
        }
        let log = Log<String?>()
        text --> { log.add($0) }
        number.value = 3
        expect(log.entries, equals: ["odd"])
        expect(runs.value, equals: 1)
    }

    @Test func `cycles are reported`() {
        let codes = Log<Diagnostic.Code>()
        let box = Log<Computed<Int>>()
        let loop = Computed { try box.entries.first?.get() }
        box.add(loop)
        _ = ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            #expect(throws: ComputedCycle.self) { try loop.get() }
        }
        expect(codes.entries, equals: [.computedCycle])
        box.clear()
    }

    @Test func `a chain of 10 000 does not overflow the stack`() {
        onSmallStack {
            let top = Field<Int>(value: 0)
            var last = Computed { top.value }
            for _ in 1..<10_000 { last = Computed { [last] in last.value.map { $0 + 1 } } }
            expect(last.value, equals: 9999)
        }
    }

    @Test func `in a model it is made in the initialiser from the fields it reads`() {
        final class Person: Sendable {
            let first = Field<String>(value: "Ada")
            let last = Field<String>(value: "Lovelace")
            let full: Computed<String>
            init() {
                full = Computed { [first, last] in "\(first.value ?? "") \(last.value ?? "")" }
            }
        }
        weak var weakly: Person?
        do {
            let person = Person()
            weakly = person
            person.last.value = "Byron"
            expect(person.full.value, equals: "Ada Byron")
        }
        expect(weakly == nil)
    }

    // MARK: - Batches

    @Test func `a batch calls every-set observers once with the final value, nested ones too`() {
        let field = Field<Int>(value: 0)
        let log = Log<Int?>()
        field --> { log.add($0) }
        batch {
            field.value = 1
            batch { field.value = 2 }
            field.value = 0
        }
        expect(log.entries, equals: [0, 0])
    }

    @Test func `change observers only if it differs from before`() {
        let field = Field<Int>(value: 0)
        let log = Log<Int?>()
        field.observe(when: .changes) { log.add($0) }
        batch {
            field.value = 1
            field.value = 0
        }
        expect(log.entries, equals: [])
        batch { field.value = 3 }
        expect(log.entries, equals: [3])
    }

    @Test func `it flushes when the body throws`() {
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

    @Test func `other threads read intermediate values`() {
        let field = Field<Int>(value: 0)
        let log = Log<Int?>()
        batch {
            field.value = 1
            startThread { log.add(field.value) }()
            field.value = 2
        }
        expect(log.entries, equals: [1])
    }
}
