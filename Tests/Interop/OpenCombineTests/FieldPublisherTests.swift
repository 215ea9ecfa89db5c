import FieldPublishers
import Foundation
import ModelKitFields
import OpenCombine
import Testing

@Suite struct FieldPublisherTests {
    @Test func `sink gets the current value, then every set`() {
        let field = Field<Int>(value: 1)
        let log = Log<Int?>()
        let cancellable = field.publisher.sink { value in log.add(value) }
        field.value = 2
        field.value = 2
        field.value = nil
        #expect(log.entries == [1, 2, 2, nil])
        cancellable.cancel()
        field.value = 3
        #expect(log.entries == [1, 2, 2, nil])
        #expect(field.observerCount == 0)
    }

    @Test func `sink gets what differs of a computed field, and finishes with it`() {
        let field = Field<Int>(value: 1)
        let log = Log<Int?>()
        var twice: Computed<Int>? = Computed { field.value.map { $0 * 2 } }
        let cancellable = twice?.publisher.sink(
            receiveCompletion: { _ in log.add(-1) },
            receiveValue: { log.add($0) }
        )
        field.value = 2
        field.value = 2
        field.value = 3
        #expect(log.entries == [2, 4, 6])
        twice = nil
        field.value = 4
        #expect(log.entries == [2, 4, 6, -1])
        withExtendedLifetime(cancellable) {}
    }

    @Test func `a released cancellable stops observing`() {
        let field = Field<Int>(value: 1)
        var cancellables: Set<AnyCancellable> = []
        field.publisher
            .map { age in "\(age ?? 0)" }
            .sink { text in print(text) }
            .store(in: &cancellables)
        #expect(field.observerCount == 1)
        cancellables = []
        #expect(field.observerCount == 0)
    }

    @Test func `it finishes when the field is gone, which it does not keep alive`() {
        let log = Log<String>()
        weak var weakField: Field<Int>?
        let publisher: FieldPublisher<Int>
        let cancellable: AnyCancellable
        do {
            let field = Field<Int>(value: 1)
            weakField = field
            publisher = field.publisher
            cancellable = publisher.sink(
                receiveCompletion: { _ in log.add("end") },
                receiveValue: { value in log.add("\(value ?? 0)") }
            )
            field.value = 2
        }
        #expect(weakField == nil)
        #expect(log.entries == ["1", "2", "end"])
        let late = publisher.sink(
            receiveCompletion: { _ in log.add("end") },
            receiveValue: { _ in log.add("late") }
        )
        #expect(log.entries == ["1", "2", "end", "end"])
        withExtendedLifetime((cancellable, late)) {}
    }

    @Test func `operators that ask for some values end the subscription`() {
        let field = Field<Int>(value: 1)
        let log = Log<String>()
        let cancellable = field.publisher.compactMap(\.self).dropFirst().prefix(2).sink(
            receiveCompletion: { _ in log.add("end") },
            receiveValue: { value in log.add("\(value)") }
        )
        for value in 2...5 { field.value = value }
        #expect(log.entries == ["2", "3", "end"])
        #expect(field.observerCount == 0)
        withExtendedLifetime(cancellable) {}
    }

    @Test func `flatMap, which asks one by one, gets every value`() {
        let field = Field<Int>(value: 1)
        let log = Log<Int>()
        let cancellable = field.publisher
            .flatMap(maxPublishers: .max(1)) { value in Just((value ?? 0) * 100) }
            .sink { value in log.add(value) }
        field.value = 2
        field.value = 3
        #expect(log.entries == [100, 200, 300])
        withExtendedLifetime(cancellable) {}
    }

    @Test func `a subscriber that is demand-limited gets the newest when it asks`() {
        let field = Field<Int>(value: 1)
        let asking = Asking()
        field.publisher.subscribe(asking)
        field.value = 2
        #expect(asking.log.entries == [])
        asking.subscription?.request(.max(1))
        field.value = 3
        field.value = 4
        #expect(asking.log.entries == [2])
        asking.subscription?.request(.max(1))
        asking.subscription?.request(.max(1))
        #expect(asking.log.entries == [2, 4])
        field.value = 5
        #expect(asking.log.entries == [2, 4, 5])
        asking.subscription?.cancel()
        asking.subscription?.request(.unlimited)
        #expect(asking.log.entries == [2, 4, 5])
        #expect(field.observerCount == 0)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `any order of sets and requests is as the model says`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let field = Field<Int>(value: 0)
        let asking = Asking { value in value % 5 == 0 ? 2 : 0 }
        field.publisher.subscribe(asking)
        var expected: [Int] = []
        var demand = 0
        var kept: Int? = 0
        for step in 1...500 {
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                let count = Int.random(in: 1...3, using: &random)
                asking.subscription?.request(.max(count))
                demand += count
            default:
                field.value = step
                kept = step
            }
            if demand > 0, let value = kept {
                expected.append(value)
                kept = nil
                demand += value % 5 == 0 ? 1 : -1
            }
        }
        #expect(asking.log.entries == expected, "seed \(seed)")
        asking.subscription?.cancel()
    }

    @Test func `threads that set and ask get values in order, the newest last`() {
        for _ in 0..<20 {
            let field = Field<Int>(value: 0)
            let asking = Asking()
            field.publisher.subscribe(asking)
            let requests = startThread {
                for _ in 0..<300 { asking.subscription?.request(.max(1)) }
            }
            let sets = startThread { for value in 1...1000 { field.value = value } }
            requests()
            sets()
            asking.subscription?.request(.unlimited)
            let values = asking.log.entries
            #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
            #expect(values.last == 1000)
            asking.subscription?.cancel()
            #expect(field.observerCount == 0)
        }
    }

    @Test func `the adapter for Combine is this one, save for its imports`() throws {
        let interop = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        let fields = interop.appending(path: "../../Sources/Fields")
        func body(of file: URL) throws -> [Substring] {
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { line in
                !line.hasPrefix("#") && !line.hasPrefix("public import")
            }
        }
        #expect(
            try body(of: interop.appending(path: "OpenCombine/FieldPublisher.swift"))
                == body(of: fields.appending(path: "Publishing/FieldPublisher.swift"))
        )
    }
}

/// A subscriber that asks only when a test says so, or by what it gets.
// Safe: `subscription` is set while subscribing, before any other thread knows of this.
private final class Asking: Subscriber, @unchecked Sendable {
    let log = Log<Int>()
    private(set) var subscription: (any Subscription)?
    private let more: @Sendable (Int) -> Int

    init(_ more: @escaping @Sendable (Int) -> Int = { _ in 0 }) { self.more = more }

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ value: Int?) -> Subscribers.Demand {
        log.add(value ?? -1)
        return .max(more(value ?? -1))
    }

    func receive(completion: Subscribers.Completion<Never>) { log.add(Int.max) }
}
