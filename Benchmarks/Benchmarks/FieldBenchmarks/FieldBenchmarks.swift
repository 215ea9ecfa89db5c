import Benchmark
import ModelKit
import OpenCombine
import Synchronization

// Each workload has a twin at its peers, in the same run; what follows the last comma of a name
// says which it is.

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.cpuTotal, .throughput],
        timeUnits: .nanoseconds,
        warmupIterations: 10,
        scalingFactor: .kilo,
        maxDuration: .seconds(2),
        maxIterations: 2_000
    )

    for count in [0, 1, 10] {
        Benchmark("set Int, \(count) observers, ModelKit") { benchmark in
            let field = Field<Int>(value: 0)
            for _ in 0..<count { field.observe { (value: Int?) in blackHole(value) } }
            benchmark.startMeasurement()
            for value in benchmark.scaledIterations { field.value = value }
        }
        Benchmark("set Int, \(count) observers, OpenCombine") { benchmark in
            let subject = CurrentValueSubject<Int, Never>(0)
            let sinks = (0..<count).map { _ in subject.sink { blackHole($0) } }
            benchmark.startMeasurement()
            for value in benchmark.scaledIterations { subject.value = value }
            benchmark.stopMeasurement()
            withExtendedLifetime(sinks) {}
        }
        if count > 0 { addBareList("set Int, \(count) observers", closures: count) }
    }

    for count in [1, 10] {
        Benchmark("set Int, \(count) observers with owners, ModelKit") { benchmark in
            let field = Field<Int>(value: 0)
            let owners = (0..<count).map { _ in Owner() }
            for owner in owners { field.observe(owner) { _, value in blackHole(value) } }
            benchmark.startMeasurement()
            for value in benchmark.scaledIterations { field.value = value }
            benchmark.stopMeasurement()
            withExtendedLifetime(owners) {}
        }
    }

    for count in [0, 1000] {
        Benchmark("observe and cancel, \(count) there, ModelKit") { benchmark in
            let field = Field<Int>(value: 0)
            for _ in 0..<count { field.observe { (value: Int?) in blackHole(value) } }
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations {
                field.observe { (value: Int?) in blackHole(value) }.cancel()
            }
        }
        Benchmark("observe and cancel, \(count) there, OpenCombine") { benchmark in
            let subject = CurrentValueSubject<Int, Never>(0)
            let sinks = (0..<count).map { _ in subject.sink { blackHole($0) } }
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations { subject.sink { blackHole($0) }.cancel() }
            benchmark.stopMeasurement()
            withExtendedLifetime(sinks) {}
        }
    }

    Benchmark("set of a two-way pair, ModelKit") { benchmark in
        let left = Field<Int>(value: 0), right = Field<Int>(value: 0)
        left <--> right
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations { left.value = value }
        benchmark.stopMeasurement()
        precondition(right.value == left.value)
    }
    addBareList("set of a two-way pair", closures: 1)
    Benchmark("set of a two-way pair, OpenCombine") { benchmark in
        let left = CurrentValueSubject<Int, Never>(0), right = CurrentValueSubject<Int, Never>(0)
        let sinks = [
            left.removeDuplicates().sink { right.value = $0 },
            right.removeDuplicates().sink { left.value = $0 },
        ]
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations { left.value = value }
        benchmark.stopMeasurement()
        precondition(right.value == left.value)
        withExtendedLifetime(sinks) {}
    }

    Benchmark("set of a chain of 100 (per set), ModelKit") { benchmark in
        let fields = (0..<100).map { _ in Field<Int>(value: 0) }
        for (source, target) in zip(fields, fields.dropFirst()) { source --> target }
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations { fields[0].value = value }
        benchmark.stopMeasurement()
        precondition(fields[99].value == fields[0].value)
    }
    Benchmark("set of a chain of 100 (per set), OpenCombine") { benchmark in
        let subjects = (0..<100).map { _ in CurrentValueSubject<Int, Never>(0) }
        let sinks = zip(subjects, subjects.dropFirst()).map { source, target in
            source.map { $0 }.sink { [weak target] in target?.value = $0 }
        }
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations { subjects[0].value = value }
        benchmark.stopMeasurement()
        precondition(subjects[99].value == subjects[0].value)
        withExtendedLifetime(sinks) {}
    }

    Benchmark("read the value, ModelKit") { benchmark in
        let field = Field<Int>(value: 1)
        for _ in benchmark.scaledIterations { blackHole(field.value) }
    }
    Benchmark("read the value, OpenCombine") { benchmark in
        let subject = CurrentValueSubject<Int, Never>(1)
        for _ in benchmark.scaledIterations { blackHole(subject.value) }
    }

    Benchmark("make and free, ModelKit") { benchmark in
        for value in benchmark.scaledIterations { blackHole(Field<Int>(value: value)) }
    }
    Benchmark("make and free, OpenCombine") { benchmark in
        for value in benchmark.scaledIterations {
            blackHole(CurrentValueSubject<Int, Never>(value))
        }
    }

    Benchmark("set Int, 1000 observers, ModelKit") { benchmark in
        let field = Field<Int>(value: 0)
        for _ in 0..<1000 { field.observe { (value: Int?) in blackHole(value) } }
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations { field.value = value }
    }

    Benchmark(
        "make 10 fields, ModelKit",
        configuration: .init(metrics: [.mallocCountTotal, .wallClock])
    ) { benchmark in
        for _ in benchmark.scaledIterations { blackHole((0..<10).map { Field<Int>(value: $0) }) }
    }

    addObservableBenchmarks()
    addArrayBenchmarks()
    addRuleBenchmarks()
    addComputedBenchmarks()
}

private final class Owner: Sendable {}

/// The least that has observers: a value and closures behind one lock, called in a row.
///
/// It has no order between threads and no times, and nobody can leave.
private final class BareList: Sendable {
    private let state = Mutex((value: Int?.none, closures: [@Sendable (Int?) -> Void]()))

    func observe(_ body: @escaping @Sendable (Int?) -> Void) {
        state.withLock { $0.closures.append(body) }
    }

    func set(_ value: Int?) {
        let closures = state.withLock { state in
            state.value = value
            return state.closures
        }
        for body in closures { body(value) }
    }
}

private func addBareList(_ work: String, closures count: Int) {
    Benchmark("\(work), a bare locked list") { benchmark in
        let list = BareList()
        for _ in 0..<count { list.observe { blackHole($0) } }
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations { list.set(value) }
    }
}
