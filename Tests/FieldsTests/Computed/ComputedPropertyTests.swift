import ModelKitFields
import TestSupport
import Testing

/// Random graphs against a model that computes everything anew.
@Suite struct ComputedPropertyTests {
    @Test(arguments: UInt64(1)...40)
    func `a random graph holds what a recomputation gives`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let graph = RandomGraph(using: &random)
        graph.observe(using: &random)
        for _ in 0..<60 {
            graph.change(using: &random)
            expect(graph.values, equals: graph.recomputed, "seed \(seed)")
            expect(graph.received, equals: graph.recomputed, "seed \(seed)")
            if Int.random(in: 0..<8, using: &random) == 0 { graph.observe(using: &random) }
        }
        expect(graph.isEvaluatedOnceASet, "seed \(seed)")
    }
}

/// Layers of nodes, each of which reads some of the layers before, among them a switch that decides
/// which.
private final class RandomGraph {
    private let fields: [Field<Int>]
    private var nodes: [Computed<Int>] = []
    private var inputs: [[Int]] = []
    private var observed: [Int: (observation: Observation, log: Log<Int?>)] = [:]
    private let counts: [Counter]
    private(set) var isEvaluatedOnceASet = true

    init(using random: inout SplitMix) {
        fields = (0..<5).map { Field<Int>(value: $0) }
        let size = Int.random(in: 1..<25, using: &random)
        counts = (0..<size).map { _ in Counter() }
        for index in 0..<size {
            let reads = (0..<Int.random(in: 1..<5, using: &random)).map { _ in
                Int.random(in: 0..<(5 + index), using: &random)
            }
            inputs.append(reads)
            let sources = reads.map { read -> @Sendable () -> Int? in
                if read < 5 {
                    let field = fields[read]
                    return { field.value }
                }
                let node = nodes[read - 5]
                return { node.value }
            }
            let count = counts[index]
            nodes.append(
                Computed {
                    count.increment()
                    return Self.combine(sources.count) { sources[$0]() ?? 0 }
                }
            )
        }
    }

    /// The first input decides how many of the others are read.
    private static func combine(_ count: Int, _ read: (Int) -> Int) -> Int {
        let first = read(0)
        var sum = first % 7
        for index in 1..<max(1, count) where (first + index) % 3 != 0 { sum += read(index) % 50 }
        return sum
    }

    func observe(using random: inout SplitMix) {
        for index in nodes.indices where Int.random(in: 0..<3, using: &random) == 0 {
            if let entry = observed.removeValue(forKey: index) {
                entry.observation.cancel()
            } else {
                let log = Log<Int?>()
                observed[index] = (nodes[index] --> { log.add($0) }, log)
            }
        }
    }

    func change(using random: inout SplitMix) {
        let before = counts.map(\.value)
        let sets = (0..<Int.random(in: 1..<4, using: &random)).map { _ in
            (
                Int.random(in: 0..<5, using: &random),
                Int.random(in: 0..<10, using: &random)
            )
        }
        if sets.count == 1 || Bool.random(using: &random) {
            batch { for (field, value) in sets { fields[field].value = value } }
            for (count, before) in zip(counts, before) where count.value > before + 1 {
                isEvaluatedOnceASet = false
            }
        } else {
            for (field, value) in sets { fields[field].value = value }
        }
    }

    var recomputed: [Int] {
        var values = fields.map { $0.value ?? 0 }
        for reads in inputs { values.append(Self.combine(reads.count) { values[reads[$0]] }) }
        return Array(values.dropFirst(5))
    }

    var values: [Int] { nodes.map { $0.value ?? -1 } }

    /// What the observers received last; of a node without, its value.
    var received: [Int] {
        nodes.indices.map { (observed[$0]?.log.entries.last ?? nodes[$0].value) ?? -1 }
    }
}
