import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitEssentials

extension StoreContract {
    static let listing: [Case] = [
        Case("a list is in the order of creation, and no longer than its limit") { run in
            try await run.store.create(["c", "a", "d", "b"].map { ContractPerson($0, name: $0) })
            let all: [Identifier] = ["c", "a", "d", "b"]
            try await run.expectStored(ContractPerson.self, all, "the list")
            for (limit, count) in [(0, 0), (1, 1), (4, 4), (9, 4), (Int.max, 4)] {
                let some = try await run.found(ContractPerson.self, RecordQuery(limit: limit))
                try run.expect(some, Array(all.prefix(count)), "the list with limit \(limit)")
            }
            let negative: Promise = run.store.list(ContractPerson.self, limit: -1)
            try await run.expect(code: "unsupported", from: negative)
            try run.expect(await run.store.list(ContractItem.self), [], "the list of another type")
        },
        Case("a condition finds what it says: three values, bytes, exact numbers") { run in
            let people = try await run.createPeople()
            for filter in filters {
                let expected = people.filter { person in
                    let values = ContractPerson.schema.fields.map { entry in
                        var traversal = Traversal()
                        let field = entry.field(in: person)
                        return (entry.key, field.attributeValue(in: &traversal) ?? .null)
                    }
                    return filter.matches(Dictionary(uniqueKeysWithValues: values))
                }.compactMap(\.identifier)
                for limit in [nil, 2] {
                    let query = RecordQuery(filter: filter, limit: limit)
                    let found = try await run.found(ContractPerson.self, query)
                    let first = Array(expected.prefix(limit ?? .max))
                    try run.expect(found, first, "what \(filter) with limit \(limit ?? 0) finds")
                }
            }
        },
        Case("an identifier that is a number is found by all numbers that are equal to it") { run in
            try await run.store.create((1...3).map { ContractItem($0) })
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
            _ = try await run.createPeople()
            let expect = run.searching(ContractPerson.self)
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
            let colors = [("a", 255), ("b", 16)].map { id, code in
                ContractColor(id) { ($0.code.value, $0.mixed.value) = (code, [code]) }
            }
            try await run.store.create(colors)
            let expect = run.searching(ContractColor.self)
            for condition: Condition<ContractColor> in [
                \.code == 255, \.code != 16, .isIn(\.code, [255, 1]), .contains(\.mixed, 255),
            ] { try await expect(condition, ["a"]) }
        },
        Case("a condition or an order with a key that no field has is refused") { run in
            _ = try await run.createPeople()
            for query in [
                RecordQuery(filter: .isNull("nobody")), RecordQuery(order: [.init("nobody")]),
                RecordQuery(filter: .not(.and([.isNull("age"), .hasPrefix("nobody", "")]))),
                RecordQuery(filter: .isIn("nobody", []), limit: 0),
            ] {
                try await run.expect(
                    .schema("ContractPerson has no field nobody"),
                    from: run.store.list(ContractPerson.self, matching: query)
                )
            }
        },
        Case("a filter that is nested too deep is refused, a long chain is not") { run in
            _ = try await run.createPeople()
            func nested(_ depth: Int) -> RecordQuery {
                var filter = RecordFilter.isNull("age")
                for _ in 0..<depth { filter = .not(filter) }
                return RecordQuery(filter: filter)
            }
            try await run.expect(
                .unsupported("the filter is nested more than 200 deep"),
                from: run.store.list(ContractPerson.self, matching: nested(5_000))
            )
            let deep = try await run.found(ContractPerson.self, nested(190))
            try run.expect(deep, ["d", "f"], "what a deep filter finds")
            var chain: Condition<ContractPerson> = \.age >= 0
            for number in 0..<3_000 { chain = chain && \.age != 1_000 + number }
            let count = try await run.store.list(ContractPerson.self, where: chain).count
            try run.expect(count, 4, "what a chain of && finds")
            let numbers = (0..<40_000).map { AttributeValue.int($0) }
            let query = RecordQuery(filter: .isIn("age", numbers), limit: 2)
            let some = try await run.found(ContractPerson.self, query)
            try run.expect(some, ["a", "b"], "what a list of 40 000 numbers finds")
        },
    ]

    static let ordering: [Case] = [
        Case("a list is sorted with nil last both ways, and then by identifier") { run in
            _ = try await run.createPeople()
            func down(_ key: FieldKey) -> RecordQuery.Order { .init(key, isDescending: true) }
            for (order, identifiers) in [
                ([.init("age")], ["a", "b", "c", "e", "d", "f"]),
                ([down("age")], ["e", "c", "b", "a", "d", "f"]),
                ([.init("name")], ["a", "e", "b", "d", "c", "f"]),
                ([down("name")], ["f", "c", "d", "b", "e", "a"]),
                ([.init("isActive"), .init("age")], ["b", "d", "a", "c", "e", "f"]),
                ([.init("weight"), down("age")], ["c", "e", "b", "a", "d", "f"]),
                ([.init("extra")], ["a", "c", "b", "e", "d", "f"]),
                ([down("extra")], ["d", "e", "b", "c", "a", "f"]),
                ([.init("tags")], ["a", "b", "c", "d", "e", "f"]),
            ] as [([RecordQuery.Order], [Identifier])] {
                for limit in [nil, 3] {
                    let query = RecordQuery(order: order, limit: limit)
                    let found = try await run.found(ContractPerson.self, query)
                    let expected = Array(identifiers.prefix(limit ?? .max))
                    try run.expect(found, expected, "the order by \(order)")
                }
            }
        },
        Case("a list can have a condition, an order and a limit at once") { run in
            _ = try await run.createPeople()
            let list = try await run.store.list(
                ContractPerson.self,
                where: \.age != nil,
                orderBy: .descending(\.age),
                .ascending(\.name),
                limit: 2
            )
            try run.expect(list.compactMap(\.id.value), ["e", "c"], "the list")
        },
    ]

    fileprivate static let tenth = AttributeValue.date(Date(timeIntervalSinceReferenceDate: 10))

    /// Where it matters, not in the order of their values.
    fileprivate static let people: [AttributeDictionary] = [
        [
            "id": "a", "name": "A", "age": 5, "weight": 1.0, "tags": ["red", "blue", "a\u{0}b"],
            "scores": [0.1, 2.0, -0.0], "extra": 1, "visits": [tenth],
        ],
        [
            "id": "b", "name": "Ab", "age": 18, "weight": -0.0, "isActive": false, "extra": "text",
            "born": tenth, "photo": .data(Data([1, 2])),
        ],
        [
            "id": "c", "name": "\u{e9}", "age": 20, "weight": .double(-.leastNonzeroMagnitude),
            "extra": 1.5, "address": ["city": "Rome"],
            "born": .date(Date(timeIntervalSinceReferenceDate: -10.5)),
        ],
        ["id": "d", "name": "e\u{301}", "isActive": false, "tags": ["red", "a"], "extra": tenth],
        [
            "id": "e", "name": "A\u{0}z", "age": 99, "weight": 0.0, "extra": true,
            "photo": .data(Data()),
        ],
        ["id": "f", "name": "😀", "isActive": nil, "tags": nil],
    ]

    private static let filters: [RecordFilter] = {
        let keys: [FieldKey] = [
            "name", "age", "weight", "isActive", "born", "photo", "tags", "extra", "home",
            ["address", "city"], "id",
        ]
        let values: [AttributeValue] = [
            nil, true, false, 0, 1, 5, 18, 1.0, 1.5, 18.5, -0.0, 0x1p63, .double(.nan), "A", "Ab",
            "\u{e9}", "", "1", "true", tenth, .data(Data([1, 2])), .data(Data()), ["red"],
            ["street": "x"],
        ]
        let comparisons: [RecordFilter.Comparison] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ]
        let prefixes = ["", "A", "Ab", "A\u{0}", "\u{e9}", "e", "%", "\u{1f600}"]
        var filters: [RecordFilter] = keys.flatMap { key in
            values.flatMap { value in
                comparisons.map { .compare(key, $0, value) }
                    + [.isIn(key, [value]), .isIn(key, [value, 18, "A", nil])]
            }
        }
        filters += keys.flatMap { key -> [RecordFilter] in
            [.isNull(key), .isIn(key, []), .isIn(key, [18, 5.0, "A", true])]
                + prefixes.map { .hasPrefix(key, $0) }
        }
        for key in ["tags", "scores", "visits", "extra", "name"] as [FieldKey] {
            filters += (values + ["red", "a", "a\u{0}b", 0.1, 2, 2.0]).map { .contains(key, $0) }
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

extension ContractRun {
    fileprivate func createPeople() async throws -> [ContractPerson] {
        try await store.create(
            StoreContract.people.map { try ContractPerson(dictionaryValue: values($0)) }
        )
    }
}
