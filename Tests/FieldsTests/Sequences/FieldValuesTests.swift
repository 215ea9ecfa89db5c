import ModelKitFields
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FieldValuesTests {
    @Test func `the current value comes first, then the newest`() async {
        let field = Field<Int>(value: 1)
        var values = field.values.makeAsyncIterator()
        await expect(values.next(), equals: 1)
        field.value = 2
        await expect(values.next(), equals: 2)
        field.value = 3
        field.value = 4
        field.value = 5
        await expect(values.next(), equals: 5)
        field.value = 5
        await expect(values.next(), equals: 5)
    }

    @Test func `unbounded, every set comes in order, nil and NaN too`() async {
        let field = Field<Double>()
        var values = field.values(buffering: .unbounded).makeAsyncIterator()
        field.value = .nan
        field.value = .nan
        field.value = nil
        field.value = 1
        await expect(values.next(), equals: .some(nil))
        await expect(values.next()??.isNaN, equals: true)
        await expect(values.next()??.isNaN, equals: true)
        await expect(values.next(), equals: .some(nil))
        await expect(values.next(), equals: 1)
    }

    @Test func `each iterator of a sequence gets everything`() async {
        let field = Field<Int>(value: 0)
        let sequence = field.values(buffering: .unbounded)
        var first = sequence.makeAsyncIterator()
        var second = sequence.makeAsyncIterator()
        for value in 1...100 { field.value = value }
        for value in 0...100 {
            await expect(first.next(), equals: value)
            await expect(second.next(), equals: value)
        }
        expect(field.observerCount, equals: 2)
    }

    @Test func `a slow consumer ends with the last value, whatever the threads do`() async {
        for _ in 0..<50 {
            let field = Field<Int>(value: 0)
            let consumer = Task {
                var last: Int?
                for await value in field.values {
                    last = value
                    if value == 1000 { break }
                    await Task.yield()
                }
                return last
            }
            await withTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask { for value in 1...200 { field.value = value } }
                }
            }
            field.value = 1000
            await expect(consumer.value, equals: 1000)
        }
    }

    @Test func `a loop that is left stops observing and frees the field`() async {
        weak var weakField: Field<Int>?
        do {
            let field = Field<Int>(value: 1)
            weakField = field
            for await value in field.values {
                expect(value, equals: 1)
                expect(field.observerCount, equals: 1)
                break
            }
            expect(field.observerCount, equals: 0)
        }
        expect(weakField == nil)
    }

    @Test func `an iterator that is released stops observing`() async {
        let field = Field<Int>(value: 1)
        do {
            var values = field.values.makeAsyncIterator()
            await expect(values.next(), equals: 1)
            expect(field.observerCount, equals: 1)
        }
        expect(field.observerCount, equals: 0)
        do { _ = field.values.makeAsyncIterator() }
        expect(field.observerCount, equals: 0)
    }

    @Test func `a sequence without an iterator neither observes nor keeps the field alive`() async {
        weak var weakField: Field<Int>?
        let sequence: FieldValues<Int>
        do {
            let field = Field<Int>(value: 1)
            weakField = field
            sequence = field.values
            expect(field.observerCount, equals: 0)
        }
        expect(weakField == nil)
        var values = sequence.makeAsyncIterator()
        await expect(values.next(), equals: .none)
    }

    @Test func `what waits is delivered when the field is gone, then it ends`() async {
        var field: Field<Int>? = Field<Int>(value: 1)
        let sequence = field?.values(buffering: .unbounded)
        var values = sequence?.makeAsyncIterator()
        field?.value = 2
        field = nil
        await expect(values?.next(), equals: 1)
        await expect(values?.next(), equals: 2)
        await expect(values?.next(), equals: .none)
        await expect(values?.next(), equals: .none)
    }

    @Test func `one that waits is woken when the field is gone`() async {
        let waits = Counter()
        let consumer: Task<[Int?], Never>
        do {
            let field = Field<Int>(value: 1)
            let values = field.values
            consumer = Task {
                var seen: [Int?] = []
                for await value in values {
                    seen.append(value)
                    waits.increment()
                }
                return seen
            }
            while waits.value == 0 { await Task.yield() }
            withExtendedLifetime(field) {}
        }
        await expect(consumer.value, equals: [1])
    }

    @Test func `it ends when the observers are all removed`() async {
        let field = Field<Int>(value: 1)
        var values = field.values.makeAsyncIterator()
        field.removeAllObservers()
        await expect(values.next(), equals: 1)
        await expect(values.next(), equals: .none)
    }

    @Test func `a cancelled task stops observing, waiting or not`() async {
        let field = Field<Int>(value: 1)
        let started = Counter()
        let waiting = Task {
            for await _ in field.values { started.increment() }
        }
        let busy = Task {
            for await value in field.values {
                started.increment()
                field.value = (value ?? 0) + 1
                await Task.yield()
            }
        }
        while started.value < 10 { await Task.yield() }
        waiting.cancel()
        await waiting.value
        busy.cancel()
        await busy.value
        expect(field.observerCount, equals: 0)
    }

    @Test func `a value that sets the field when it dies is no deadlock`() async {
        let field = Field<Setter>(value: Setter(nil))
        var values = field.values.makeAsyncIterator()
        let deaths = Counter()
        for _ in 0..<3 {
            field.value = Setter { [weak field] in
                deaths.increment()
                if deaths.value < 10 { field?.value = Setter(nil) }
            }
        }
        field.value = nil
        expect(deaths.value, equals: 3)
        await expect(values.next() != .none)
    }
}

/// Runs a closure when it dies.
private final class Setter: Sendable, Equatable {
    private let body: (@Sendable () -> Void)?

    init(_ body: (@Sendable () -> Void)?) { self.body = body }

    deinit { body?() }

    static func == (left: Setter, right: Setter) -> Bool { left === right }
}
