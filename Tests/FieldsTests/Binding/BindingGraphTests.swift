import ModelKitFields
import TestSupport
import Testing

/// Random graphs of bindings, one-way and both ways, that several threads set.
@Suite(.timeLimit(.minutes(10))) struct BindingGraphTests {
    @Test(arguments: 0..<20)
    func `fields of a strongly connected component end with one value`(round: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        let size = 10
        let fields = (0..<size).map { _ in Field<String>(value: "start") }
        var reaches = (0..<size).map { from in (0..<size).map { $0 == from } }
        for _ in 0..<Int.random(in: 5..<25, using: &random) {
            let from = Int.random(in: 0..<size, using: &random)
            let to = Int.random(in: 0..<size, using: &random)
            if from == to { continue }
            reaches[from][to] = true
            if Int.random(in: 0..<4, using: &random) == 0 {
                fields[from] <--> fields[to]
                reaches[to][from] = true
            } else {
                fields[from] --> fields[to]
            }
        }
        for via in 0..<size {
            for from in 0..<size where reaches[from][via] {
                for to in 0..<size where reaches[via][to] { reaches[from][to] = true }
            }
        }
        let ends = (0..<4).map { thread in
            startThread {
                var random = SplitMix(seed: seed &+ UInt64(thread) &+ 1)
                for step in 0..<50 {
                    let field = fields[Int.random(in: 0..<size, using: &random)]
                    if step % 5 == 0 {
                        batch {
                            field.value = "first"
                            field.value = "\(thread).\(step)"
                        }
                    } else {
                        field.value = "\(thread).\(step)"
                    }
                }
            }
        }
        for end in ends { end() }
        for from in 0..<size {
            for to in 0..<size where reaches[from][to] && reaches[to][from] {
                expect(fields[from].value, equals: fields[to].value, "seed \(seed): \(from), \(to)")
            }
        }
        // What is set now is everywhere behind it when the set returns.
        for from in 0..<size {
            fields[from].value = "last \(from)"
            for to in 0..<size where reaches[from][to] {
                expect(fields[to].value, equals: "last \(from)", "seed \(seed): \(from), \(to)")
            }
        }
    }
}
