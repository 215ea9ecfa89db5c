import Benchmark
import ModelKit

// The shapes of js-reactivity-benchmark (its kairo and cellx groups). Each asserts its results and
// how often its observers and nodes ran: an answer that is quick and torn, or computed twice, ends
// the program.

/// Counts calls, on one thread.
final class Calls: @unchecked Sendable {
    // Safe: the benchmarks of a graph run on one thread.
    var count = 0
}

func addComputedBenchmarks() {
    Benchmark("avoidable (5 long, cut after 2; 1000 sets), ModelKit") { benchmark in
        let head = Field<Int>(value: 0)
        let late = Calls()
        let first = Computed { head.value }
        let cut = Computed { () -> Int? in
            _ = first.value
            return 0
        }
        let third = Computed { () -> Int? in
            late.count += 1
            return cut.value.map { $0 + 1 }
        }
        let fourth = Computed { third.value.map { $0 + 2 } }
        let fifth = Computed { fourth.value.map { $0 + 3 } }
        let notifications = Calls()
        fifth.observe { (_: Int?) in notifications.count += 1 }
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            for step in 0..<1000 { head.value = value &+ step }
        }
        benchmark.stopMeasurement()
        precondition(fifth.value == 6 && late.count == 1 && notifications.count == 1)
    }

    Benchmark("broad (50 × 2 nodes, 50 sets), ModelKit") { benchmark in
        let head = Field<Int>(value: 0)
        let notifications = Calls()
        let nodes = (0..<50).map { index in
            let first = Computed { head.value.map { $0 &+ index } }
            let second = Computed { first.value.map { $0 &+ 1 } }
            second.observe { (_: Int?) in notifications.count += 1 }
            return second
        }
        run(benchmark, sets: 50, of: head)
        precondition(notifications.count == 50 * (sets(benchmark, 50) + 1))
        precondition(nodes[49].value == head.value.map { $0 + 50 })
    }

    for (length, rounds) in [(50, 50), (1000, 1)] {
        Benchmark("deep (\(length) nodes, \(rounds) sets), ModelKit") { benchmark in
            let head = Field<Int>(value: 0)
            let notifications = Calls()
            var last = Computed { head.value }
            for _ in 1..<length { last = Computed { [last] in last.value.map { $0 &+ 1 } } }
            last.observe { (_: Int?) in notifications.count += 1 }
            run(benchmark, sets: rounds, of: head)
            precondition(notifications.count == sets(benchmark, rounds) + 1)
            precondition(last.value == head.value.map { $0 + length - 1 })
        }
    }

    Benchmark("broad (1000 nodes, 1 set), ModelKit") { benchmark in
        let head = Field<Int>(value: 0)
        let notifications = Calls()
        let nodes = (0..<1000).map { index in
            let node = Computed { head.value.map { $0 &+ index } }
            node.observe { (_: Int?) in notifications.count += 1 }
            return node
        }
        run(benchmark, sets: 1, of: head)
        precondition(notifications.count == 1000 * (sets(benchmark, 1) + 1))
        precondition(nodes[999].value == head.value.map { $0 + 999 })
    }

    Benchmark("diamond of 5, ModelKit") { benchmark in
        let head = Field<Int>(value: 0)
        let (runs, notifications) = (Calls(), Calls())
        let arms = (0..<5).map { _ in Computed { head.value.map { $0 &+ 1 } } }
        let sum = Computed { () -> Int? in
            runs.count += 1
            return arms.reduce(0) { $0 &+ ($1.value ?? 0) }
        }
        sum.observe { (_: Int?) in notifications.count += 1 }
        run(benchmark, sets: 1, of: head)
        precondition(runs.count == sets(benchmark, 1) + 1 && notifications.count == runs.count)
        precondition(sum.value == head.value.map { ($0 + 1) * 5 })
    }
    Benchmark("ladder of 10 diamonds, ModelKit") { benchmark in
        let head = Field<Int>(value: 0)
        let runs = Calls()
        var last = Computed { head.value }
        for _ in 0..<10 {
            let left = Computed { [last] in last.value }
            let right = Computed { [last] in last.value }
            last = Computed {
                runs.count += 1
                return (left.value ?? 0) &+ (right.value ?? 0)
            }
        }
        last.observe { (value: Int?) in blackHole(value) }
        run(benchmark, sets: 1, of: head)
        precondition(runs.count == 10 * (sets(benchmark, 1) + 1))
    }

    Benchmark("triangle (10 long), ModelKit") { benchmark in
        let head = Field<Int>(value: 0)
        let (runs, notifications) = (Calls(), Calls())
        var chain: [Computed<Int>] = []
        for _ in 0..<10 {
            chain.append(
                Computed { [last = chain.last] in (last?.value ?? head.value).map { $0 + 1 } }
            )
        }
        let sum = Computed { [chain] () -> Int? in
            runs.count += 1
            return chain.reduce(head.value ?? 0) { $0 + ($1.value ?? 0) }
        }
        sum.observe { (_: Int?) in notifications.count += 1 }
        run(benchmark, sets: 1, of: head)
        precondition(runs.count == sets(benchmark, 1) + 1 && notifications.count == runs.count)
        precondition(sum.value == head.value.map { $0 * 11 + 55 })
    }

    Benchmark("mux (100 to 1 to 100, 1 set), ModelKit") { benchmark in
        let heads = (0..<100).map { _ in Field<Int>(value: 0) }
        let (runs, notifications) = (Calls(), Calls())
        let all = Computed {
            runs.count += 1
            return heads.map { $0.value ?? 0 }
        }
        let ends = heads.indices.map { index in
            let part = Computed { all.value?[index] }
            let end = Computed { part.value.map { $0 &+ 1 } }
            end.observe { (_: Int?) in notifications.count += 1 }
            return end
        }
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations { heads[value % 100].value = value &+ 1 }
        benchmark.stopMeasurement()
        precondition(notifications.count == 100 + sets(benchmark, 1))
        precondition(runs.count == 1 + sets(benchmark, 1))
        precondition(zip(heads, ends).allSatisfy { $0.value.map { $0 + 1 } == $1.value })
    }

    Benchmark("repeated (30 reads), ModelKit") { benchmark in
        let head = Field<Int>(value: 0)
        let (runs, notifications) = (Calls(), Calls())
        let sum = Computed {
            runs.count += 1
            return (0..<30).reduce(0) { sum, _ in sum &+ (head.value ?? 0) }
        }
        sum.observe { (_: Int?) in notifications.count += 1 }
        run(benchmark, sets: 1, of: head)
        precondition(runs.count == sets(benchmark, 1) + 1 && notifications.count == runs.count)
        precondition(sum.value == head.value.map { $0 * 30 })
    }

    Benchmark("unstable (20 reads that alternate), ModelKit") { benchmark in
        let head = Field<Int>(value: 0)
        let double = Computed { head.value.map { $0 &* 2 } }
        let inverse = Computed { head.value.map { -$0 } }
        let (runs, notifications) = (Calls(), Calls())
        let sum = Computed {
            runs.count += 1
            return (0..<20).reduce(0) { sum, _ in
                sum &+ ((head.value ?? 0) % 2 == 0 ? double.value ?? 0 : inverse.value ?? 0)
            }
        }
        sum.observe { (_: Int?) in notifications.count += 1 }
        run(benchmark, sets: 1, of: head)
        precondition(runs.count == sets(benchmark, 1) + 1 && notifications.count == runs.count)
        let last = head.value ?? 0
        precondition(sum.value == 20 * (last % 2 == 0 ? last * 2 : -last))
    }

    for layers in [1000, 2500] {
        Benchmark(
            "cellx (\(layers) layers, made, set and read), ModelKit",
            configuration: .init(scalingFactor: .one)
        ) { benchmark in
            for _ in benchmark.scaledIterations { runCellx(layers) }
        }
    }
}

/// Sets a field again and again, each time to another value.
private func run(_ benchmark: Benchmark, sets: Int, of head: Field<Int>) {
    var next = 1
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
        for _ in 0..<sets {
            head.value = next
            next &+= 1
        }
    }
    benchmark.stopMeasurement()
}

private func sets(_ benchmark: Benchmark, _ count: Int) -> Int {
    benchmark.scaledIterations.count * count
}

private func runCellx(_ layers: Int) {
    let start = (1...4).map { Field<Int>(value: $0) }
    let (runs, notifications) = (Calls(), Calls())
    func node(_ body: @escaping @Sendable () -> Int?) -> Computed<Int> {
        Computed {
            runs.count += 1
            return body()
        }
    }
    var nodes = start.map { field in Computed { field.value } }
    for _ in 0..<layers {
        let (a, b, c, d) = (nodes[0], nodes[1], nodes[2], nodes[3])
        nodes = [
            node { b.value },
            node { (a.value ?? 0) &- (c.value ?? 0) },
            node { (b.value ?? 0) &+ (d.value ?? 0) },
            node { c.value },
        ]
        for node in nodes { node.observe { (_: Int?) in notifications.count += 1 } }
    }
    precondition(nodes.map(\.value) == [-3, -6, -2, 2])
    batch {
        for (field, value) in zip(start, [4, 3, 2, 1]) { field.value = value }
    }
    precondition(nodes.map(\.value) == [-2, -4, 2, 3])
    // Each once at the start and at most once for the batch.
    precondition(runs.count <= 8 * layers && notifications.count <= runs.count)
}
