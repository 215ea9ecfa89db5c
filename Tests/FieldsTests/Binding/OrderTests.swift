import ModelKitFields
import TestSupport
import Testing

/// What a domain makes of an older set is older than a newer set, whenever it is made.
@Suite(.timeLimit(.minutes(10))) struct OrderTests {
    /// Takes values from 0 to 100, and passes a gate for one of them before it says so.
    private func domain(_ gates: [Int: Gate]) -> Domain<Int> {
        let rule = Rule<Int>("range") { value in
            gates[value]?.pass()
            return (0...100).contains(value)
        }
        return Domain(rule) { $0 < 0 ? 0 : 100 }
    }

    enum Graph: CaseIterable { case oneWay, bothWays, behind, transform }

    @Test(arguments: Graph.allCases)
    func `what a domain makes of an older set gives way to a newer one`(_ graph: Graph) {
        let source = Field<Int>(value: 1)
        let gates = [250: Gate(at: 1), 50: Gate(at: 1)]
        let limited = Field<Int>(value: 1).constrain(to: domain(gates))
        let others = (0..<2).map { _ in Field<Int>() }
        switch graph {
        case .oneWay: source --> limited
        case .bothWays: source <--> limited
        case .behind:
            source --> limited
            limited <--> others[0]
            others[0] --> others[1]
        case .transform: source.bind(to: limited) { $0 }
        }
        let older = startWork { source.value = 250 }
        gates[250]?.awaitEntry()
        let newer = startWork { source.value = 50 }
        gates[50]?.awaitEntry()
        gates[250]?.open()
        expect(older())
        // Bound both ways, the source has sent its newer value already.
        expect(limited.value, equals: (graph == .bothWays ? 50 : 100))
        gates[50]?.open()
        expect(newer())
        expect([source.value, limited.value], equals: [50, 50])
        if graph == .behind { expect(others.map(\.value), equals: [50, 50]) }
    }

    @Test func `a domain that comes while a newer set is on its way does not hold it up`() {
        let source = Field<Gated>(value: Gated(number: 250))
        let target = Field<Gated>()
        source --> target
        // Compared in the source, then in the target.
        let gate = Gate(at: 2)
        let end = startWork { source.value = Gated(number: 50, gate: gate) }
        gate.awaitEntry()
        let most = Rule<Gated>("most") { $0.number <= 100 }
        target.constrain(to: Domain(most) { _ in Gated(number: 100) })
        expect(target.value?.number, equals: 100)
        gate.open()
        expect(end())
        expect(target.value?.number, equals: 50)
    }

    @Test func `behind domains, all hold what the last set makes, whoever else sets`() {
        for _ in 0..<8 {
            let source = Field<Int>(value: 0)
            let fields = (0..<4).map { _ in Field<Int>() }
            source --> fields[0].constrain(to: 0...100) --> fields[1]
            fields[1].bind(to: fields[2].constrain(to: 10...50)) { $0 }
            fields[2] <--> fields[3].constrain(to: 20...60)
            let ends = (0..<3).map { thread in
                startWork {
                    for step in 0..<200 { source.value = (step * 37 + thread * 101) % 200 - 50 }
                }
            }
            for end in ends { expect(end()) }
            guard let last = source.value else {
                Testing.Issue.record("no value")
                continue
            }
            let limited = min(max(last, 0), 100)
            let inner = min(max(limited, 20), 50)
            expect(fields.map(\.value), equals: [limited, limited, inner, inner], "\(last)")
        }
    }

    @Test(arguments: [false, true])
    func `fields that are bound while values are on their way hold the last one`(
        isBothWays: Bool
    ) {
        for _ in 0..<4 {
            let source = Field<Int>(value: 0)
            let middle = Field<Int>().constrain(to: 0...100)
            source --> middle
            let ends = (0..<2).map { thread in
                startWork { for step in 0..<200 { source.value = (step * 37 + thread) % 200 - 50 } }
            }
            let bound = (0..<20).map { _ in
                let field = Field<Int>(value: -1)
                if isBothWays { field <--> middle } else { middle --> field }
                return field
            }
            for end in ends { expect(end()) }
            let last = source.value.map { min(max($0, 0), 100) }
            expect(middle.value, equals: last)
            expect(bound.allSatisfy { $0.value == last })
        }
    }

    // MARK: Bound between a set and its arrival

    @Test func `what waited while a field was bound comes to the bound one, too`() {
        let source = Field<Int>(value: 0)
        let text = Field<Int>()
        source --> text
        text.beginEditing()
        source.value = 1
        let copies = (0..<3).map { _ in Field<Int>() }
        copies[0] <--> text
        copies[1] <-- text
        source --> copies[2]
        copies[2] <--> text
        expect([text.value, copies[0].value], equals: [0, 0])
        text.endEditing()
        expect(([source, text] + copies).map(\.value), equals: [1, 1, 1, 1, 1])
        source.value = 2
        expect(([source, text] + copies).map(\.value), equals: [2, 2, 2, 2, 2])
        copies[0].value = 3
        expect([text, copies[1]].map(\.value), equals: [3, 3])
    }

    @Test func `so it does through a transform, and is not written anew there`() {
        let source = Field<String>(value: "1")
        let text = Field<String>()
        source --> text
        text.beginEditing()
        source.value = "007"
        let number = Field<Int>()
        text.bind(to: number, forward: { $0.flatMap { Int($0) } }, backward: { $0.map { "\($0)" } })
        expect(number.value, equals: 1)
        text.endEditing()
        expect(number.value, equals: 7)
        expect([source.value, text.value], equals: ["007", "007"])
    }

    @Test func `and makes the field invalid where it cannot be brought there`() {
        let source = Field<String>(value: "1")
        let text = Field<String>()
        source --> text
        text.beginEditing()
        source.value = "x"
        let number = Field<Int>()
        text.bind(to: number) { text throws in
            guard let number = text.flatMap({ Int($0) }) else {
                throw ModelKitFields.Issue(code: "number", message: "must be a number")
            }
            return number
        }
        text.endEditing()
        expect(number.value, equals: 1)
        expect(text.value == "x" && text.issues.map(\.code) == ["number"])
    }

    @Test func `what the bound one has made of the value before gives way to it`() {
        let source = Field<Int>(value: 250)
        let text = Field<Int>()
        source --> text
        text.beginEditing()
        source.value = 50
        let limited = Field<Int>().constrain(to: 0...100)
        limited <--> text
        expect(limited.value, equals: 100)
        text.endEditing()
        expect([source, text, limited].map(\.value), equals: [50, 50, 50])
    }

    @Test func `a field that is bound back on the way gets what is on its way`() {
        let first = Field<Int>(value: 0)
        let second = Field<Int>(value: 0)
        first.bind(to: second) { value in
            if value == 1 { second --> first }
            return value
        }
        first.value = 1
        expect([first.value, second.value], equals: [1, 1])
    }

    @Test func `what a domain makes of a value that was bound before is reported once`() {
        let left = Field<Int>()
        let right = Field<Int>()
        right.value = 250
        left <--> right
        let logs = [left, right].map { field in
            let log = Log<Int?>()
            field.observe(when: .everySet) { log.add($0) }
            return log
        }
        right.constrain(to: 0...100)
        expect([left.value, right.value], equals: [100, 100])
        expect(logs.map(\.entries), equals: [[250, 100], [250, 100]])
    }

    @Test func `a value that comes by two ways is late once, and what is made of it comes back`() {
        let source = Field<Int>()
        let start = Field<Int>()
        source --> start
        let ways = (0..<2).map { _ in Field<Int>().constrain(to: 0...100) }
        defer { withExtendedLifetime(ways) {} }
        let detour = Field<Int>()
        start.bind(to: ways[0]) { $0 }
        start.bind(to: detour) { $0 }
        detour.bind(to: ways[1]) { $0 }
        let end = Field<Int>()
        for way in ways { way.bind(to: end) { $0 } }
        start.beginEditing()
        source.value = 250
        let limited = Field<Int>().constrain(to: 0...50)
        limited <--> end
        start.endEditing()
        expect([end.value, limited.value], equals: [50, 50])
    }

    @Test func `domains without a common value end where a transform binds anew each time`() {
        let middle = Field<Int>()
        let (other, low, high) = (Field<Int>(), Field<Int>(), Field<Int>())
        let bound = Field<Int>()
        middle --> other
        middle.value = 5
        middle.bind(
            to: low,
            forward: { $0 },
            backward: { value in
                middle --> bound
                return value
            }
        )
        high <--> middle
        ModelKitDiagnostics.withHandler({ _ in }) {
            high.constrain(to: 5...9)
            low.constrain(to: 0...4)
        }
        expect(high.value.map { $0 >= 5 } == true && low.value.map { $0 <= 4 } == true)
    }

    @Test func `a default value that is replaced comes back from each of those bound both ways`() {
        func next(of values: [Int]) -> Domain<Int> {
            Domain(.oneOf(values)) { value in values.first { $0 >= value } }
        }
        let field = Field<Int>(value: 3)
        let others = [[3, 10, 20], [3, 4, 20]].map { Field<Int>().constrain(to: next(of: $0)) }
        for other in others { other <--> field }
        field.constrain(to: 4...)
        expect([field, others[0], others[1]].map(\.value), equals: [20, 20, 20])
    }

    @Test(arguments: [false, true])
    func `what a bound field has made of the value is not delivered to it again`(isEdited: Bool) {
        let text = Field<Int>()
        text.value = 250
        let limited = Field<Int>()
        limited <--> text
        if isEdited { text.beginEditing() }
        let log = Log<Int?>()
        limited.observe(when: .everySet) { log.add($0) }
        limited.constrain(to: 0...100)
        if isEdited { text.endEditing() }
        expect([limited.value, text.value], equals: [100, 100])
        expect(log.entries, equals: [250, 100])
    }
}
