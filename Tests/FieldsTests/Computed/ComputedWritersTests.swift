import Dispatch
import ModelKitFields
import TestSupport
import Testing

/// Random graphs of computed fields, with several threads that set what they read.
@Suite(.timeLimit(.minutes(10))) struct ComputedWritersTests {
    @Test(arguments: 0..<12)
    func `a random graph ends with what a recomputation gives`(round: Int) async {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        let fields = (0..<5).map { Field<Int>(value: $0) }
        let inputs = (0..<15).map { index in
            (0..<3).map { _ in Int.random(in: 0..<(5 + index), using: &random) }
        }
        var nodes: [Computed<Int>] = []
        for reads in inputs {
            let sources = reads.map { read -> @Sendable () -> Int in
                if read < 5 {
                    let field = fields[read]
                    return { field.value ?? 0 }
                }
                let node = nodes[read - 5]
                return { node.value ?? 0 }
            }
            nodes.append(Computed { Self.combine { sources[$0]() } })
        }
        // Every third is observed, every fourth bound.
        let logs = nodes.map { _ in Log<Int?>() }
        let targets = nodes.map { _ in Field<Int>() }
        for (index, node) in nodes.enumerated() {
            if index % 3 == 0 { node --> { logs[index].add($0) } }
            if index % 4 == 0 { node --> targets[index] }
        }
        let ends = (0..<3).map { thread in
            startThread { [nodes] in
                var random = SplitMix(seed: seed &+ UInt64(thread) &+ 1)
                for _ in 0..<60 {
                    let number = Int.random(in: 0..<100, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: _ = nodes[number % 15].value
                    case 1:
                        batch {
                            fields[number % 5].value = number
                            fields[(number + 1) % 5].value = number
                        }
                    default: fields[number % 5].value = number
                    }
                }
            }
        }
        for end in ends { end() }
        var expected = fields.map { $0.value ?? 0 }
        for reads in inputs { expected.append(Self.combine { expected[reads[$0]] }) }
        expected.removeFirst(5)
        expect(nodes.map(\.value), equals: expected, "seed \(seed)")
        for (index, node) in nodes.enumerated() {
            await node.settled()
            if index % 3 == 0 {
                expect(logs[index].entries.last, equals: expected[index], "seed \(seed), \(index)")
            }
            if index % 4 == 0 {
                expect(targets[index].value, equals: expected[index], "seed \(seed), \(index)")
            }
        }
    }

    /// The first input decides which of the others are read.
    private static func combine(_ read: (Int) -> Int) -> Int {
        let first = read(0)
        return first % 7 + (first % 2 == 0 ? read(1) : read(2)) % 50
    }

    @Test func `observers that read the computed fields of each other's do not deadlock`() {
        let fields = [Field<Int>(value: 0), Field<Int>(value: 0)]
        let sums = fields.map { field in
            Computed { fields.reduce(field.value ?? 0) { $0 + ($1.value ?? 0) } }
        }
        let reads = Counter()
        for index in 0..<2 {
            fields[index].observe(when: .changes) {
                if sums[1 - index].value != nil { reads.increment() }
            }
            sums[index].observe { (value: Int?) in
                if let value, value % 7 == 0, value < 1000 { fields[1 - index].value = value + 1 }
                if sums[1 - index].value != nil { reads.increment() }
            }
        }
        let ends = fields.map { field in
            startWork { for value in 1...500 { field.value = value } }
        }
        for end in ends { expect(end()) }
        expect(reads.value > 0)
    }
}
