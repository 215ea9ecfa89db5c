import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

/// A type over the years: with other indexes each time.
private enum Plain {
    final class Visitor: Model {
        let id = Field<String>()
        let name = Field<String>()
        let email = Field<String>()
        let weight = Field<Double>()
    }
}

private enum Marked {
    final class Visitor: Model {
        let id = Field<String>()
        let name = Field<String>().indexed()
        let email = Field<String>().unique()
        let weight = Field<Double>().unique()
    }
}

private enum Coded {
    final class Visitor: Model {
        let id = Field<String>()
        let name = Field<String>()
        let code = Field<String>(value: "x").unique()
    }
}

private enum Recoded {
    final class Visitor: Model {
        let id = Field<String>()
        let name = Field<String>()
        let code = Field<String>().unique()
    }
}

private final class Town: Model {
    let id = Field<String>()
    let name = Field<String>().unique()
}

private final class Citizen: Model {
    let id = Field<String>()
    let name = Field<String>().indexed()
    let age = Field<Int>().indexed()
    let weight = Field<Double>().indexed()
    let born = Field<Date>().indexed()
    let email = Field<String>().unique()
    let town = ModelField<Town>(foreignKey: true)
    let note = Field<String>()
}

private enum Short {
    final class Guest: Model {
        let id = Field<String>()
        let city = Field<String>()
    }
}

private enum Bare {
    final class Guest: Model {
        let id = Field<String>()
        let city = Field<String>()
        let age = Field<Int>()
    }
}

private final class Guest: Model {
    let id = Field<String>()
    let city = Field<String>().indexed()
    let age = Field<Int>().indexed()
}

@Suite struct SQLiteIndexTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    // MARK: Making and removing

    @Test func `indexes come and go with their declaration, and others stay`() async throws {
        let first = try SQLiteModelStore(path: path)
        _ = try await first.list(Plain.Visitor.self).value
        try await first.close().value
        try expect(indexes(), equals: [])
        try SQLiteConnection(path: path).execute("CREATE INDEX mine ON Visitor (name)")

        let second = try SQLiteModelStore(path: path)
        _ = try await second.list(Marked.Visitor.self).value
        try await second.close().value
        try expect(
            indexes(),
            equals: [
                "_modelkit_index:Visitor.name", "_modelkit_index:unique:Visitor.email",
                "_modelkit_index:unique:Visitor.weight", "mine",
            ]
        )
        let third = try SQLiteModelStore(path: path)
        _ = try await third.list(Plain.Visitor.self).value
        try await third.close().value
        try expect(indexes(), equals: ["mine"])
    }

    @Test func `a field that cannot be unique leaves no column, and may be declared otherwise`()
        async throws
    {
        let first = try SQLiteModelStore(path: path)
        _ = try await first.create([Plain.Visitor(), Plain.Visitor()]).value
        try await first.close().value
        let second = try SQLiteModelStore(path: path)
        let error = await #expect(throws: StoreError.self) {
            try await second.list(Coded.Visitor.self).value
        }
        expect(error?.code, equals: "schema")
        try await second.close().value
        let third = try SQLiteModelStore(path: path)
        try await expect(
            third.list(Recoded.Visitor.self).value.map(\.code.value),
            equals: [nil, nil]
        )
        try await third.close().value
        try expect(indexes(), equals: ["_modelkit_index:unique:Visitor.code"])
    }

    @Test func `an index that was made otherwise is made again`() async throws {
        let first = try SQLiteModelStore(path: path)
        _ = try await first.list(Marked.Visitor.self).value
        try await first.close().value
        let connection = try SQLiteConnection(path: path)
        try connection.execute("DROP INDEX \"_modelkit_index:Visitor.name\"")
        try connection.execute("CREATE INDEX \"_modelkit_index:Visitor.name\" ON Visitor (email)")
        connection.close()
        _ = try await SQLiteModelStore(path: path).list(Marked.Visitor.self).value
        let made = try SQLiteConnection(path: path).withStatement(
            "SELECT sql FROM sqlite_master WHERE name = '_modelkit_index:Visitor.name'"
        ) { try $0.step() ? try $0.string(at: 0) : "" }
        expect(made.hasSuffix("ON \"Visitor\" (\"name\", \"id\")"))
    }

    @Test(arguments: [false, true])
    func `two that were there before a field became unique are both named`(
        areZeros: Bool
    ) async throws {
        let first = try SQLiteModelStore(path: path)
        for (id, weight) in [("a", -0.0), ("b", 1), ("c", 0.0)] {
            let visitor = Plain.Visitor()
            visitor.id.value = id
            visitor.weight.value = areZeros ? weight : nil
            visitor.email.value = areZeros ? id : id == "b" ? nil : "x@y.z"
            _ = try await first.create(visitor).value
        }
        try await first.close().value
        let field = areZeros ? "weight" : "email"
        await #expect(
            throws: StoreError.schema(
                "Visitor.\(field) is declared as unique, but a and c have the same value"
            )
        ) {
            try await SQLiteModelStore(path: path).list(Marked.Visitor.self).value
        }
        let again = try SQLiteModelStore(path: path)
        try await expect(again.list(Plain.Visitor.self).value.count, equals: 3)
    }

    // MARK: Using

    @Test(
        arguments: [
            (\.name == "n1", "name=?"),
            (\.age > 5, "age>?"),
            (.isIn(\.age, 5...7), "age>? AND age<?"),
            (.isIn(\.name, ["n1", "n2"]), "name=?"),
            (.hasPrefix(\.name, "n"), "name>? AND name<?"),
            (\.name == nil, "name=?"),
            (\.weight == 1.5, "<expr>=?"),
            (.isIn(\.weight, 1...2), "<expr>>? AND <expr><?"),
            (\.born < Date(timeIntervalSince1970: 0), "born<?"),
            (\.email == "e1", "email=?"),
            (\.id == "c1", "id=?"),
            (\.town == "t1", "town=?"),
            (.isIn(\.town, ["t1", "t2"]), "town=?"),
            (.has(\.town, \.name == "Rome"), "town=?"),
            (\.name == "n1" && .contains(\.note, "x"), "name=?"),
        ] as [(Condition<Citizen>, String)]
    )
    fileprivate func `a condition uses an index`(
        _ condition: Condition<Citizen>,
        _ use: String
    ) async throws {
        let plan = try await plan(RecordQuery(filter: condition.filter))
        expect(
            plan.contains { $0.contains("SEARCH Citizen USING INDEX") && $0.contains("(\(use))") }
        )
        expect(!plan.contains { $0.contains("SCAN Citizen") })
        // So does the one for a page in the order of an index.
        let page = try await self.plan(
            RecordQuery(
                filter: condition.filter,
                order: [RecordQuery.Order("name")],
                limit: 5
            )
        )
        expect(!page.contains { $0.contains("SCAN Citizen") }, "\(page)")
    }

    @Test(arguments: ["id", "age", "born"])
    func `so does a list of more values than SQLite takes`(field: String) async throws {
        let store = try SQLiteModelStore(path: path)
        let citizens = [3, 30_500, 40_000].map { number in
            let citizen = Citizen()
            citizen.id.value = "\"c\(number)\u{301}"
            citizen.age.value = number
            citizen.born.value = Date(timeIntervalSince1970: Double(number))
            return citizen
        }
        _ = try await store.create(citizens).value
        let values = (0..<31_000).map { number -> AttributeValue in
            switch field {
            case "id": .string("\"c\(number)\u{301}")
            case "age": .int(Int64(number))
            default: .date(Date(timeIntervalSince1970: Double(number)))
            }
        }
        var query = RecordQuery(filter: .isIn(FieldKey(field), values))
        let plan = try await plan(query, store)
        expect(plan.contains { $0.contains("SEARCH Citizen USING INDEX") }, "\(plan)")
        try await expect(
            store.records.fetch(query, of: Citizen.schema).value.map(\.identifier),
            equals: citizens.prefix(2).compactMap(\.identifier)
        )
        query.filter = .not(.isIn(FieldKey(field), values))
        try await expect(
            store.records.fetch(query, of: Citizen.schema).value.map(\.identifier),
            equals: citizens.suffix(1).compactMap(\.identifier)
        )
    }

    @Test(
        arguments: ["name", "age", "weight", "born", "email", "id"],
        [false, true]
    )
    func `a page and the next one are read along the index of their order`(
        field: String,
        isDescending: Bool
    ) async throws {
        let store = try SQLiteModelStore(path: path)
        var citizens: [Citizen] = []
        for index in 0..<40 {
            let citizen = Citizen()
            citizen.id.value = "c\(index * 7 % 40)"
            if index % 8 != 0 {
                citizen.name.value = "n\(index % 9)"
                citizen.age.value = index % 9
                citizen.weight.value = index % 9 == 0 ? -0.0 : Double(index % 9) / 2
                citizen.born.value = Date(timeIntervalSince1970: Double(index % 9))
                citizen.email.value = "e\(index)"
            }
            citizens.append(citizen)
        }
        _ = try await store.create(citizens).value
        var query = RecordQuery(order: [
            RecordQuery.Order(FieldKey(field), isDescending: isDescending)
        ])
        let all = try await store.records.fetch(query, of: Citizen.schema).value
        query.limit = 3
        var found: [Identifier] = []
        while true {
            let plan = try await plan(query, store)
            expect(
                !plan.contains { $0.contains("SCAN Citizen") && !$0.contains("INDEX") },
                "\(plan)"
            )
            // What sorts has equal values behind it alone.
            let sorts = plan.filter { $0.contains("TEMP B-TREE") }
            expect(
                sorts.allSatisfy { $0.contains("RIGHT PART") || $0.contains("(email=?)") },
                "\(plan)"
            )
            if !isDescending, field != "email" { expect(sorts.isEmpty, "\(plan)") }
            let page = try await store.records.fetch(query, of: Citizen.schema).value
            found += page.map(\.identifier)
            guard let last = page.last else { break }
            query.after = PageCursor(after: last, in: query, of: Citizen.schema)
        }
        expect(found, equals: all.map(\.identifier))
    }

    /// Where a condition holds for many, its index is of no use for a page.
    @Test func `pages of many rows are the same as those of few`() async throws {
        let sqlite = try SQLiteModelStore(path: ":memory:").records
        let memory = MemoryRecordStore()
        let writes = (0..<3_000).map { index -> RecordWrite in
            let name: AttributeValue = index % 11 == 0 ? .null : .string("n\(index % 7)")
            let values: [FieldKey: AttributeValue] = [
                "name": name, "age": .int(Int64(index % 13)), "weight": .double(Double(index % 3)),
                "note": .string("x\(index % 5)"),
            ]
            let identifier = Identifier.string("c\(index * 7_919 % 3_000)")
            return RecordWrite(.create(identifier, values), of: Citizen.schema)
        }
        _ = try await sqlite.perform(writes).value
        _ = try await memory.perform(writes).value
        let filters: [RecordFilter?] = [
            nil, .compare("age", .greater, 2), .compare("age", .equal, 3),
            .and([.compare("weight", .less, 2), .compare("age", .greaterOrEqual, 1)]),
            .and([.compare("name", .greater, "n2"), .hasSuffix("note", "3")]),
            .and([.hasAny("note", Town.schema, .isNull("name")), .isNull("name")]),
            .or([.compare("name", .equal, "n1"), .isNull("name")]),
        ]
        var orders: [[RecordQuery.Order]] = [[]]
        for key in ["name", "weight", "email"] {
            orders.append([RecordQuery.Order(FieldKey(key))])
            orders.append([RecordQuery.Order(FieldKey(key), isDescending: true)])
        }
        orders.append([RecordQuery.Order("name", isDescending: true), RecordQuery.Order("age")])
        for filter in filters {
            for order in orders {
                var query = RecordQuery(filter: filter, order: order, limit: 40)
                for _ in 0..<3 {
                    let right = try await memory.fetch(query, of: Citizen.schema).value
                    let found = try await sqlite.fetch(query, of: Citizen.schema).value
                    expect(found, equals: right, "\(query)")
                    guard let last = right.last else { break }
                    query.after = PageCursor(after: last, in: query, of: Citizen.schema)
                }
            }
        }
    }

    /// Many rows, of which those with the greater numbers have the smaller ages.
    private func fillGuests(of schema: ModelSchema) async throws {
        let store = try SQLiteModelStore(path: path)
        let hasAge = schema.fields.contains { $0.key == "age" }
        let writes = (1_000..<3_100).map { number -> RecordWrite in
            var values: [FieldKey: AttributeValue] = ["city": "x"]
            if hasAge { values["age"] = .int(Int64(-number)) }
            return RecordWrite(.create(.string("\(number)"), values), of: schema)
        }
        _ = try await store.records.perform(writes).value
        try await store.close().value
    }

    @Test func `a file of before that is only read is read without its indexes`() async throws {
        try await fillGuests(of: Bare.Guest.schema)
        let store = try SQLiteModelStore(path: path, access: .readOnly)
        for order in [Ordering<Guest>.ascending(\.age), .descending(\.id)] {
            let guests = try await store.list(
                Guest.self,
                where: \.city == "x",
                orderBy: order,
                limit: 2
            )
            .value
            expect(guests.map(\.id.value), equals: ["3099", "3098"])
        }
    }

    @Test func `so is one that lacks a field`() async throws {
        try await fillGuests(of: Short.Guest.schema)
        let store = try SQLiteModelStore(path: path, access: .readOnly)
        let guests = try await store.list(
            Guest.self,
            where: \.city == "x",
            orderBy: .ascending(\.age),
            limit: 2
        )
        .value
        expect(guests.map(\.id.value), equals: ["1000", "1001"])
    }

    @Test func `so is one whose index was made otherwise`() async throws {
        try await fillGuests(of: Bare.Guest.schema)
        let connection = try SQLiteConnection(path: path)
        try connection.execute(
            "CREATE INDEX \"_modelkit_index:Guest.age\" ON Guest (age) WHERE age > 0"
        )
        connection.close()
        let store = try SQLiteModelStore(path: path, access: .readOnly)
        let guests = try await store.list(
            Guest.self,
            where: \.city == "x",
            orderBy: .ascending(\.age),
            limit: 2
        )
        .value
        expect(guests.map(\.id.value), equals: ["3099", "3098"])
    }

    @Test func `an index that another program takes away is done without`() async throws {
        try await fillGuests(of: Guest.schema)
        let store = try SQLiteModelStore(path: path)
        let records = try #require(store.records as? SQLiteRecordStore)
        let query = RecordQuery(
            filter: .compare("city", .equal, "x"),
            order: [RecordQuery.Order("age")],
            limit: 2
        )
        let index = "_modelkit_index:Guest.age"
        for _ in 0..<2 {
            let found = try await records.fetch(query, of: Guest.schema).value
            expect(found.map(\.identifier), equals: ["3099", "3098"])
        }
        let plan = try await records.explanation(of: query, of: Guest.schema).value
        expect(plan.contains { $0.contains(index) })
        try SQLiteConnection(path: path).execute("DROP INDEX \"\(index)\"")
        let found = try await records.fetch(query, of: Guest.schema).value
        expect(found.map(\.identifier), equals: ["3099", "3098"])
    }

    private func plan(
        _ query: RecordQuery,
        _ store: SQLiteModelStore? = nil
    ) async throws -> [String] {
        let store = try store ?? SQLiteModelStore(path: path)
        let records = try #require(store.records as? SQLiteRecordStore)
        return try await records.explanation(of: query, of: Citizen.schema).value
    }

    /// The names of the indexes that somebody has made.
    private func indexes() throws -> [String] {
        try SQLiteConnection(path: path).withStatement(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
        ) { statement in
            var result: [String] = []
            while try statement.step() { result.append(try statement.string(at: 0)) }
            return result
        }
    }
}
