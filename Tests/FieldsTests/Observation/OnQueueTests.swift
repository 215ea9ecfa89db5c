import Dispatch
import ModelKitFields
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct OnQueueTests {
    private let queue = DispatchQueue(label: "observers")

    /// Runs what waits on the queue.
    private func drain() async {
        for _ in 0..<3 {
            await withCheckedContinuation { done in queue.async { done.resume() } }
        }
    }

    @Test func `every form is called on the queue`() async {
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let field = Field<Int>(value: 1)
        let owner = Owner()
        let log = Log<String>()
        let note: @Sendable (String) -> Void = { text in
            log.add(DispatchQueue.getSpecific(key: key) == true ? text : "elsewhere")
        }
        field.on(queue) --> { (value: Int?) in note("value \(value ?? 0)") }
        field.on(queue) --> { old, new in note("\(old ?? 0) to \(new ?? 0)") }
        field.on(queue) --> { note("plain") }
        field.on(queue) --> owner { value in note("owner \(value ?? 0)") }
        field.on(queue).observe(owner) { _, value in note("owned \(value ?? 0)") }
        field.on(queue).observe(when: .changes) { (value: Int?) in note("changed \(value ?? 0)") }
        await drain()
        expect(log.entries, equals: ["value 1", "0 to 1", "plain", "owner 1", "owned 1"])
        log.clear()
        field.value = 2
        await drain()
        expect(
            log.entries,
            equals: ["value 2", "1 to 2", "plain", "owner 2", "owned 2", "changed 2"]
        )
    }

    @Test func `of pending changes the newest is delivered, from the value of the oldest`() async {
        let field = Field<Int>(value: 0)
        let log = Log<[Int?]>()
        queue.suspend()
        field.on(queue).observe(when: .changes) { old, new in log.add([old, new]) }
        for value in 1...500 { field.value = value }
        queue.resume()
        await drain()
        expect(log.entries, equals: [[0, 500]])
        field.value = 501
        await drain()
        expect(log.entries, equals: [[0, 500], [500, 501]])
    }

    @Test func `changes that lead back are not delivered, as the field's own equality sees it`()
        async
    {
        let field = Field<Double>(value: 1).equality { abs($0 - $1) < 0.5 }
        let log = Log<Double?>()
        var changes = field.changes(buffering: .newest).makeAsyncIterator()
        queue.suspend()
        field.on(queue).observe(when: .changes) { value in log.add(value) }
        field.value = 5
        field.value = 1.1
        queue.resume()
        await drain()
        expect(log.entries, equals: [])
        field.value = 7
        await drain()
        expect(log.entries, equals: [7])
        await expect(changes.next(), equals: FieldChange(old: 1, new: 7))
    }

    @Test func `a computed value that comes and goes is not delivered again`() async {
        let number = Field<Int>(value: 1)
        let double = Computed { number.value.map { $0 * 2 } }
        let log = Log<Int?>()
        double.on(queue).observe { value in log.add(value) }
        await drain()
        queue.suspend()
        number.value = 2
        number.value = 1
        queue.resume()
        await drain()
        number.value = 3
        await drain()
        expect(log.entries, equals: [2, 6])
    }

    @Test func `the first value of a computed field is delivered though it goes before its turn`()
        async
    {
        let number = Field<Int>(value: 1)
        let same = Computed { number.value }
        let log = Log<Int?>()
        var values = same.values.makeAsyncIterator()
        queue.suspend()
        same.on(queue).observe { value in log.add(value) }
        number.value = nil
        queue.resume()
        await drain()
        expect(log.entries, equals: [nil])
        number.value = 2
        number.value = nil
        await expect(values.next(), equals: .some(nil))
    }

    @Test func `changes that lead back to where they began are not delivered`() async {
        let field = Field<Int>(value: 1)
        let changes = Log<Int?>()
        let sets = Log<Int?>()
        queue.suspend()
        field.on(queue).observe(when: .changes) { value in changes.add(value) }
        field.on(queue).observe { value in sets.add(value) }
        field.value = 2
        field.value = 1
        queue.resume()
        await drain()
        expect(changes.entries, equals: [])
        expect(sets.entries, equals: [1])
    }

    @Test func `a concurrent queue calls an observer once at a time, the newest last`() async {
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let field = Field<Int>(value: 0)
        let log = Log<[Int?]>()
        let overlaps = Counter()
        let running = Counter()
        field.on(concurrent).observe(when: .changes) { old, new in
            running.increment()
            if running.value > 1 { overlaps.increment() }
            log.add([old, new])
            running.decrement()
        }
        await withTaskGroup { group in
            for writer in 0..<2 {
                group.addTask { for value in 1...500 { field.value = value * 2 + writer } }
            }
        }
        field.value = -1
        while log.entries.last?.last != -1 { await Task.yield() }
        expect(overlaps.value, equals: 0)
        let entries = log.entries
        for (before, after) in zip(entries, entries.dropFirst()) {
            expect(before[1], equals: after[0])
        }
    }

    @Test func `cancelled on the queue, it is not called there again`() async {
        let field = Field<Int>(value: 0)
        let log = Log<Int?>()
        queue.suspend()
        let observation = field.on(queue).observe(when: .changes) { value in log.add(value) }
        let own = Log<Observation>()
        let twice = field.on(queue).observe(when: .changes) { value in
            log.add(value)
            field.value = 2
            own.entries.first?.cancel()
        }
        own.add(twice)
        queue.async { observation.cancel() }
        queue.resume()
        await drain()
        expect(field.observerCount, equals: 1)
        field.value = 1
        await drain()
        expect(log.entries, equals: [1])
        expect(field.observerCount, equals: 0)
    }

    @Test func `an observer that is called without end leaves time for others`() async {
        let field = Field<Int>(value: 0)
        field.on(queue).observe(when: .changes) { value in
            if let value, value > 0 { field.value = value + 1 }
        }
        field.value = 1
        await drain()
        field.removeAllObservers()
        expect((field.value ?? 0) > 1)
    }

    @Test func `an owner is held weakly, and its closure freed with the token alive`() async {
        let field = Field<Int>(value: 1)
        var owner: Owner? = Owner()
        weak let weakOwner = owner
        let log = Log<Int?>()
        if let owner { field.on(queue).observe(owner) { _, value in log.add(value) } }
        await drain()
        owner = nil
        expect(weakOwner == nil)
        field.value = 2
        await drain()
        expect(log.entries, equals: [1])
        expect(field.observerCount, equals: 0)
    }

    @Test func `an observer neither keeps the field alive nor survives it`() async {
        weak var weakField: Field<Int>?
        weak var weakOwner: Owner?
        let observation: Observation
        do {
            let field = Field<Int>(value: 1)
            let owner = Owner()
            weakField = field
            weakOwner = owner
            observation = field.on(queue).observe { withExtendedLifetime(owner) {} }
            field.value = 2
        }
        await drain()
        expect(weakField == nil)
        expect(weakOwner == nil)
        expect(observation.isCancelled)
    }
}
