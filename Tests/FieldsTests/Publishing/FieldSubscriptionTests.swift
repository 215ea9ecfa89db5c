import ModelKitFields
import TestSupport
import Testing

@Suite struct FieldSubscriptionTests {
    /// What a subscription sends; a finish is "end".
    private let log = Log<String>()

    private func subscribe(
        to field: Field<Int>?,
        _ receive: @escaping @Sendable (Int?) -> Int = { _ in 0 }
    ) -> FieldSubscription<Int> {
        let subscription = FieldSubscription(
            to: field,
            receive: { [log] value in
                log.add(value.map { "\($0)" } ?? "nil")
                return receive(value)
            },
            finish: { [log] in log.add("end") }
        )
        subscription.start()
        return subscription
    }

    @Test func `the current value is sent when it is asked for, then every set`() {
        let field = Field<Int>(value: 1)
        let subscription = subscribe(to: field)
        expect(log.entries, equals: [])
        subscription.request(.max)
        field.value = 1
        field.value = nil
        expect(log.entries, equals: ["1", "1", "nil"])
    }

    @Test func `a request before the start is served by it`() {
        let field = Field<Int>(value: 1)
        let subscription = FieldSubscription(
            to: field,
            receive: { [log] value in
                log.add("\(value ?? 0)")
                return 0
            },
            finish: {}
        )
        subscription.request(2)
        expect(log.entries, equals: [])
        expect(field.observerCount, equals: 0)
        subscription.start()
        subscription.start()
        field.value = 2
        field.value = 3
        expect(log.entries, equals: ["1", "2"])
        expect(field.observerCount, equals: 1)
        subscription.cancel()
    }

    @Test func `only the newest is kept while none is asked for`() {
        let field = Field<Int>(value: 1)
        let subscription = subscribe(to: field)
        field.value = 2
        field.value = 3
        subscription.request(0)
        subscription.request(-1)
        expect(log.entries, equals: [])
        subscription.request(1)
        subscription.request(1)
        expect(log.entries, equals: ["3"])
        field.value = 4
        field.value = 5
        expect(log.entries, equals: ["3", "4"])
        subscription.request(1)
        expect(log.entries, equals: ["3", "4", "5"])
    }

    @Test func `what a receiver returns is asked for, and there may be more than can be counted`() {
        let field = Field<Int>(value: 1)
        let subscription = subscribe(to: field) { ($0 ?? 0) < 3 ? 1 : 0 }
        subscription.request(1)
        for value in 2...5 { field.value = value }
        expect(log.entries, equals: ["1", "2", "3"])
        subscription.request(.max - 1)
        subscription.request(.max)
        for value in 6...8 { field.value = value }
        expect(log.entries, equals: ["1", "2", "3", "5", "6", "7", "8"])
    }

    @Test func `a receiver may ask, set and cancel, and is not called inside its own call`() {
        let field = Field<Int>(value: 1)
        let own = Log<FieldSubscription<Int>>()
        let depth = Counter()
        let subscription = subscribe(to: field) { [log] value in
            depth.increment()
            if depth.value > 1 { log.add("inside") }
            defer { depth.decrement() }
            own.entries.first?.request(1)
            if let value, value < 4 { field.value = value + 1 }
            if value == 4 {
                own.entries.first?.cancel()
                field.value = 9
            }
            return 0
        }
        own.add(subscription)
        subscription.request(1)
        expect(log.entries, equals: ["1", "2", "3", "4"])
        expect(field.observerCount, equals: 0)
        own.clear()
    }

    @Test func `cancelled, it sends nothing and releases its closures`() {
        let field = Field<Int>(value: 1)
        weak var weakObject: Owner?
        let subscription: FieldSubscription<Int>
        do {
            let object = Owner()
            weakObject = object
            subscription = subscribe(to: field) { _ in withExtendedLifetime(object) { 0 } }
        }
        subscription.request(.max)
        expect(weakObject != nil)
        subscription.cancel()
        subscription.cancel()
        subscription.request(1)
        field.value = 2
        expect(log.entries, equals: ["1"])
        expect(weakObject == nil)
        expect(field.observerCount, equals: 0)
    }

    @Test func `cancelled in its first call, it stops observing`() {
        let field = Field<Int>(value: 1)
        let own = Log<FieldSubscription<Int>>()
        weak var weakSubscription: FieldSubscription<Int>?
        do {
            let subscription = FieldSubscription(
                to: field,
                receive: { _ in
                    own.entries.first?.cancel()
                    return 1
                },
                finish: { [log] in log.add("end") }
            )
            weakSubscription = subscription
            own.add(subscription)
            subscription.request(1)
            subscription.start()
        }
        expect(field.observerCount, equals: 0)
        own.clear()
        expect(weakSubscription == nil)
        expect(log.entries, equals: [])
    }

    @Test func `it finishes once when the field is gone, and frees everything`() {
        weak var weakField: Field<Int>?
        weak var weakSubscription: FieldSubscription<Int>?
        do {
            let field = Field<Int>(value: 1)
            weakField = field
            let subscription = subscribe(to: field)
            weakSubscription = subscription
            subscription.request(1)
            field.value = 2
        }
        expect(weakField == nil)
        expect(weakSubscription == nil)
        expect(log.entries, equals: ["1", "end"])
    }

    @Test func `what was asked for comes before the end`() {
        var field: Field<Int>? = Field<Int>(value: 1)
        let own = Log<FieldSubscription<Int>>()
        own.add(
            subscribe(to: field) { value in
                if value == 1 { own.entries.first?.request(1) }
                return 0
            }
        )
        own.entries.first?.request(1)
        field?.value = 2
        field = nil
        own.entries.first?.request(1)
        expect(log.entries, equals: ["1", "2", "end"])
        own.clear()
    }

    @Test func `a field that is gone, and one whose observers are removed, finish it`() {
        _ = subscribe(to: nil)
        expect(log.entries, equals: ["end"])
        let field = Field<Int>(value: 1)
        let subscription = subscribe(to: field)
        field.removeAllObservers()
        expect(log.entries, equals: ["end", "end"])
        subscription.cancel()
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `any order of sets and requests is as the model says`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let field = Field<Int>(value: 0)
        let subscription = subscribe(to: field)
        var expected: [String] = []
        var demand = 0
        var kept: Int? = 0
        for step in 1...500 {
            if Bool.random(using: &random) {
                field.value = step
                kept = step
            } else {
                let count = Int.random(in: 0...3, using: &random)
                subscription.request(count)
                demand += count
            }
            if demand > 0, let value = kept {
                expected.append("\(value)")
                kept = nil
                demand -= 1
            }
        }
        expect(log.entries, equals: expected, "seed \(seed)")
        subscription.cancel()
    }

    @Test func `threads that set, ask and cancel get values in order, the newest last`() {
        for _ in 0..<20 {
            let field = Field<Int>(value: 0)
            let seen = Log<Int>()
            let calls = Counter()
            let overlaps = Counter()
            let subscription = FieldSubscription(
                to: field,
                receive: { value in
                    calls.increment()
                    if calls.value > 1 { overlaps.increment() }
                    seen.add(value ?? -1)
                    calls.decrement()
                    return 0
                },
                finish: {}
            )
            subscription.start()
            let asking = startThread { for _ in 0..<300 { subscription.request(1) } }
            let setting = startThread { for value in 1...1000 { field.value = value } }
            asking()
            setting()
            subscription.request(1)
            let values = seen.entries
            expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
            expect(values.last == 1000 || values.count == 301)
            expect(overlaps.value, equals: 0)
            let cancelling = startThread { subscription.cancel() }
            field.value = 1001
            cancelling()
            expect(field.observerCount, equals: 0)
        }
    }
}
