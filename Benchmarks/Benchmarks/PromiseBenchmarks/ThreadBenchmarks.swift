import Benchmark
import Dispatch
import ModelKit
import NIOCore
import NIOEmbedded

// Several threads and tasks. What crosses threads varies with the sleep of the processors, so these
// are reported, and limited nowhere but where nobody waits.

func addThreadBenchmarks() {
    Benchmark("4 threads resolve 1000 promises, ModelKit", configuration: whole) { benchmark in
        for _ in benchmark.scaledIterations {
            let parts = (0..<1000).map { _ in Promise<Int>.withResolvers() }
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for part in parts { part.resolver.fulfill(thread) }
            }
        }
    }
    Benchmark("4 threads add 250 handlers each, ModelKit", configuration: whole) { benchmark in
        for _ in benchmark.scaledIterations {
            let (promise, resolver) = Promise<Int>.withResolvers()
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for _ in 0..<250 { promise.observe { blackHole($0) } }
            }
            resolver.fulfill(1)
        }
    }

    Benchmark("await a settled promise, ModelKit") { benchmark in
        let promise = Promise.value(1)
        for _ in benchmark.scaledIterations { blackHole(try await promise.value) }
    }
    Benchmark("await a settled promise, Task") { benchmark in
        let task = Task { 1 }
        for _ in benchmark.scaledIterations { blackHole(await task.value) }
    }
    Benchmark("await a settled promise, swift-nio") { benchmark in
        let loop = NIOAsyncTestingEventLoop()
        let future = loop.makeSucceededFuture(1)
        for _ in benchmark.scaledIterations { blackHole(try await future.get()) }
    }
    Benchmark("await a settled promise on an actor, ModelKit") { benchmark in
        let promise = Promise.value(1)
        let waiter = Waiter()
        try await waiter.wait(for: promise, benchmark.scaledIterations.count)
    }
    Benchmark("await a settled promise on an actor, Task") { benchmark in
        let task = Task { 1 }
        let waiter = Waiter()
        await waiter.wait(for: task, benchmark.scaledIterations.count)
    }

    Benchmark("await a pending promise, ModelKit") { benchmark in
        for value in benchmark.scaledIterations {
            let (promise, resolver) = Promise<Int>.withResolvers()
            async let settled: Void = { resolver.fulfill(value) }()
            blackHole(try await promise.value)
            await settled
        }
    }
    Benchmark("await a pending promise, Task") { benchmark in
        for value in benchmark.scaledIterations {
            async let settled = value
            blackHole(await settled)
        }
    }
    Benchmark("await a promise of a queue, ModelKit") { benchmark in
        let queue = DispatchQueue(label: "queue")
        for value in benchmark.scaledIterations {
            let promise = Promise { resolver in queue.async { resolver.fulfill(value) } }
            blackHole(try await promise.value)
        }
    }
    Benchmark("await a promise of a queue, checked continuation") { benchmark in
        let queue = DispatchQueue(label: "queue")
        for value in benchmark.scaledIterations {
            let value = await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: value) }
            }
            blackHole(value)
        }
    }
}

private actor Waiter {
    func wait(for promise: Promise<Int>, _ count: Int) async throws {
        for _ in 0..<count { blackHole(try await promise.value) }
    }

    func wait(for task: Task<Int, Never>, _ count: Int) async {
        for _ in 0..<count { blackHole(await task.value) }
    }
}
