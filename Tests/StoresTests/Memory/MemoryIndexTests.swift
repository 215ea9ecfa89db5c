import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

private final class Thing: Model {
    let id = Field<Int>()
    let name = Field<String>().indexed()
    let number = Field<Int>().indexed()
    let weight = Field<Double>().unique()
    let anything = Field<AttributeValue>().indexed()
    let plain = Field<String>()
    let parent = ModelField<Thing>(foreignKey: true)
    let groups = ModelField<Thing>(foreignKey: true)*
    let members = ModelField<Thing>(inverse: \.groups)*

    init() { linkFields() }
}

/// Writes and queries by chance.
extension SplitMix {
    fileprivate mutating func value(_ key: FieldKey) -> AttributeValue {
        if Int.random(in: 0..<6, using: &self) == 0 { return .null }
        switch key {
        case "name", "plain": return .string(pick(["", "a", "ab", "b", "\u{e9}", "e\u{301}", "😀"]))
        case "number":
            return .int(pick([.min, -1, 0, 1, 2, 3, 4, .max, Int64(pick(Array(0..<600)))]))
        case "weight": return .double(pick([-0.0, 0, 0.5]) + Double(pick(Array(0..<400))))
        case "groups": return .array((0..<pick([0, 1, 2, 4])).map { _ in element() })
        case "parent": return .int(Int64(pick(Array(0..<40))))
        default:
            return pick([
                .int(1), .double(1), .double(0.5), .string("a"), .bool(true), .array([1]),
                .dictionary(["a": 1]), .data(Data([1])),
                .date(Date(timeIntervalSinceReferenceDate: 0)),
            ])
        }
    }

    fileprivate static let keys: [FieldKey] = [
        "name", "number", "weight", "anything", "plain", "parent", "groups",
    ]

    /// Mostly an identifier.
    fileprivate mutating func element() -> AttributeValue {
        switch Int.random(in: 0..<12, using: &self) {
        case 0: pick([.null, true, .array([1]), .dictionary(["a": 1])])
        case 1: pick(["1", "\u{e9}", "e\u{301}"])
        case 2: .double(Double(pick(Array(0..<40))))
        default: .int(Int64(pick(Array(0..<40))))
        }
    }

    fileprivate mutating func values() -> [FieldKey: AttributeValue] {
        var values: [FieldKey: AttributeValue] = [:]
        for key in Self.keys where pick([true, true, false]) { values[key] = value(key) }
        return values
    }

    fileprivate mutating func filter(depth: Int) -> RecordFilter {
        let key = pick(Self.keys)
        switch Int.random(in: 0..<(depth > 0 ? 14 : 10), using: &self) {
        case 8: return .contains("groups", element())
        case 9: return .or((0..<pick([1, 3, 12])).map { _ in .contains("groups", element()) })
        case 0, 1, 2:
            return .compare(
                key,
                pick([.equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]),
                pick([value(key), value(key), value("anything")])
            )
        case 3: return .isNull(key)
        case 4: return .isIn(key, (0..<pick([0, 1, 3, 12])).map { _ in value(key) })
        case 5: return .hasPrefix(pick(["name", key]), pick(["", "a", "\u{e9}", "e"]))
        case 6:
            let number = pick(Array(0..<300))
            let numbers: [AttributeValue] = [
                .int(Int64(number)), .double(Double(number)), .double(Double(number) + 0.5), "1",
                true, .null,
            ]
            let some = numbers.filter { _ in pick([true, false]) }
            if pick([true, false]) { return .isIn("id", some) }
            return .compare("id", .equal, pick(numbers))
        case 7: return .has("parent", Thing.schema, depth > 0 ? filter(depth: 0) : .isNull("name"))
        case 10: return .not(filter(depth: depth - 1))
        case 11, 12: return .and((0..<pick([1, 2, 3])).map { _ in filter(depth: depth - 1) })
        default: return .or((0..<pick([1, 2])).map { _ in filter(depth: depth - 1) })
        }
    }

    /// A query along an index of which neighbours are asked for, so that pieces end between them.
    fileprivate mutating func neighbours() -> RecordQuery {
        let first = Int64(pick(Array(0..<600)))
        return RecordQuery(
            filter: .isIn("number", (first..<first + 40).map { .int($0) }),
            order: [RecordQuery.Order("number", isDescending: pick([true, true, false]))],
            limit: pick([nil, 3, 20])
        )
    }

    fileprivate mutating func query() -> RecordQuery {
        if Int.random(in: 0..<4, using: &self) == 0 { return neighbours() }
        return RecordQuery(
            filter: pick([nil, .some(filter(depth: 2)), .some(filter(depth: 1))]),
            order: (0..<pick([0, 1, 1, 2])).map { _ in
                RecordQuery.Order(pick(Self.keys + ["id"]), isDescending: pick([true, false]))
            },
            limit: pick([nil, 1, 3, 20])
        )
    }
}

@Suite struct MemoryIndexTests {
    @Test func `a long list takes no look at all of it for each record`() async throws {
        let store = MemoryModelStore()
        let identifiers = (0..<20_000).map { Identifier.int($0) }
        let writes = identifiers.map { RecordWrite(.create($0, [:]), of: Thing.schema) }
        _ = try await store.records.perform(writes).value
        let values = identifiers.reversed().map(\.attributeValue)
        let list = RecordQuery(filter: .isIn("id", values))
        let sorted = RecordQuery(order: [RecordQuery.Order("id", isDescending: true)])
        // With a look at all, it takes some hundred times as long.
        let sorting = processorTime { find(sorted, 20_000) }
        let looking = processorTime { find(list, 20_000) }
        expect(looking < sorting * 20, "\(looking), \(sorting)")

        func find(_ query: RecordQuery, _ count: Int) {
            let records = try? store.records.fetch(query, of: Thing.schema).result?.get()
            expect(records?.count, equals: count)
        }
    }

    @Test func `the members of an array of keys are found without a look at all`() async throws {
        let store = MemoryModelStore()
        let writes = (0..<10_000 as Range<Int64>).map { number -> RecordWrite in
            let groups: [AttributeValue] = [.int(number % 1_000), .int(number % 999)]
            return RecordWrite(.create(.int(number), ["groups": .array(groups)]), of: Thing.schema)
        }
        _ = try await store.records.perform(writes).value
        let groups = (0..<50).map { RecordFilter.contains("groups", .int($0)) }
        let looking = processorTime {
            for _ in groups { find(.hasSubstring("plain", "x"), 0...0) }
        }
        let finding = processorTime { for group in groups { find(group, 19...21) } }
        expect(finding < looking / 5, "\(finding), \(looking)")
        find(.or(groups), 555...555)

        func find(_ filter: RecordFilter, _ count: ClosedRange<Int>) {
            let query = RecordQuery(filter: filter)
            let records = try? store.records.fetch(query, of: Thing.schema).result?.get()
            expect(count.contains(records?.count ?? -1))
        }
    }

    /// How long the processor works on this thread.
    private func processorTime(_ body: () -> Void) -> Duration {
        func now() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(Int(time.tv_sec)) + .nanoseconds(Int(time.tv_nsec))
        }
        let start = now()
        body()
        return now() - start
    }

    /// More records than stand in one piece, so that pieces are split and joined.
    @Test func `answers by indexes are those of a look at every record, whatever is written`()
        async throws
    {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SplitMix(seed: seed)
        let store = MemoryRecordStore()
        for round in 0..<40 {
            for _ in 0..<(round % 8 == 7 ? 20 : 4) {
                let identifiers = (0..<30).map { _ in Int64(chance.pick(Array(0..<600))) }
                let writes = identifiers.map { number -> RecordWrite in
                    let action: RecordWrite.Action =
                        round % 8 == 7
                        ? .delete(.int(number), revision: nil)
                        : .save(.int(number), chance.values(), chance.pick([.replace, .merge]))
                    return RecordWrite(action, of: Thing.schema)
                }
                // One by one, and now and then together, of which mostly one fails.
                for write in writes { _ = try? store.apply([write]) }
                _ = try? store.apply(Array(writes.prefix(5)))
            }
            let all = try await store.fetch(RecordQuery(), of: Thing.schema).value
            let known = Dictionary(uniqueKeysWithValues: all.map { ($0.identifier, $0) })
            expect(all.map(\.place), equals: all.map(\.place).sorted())
            let weights = all.compactMap { record -> Double? in
                if case .double(let weight)? = record.values["weight"] { weight } else { nil }
            }
            expect(Set(weights).count, equals: weights.count, "seed: \(seed)")
            for _ in 0..<25 {
                var query = chance.query()
                if let last = chance.pick([nil, all.randomElement(using: &chance)]) {
                    query.after = PageCursor(after: last, in: query, of: Thing.schema)
                }
                let right = query.answer(from: all) { identifier, _ in known[identifier] }
                let found = try await store.fetch(query, of: Thing.schema).value
                expect(found, equals: right, "seed: \(seed), query: \(query)")
                if found != right { return }
            }
        }
    }

    @Test func `texts that begin alike are found in the order of their bytes`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SplitMix(seed: seed)
        let names = (0..<600).map { _ in
            (0..<chance.pick([0, 1, 7, 8, 9, 15, 16, 17, 24])).map { place in
                chance.pick(place % 8 == 7 ? ["a", "\u{7f}", "\u{e9}", "\u{0}", "😀"] : ["a"])
            }.joined()
        }
        let store = MemoryModelStore()
        let things = names.map { name in
            let thing = Thing()
            thing.name.value = name
            return thing
        }
        _ = try await store.create(things).value
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let found = try store.listImmediately(Thing.self, orderBy: .ascending(\.name))
        expect(
            found.map { Array(($0.name.value ?? "-").utf8) },
            equals: sorted.map { Array($0.utf8) }
        )
        for name in Set(names.map { Array($0.utf8) }).map({ String(decoding: $0, as: UTF8.self) }) {
            let same = names.count { $0.utf8.elementsEqual(name.utf8) }
            let less = names.count { $0.utf8.lexicographicallyPrecedes(name.utf8) }
            let equal = try store.listImmediately(Thing.self, where: \.name == name)
            let before = try store.listImmediately(Thing.self, where: \.name < name)
            expect((equal.count, before.count) == (same, less), "seed: \(seed), \(name.utf8)")
        }
    }

    @Test(arguments: [254, 255, 256], [nil, 3])
    func `a model whose neighbours end a piece of an index is found once`(
        _ first: Int,
        _ limit: Int?
    ) async throws {
        let store = MemoryModelStore()
        let things = (0..<300).map { number in
            let thing = Thing()
            thing.number.value = number
            return thing
        }
        _ = try await store.create(things).value
        let numbers = [first, first + 1, first + 2]
        for (order, right) in [
            (Ordering<Thing>.descending(\.number), numbers.reversed()),
            (.ascending(\.number), numbers),
        ] {
            let found = try await store.list(
                Thing.self,
                where: .isIn(\.number, numbers),
                orderBy: order,
                limit: limit
            ).value
            expect(found.map(\.number.value), equals: right)
        }
    }

    @Test func `what is read meanwhile stays as it was`() async throws {
        let store = MemoryRecordStore()
        func write(_ action: RecordWrite.Action) throws {
            try store.apply([RecordWrite(action, of: Thing.schema)])
        }
        for index in 0..<2_000 {
            try write(.create(.int(Int64(index)), ["name": .string("n\(index % 10)")]))
        }
        // Reads on two threads; on two others neighbours swap their names, and swap them back.
        let query = RecordQuery(filter: .isIn("name", ["n3", "n4"]))
        func rename(_ first: Int, _ names: (AttributeValue, AttributeValue)) throws {
            let writes = [(first, names.0), (first + 1, names.1)].map { index, name in
                RecordWrite(
                    .update(.int(Int64(index)), ["name": name], revision: nil),
                    of: Thing.schema
                )
            }
            try store.apply(writes)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for round in 0..<200 {
                        if task % 2 == 0 {
                            let found = try await store.fetch(query, of: Thing.schema).value
                            expect(found.count, equals: 400)
                            expect(found.count { $0.values["name"] == "n3" }, equals: 200)
                        } else {
                            let first = (round / 2 * 2 + task / 2) % 200 * 10 + 3
                            try rename(first, round % 2 == 0 ? ("n4", "n3") : ("n3", "n4"))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
