import ModelKitFields
import ModelKitModels
import ModelKitStores

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoreContract {
    static let listing: [Case] = [
        Case("a list is in the order of creation, and no longer than its limit") { run in
            _ = try await run.store.create(
                ["c", "a", "d", "b"].map { ContractPerson($0, name: $0) }
            ).value
            let all = try await run.found(ContractPerson.self, RecordQuery())
            try run.expect(all, ["c", "a", "d", "b"], "the list")
            for (limit, count) in [(0, 0), (1, 1), (4, 4), (9, 4), (Int.max, 4)] {
                let some = try await run.found(ContractPerson.self, RecordQuery(limit: limit))
                try run.expect(some, Array(all.prefix(count)), "the list with limit \(limit)")
            }
            let negative: Promise = run.store.list(ContractPerson.self, limit: -1)
            let refusal = try await run.failure(of: negative)
            try run.expect(refusal.code, "unsupported", "the error of a limit of -1")
            let none = try await run.store.list(ContractItem.self).value
            try run.expect(none, [], "the list of another type")
        },
        Case("a condition finds what it says: three values, bytes, exact numbers") { run in
            let people = people()
            _ = try await run.store.create(people).value
            for filter in filters {
                let expected = people.filter { person in
                    filter.matches(
                        Dictionary(
                            uniqueKeysWithValues: ContractPerson.schema.fields.map { entry in
                                var traversal = Traversal()
                                let field = entry.field(in: person)
                                return (entry.key, field.attributeValue(in: &traversal) ?? .null)
                            }
                        )
                    )
                }
                let found = try await run.found(ContractPerson.self, RecordQuery(filter: filter))
                try run.expect(found, expected.compactMap(\.identifier), "what \(filter) finds")
                let first = try await run.found(
                    ContractPerson.self,
                    RecordQuery(filter: filter, limit: 2)
                )
                try run.expect(first, Array(found.prefix(2)), "the first two of \(filter)")
            }
        },
        Case("an identifier that is a number is found by all numbers that are equal to it") { run in
            _ = try await run.store.create((1...3).map { ContractItem($0) }).value
            for (filter, identifiers) in [
                (.compare("id", .equal, 2.0), [2]), (.compare("id", .equal, 2.5), []),
                (.isIn("id", [3.0, 1.0, 0.5]), [1, 3]),
                (.or([.compare("id", .equal, 2.0), .isIn("id", [3.0])]), [2, 3]),
            ] as [(RecordFilter, [Identifier])] {
                let found = try await run.found(ContractItem.self, RecordQuery(filter: filter))
                try run.expect(found, identifiers, "what \(filter) finds")
            }
        },
        Case("conditions written with key paths find what they say") { run in
            _ = try await run.store.create(people()).value
            func expect(
                _ condition: Condition<ContractPerson>,
                _ identifiers: [String],
                line: Int = #line
            ) async throws {
                let found = try await run.found(ContractPerson.self, where: condition)
                try run.expect(
                    found.map(\.description),
                    identifiers,
                    "what \(condition.filter) finds",
                    line: line
                )
            }
            try await expect(\.age >= 18, ["b", "c", "e"])
            try await expect(\.age < 18, ["a"])
            try await expect(!(\.age < 18), ["b", "c", "e"])
            try await expect(\.age == nil, ["d", "f"])
            try await expect(\.age != nil, ["a", "b", "c", "e"])
            try await expect(\.age != 18, ["a", "c", "e"])
            try await expect(\.name == "\u{e9}", ["c"])
            try await expect(\.name == "e\u{301}", ["d"])
            try await expect(.hasPrefix(\.name, "A") || \.age == 99, ["a", "b", "e"])
            try await expect(.contains(\.tags, "red") && \.isActive == true, ["a"])
            try await expect(.isIn(\.age, [5, 99, 100]), ["a", "e"])
            try await expect(.isIn(\.age, []), [])
            try await expect(!.isIn(\.age, []), ["a", "b", "c", "d", "e", "f"])
        },
        Case("a condition compares values in the form that the field gives them") { run in
            _ = try await run.store.create(
                [ContractColor("a", 255), ContractColor("b", 16)]
            ).value
            for condition: Condition<ContractColor> in [
                \.code == 255, \.code != 16, .isIn(\.code, [255, 1]), .contains(\.mixed, 255),
            ] {
                let found = try await run.found(ContractColor.self, where: condition)
                try run.expect(found, ["a"], "what \(condition.filter) finds")
            }
        },
        Case("a condition or an order with a key that no field has is refused") { run in
            _ = try await run.store.create(people()).value
            let error = StoreError.schema("ContractPerson has no field nobody")
            for query in [
                RecordQuery(filter: .isNull("nobody")), RecordQuery(order: [.init("nobody")]),
                RecordQuery(filter: .not(.and([.isNull("age"), .hasPrefix("nobody", "")]))),
                RecordQuery(filter: .isIn("nobody", []), limit: 0),
            ] {
                try await run.expect(
                    error,
                    from: run.store.list(ContractPerson.self, matching: query)
                )
            }
        },
        Case("a filter that is nested too deep is refused, a long chain is not") { run in
            _ = try await run.store.create(people()).value
            var deep = RecordFilter.isNull("age")
            for _ in 0..<5_000 { deep = .not(deep) }
            try await run.expect(
                .unsupported("the filter is nested more than 200 deep"),
                from: run.store.list(ContractPerson.self, matching: RecordQuery(filter: deep))
            )
            var allowed = RecordFilter.isNull("age")
            for _ in 0..<190 { allowed = .not(allowed) }
            try run.expect(
                await run.found(ContractPerson.self, RecordQuery(filter: allowed)),
                ["d", "f"],
                "what a deep filter finds"
            )
            var chain: Condition<ContractPerson> = \.age >= 0
            for number in 0..<3_000 { chain = chain && \.age != 1_000 + number }
            let count = try await run.store.list(ContractPerson.self, where: chain).value.count
            try run.expect(count, 4, "what a chain of && finds")
            let numbers = (0..<40_000).map { AttributeValue.int($0) }
            try run.expect(
                await run.found(
                    ContractPerson.self,
                    RecordQuery(filter: .isIn("age", numbers), limit: 2)
                ),
                ["a", "b"],
                "what a list of 40 000 numbers finds"
            )
        },
    ]

    static let ordering: [Case] = [
        Case("a list is sorted with nil last both ways, and then by identifier") { run in
            _ = try await run.store.create(people()).value
            func expect(
                _ order: [RecordQuery.Order],
                _ identifiers: [Identifier],
                line: Int = #line
            ) async throws {
                for limit in [nil, 3] {
                    let found = try await run.found(
                        ContractPerson.self,
                        RecordQuery(order: order, limit: limit)
                    )
                    try run.expect(
                        found,
                        Array(identifiers.prefix(limit ?? .max)),
                        "the order by \(order)",
                        line: line
                    )
                }
            }
            try await expect([.init("age")], ["a", "b", "c", "e", "d", "f"])
            try await expect(
                [.init("age", isDescending: true)],
                ["e", "c", "b", "a", "d", "f"]
            )
            try await expect([.init("name")], ["a", "e", "b", "d", "c", "f"])
            try await expect(
                [.init("name", isDescending: true)],
                ["f", "c", "d", "b", "e", "a"]
            )
            try await expect([.init("isActive"), .init("age")], ["b", "d", "a", "c", "e", "f"])
            try await expect(
                [.init("weight"), .init("age", isDescending: true)],
                ["c", "e", "b", "a", "d", "f"]
            )
            try await expect([.init("extra")], ["a", "c", "b", "e", "d", "f"])
            try await expect(
                [.init("extra", isDescending: true)],
                ["d", "e", "b", "c", "a", "f"]
            )
            try await expect([.init("tags")], ["a", "b", "c", "d", "e", "f"])
        },
        Case("a list can have a condition, an order and a limit at once") { run in
            _ = try await run.store.create(people()).value
            let list = try await run.store.list(
                ContractPerson.self,
                where: \.age != nil,
                orderBy: .descending(\.age),
                .ascending(\.name),
                limit: 2
            ).value
            try run.expect(list.compactMap(\.id.value), ["e", "c"], "the list")
        },
    ]

    /// Created in another order than that of their identifiers where it matters.
    private static func people() -> [ContractPerson] {
        let a = ContractPerson("a", name: "A", age: 5, weight: 1)
        a.tags.value = ["red", "blue", "a\u{0}b"]
        a.scores.value = [0.1, 2, -0.0]
        a.extra.value = 1
        a.visits.value = [date(10)]
        let b = ContractPerson("b", name: "Ab", age: 18, weight: -0.0)
        b.isActive.value = false
        b.extra.value = "text"
        b.born.value = date(10)
        b.photo.value = Data([1, 2])
        let c = ContractPerson("c", name: "\u{e9}", age: 20, weight: -.leastNonzeroMagnitude)
        c.extra.value = 1.5
        c.city.value = "Rome"
        c.born.value = date(-10.5)
        let d = ContractPerson("d", name: "e\u{301}")
        d.isActive.value = false
        d.tags.value = ["red", "a"]
        d.extra.value = .date(date(10))
        let e = ContractPerson("e", name: "A\u{0}z", age: 99, weight: 0)
        e.extra.value = true
        e.photo.value = Data()
        let f = ContractPerson("f", name: "😀")
        f.isActive.value = nil
        f.tags.value = nil
        return [a, b, c, d, e, f]
    }

    private static func date(_ seconds: Double) -> Date {
        Date(timeIntervalSinceReferenceDate: seconds)
    }

    private static let filters: [RecordFilter] = {
        let keys: [FieldKey] = [
            "name", "age", "weight", "isActive", "born", "photo", "tags", "extra", "home",
            ["address", "city"], "id",
        ]
        let values: [AttributeValue] = [
            nil, true, false, 0, 1, 5, 18, 1.0, 1.5, 18.5, -0.0, 0x1p63, .double(.nan), "A", "Ab",
            "\u{e9}", "", "1", "true", .date(date(10)), .data(Data([1, 2])), .data(Data()), ["red"],
            ["street": "x"],
        ]
        let comparisons: [RecordFilter.Comparison] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ]
        var filters: [RecordFilter] = keys.flatMap { key in
            values.flatMap { value in
                comparisons.map { .compare(key, $0, value) }
                    + [.isIn(key, [value]), .isIn(key, [value, 18, "A", nil])]
            }
        }
        filters += keys.flatMap { key -> [RecordFilter] in
            [.isNull(key), .isIn(key, []), .isIn(key, [18, 5.0, "A", true])]
                + ["", "A", "Ab", "A\u{0}", "\u{e9}", "e", "%", "\u{1f600}"].map {
                    .hasPrefix(key, $0)
                }
        }
        for key in ["tags", "scores", "visits", "extra", "name"] as [FieldKey] {
            filters += (values + ["red", "a", "a\u{0}b", 0.1, 2, 2.0, .date(date(10))]).map {
                .contains(key, $0)
            }
        }
        filters += filters.map { .not($0) }
        let some = [
            RecordFilter.compare("age", .greater, 10), .isNull("age"), .contains("tags", "red"),
            .contains("scores", 0.1), .hasPrefix("name", "A"), .compare("age", .less, "x"),
        ]
        for left in some {
            for right in some {
                filters += [
                    .and([left, right]), .or([left, right]), .not(.and([left, right])),
                    .not(.or([left, .not(right)])),
                    .and([.or([left, right]), .not(.isNull("name"))]),
                ]
            }
        }
        return filters + [.and([]), .or([]), .not(.and([])), .not(.or([]))]
    }()
}
