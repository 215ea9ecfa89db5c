import Dispatch
import Foundation
import ModelKitStores
import Synchronization
import TestSupport
import Testing

struct PromiseAwaitTests {
    typealias Work = PromiseCancelTests.Work

    @Test(arguments: Start.allCases)
    func `awaiting gives the value or throws the error`(start: Start) async throws {
        let error = Trouble()
        let setting = Setting(.inline)
        let value = setting.promise(start, Result<Int, any Error>.success(1)) { _ in }
        let failed = setting.promise(start, Result<Int, any Error>.failure(error)) { _ in }
        try await expect(value.value, equals: 1)
        await expect(trouble(of: failed) as? Trouble === error)
    }

    @Test @MainActor func `awaiting stays on the actor`() async throws {
        let (promise, resolver) = Promise<Int>.withResolvers()
        DispatchQueue.global().async { resolver.fulfill(1) }
        try await expect(promise.value, equals: 1)
        MainActor.preconditionIsolated()
    }

    @Test func `a cancelled task stops waiting, and the last one stops the work`() async {
        let work = Work()
        let tasks = (0..<2).map { _ in Task { try await work.promise.value } }
        // Both wait once their turn in a fresh round of the pool has come; the outcome is the same
        // if they do not.
        await Task.yield()
        tasks[0].cancel()
        let first = await tasks[0].result
        expect(first.failure is CancellationError)
        tasks[1].cancel()
        let second = await tasks[1].result
        expect(second.failure is CancellationError)
        expect(work.isStopped)
    }

    @Test func `other consumers do not notice that a task stops waiting`() async throws {
        let work = Work()
        let step = work.promise.map { $0 + 1 }
        let task = Task { try await work.promise.value }
        await Task.yield()
        task.cancel()
        await expect(task.result.failure is CancellationError)
        expect(work.isUntouched)
        work.resolver.fulfill(1)
        expect(step.success, equals: 2)
    }

    @Test func `a task that was cancelled before it waits counts as a consumer that left`() async {
        let alone = Work(), shared = Work()
        shared.promise.observe { _ in }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            let errors = [await trouble(of: alone.promise), await trouble(of: shared.promise)]
            return errors.allSatisfy { $0 is CancellationError }
        }
        task.cancel()
        await expect(task.value)
        expect(alone.isStopped)
        expect(shared.isUntouched)
    }

    @Test func `a settled promise gives its value to a cancelled task too`() async throws {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await Promise.value(5).value
        }
        task.cancel()
        try await expect(task.value, equals: 5)
    }

    @Test func `a finally handler is called when the last task stops waiting`() async {
        let work = Work()
        let seen = Log<Int>()
        let end = work.promise.finally { seen.add(1) }
        let task = Task { try await end.value }
        task.cancel()
        _ = await task.result
        expect(seen.entries, equals: [1])
        expect(work.isStopped)
    }

    @Test func `awaiting, cancelling and resolving may race`() async {
        for round in 0..<40_000 {
            let work = Work()
            let task = Task.detached { try await work.promise.value }
            let canceller = Task.detached { task.cancel() }
            if round % 2 == 0 { work.resolver.fulfill(round) }
            switch await task.result {
            case .success(let value): expect(value == round && work.stops.count == 0)
            case .failure(let error):
                expect(error is CancellationError)
            }
            await canceller.value
            expect(work.promise.result != nil, "round \(round)")
            if round % 2 == 1 { expect(work.isStopped, "round \(round)") }
        }
    }

    @Test func `cancelling a task while it begins to wait stops the work`() async throws {
        for round in 0..<3_000 {
            let work = Work()
            let signal = Signal()
            let (ended, resolver) = Promise<Void>.withResolvers()
            let task = Task.detached {
                signal.raise()
                return await trouble(of: work.promise)
            }
            Thread.detachNewThread {
                signal.wait(andThen: round % 300)
                task.cancel()
                resolver.fulfill()
            }
            await expect(task.value is CancellationError)
            try await ended.value
            // By the task that waited or by the thread, the last consumer was seen to leave.
            expect(work.isStopped, "round \(round)")
        }
    }

    @Test func `the work of a cancelled task is stopped without holding the tasks above`() async {
        let isStopping = Atomic(false), isAdded = Atomic(false), isInTime = Atomic(false)
        let isWaiting = Signal()
        let (promise, resolver) = Promise<Int>.withResolvers()
        resolver.onCancel {
            isStopping.store(true, ordering: .releasing)
            // Cancelling holds the group's task in the runtime, which adding to the group needs.
            let end = ContinuousClock.now + .seconds(60)
            while !isAdded.load(ordering: .acquiring), .now < end { usleep(100) }
            isInTime.store(isAdded.load(ordering: .acquiring), ordering: .releasing)
        }
        // Not in the pool, whose threads other tests may hold.
        let executor = OneThread()
        let task = Task(executorPreference: executor) {
            await withTaskGroup(of: Void.self) { group in
                group.addTask(executorPreference: globalConcurrentExecutor) {
                    isWaiting.raise()
                    _ = try? await promise.value
                }
                while !isStopping.load(ordering: .acquiring) { await Task.yield() }
                group.addTask {}
                isAdded.store(true, ordering: .releasing)
            }
        }
        Thread.detachNewThread {
            isWaiting.wait(andThen: 0)
            usleep(20_000)
            task.cancel()
        }
        await task.value
        let wasInTime = isInTime.load(ordering: .acquiring)
        expect(wasInTime)
    }

    @Test func `waiting blocks until the promise is settled`() throws {
        let error = Trouble()
        let (promise, resolver) = Promise<Int>.withResolvers()
        DispatchQueue.global().async { resolver.fulfill(1) }
        try expect(promise.wait(), equals: 1)
        try expect(Promise.value(2).wait(), equals: 2)
        #expect { try Promise<Int>.failed(error).wait() } throws: { $0 as? Trouble === error }
    }

    @Test func `waiting inside a handler throws instead of hanging`() {
        let (pending, resolver) = Promise<Int>.withResolvers()
        let step = Promise.value(1).map { try pending.wait() + $0 }
        expect(step.failure as? PromiseError, equals: .waitInHandler)
        resolver.fulfill(1)
        expect(Promise.value(1).map { try pending.wait() + $0 }.success, equals: 2)
    }
}

/// Runs tasks on a thread of its own, which ends with it.
private final class OneThread: TaskExecutor {
    private let jobs = Jobs()

    init() {
        let jobs = jobs
        Thread.detachNewThread { jobs.run() }
    }

    deinit { jobs.add(nil) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        jobs.add { job.runSynchronously(on: executor) }
    }

    private final class Jobs: Sendable {
        private let condition = NSCondition()
        // Guarded by `condition`.
        nonisolated(unsafe) private var waiting: [(@Sendable () -> Void)?] = []

        func add(_ job: (@Sendable () -> Void)?) {
            condition.lock()
            waiting.append(job)
            condition.signal()
            condition.unlock()
        }

        /// Runs jobs until nil comes.
        func run() {
            while true {
                condition.lock()
                while waiting.isEmpty { condition.wait() }
                let job = waiting.removeFirst()
                condition.unlock()
                guard let job else { return }
                job()
            }
        }
    }
}
