import Benchmark
import ModelKit
import NIOCore
import NIOEmbedded

// Each workload has a twin at its peers, in the same run: futures of swift-nio on an embedded loop,
// which settles them on the thread that runs the workload, as we do, and tasks.

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.cpuTotal, .throughput],
        timeUnits: .nanoseconds,
        warmupIterations: 10,
        scalingFactor: .kilo,
        maxDuration: .seconds(2),
        maxIterations: 2_000
    )

    Benchmark("make and resolve a promise, ModelKit") { benchmark in
        for value in benchmark.scaledIterations {
            let (promise, resolver) = Promise<Int>.withResolvers()
            resolver.fulfill(value)
            blackHole(promise)
        }
    }
    Benchmark("make and resolve a promise, swift-nio") { benchmark in
        let loop = EmbeddedEventLoop()
        for value in benchmark.scaledIterations {
            let promise = loop.makePromise(of: Int.self)
            promise.succeed(value)
            blackHole(promise.futureResult)
        }
    }
    Benchmark("make and resolve a promise, Task") { benchmark in
        for value in benchmark.scaledIterations { blackHole(await Task { value }.value) }
    }

    Benchmark("resolve with one handler, ModelKit") { benchmark in
        for value in benchmark.scaledIterations {
            let (promise, resolver) = Promise<Int>.withResolvers()
            promise.observe { blackHole($0) }
            resolver.fulfill(value)
        }
    }
    Benchmark("resolve with one handler, swift-nio") { benchmark in
        let loop = EmbeddedEventLoop()
        for value in benchmark.scaledIterations {
            let promise = loop.makePromise(of: Int.self)
            promise.futureResult.whenComplete { blackHole($0) }
            promise.succeed(value)
        }
    }

    Benchmark("resolved, mapped, observed, ModelKit") { benchmark in
        for value in benchmark.scaledIterations {
            Promise.value(value).map { $0 + 1 }.observe { blackHole($0) }
        }
    }
    Benchmark("resolved, mapped, observed, swift-nio") { benchmark in
        let loop = EmbeddedEventLoop()
        for value in benchmark.scaledIterations {
            loop.makeSucceededFuture(value).map { $0 + 1 }.whenComplete { blackHole($0) }
        }
    }

    Benchmark("handlers, 1000 of one promise, ModelKit", configuration: whole) { benchmark in
        for value in benchmark.scaledIterations {
            let (promise, resolver) = Promise<Int>.withResolvers()
            for _ in 0..<1000 { promise.observe { blackHole($0) } }
            resolver.fulfill(value)
        }
    }
    Benchmark("handlers, 1000 of one promise, swift-nio", configuration: whole) { benchmark in
        let loop = EmbeddedEventLoop()
        for value in benchmark.scaledIterations {
            let promise = loop.makePromise(of: Int.self)
            for _ in 0..<1000 { promise.futureResult.whenComplete { blackHole($0) } }
            promise.succeed(value)
        }
    }

    Benchmark("all of 1000 pending promises, ModelKit", configuration: whole) { benchmark in
        for _ in benchmark.scaledIterations {
            let parts = (0..<1000).map { _ in Promise<Int>.withResolvers() }
            let all = Promise.all(parts.map(\.promise))
            for (value, part) in parts.enumerated() { part.resolver.fulfill(value) }
            blackHole(all.result)
        }
    }
    Benchmark("all of 1000 pending promises, swift-nio", configuration: whole) { benchmark in
        let loop = EmbeddedEventLoop()
        for _ in benchmark.scaledIterations {
            let parts = (0..<1000).map { _ in loop.makePromise(of: Int.self) }
            let all = EventLoopFuture.whenAllSucceed(parts.map(\.futureResult), on: loop)
            for (value, part) in parts.enumerated() { part.succeed(value) }
            all.whenComplete { blackHole($0) }
        }
    }
    Benchmark("all of 1000 pending promises, Task", configuration: whole) { benchmark in
        for _ in benchmark.scaledIterations {
            let all = await withTaskGroup(of: Int.self) { group in
                for value in 0..<1000 { group.addTask { value } }
                return await group.reduce(into: [Int]()) { $0.append($1) }
            }
            blackHole(all)
        }
    }

    Benchmark("cancel a chain of 100, ModelKit") { benchmark in
        for _ in benchmark.scaledIterations {
            let (promise, resolver) = Promise<Int>.withResolvers()
            var end = promise
            for _ in 0..<100 { end = end.map { $0 + 1 } }
            end.cancel()
            blackHole(resolver)
        }
    }

    addChainBenchmarks()
    addThreadBenchmarks()
}

/// For workloads that are large enough by themselves.
var whole: Benchmark.Configuration {
    .init(
        metrics: [.cpuTotal, .throughput],
        timeUnits: .nanoseconds,
        warmupIterations: 10,
        scalingFactor: .one,
        maxDuration: .seconds(2),
        maxIterations: 20_000
    )
}
