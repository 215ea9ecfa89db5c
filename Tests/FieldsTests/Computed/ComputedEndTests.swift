import Dispatch
import ModelKitFields
import TestSupport
import Testing

/// What is left of a computed field that was disposed of, or has died: nothing.
@Suite(.timeLimit(.minutes(10))) struct ComputedEndTests {
    let number = Field<Int>(value: 1)
    private let box = Log<Computed<Int>>()
    private let log = Log<String>()

    @Test(arguments: [false, true])
    func `its observers are not notified of a change that was on its way`(dies: Bool) {
        box.add(Computed { [number] in number.value })
        number.observe(when: .changes) { [box, log] (value: Int?) in
            guard value == 2 else { return }
            if dies { box.clear() } else { box.entries.first?.dispose() }
            log.add("over")
        }
        box.entries.first?.observe { [log] in log.add("got \($0 ?? -1)") }
        number.value = 2
        number.value = 3
        expect(log.entries, equals: ["got 1", "over"])
    }

    @Test func `nor at the end of the batch in which it has ended`() {
        let same = Computed { [number] in number.value }
        batch {
            same.observe { [log] in log.add("got \($0 ?? -1)") }
            number.value = 4
            // Who is added brings the value to the others.
            same.observe { (_: Int?) in }
            same.dispose()
            log.add("over")
        }
        expect(log.entries, equals: ["got 1", "over"])
    }

    @Test(arguments: [false, true])
    func `sequences end and closures are released, whatever is kept of it`(dies: Bool) async {
        let released = Counter()
        var same: Computed<Int>? = Computed { [number] in number.value }
        let kept = (same?.onMain, same?.on(DispatchQueue(label: "kept")))
        var values = same?.values(buffering: .unbounded).makeAsyncIterator()
        let observation = same?.observe { [probe = Probe(released)] in
            withExtendedLifetime(probe) {}
        }
        number.value = 2
        if !dies { same?.dispose() }
        let disposed = dies ? nil : same
        same = nil
        expect(released.value, equals: 1)
        expect(observation?.isCancelled, equals: true)
        await expect(values?.next(), equals: 1)
        await expect(values?.next(), equals: 2)
        await expect(values?.next(), equals: nil)
        withExtendedLifetime((kept, disposed)) {}
    }

    @Test func `a closure that is added to what is kept of it is released, too`() {
        let released = Counter()
        var same: Computed<Int>? = Computed { [number] in number.value }
        let queue = DispatchQueue(label: "kept")
        let kept = same?.on(queue)
        same = nil
        let observation = kept?.observe { [probe = Probe(released)] in
            withExtendedLifetime(probe) {}
        }
        queue.sync {}
        expect(observation?.isCancelled, equals: true)
        expect(released.value, equals: 1)
        withExtendedLifetime(kept) {}
    }

    @Test func `what dies with its closures may use it`() {
        let same = Computed { [number] in number.value }
        expect(same.value, equals: 1)
        weak let weakly = same
        do {
            let last = LastCall { [log] in
                log.add("value \(weakly?.value ?? -1)")
                weakly?.observe { log.add("new \($0 ?? -1)") }
                weakly?.dispose()
            }
            same.observe { [log] value in
                withExtendedLifetime(last) { log.add("got \(value ?? -1)") }
            }
        }
        same.dispose()
        expect(log.entries, equals: ["got 1", "value 1", "new 1"])
    }

    @Test func `a long chain of them that observers hold needs no stack`() {
        onSmallStack { [number] in
            let released = Counter()
            var last = Computed { number.value }
            last.observe { [probe = Probe(released)] in withExtendedLifetime(probe) {} }
            for _ in 1..<10_000 {
                let next = Computed { number.value }
                next.observe { [last] in withExtendedLifetime(last) {} }
                last = next
            }
            last.dispose()
            expect(released.value, equals: 1)
        }
    }
}

/// Counts its end.
private final class Probe: Sendable {
    private let counter: Counter

    init(_ counter: Counter) { self.counter = counter }

    deinit { counter.increment() }
}

/// Calls a closure when it dies.
private final class LastCall: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }
}
