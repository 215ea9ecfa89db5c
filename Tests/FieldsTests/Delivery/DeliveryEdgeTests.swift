import Dispatch
import Foundation
import ModelKitFields
import TestSupport
import Testing

@Suite struct DeliveryEdgeTests {
    #if os(Linux)
    // In a process of its own: what is measured is the memory of the process.
    @Test func `changes that never all are delivered do not need more and more memory`() async {
        await #expect(processExitsWith: .success) {
            // A change of them takes about a kilobyte.
            let field = Field<SIMD64<Int64>>()
            let (sets, calls) = (Counter(), Counter())
            let count = 60_000
            field.observe(when: .changes) { () in
                calls.increment()
                // Until two others wait.
                while sets.value <= calls.value + 1, sets.value < count { sched_yield() }
            }
            let before = residentMegabytes()
            let ends = (0..<2).map { thread in
                startThread {
                    while sets.value < count {
                        if sets.value > calls.value + 8 {
                            sched_yield()
                            continue
                        }
                        field.value = SIMD64(repeating: Int64(sets.value * 2 + thread))
                        sets.increment()
                    }
                }
            }
            for end in ends { end() }
            let grown = residentMegabytes() - before
            expect(calls.value > count / 2)
            expect(grown < 30)
        }
    }
    #endif

    @Test func `a value that waited for a new observer may read the field when it dies`() {
        let field = Field<Probed>(value: Probed(number: 0, onDeath: nil))
        let deaths = Counter()
        let entered = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)
        let end = startWork {
            field.observe { value in
                guard value?.number == 0 else { return }
                entered.signal()
                leave.wait()
            }
        }
        entered.wait()
        for number in 1...3 {
            field.value = Probed(
                number: number,
                onDeath: DeathWatch { [weak field] in
                    _ = field?.updatedAt
                    deaths.increment()
                }
            )
        }
        leave.signal()
        expect(end())
        expect(deaths.value, equals: 2)
    }

    @Test func `a closure is released once when its field dies while it is cancelled`() {
        let deaths = Counter()
        for _ in 0..<100 {
            let entered = DispatchSemaphore(value: 0)
            let box = Owned(Field<Int>())
            let observation = box.withContent { field -> Observation in
                let first = DeathWatch {
                    entered.signal()
                    // A semaphore would order the two threads and hide a race.
                    usleep(500)
                }
                field.observe(when: .changes) { withExtendedLifetime(first) {} }
                let second = DeathWatch { deaths.increment() }
                return field.observe(when: .changes) { withExtendedLifetime(second) {} }
            }
            let end = startWork { box.drop() }
            entered.wait()
            observation.cancel()
            expect(end())
        }
        expect(deaths.value, equals: 100)
    }

    @Test func `a new observer that sets its field again and again comes to rest`() {
        let field = Field<Int>(value: 0)
        let codes = Log<Diagnostic.Code>()
        let count = Counter()
        let end = startWork {
            _ = ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
                field.observe { value in
                    count.increment()
                    // Far more than are delivered; it must not run forever where this fails.
                    if let value, value < 5000 { field.value = value + 1 }
                }
            }
        }
        expect(end())
        expect(codes.entries, equals: [.endlessDelivery])
        expect(count.value < 110)
    }

    @Test func `what an observer sets in its first call is reported after that call`() {
        let field = Field<Int>(value: 1)
        let other = Field<Int>()
        let log = Log<String>()
        other.observe(when: .changes) { log.add("other \($0 ?? -1)") }
        field.observe { value in
            other.value = value
            log.add("first call ends, other holds \(other.value ?? -1)")
        }
        expect(log.entries, equals: ["first call ends, other holds 1", "other 1"])
    }

    @Test func `a set in the deinit of something that was notified last is delivered`() {
        let start = Field<Int>(value: 0)
        let source = Field<Int>(value: 0)
        let kept = Field<Int>(value: 0)
        let late = Field<Int>(value: 0)
        let log = Log<Int?>()
        late.observe(when: .changes) { log.add($0) }
        let box = Owned(Field<Int>(value: 0))
        box.withContent { dropped in
            source --> dropped
            let watch = DeathWatch { late.value = 7 }
            dropped.observe(when: .changes) {
                withExtendedLifetime(watch) {}
                box.drop()
            }
        }
        source --> kept
        kept.observe(when: .changes) { log.add(1) }
        start.observe(when: .changes) { source.value = 1 }
        start.value = 1
        expect(log.entries, equals: [1, 7])
        late.value = 8
        expect(log.entries, equals: [1, 7, 8])
    }

    @Test func `an observer that comes after an endless one does not get its old values`() {
        let field = Field<Int>(value: 0)
        let endless = field.observe(when: .changes) { field.value = ($0 ?? 0) + 1 }
        ModelKitDiagnostics.withHandler({ _ in }) { field.value = 1 }
        endless.cancel()
        field.value = 500
        let log = Log<[Int?]>()
        field.observe { old, new in log.add([old, new]) }
        field.value = 501
        expect(log.entries, equals: [[nil, 500], [500, 501]])
    }

    // The writers go on until it ends: one that waits for them never does.
    @Test(.timeLimit(.minutes(5)))
    func `settled ends though others set the field all the time`() async {
        let field = Field<Int>(value: 0)
        field.observe(when: .changes) { usleep(20) }
        let isDone = Counter()
        let ends = (0..<2).map { _ in
            startWork {
                ModelKitDiagnostics.withHandler({ _ in }) {
                    while isDone.value == 0 {
                        for value in 0..<64 { field.value = value }
                    }
                }
            }
        }
        usleep(10_000)
        for _ in 0..<5 { await field.settled() }
        isDone.increment()
        for end in ends { expect(end()) }
    }
}

@Suite struct BindingEdgeTests {
    @Test func `two arrows that make a pair do not echo`() {
        let left = Field<Int>(value: 1)
        let right = Field<Int>().require { $0 > 0 }
        let other = Field<Int>()
        left --> right
        left --> other
        right.value = 2
        right.validate()
        let time = right.updatedAt
        let count = Counter()
        right.observe(when: .everySet) { count.increment() }
        right --> left
        expect(left.value, equals: 2)
        expect(right.updatedAt, equals: time)
        expect(right.validationState, equals: .valid)
        expect(count.value, equals: 1)
    }

    @Test func `a set that was overtaken returns when the newer value is everywhere`() {
        let fields = (0..<3).map { _ in Field<Slow>(value: Slow(number: 0)) }
        fields[0] --> fields[1] --> fields[2]
        let old = Slow(number: 1, blocksIn: 2)
        let new = Slow(number: 2, blocksIn: 3)
        let endOld = startWork { fields[0].value = old }
        old.entered.wait()
        let endNew = startWork { fields[0].value = new }
        new.entered.wait()
        expect(fields.map { $0.value?.number }, equals: [2, 2, 0])
        old.leave.signal()
        expect(endOld())
        expect(fields.map { $0.value?.number }, equals: [2, 2, 2])
        new.leave.signal()
        expect(endNew())
    }
}

/// A value whose comparison blocks once: where it is compared the given time.
private struct Slow: Equatable, Sendable {
    let number: Int
    let blocksIn: Int
    let comparisons = Counter()
    let entered = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)

    init(number: Int, blocksIn: Int = 0) {
        self.number = number
        self.blocksIn = blocksIn
    }

    static func == (left: Slow, right: Slow) -> Bool {
        // The stored value stands on the left.
        right.comparisons.increment()
        if right.comparisons.value == right.blocksIn {
            right.entered.signal()
            right.leave.wait()
        }
        return left.number == right.number
    }
}

private struct Probed: Equatable, Sendable {
    let number: Int
    let onDeath: DeathWatch?
    static func == (left: Probed, right: Probed) -> Bool { left.number == right.number }
}

private final class DeathWatch: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
}

/// Holds the only reference to an object, until it is dropped.
private final class Owned<Content: AnyObject & Sendable>: Sendable {
    private let log = Log<Content>()
    init(_ content: Content) { log.add(content) }
    func drop() { log.clear() }
    func withContent<Result>(_ body: (Content) -> Result) -> Result {
        body(log.entries[0])
    }
}

#if os(Linux)
/// How much memory the process has.
private func residentMegabytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(getpagesize()) / 1_048_576
}
#endif
