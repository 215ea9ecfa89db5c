import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

/// Its tables have the columns that UUIDs had in earlier versions.
private enum Text {
    final class Member: Model {
        let id = Field<String>()
        let token = Field<String>().unique()
        let boss = ModelField<Member>(foreignKey: true)
        let name = Field<String>()
    }
}

private final class Member: Model {
    let id = Field<UUID>()
    let token = Field<UUID>().unique()
    let boss = ModelField<Member>(foreignKey: true)
    let name = Field<String>()

    convenience init(_ number: UInt8, token: UInt8) {
        self.init()
        (id.value, self.token.value) = (uuid(number), uuid(token))
    }
}

/// The letters of its text are what differs between the columns.
private func uuid(_ number: UInt8) -> UUID {
    UUID(uuid: (number, 0, 0, 0, 0xAB, 0xCD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xEF))
}

@Suite(
    .enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason),
    .timeLimit(.minutes(10))
)
struct PostgreSQLUUIDTests {
    private let schema: MigratedSchema

    init() throws { schema = try MigratedSchema() }

    private let columns = ["id", "token", "boss"]

    private func types() throws -> [String] {
        try schema.column(
            """
            SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute \
            WHERE attrelid = 'SPACE."Member"'::regclass AND attnum > 0 \
            AND attname IN ('id', 'token', 'boss') ORDER BY attnum
            """
        )
    }

    private func values() throws -> [String] {
        try schema.column(
            "SELECT concat_ws(' ', id, token, boss) FROM SPACE.\"Member\" ORDER BY \"_order\""
        )
    }

    /// Three members, of whom the second and third have the first for a boss.
    private func fill(_ store: PostgreSQLModelStore) async throws {
        let members = [Member(0xA0, token: 3), Member(0x0A, token: 1), Member(0xFA, token: 2)]
        members[1].boss.value = members[0]
        members[2].boss.value = members[0]
        try await store.create(members)
    }

    /// Whose key leads to a member, and whose does not.
    private var leading: [(RecordQuery, [UUID])] {
        let leads = RecordFilter.hasAny("boss", Member.schema, .and([]))
        return [
            (RecordQuery(filter: leads), [uuid(0x0A), uuid(0xFA)]),
            (RecordQuery(filter: .not(leads)), [uuid(0xA0)]),
        ]
    }

    /// Does everything with such members, and leaves them as they were.
    private func use(_ store: PostgreSQLModelStore) async throws {
        func found(_ query: RecordQuery) async throws -> [UUID?] {
            try await store.list(Member.self, matching: query).value.map(\.id.value)
        }
        let (boss, first, last) = (uuid(0xA0), uuid(0x0A), uuid(0xFA))
        let queries: [(RecordQuery, [UUID])] = [
            (RecordQuery(), [boss, first, last]),
            (RecordQuery(order: [.init("id")]), [first, boss, last]),
            (RecordQuery(order: [.init("token", isDescending: true)], limit: 2), [boss, last]),
            (RecordQuery(filter: .compare("token", .equal, uuid(1).attributeValue)), [first]),
            (RecordQuery(filter: .compare("id", .less, "B")), [boss, first]),
            (RecordQuery(filter: .compare("boss", .equal, boss.attributeValue)), [first, last]),
            (RecordQuery(filter: .isIn("id", [last.attributeValue, "x", 1])), [last]),
            (RecordQuery(filter: .hasPrefix("id", "A")), [boss]),
            (RecordQuery(filter: .hasSubstring("boss", "-ABCD-")), [first, last]),
            (
                RecordQuery(
                    filter: .has("boss", Member.schema, .compare("token", .greater, "02"))
                ), [first, last]
            ),
        ]
        for (query, right) in queries + leading {
            try await expect(found(query), equals: right, "\(query)")
        }
        let member = try await store.lookup(Member.self, identifier: last).value
        expect(member.token.value == uuid(2) && member.boss.value?.id.value == boss)
        for other in ["x", first.uuidString.lowercased(), first.uuidString + "0"] {
            await #expect(throws: StoreError.notFound(type: "Member", identifier: .string(other))) {
                try await store.lookup(Member.self, identifier: other).value
            }
        }
        let twin = Member(0x20, token: 1)
        let taken = StoreError.alreadyExists(
            type: "Member",
            identifier: Identifier(first),
            field: "token"
        )
        await #expect(throws: taken) { try await store.create(twin).value }
        twin.token.value = uuid(9)
        twin.boss.value = member
        try await store.create(twin)
        twin.token.value = nil
        try await store.update(twin)
        let counts = try await store.count(Member.self, by: \.boss)
        expect(counts.values.sorted(), equals: [1, 1, 2])
        try await expect(store.max(Member.self, of: \.token), equals: uuid(3))
        try await store.delete(twin)
        let others = (0x30..<0x40).map { Member($0, token: $0) }
        try await store.create(others)
        try await store.transaction { for other in others { try $0.delete(other) } }.value
        let made = try await store.create(Member()).value
        expect(made.id.value != nil)
        try await store.delete(made)
    }

    @Test(arguments: PostgreSQLRoute.all)
    func `UUIDs are columns of that type, in a new table`(_ route: PostgreSQLRoute) async throws {
        let store = try route.store(schema.space)
        try await fill(store)
        try await use(store)
        try await store.close()
        try expect(types(), equals: columns.map { "\($0) uuid" })
        func text(_ number: UInt8) -> String { uuid(number).uuidString.lowercased() }
        let boss = text(0xA0)
        try expect(
            values(),
            equals: [
                "\(boss) \(text(3))", "\(text(0x0A)) \(text(1)) \(boss)",
                "\(text(0xFA)) \(text(2)) \(boss)",
            ]
        )
    }

    private func makeTexts() async throws {
        try await schema.withStore { store in
            let members = ([(0xA0, 3), (0x0A, 1), (0xFA, 2)] as [(UInt8, UInt8)]).map { id, token in
                let member = Text.Member()
                member.id.value = uuid(id).uuidString
                member.token.value = uuid(token).uuidString
                return member
            }
            members[1].boss.value = members[0]
            members[2].boss.value = members[0]
            try await store.create(members)
        }
    }

    @Test(arguments: PostgreSQLRoute.all)
    func `a table whose UUIDs are texts is used as it is`(_ route: PostgreSQLRoute) async throws {
        try await makeTexts()
        let before = try values()
        let store = try route.store(schema.space)
        try await use(store)
        try await store.close()
        try expect(types(), equals: columns.map { "\($0) text" })
        try expect(values(), equals: before)
        expect(before.allSatisfy { $0 == $0.uppercased() })
    }

    @Test(arguments: ["id", "boss"])
    func `a key leads to a text as to a UUID`(_ column: String) async throws {
        try await makeTexts()
        let quoted = "\"\(column)\""
        try schema.server.connect().execute(
            """
            ALTER TABLE \(schema.space)."Member" ALTER \(quoted) TYPE uuid USING \(quoted)::uuid
            """
        )
        try await schema.withStore { store in
            for (query, right) in leading {
                let found: [Member] = try await store.list(Member.self, matching: query).value
                expect(found.map(\.id.value), equals: right, "\(query)")
            }
        }
    }

    @Test func `a use does not take texts for UUIDs that comes while the table is opened`()
        async throws
    {
        try await makeTexts()
        let index = try schema.column(
            """
            SELECT indexrelid::regclass::text FROM pg_index AS i \
            WHERE indrelid = 'SPACE."Member"'::regclass AND indisunique AND NOT EXISTS \
            (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)
            """
        )
        // Whoever makes it again waits for this one.
        let writer = try schema.server.connect()
        try writer.execute("DROP INDEX \(index[0])")
        try writer.execute("BEGIN; UPDATE \(schema.space).\"Member\" SET name = 'n'")
        let store = try PostgreSQLModelStore(
            schema.server.connection() + " application_name=\(schema.space)",
            PostgreSQLOptions(connections: 8, deadline: .seconds(60)),
            schema: schema.space
        )
        let first: Promise<[Member]> = store.list(Member.self)
        try await schema.server.reach(
            """
            wait_event_type = 'Lock' AND query LIKE 'CREATE %INDEX CONCURRENTLY%"\(schema.space)"%'
            """
        )
        let others: [Promise<[Member]>] = (0..<7).map { _ in store.list(Member.self) }
        // Each has a connection then, and one makes the index.
        try await schema.server.reach(
            """
            9 <= (SELECT count(*) FROM pg_stat_activity \
            WHERE application_name = '\(schema.space)')
            """
        )
        try writer.execute("COMMIT")
        for list in [first] + others { try await expect(list.value.count, equals: 3) }
        try await use(store)
        try await store.close()
    }

    @Test(arguments: [false, true])
    func `a migration makes UUIDs of texts, of one column after the other`(byClosure: Bool)
        async throws
    {
        try await makeTexts()
        let before = try values()
        let migrations = columns.map { column in
            PostgreSQLMigration("UUIDs in \(column)") { migration in
                let field = FieldKey(column)
                let isThere =
                    byClosure
                    ? try migration.change(field, in: "Member", to: .uuid) { $0 }
                    : try migration.change(
                        field,
                        in: "Member",
                        to: .uuid,
                        using: "\(column)::uuid"
                    )
                expect(isThere)
            }
        }
        for count in 0...3 {
            try await schema.withStore(Array(migrations.prefix(count))) { try await use($0) }
            try expect(
                types(),
                equals: columns.enumerated().map { "\($1) \($0 < count ? "uuid" : "text")" }
            )
            try expect(values().map { $0.uppercased() }, equals: before)
        }
    }

    @Test func `a text that is no UUID is not made one, and the error says which column it is in`()
        async throws
    {
        try await makeTexts()
        try schema.server.connect().execute(
            "UPDATE \(schema.space).\"Member\" SET token = 'x' WHERE boss IS NULL"
        )
        let cases: [(PostgreSQLMigration, String)] = [
            (
                PostgreSQLMigration("by SQL") { migration in
                    try migration.change("token", in: "Member", to: .uuid, using: "token::uuid")
                }, "ALTER COLUMN \"token\" TYPE uuid"
            ),
            (
                PostgreSQLMigration("by closure") { migration in
                    try migration.change("token", in: "Member", to: .uuid) { $0 }
                }, "Member.token is no UUID with its letters in capitals"
            ),
        ]
        for (migration, reason) in cases {
            let error = await #expect(throws: StoreError.self) {
                try await schema.withStore([migration])
            }
            expect(error?.description.contains(reason) ?? false, "\(String(describing: error))")
        }
        try expect(types(), equals: columns.map { "\($0) text" })
    }

    @Test func `a migration adds a column of UUIDs, goes through it and writes it`() async throws {
        try await schema.withStore { try await fill($0) }
        let migration = PostgreSQLMigration("tokens") { migration in
            try migration.add(
                "code",
                to: "Member",
                as: .uuid,
                value: uuid(0xCC).attributeValue
            )
            try migration.transform("Member") { row in
                if row["boss"] == .null { row["code"] = row["id"] }
            }
        }
        try await schema.withStore([migration])
        let (boss, other) = (uuid(0xA0), uuid(0xCC))
        try expect(
            schema.column("SELECT code FROM SPACE.\"Member\" ORDER BY \"_order\""),
            equals: [boss, other, other].map(\.uuidString)
        )
    }

    @Test func `what others write to records with UUIDs is seen in live lists`() async throws {
        let (own, other) = (
            try PostgreSQLRoute(mode: .direct).store(schema.space),
            try PostgreSQLRoute(mode: .direct).store(schema.space)
        )
        try await fill(other)
        let list = own.observe(Member.self, orderBy: .ascending(\.id)).makeAsyncIterator()
        try await expect(list.next()?.models.count, equals: 3)
        let member = try await other.lookup(Member.self, identifier: uuid(0xFA)).value
        member.name.value = "Ada"
        try await other.update(member)
        try await expect(list.next()?.models.map(\.name.value), equals: [nil, nil, "Ada"])
        try await other.delete(member)
        try await expect(list.next()?.models.map(\.id.value), equals: [uuid(0x0A), uuid(0xA0)])
        for store in [own, other] { try await store.close() }
    }

    @Test func `the identifier that the log has of a UUID is that of its record`() throws {
        let table = try PostgreSQLTable(of: Member.schema, in: schema.space)
        let id = uuid(0xAB)
        for text in [id.uuidString, id.uuidString.lowercased()] {
            try expect(table.identifier(ofText: text), equals: Identifier(id))
        }
    }

    @Test func `any text is beside the first UUID that does not come before it`() {
        var chance = SplitMix(seed: .random(in: 0 ... .max))
        let bytes = Array("0139AF-/:@Gaf".utf8) + [0, 0xC3]
        func text(_ number: UInt128) -> String {
            withUnsafeBytes(of: number.bigEndian) {
                UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString
            }
        }
        for _ in 0..<20_000 {
            let number: UInt128 = chance.pick([0, .max, .random(in: 0 ... .max, using: &chance)])
            expect(PostgreSQLUUID.number(of: text(number)), equals: number)
            var other = Array(text(number).utf8)
            let place = Int.random(in: 0...36, using: &chance)
            if place < 36 { other[place] = chance.pick(bytes) } else { other.append(0x30) }
            if chance.pick([true, false]) { other.removeLast(36 - place) }
            let given = String(decoding: other, as: UTF8.self)
            let first = PostgreSQLUUID.first(from: given)
            func isBefore(_ number: UInt128) -> Bool {
                text(number).utf8.lexicographicallyPrecedes(given.utf8)
            }
            guard let first else {
                expect(isBefore(.max), given)
                continue
            }
            expect(!isBefore(first.number), given)
            expect(first.number == 0 || isBefore(first.number - 1), given)
            expect(first.isSame, equals: text(first.number) == given, given)
        }
    }
}
