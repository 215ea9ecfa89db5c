import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

private final class Town: Model {
    let id = Field<String>()
    let entries = ModelField<Entry>(inverse: \.town)*

    init() { linkFields() }
}

private final class Entry: Model {
    let id = Field<Int>()
    let day = Field<Date>()
    let amount = Field<UInt64>()
    let town = ModelField<Town>(foreignKey: true)

    init() { linkFields() }

    convenience init(_ id: Int, _ day: Date? = nil, _ amount: UInt64? = nil, _ town: Town? = nil) {
        self.init()
        (self.id.value, self.day.value, self.amount.value) = (id, day, amount)
        self.town.value = town
    }
}

/// Of a store that keeps its records here, so that nothing is asked for again but where that is said.
struct LiveTotalsTests {
    private let refetches = RefetchCounter()
    private let store: MemoryModelStore

    init() { store = MemoryModelStore(events: refetches.events) }

    @Test func `groups are dates to the microsecond`() async throws {
        let day = Date(timeIntervalSince1970: 1_000)
        let entries = [Entry(1, day), Entry(2, day.addingTimeInterval(2e-7)), Entry(3)]
        _ = try await store.create(entries).value
        let counts = store.observe(count: Entry.self, by: \.day).makeAsyncIterator()
        try await expect(counts.next(), equals: [day: 2, nil: 1])
        entries[2].day.value = day.addingTimeInterval(1)
        _ = try await store.update(entries[2]).value
        try await expect(counts.next(), equals: [day: 2, day.addingTimeInterval(1): 1])
        _ = try await store.delete(entries[0]).value
        try await expect(counts.next(), equals: [day: 1, day.addingTimeInterval(1): 1])
        expect(refetches.count, equals: 0)
    }

    @Test func `groups are the keys of what is related`() async throws {
        let towns = ["a", "b"].map { name in
            let town = Town()
            town.id.value = name
            return town
        }
        _ = try await store.create(towns).value
        let entries = [Entry(1, nil, 1, towns[0]), Entry(2, nil, 2, towns[0]), Entry(3)]
        _ = try await store.create(entries).value
        let counts = store.observe(count: Entry.self, by: \.town).makeAsyncIterator()
        let sums = store.observe(sum: \.amount, of: Entry.self, by: \.town).makeAsyncIterator()
        let members = store.observe(count: towns[0].entries).makeAsyncIterator()
        let amounts = store.observe(sum: \.amount, of: towns[0].entries, where: \.id < 9)
            .makeAsyncIterator()
        try await expect(counts.next(), equals: ["a": 2, nil: 1])
        try await expect(sums.next(), equals: ["a": 3, nil: 0])
        try await expect(members.next(), equals: 2)
        try await expect(amounts.next(), equals: 3)
        entries[0].town.value = towns[1]
        _ = try await store.update(entries[0]).value
        try await expect(counts.next(), equals: ["a": 1, "b": 1, nil: 1])
        try await expect(sums.next(), equals: ["a": 2, "b": 1, nil: 0])
        try await expect(members.next(), equals: 1)
        try await expect(amounts.next(), equals: 2)
        entries[0].town.value = nil
        _ = try await store.update(entries[0]).value
        try await expect(counts.next(), equals: ["a": 1, nil: 2])
        try await expect(sums.next(), equals: ["a": 2, nil: 1])
        expect(refetches.count, equals: 0)
    }

    @Test func `a relation of an owner without an identifier has no live totals`() async {
        let town = Town()
        let counts = store.observe(count: town.entries).makeAsyncIterator()
        let error = await #expect(throws: StoreError.self) { try await counts.next() }
        expect(error, equals: .noIdentifier(type: "Town"))
        await #expect(throws: Never.self) { try await counts.next() }
    }

    @Test func `a group without values is there as long as it has records`() async throws {
        let days = (0..<2).map { Date(timeIntervalSince1970: Double($0)) }
        let entries = [Entry(1, days[0]), Entry(2, days[0]), Entry(3, days[1], 5)]
        _ = try await store.create(entries).value
        let sums = store.observe(sum: \.amount, of: Entry.self, by: \.day).makeAsyncIterator()
        try await expect(sums.next(), equals: [days[0]: 0, days[1]: 5])
        _ = try await store.delete(entries[0]).value
        entries[2].amount.value = 6
        _ = try await store.update(entries[2]).value
        try await expect(sums.next(), equals: [days[0]: 0, days[1]: 6])
        _ = try await store.delete(entries[1]).value
        try await expect(sums.next(), equals: [days[1]: 6])
        expect(refetches.count, equals: 0)
    }

    @Test func `a group that comes and goes between two values is in none`() async throws {
        let day = Date(timeIntervalSince1970: 1)
        let counts = store.observe(count: Entry.self, by: \.day).makeAsyncIterator()
        let sums = store.observe(sum: \.amount, of: Entry.self, by: \.day).makeAsyncIterator()
        try await expect(counts.next(), equals: [:])
        try await expect(sums.next(), equals: [:])
        let entry = try await store.create(Entry(1, day, 2)).value
        _ = try await store.delete(entry).value
        _ = try await store.create(Entry(2)).value
        try await expect(counts.next(), equals: [nil: 1])
        try await expect(sums.next(), equals: [nil: 0])
        expect(refetches.count, equals: 0)
    }

    @Test func `sums are as large as the numbers of the field`() async throws {
        let entries = [Entry(1, nil, .max - 1), Entry(2, nil, 1)]
        _ = try await store.create(entries).value
        let sums = store.observe(sum: \.amount, of: Entry.self).makeAsyncIterator()
        try await expect(sums.next(), equals: .max)
        entries[1].amount.value = 2
        _ = try await store.update(entries[1]).value
        await #expect(throws: StoreError.self) { try await sums.next() }
        _ = try await store.delete(entries[1]).value
        try await expect(sums.next(), equals: .max - 1)
    }

    @Test func `what an import has added is counted`() async throws {
        let counts = store.observe(count: Entry.self).makeAsyncIterator()
        try await expect(counts.next(), equals: 0)
        let (stream, continuation) = AsyncStream<Entry>.makeStream()
        for number in 0..<1_200 { continuation.yield(Entry(number)) }
        continuation.finish()
        try await store.importModels(stream)
        try await expect(counts.next(), equals: 1_200)
    }

    @Test func `a commit of more than 10 000 records has the value be asked for once`()
        async throws
    {
        let counts = store.observe(count: Entry.self).makeAsyncIterator()
        try await expect(counts.next(), equals: 0)
        _ = try await store.create((0...10_000).map { Entry($0) }).value
        try await expect(counts.next(), equals: 10_001)
        expect(refetches.count, equals: 1)
        _ = try await store.create(Entry(-1)).value
        try await expect(counts.next(), equals: 10_002)
        expect(refetches.count, equals: 1)
    }

    @Test func `the groups that nobody takes are bounded`() async throws {
        let counts = store.observe(count: Entry.self, by: \.id).makeAsyncIterator()
        try await expect(counts.next(), equals: [:])
        for part in 0..<2 {
            let entries = (0..<5_001).map { Entry(part * 10_000 + $0) }
            _ = try await store.create(entries).value
            try await store.perform(entries.map { .delete($0) }).value
        }
        _ = try await store.create(Entry(-1)).value
        try await expect(counts.next(), equals: [-1: 1])
        expect(refetches.count, equals: 1)
    }
}
