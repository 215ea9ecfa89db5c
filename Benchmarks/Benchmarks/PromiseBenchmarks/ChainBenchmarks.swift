import Benchmark
import ModelKit
import NIOCore
import NIOEmbedded

// Chains of steps, made while the first promise is pending: with closures that capture nothing, which
// flatter everybody, and with some that do.

func addChainBenchmarks() {
    for count in [1, 10, 1000] {
        let configuration = count == 1000 ? whole : Benchmark.defaultConfiguration
        Benchmark("chain of \(count), ModelKit", configuration: configuration) { benchmark in
            for value in benchmark.scaledIterations {
                let (promise, resolver) = Promise<Int>.withResolvers()
                var end = promise
                for _ in 0..<count { end = end.map { $0 + 1 } }
                resolver.fulfill(value)
                blackHole(end.result)
            }
        }
        Benchmark("chain of \(count), swift-nio", configuration: configuration) { benchmark in
            let loop = EmbeddedEventLoop()
            for value in benchmark.scaledIterations {
                let promise = loop.makePromise(of: Int.self)
                var end = promise.futureResult
                for _ in 0..<count { end = end.map { $0 + 1 } }
                promise.succeed(value)
                end.whenComplete { blackHole($0) }
            }
        }
    }

    Benchmark("chain of 1000 that captures, ModelKit", configuration: whole) { benchmark in
        for value in benchmark.scaledIterations {
            let (promise, resolver) = Promise<Int>.withResolvers()
            var end = promise
            for step in 0..<1000 { end = end.map { $0 + step } }
            resolver.fulfill(value)
            blackHole(end.result)
        }
    }
    Benchmark("chain of 1000 that captures, swift-nio", configuration: whole) { benchmark in
        let loop = EmbeddedEventLoop()
        for value in benchmark.scaledIterations {
            let promise = loop.makePromise(of: Int.self)
            var end = promise.futureResult
            for step in 0..<1000 { end = end.map { $0 + step } }
            promise.succeed(value)
            end.whenComplete { blackHole($0) }
        }
    }

    Benchmark("chain of 10 texts that captures, ModelKit") { benchmark in
        let texts = (0..<10).map { "text number \($0) of a chain" }
        for _ in benchmark.scaledIterations {
            let (promise, resolver) = Promise<String>.withResolvers()
            var end = promise
            for text in texts { end = end.map { $0.isEmpty ? $0 : text } }
            resolver.fulfill("a text that is not small")
            blackHole(end.result)
        }
    }
    Benchmark("chain of 10 texts that captures, swift-nio") { benchmark in
        let loop = EmbeddedEventLoop()
        let texts = (0..<10).map { "text number \($0) of a chain" }
        for _ in benchmark.scaledIterations {
            let promise = loop.makePromise(of: String.self)
            var end = promise.futureResult
            for text in texts { end = end.map { $0.isEmpty ? $0 : text } }
            promise.succeed("a text that is not small")
            end.whenComplete { blackHole($0) }
        }
    }

    Benchmark("an error through 10 steps, ModelKit") { benchmark in
        for _ in benchmark.scaledIterations {
            let (promise, resolver) = Promise<Int>.withResolvers()
            var end = promise
            for _ in 0..<10 { end = end.map { $0 + 1 } }
            resolver.reject(Failure())
            blackHole(end.result)
        }
    }
    Benchmark("an error through 10 steps, swift-nio") { benchmark in
        let loop = EmbeddedEventLoop()
        for _ in benchmark.scaledIterations {
            let promise = loop.makePromise(of: Int.self)
            var end = promise.futureResult
            for _ in 0..<10 { end = end.map { $0 + 1 } }
            promise.fail(Failure())
            end.whenComplete { blackHole($0) }
        }
    }

    Benchmark("chain of 1000000, ModelKit", configuration: deep) { _ in
        let (promise, resolver) = Promise<Int>.withResolvers()
        var end = promise
        for _ in 0..<1_000_000 { end = end.map { $0 + 1 } }
        resolver.fulfill(0)
        blackHole(end.result)
    }
    Benchmark("1000000 settled by hand, ModelKit", configuration: deep) { _ in
        let (promise, starter) = Promise<Int>.withResolvers()
        var end = promise
        for _ in 0..<1_000_000 {
            let (next, resolver) = Promise<Int>.withResolvers()
            end.observe { resolver.resolve($0) }
            end = next
        }
        starter.fulfill(0)
        blackHole(end.result)
    }
    Benchmark("recursion of 1000000, ModelKit", configuration: deep) { _ in
        blackHole(count(0, to: 1_000_000).result)
    }
    Benchmark("dropped chain of 1000000, ModelKit", configuration: deep) { _ in
        var (end, resolver): (Promise<Int>, Resolver<Int>?) = Promise<Int>.withResolvers()
        for _ in 0..<1_000_000 { end = end.map { $0 + 1 } }
        withExtendedLifetime(resolver) {}
        resolver = nil
        blackHole(end.result)
    }
}

private struct Failure: Error {}

private var deep: Benchmark.Configuration {
    .init(
        metrics: [.cpuTotal, .throughput],
        timeUnits: .nanoseconds,
        warmupIterations: 1,
        scalingFactor: .one,
        maxDuration: .seconds(3),
        maxIterations: 5
    )
}

@Sendable private func count(_ number: Int, to end: Int) -> Promise<Int> {
    number == end ? .value(number) : Promise.value(number + 1).then { count($0, to: end) }
}
