import Dispatch
import Foundation
import ModelKitFields
import TestSupport
import Testing

@Suite struct BindingTests {
    @Test func `a bound field takes the value now and whenever the source is set`() {
        let source = Field<Int>(value: 1)
        let target = Field<Int>(value: 5)
        source --> target
        expect(target.value, equals: 1)
        source.value = 2
        expect(target.value, equals: 2)
        target.value = 9
        expect(source.value, equals: 2, "it does not flow back")
        source -/-> target
        source.value = 3
        expect(target.value, equals: 9)
    }

    @Test func `the arrow to the left is the same from the other side`() {
        let source = Field<Int>(value: 1)
        let target = Field<Int>()
        let returned = target <-- source
        expect(returned === source)
        source.value = 2
        expect(target.value, equals: 2)
    }

    @Test func `a chain of arrows chains the fields, and may end in a closure`() {
        let fields = (0..<4).map { _ in Field<Int>() }
        let log = Log<Int?>()
        fields[0].value = 1
        fields[0] --> fields[1] --> fields[2] --> fields[3] --> { log.add($0) }
        fields[0].value = 2
        fields[2].value = 7
        expect(fields.map(\.value), equals: [2, 2, 7, 7])
        expect(log.entries, equals: [1, 2, 7])
    }

    @Test func `fields bound both ways start with the right one's value and follow each other`() {
        let left = Field<Int>(value: 1)
        let right = Field<Int>(value: 2)
        left <--> right
        expect(left.value, equals: 2)
        left.value = 3
        expect(right.value, equals: 3)
        right.value = 4
        expect(left.value, equals: 4)
    }

    @Test(arguments: [true, false])
    func `either direction is ended first, and the other goes on`(isLeftFirst: Bool) {
        let left = Field<Int>(value: 1)
        let right = Field<Int>(value: 1)
        left <--> right
        let (first, second) = isLeftFirst ? (left, right) : (right, left)
        first -/-> second
        first.value = 2
        expect(second.value, equals: 1)
        second.value = 3
        expect(first.value, equals: 3)
        second -/-> first
        second.value = 4
        expect(first.value, equals: 3)
        first.value = 5
        expect(second.value, equals: 4)
        expect(left.observerCount + right.observerCount, equals: 0)
    }

    @Test(arguments: [true, false])
    func `so it is where closures bring the values`(isLeftFirst: Bool) {
        let text = Field<String>(value: "1")
        let number = Field<Int>()
        text.bind(to: number, forward: { $0.flatMap { Int($0) } }, backward: { $0.map { "\($0)" } })
        if isLeftFirst {
            text -/-> number
            text.value = "2"
            expect(number.value, equals: 1)
            number.value = 3
            expect(text.value, equals: "3")
            number -/-> text
        } else {
            number -/-> text
            number.value = 2
            expect(text.value, equals: "1")
            text.value = "3"
            expect(number.value, equals: 3)
            text -/-> number
        }
        text.value = "4"
        expect(number.value, equals: 3)
        number.value = 5
        expect(text.value, equals: "4")
        expect(text.observerCount + number.observerCount, equals: 0)
    }

    @Test func `arrows both ways chain to the right, whose value all have`() {
        let fields = (1...3).map { Field<Int>(value: $0) }
        let last = fields[0] <--> fields[1] <--> fields[2]
        expect(last === fields[2])
        expect(fields.map(\.value), equals: [3, 3, 3])
        fields[0].value = 4
        expect(fields.map(\.value), equals: [4, 4, 4])
        fields[2].value = 5
        expect(fields.map(\.value), equals: [5, 5, 5])
    }

    @Test func `an echo touches neither times nor validation state`() {
        let left = Field<Int>(value: 1)
        let right = Field<Int>(value: 2).require { $0 > 0 }
        right.value = 2
        right.validate()
        let time = right.updatedAt
        left <--> right
        expect(right.updatedAt, equals: time)
        expect(right.validationState, equals: .valid)
        let count = Counter()
        right.observe(when: .everySet) { count.increment() }
        left.value = 3
        expect(count.value, equals: 2, "once when it was added, once for the set")
        expect(left.updatedAt, equals: right.updatedAt, "a forwarded write carries its time")
    }

    @Test func `what an observer of a bound field corrects travels back`() {
        let left = Field<Int>(value: 1)
        let right = Field<Int>(value: 1)
        left <--> right
        right.observe(when: .changes) { value in if let value, value < 0 { right.value = 0 } }
        left.value = -5
        expect(left.value, equals: 0)
        expect(right.value, equals: 0)
    }

    @Test func `every observer of bound fields finds all of them updated`() {
        let left = Field<Int>(value: 0)
        let right = Field<Int>(value: 0)
        left <--> right
        let log = Log<[Int?]>()
        left.observe(when: .changes) { log.add([left.value, right.value]) }
        right.observe(when: .changes) { log.add([left.value, right.value]) }
        left.value = 1
        right.value = 2
        expect(log.entries, equals: [[1, 1], [1, 1], [2, 2], [2, 2]])
    }

    @Test func `NaN and arrays bound both ways come to rest`() {
        let first = Field<Double>(value: .nan)
        let second = Field<Double>(value: 1)
        first <--> second
        first.value = .nan
        expect(second.value?.isNaN, equals: true)
        let tags = Field<String>()*
        let labels = Field<String>()*
        tags <--> labels
        tags.append("a")
        labels.append("b")
        expect(tags.value, equals: ["a", "b"])
        expect(labels.value, equals: ["a", "b"])
    }

    @Test func `binding twice is binding once`() {
        let source = Field<Int>(value: 1)
        let target = Field<Int>()
        let count = Counter()
        target.observe(when: .everySet) { count.increment() }
        source --> target
        source --> target
        expect(source.observerCount, equals: 1)
        let before = count.value
        source.value = 2
        expect(count.value, equals: before + 1)
        source -/-> target
        source.value = 3
        expect(target.value, equals: 2)
    }

    @Test func `a field is not bound to itself`() {
        let field = Field<Int>(value: 1, name: "age")
        let log = Log<Diagnostic>()
        ModelKitDiagnostics.withHandler({ log.add($0) }) {
            field --> field
            field <--> field
        }
        expect(log.entries.map(\.code), equals: [.selfBinding, .selfBinding])
        expect(log.entries.first?.field, equals: "age")
        expect(field.observerCount, equals: 0)
        field.value = 2
        expect(field.value, equals: 2)
    }

    @Test func `bindings keep neither side alive`() {
        let source = Field<Int>(value: 1)
        weak var weakTarget: Field<Int>?
        do {
            let target = Field<Int>()
            weakTarget = target
            source --> target
        }
        expect(weakTarget == nil)
        source.value = 2
        let target = Field<Int>()
        weak var weakSource: Field<Int>?
        do {
            let source = Field<Int>(value: 3)
            weakSource = source
            source --> target
        }
        expect(weakSource == nil)
        expect(target.value, equals: 3)
    }

    @Test func `a chain of 100 000 bound fields works on a 512 KiB stack`() {
        onSmallStack {
            let fields = (0..<100_000).map { _ in Field<Int>(value: 0) }
            for (source, target) in zip(fields, fields.dropFirst()) { source --> target }
            let log = Log<Int?>()
            fields[99_999].observe(when: .changes) { log.add($0) }
            fields[0].value = 7
            expect(fields[99_999].value, equals: 7)
            expect(log.entries, equals: [7])
        }
    }

    @Test func `a cycle of any length ends`() {
        let fields = (0..<5).map { Field<Int>(value: $0) }
        for (index, field) in fields.enumerated() { field --> fields[(index + 1) % 5] }
        let count = Counter()
        fields[2].observe(when: .changes) { count.increment() }
        fields[2].value = 42
        expect(fields.map(\.value), equals: [42, 42, 42, 42, 42])
        expect(count.value, equals: 1)
    }

    @Test func `random writes over a cycle from several threads converge`() async {
        let fields = (0..<3).map { _ in Field<Int>(value: 0) }
        for index in 0..<3 { fields[index] <--> fields[(index + 1) % 3] }
        let seed = UInt64.random(in: .min ... .max)
        print("seed:", seed)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var random = SplitMix(seed: seed &+ UInt64(thread))
            for _ in 0..<2500 {
                fields[Int.random(in: 0..<3, using: &random)].value =
                    Int.random(in: 0..<1_000_000, using: &random)
            }
        }
        expect(fields[0].value, equals: fields[1].value)
        expect(fields[1].value, equals: fields[2].value)
    }

    @Test(arguments: 0..<20)
    func `random graphs of bindings converge`(round: Int) {
        let seed = UInt64.random(in: .min ... .max)
        print("seed:", seed)
        var random = SplitMix(seed: seed)
        let fields = (0..<12).map { _ in Field<String>(value: "start") }
        // A ring makes the graph strongly connected; the rest is chance.
        for index in 0..<12 { fields[index] --> fields[(index + 1) % 12] }
        for _ in 0..<20 {
            let source = Int.random(in: 0..<12, using: &random)
            let target = Int.random(in: 0..<12, using: &random)
            if source != target { fields[source] --> fields[target] }
        }
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            var random = SplitMix(seed: seed &+ UInt64(thread) &+ 1)
            for step in 0..<50 {
                fields[Int.random(in: 0..<12, using: &random)].value = "\(thread).\(step)"
            }
        }
        expect(Set(fields.map(\.value)).count, equals: 1)
    }

    @Test func `the time of a clock that is behind reaches bound fields, too`() {
        let (source, target) = (Field<Int>(), Field<Int>())
        let text = Field<String>()
        source --> target
        source.bind(to: text) { $0.map { String($0) } }
        source.value = 1
        let past = Date(timeIntervalSince1970: 0)
        FieldClock.withCurrent(FieldClock { past }) { source.value = 2 }
        expect(source.updatedAt, equals: past)
        for field in [target, text] as [AnyField] {
            expect(field.updatedAt, equals: past)
            expect(field.changedAt, equals: past)
        }
    }
}
