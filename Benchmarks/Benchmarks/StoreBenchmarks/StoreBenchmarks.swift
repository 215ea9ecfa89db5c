import Benchmark

// Each workload has its peers in the same run, on the same columns and rows, in files in a temporary
// directory. All write with WAL and synchronous FULL, as the store does by default.

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.cpuTotal, .throughput],
        timeUnits: .nanoseconds,
        warmupIterations: 10,
        scalingFactor: .kilo,
        maxDuration: .seconds(2),
        maxIterations: 2_000
    )
    Benchmark.teardown = { Scratch.removeAll() }

    addInsertBenchmarks()
    addLookupBenchmarks()
    addListBenchmarks()
    addMemoryBenchmarks()
    addSizeBenchmarks()
    addDecimalBenchmarks()
    addAggregateBenchmarks()
    addRelationBenchmarks()
    addLiveBenchmarks()
    addRESTBenchmarks()
}

/// For workloads that are large enough by themselves.
var whole: Benchmark.Configuration {
    .init(
        metrics: [.cpuTotal, .throughput],
        timeUnits: .microseconds,
        warmupIterations: 2,
        scalingFactor: .one,
        maxDuration: .seconds(3),
        maxIterations: 200
    )
}
