import Dispatch
import Foundation
import ModelKitFields
import ModelKitStores
import Synchronization

/// When a promise is settled, seen from the code that adds handlers to it.
enum Start: CaseIterable {
    case already, immediately, eventually
}

/// Where handlers run.
enum Place: CaseIterable {
    case inline, serial, concurrent, main

    static let ordered: [Place] = [.inline, .serial, .main]
}

/// A way in which every case of conformance has to hold.
struct Trial {
    let start: Start
    let place: Place

    static let all = Start.allCases.flatMap { start in
        Place.allCases.map { Trial(start: start, place: $0) }
    }

    static let ordered = all.filter { Place.ordered.contains($0.place) }
}

/// A place, with the queue that makes it.
struct Setting {
    let place: Place
    let queue: DispatchQueue?

    init(_ place: Place) {
        self.place = place
        queue =
            switch place {
            case .inline: nil
            case .serial: DispatchQueue(label: "serial")
            case .concurrent: DispatchQueue(label: "concurrent", attributes: .concurrent)
            case .main: .main
            }
    }

    var executor: PromiseExecutor? { queue.map { .queue($0) } }

    /// Hands `use` a promise that ends with `result`, as `start` says.
    func promise<Value: Sendable>(
        _ start: Start,
        _ result: Result<Value, any Error>,
        _ use: (Promise<Value>) throws -> Void
    ) rethrows -> Promise<Value> {
        let (promise, resolver) = Promise<Value>.withResolvers()
        switch start {
        case .already:
            resolver.resolve(result)
            try use(promise)
        case .immediately:
            try use(promise)
            resolver.resolve(result)
        case .eventually:
            try use(promise)
            DispatchQueue.global().async { resolver.resolve(result) }
        }
        return promise
    }

    /// Returns when the promise is settled and the handlers that it had were called.
    func finish<Value>(_ promise: Promise<Value>) async {
        // Not by `value`, which is there before the handlers were handed to the queue.
        await withCheckedContinuation { continuation in
            promise.observe(on: executor) { _ in continuation.resume() }
        }
        await fence()
    }

    /// Returns when what was handed to the queue before was run.
    func fence() async {
        guard let queue else { return }
        await withCheckedContinuation { continuation in
            queue.async(flags: .barrier) { continuation.resume() }
        }
    }
}

/// An error with an identity.
final class Trouble: Error {}

/// What happened, in order.
// Sendable by hand: `list` belongs to the lock.
final class Log<Entry: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var list: [Entry] = []

    func add(_ entry: Entry) {
        lock.withLock { list.append(entry) }
    }

    var entries: [Entry] { lock.withLock { list } }
    var count: Int { entries.count }
}

/// Lets one thread go on within nanoseconds of another.
final class Signal: Sendable {
    private let isRaised = Atomic(false)
    private let spins = Atomic(0)

    func raise() {
        isRaised.store(true, ordering: .releasing)
    }

    /// Spins until it is raised, and then some more.
    func wait(andThen more: Int) {
        while !isRaised.load(ordering: .acquiring) { sched_yield() }
        for _ in 0..<more { spins.add(1, ordering: .relaxed) }
    }
}

extension Promise {
    var failure: (any Error)? {
        if case .failure(let error)? = result { error } else { nil }
    }

    var success: Value? {
        if case .success(let value)? = result { value } else { nil }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// The same, whatever the way of waiting.
func trouble<Value>(of promise: Promise<Value>) async -> (any Error)? {
    do {
        _ = try await promise.value
        return nil
    } catch {
        return error
    }
}
