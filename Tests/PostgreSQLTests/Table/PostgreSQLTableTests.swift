import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private enum First {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>().indexed()
    }
}

/// The same with more, and with a value of every kind for those that are there.
private enum Second {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>().unique()
        let flag = Field<Bool>(value: true)
        let count = Field<Int>(value: -7)
        let wide = Field<UInt64>(value: .max)
        let weight = Field<Double>(value: -0.0)
        let price = Field<Decimal>(value: Decimal(string: "-0.25"))
        let text = Field<String>(value: "it's \"\\'\u{301}", key: ["a", "it's \"quoted\""])
        let photo = Field<Data>(value: Data([0, 0xFF]))
        let token = Field<UUID>(value: UUID(uuidString: "4f2c9ae1-0b3d-4c5e-8f60-718293a4b5c6"))
        let born = Field<Date>(value: Date(timeIntervalSinceReferenceDate: 0.5))
        let tags = ArrayField(Field<String>(), value: ["it's", "\\"])
        let extra = Field<AttributeValue>(value: .array(["it's", 1.5])).indexed()
        let nothing = Field<String>()
    }
}

private enum Third {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<Int>()
    }
}

private enum Fourth {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>().identifier()
    }
}

private final class Colliding: Model {
    let id = Field<String>()
    let flat = Field<String>(key: "a_b")
    let nested = Field<String>(key: ["a", "b"])
}

private final class OwnColumn: Model {
    let id = Field<String>()
    let least = Field<Int>(key: "xmin")
}

private final class LongColumn: Model {
    let id = Field<String>()
    let text = Field<String>(key: FieldKey(String(repeating: "é", count: 32)))
}

private final class LongName: Model {
    let id = Field<String>()
    static var modelName: String { String(repeating: "a", count: 64) }
}

private final class ZeroName: Model {
    let id = Field<String>()
    static var modelName: String { "a\u{0}b" }
}

private final class Longest: Model {
    let id = Field<Int>()
    let text = Field<String>(key: FieldKey(String(repeating: "é", count: 31))).indexed()
    static var modelName: String { String(repeating: "ab'\"c", count: 12) + "abc" }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLTableTests {
    private let database: QueryDatabase

    init() throws { database = try QueryDatabase() }

    private func lack(_ table: PostgreSQLTable) throws -> PostgreSQLLack {
        try table.lack(database.connection.run(table.inspection))
    }

    private func table(_ schema: ModelSchema) throws -> PostgreSQLTable {
        try PostgreSQLTable(of: schema, in: database.space)
    }

    @Test func `a table that is made lacks nothing, and none lacks everything`() throws {
        for schema in [First.Person.schema, Second.Person.schema, Longest.schema] {
            let table = try table(schema)
            let before = try lack(table)
            expect(before.isWhole && before.columns.isEmpty)
            expect(before.indexes.map(\.name), equals: table.indexes.map(\.name))
            _ = try database.table(schema)
            expect(try lack(table).isEmpty)
            try database.connection.execute("DROP TABLE \(table.name)")
        }
    }

    @Test func `a column that is added has its field's default value in the rows that are there`()
        throws
    {
        _ = try database.table(First.Person.schema)
        try database.insert(
            [Record(identifier: "a", revision: 3, values: ["id": "a", "name": "A"], place: 7)],
            of: First.Person.schema
        )
        let table = try table(Second.Person.schema)
        let lack = try lack(table)
        expect(lack.columns.map(\.name), equals: table.columns.dropFirst(2).map(\.name))
        // Another version of the program may need the one that is not unique.
        expect(lack.needlessIndexes, equals: [])
        expect(lack.indexes.map(\.column.name), equals: ["name", "extra"])
        let statements =
            try lack.columns.flatMap { try table.addition(of: $0) }
            + lack.indexes.map { $0.definition() }
            + lack.needlessIndexes.map { table.removal(ofIndex: $0) }
        for sql in statements { try database.connection.execute(sql) }
        expect(try self.lack(table).isEmpty)
        let record = try #require(try table.record("a", database.connection))
        expect(record.place == 7 && record.revision == 3)
        for column in table.columns.dropFirst(2) {
            let value = try table.defaultValue(of: column)
            // And the sign of zero.
            expect("\(record[column.key] ?? .null)", equals: "\(value)", column.name)
        }
    }

    @Test func `a table that does not fit its type is an error that says why`() throws {
        let cases: [(String, ModelSchema, String)] = [
            (
                "", Third.Person.schema,
                "the column person.name has the type text COLLATE \"C\", but the field needs bigint"
            ),
            (
                "", Fourth.Person.schema,
                "the table person has no unique column name, which is the identifier"
            ),
            (
                "ALTER COLUMN name TYPE text COLLATE \"default\"", First.Person.schema,
                """
                the column person.name has the type text COLLATE "default", but the field needs \
                text COLLATE "C"
                """
            ),
            (
                "ALTER COLUMN name TYPE varchar(9) COLLATE \"C\"", First.Person.schema,
                """
                the column person.name has the type character varying(9) COLLATE "C", but the field \
                needs text COLLATE "C"
                """
            ),
            (
                "DROP COLUMN \"_revision\"", First.Person.schema,
                """
                the table person has no column _revision of the type bigint: it was not made by this \
                store
                """
            ),
            (
                "ADD COLUMN \"_revision\" integer", First.Person.schema,
                """
                the table person has no column _revision of the type bigint: it was not made by this \
                store
                """
            ),
        ]
        let made = try database.table(First.Person.schema)
        for (change, schema, reason) in cases {
            if !change.isEmpty {
                try database.connection.execute("ALTER TABLE \(made.name) \(change)")
            }
            let error = #expect(throws: StoreError.self) { try lack(table(schema)) }
            expect(error, equals: .schema(reason.replacing("person", with: made.schema.name)))
        }
    }

    @Test func `an index that is of something else or was not finished is made anew`() throws {
        let table = try database.table(First.Person.schema)
        let index = try #require(table.indexes.first)
        let name = index.name
        try database.connection.execute(
            """
            UPDATE pg_index SET indisvalid = false WHERE indexrelid = \
            (SELECT oid FROM pg_class WHERE relname = \(name.literal))
            """
        )
        let lack = try lack(table)
        expect(lack.indexes.map(\.name), equals: [name])
        expect(lack.needlessIndexes, equals: [name])
        let unique = try self.table(Second.Person.schema).indexes.map(\.name)
        expect(!unique.contains(name) && (unique + [name]).allSatisfy { $0.utf8.count <= 63 })
        // The same in every process.
        expect(name, equals: "_modelkit_index_Person_name_c61672adb3a017ef")
    }

    @Test func `rows with the same value in a column that is to be unique are found`() throws {
        let (old, table) = (
            try database.table(First.Person.schema), try table(Second.Person.schema)
        )
        let names = ["b", "a", nil, nil, "a", "b", "b"]
        let records = names.enumerated().map { index, name in
            let identifier = "\(index)"
            return Record(
                identifier: .string(identifier),
                revision: 1,
                values: ["id": .string(identifier), "name": name.map { .string($0) } ?? .null],
                place: Int64(names.count - index)
            )
        }
        try database.insert(records, of: old.schema)
        let index = try #require(table.indexes.first)
        #expect(throws: PostgreSQLError.self) {
            try database.connection.execute(index.definition())
        }
        let found = try database.connection.run(table.duplicates(of: index.column))
        let identifiers = try (0..<found.rowCount).map { try table.identifier(in: found, $0) }
        // In the order of creation.
        expect(identifiers, equals: ["6", "5"])
    }

    @Test func `names that PostgreSQL cannot have are errors`() throws {
        let cases: [(ModelSchema, String)] = [
            (Colliding.schema, "Colliding.a.b needs the column a_b, which a_b needs too"),
            (
                LongColumn.schema,
                """
                the name "\(String(repeating: "é", count: 32))" is longer than 63 bytes, of which \
                PostgreSQL has no more
                """
            ),
            (
                LongName.schema,
                """
                the name "\(LongName.modelName)" is longer than 63 bytes, of which PostgreSQL has no \
                more
                """
            ),
            (
                OwnColumn.schema,
                "OwnColumn.xmin needs the column xmin, which the database itself needs too"
            ),
            (ZeroName.schema, #"the name "a\0b" contains U+0000"#),
        ]
        for (schema, reason) in cases {
            let error = #expect(throws: StoreError.self) { try table(schema) }
            expect(error, equals: .schema(reason))
        }
    }

    @Test func `what PostgreSQL cannot keep is refused with the name of the field`() throws {
        let table = try database.table(Second.Person.schema)
        let cases: [(FieldKey, AttributeValue, StoreError)] = [
            (
                "name", "a\u{0}",
                .unsupported("name contains U+0000, which PostgreSQL does not store")
            ),
            (
                "tags", ["a", "\\\u{0}"],
                .unsupported("tags contains U+0000, which PostgreSQL does not store")
            ),
            ("tags", ["a\\u0000"], .unsupported("")),
            (
                "extra", .dictionary(["\u{0}": 1]),
                .unsupported("extra contains U+0000, which PostgreSQL does not store")
            ),
            (
                "extra", "\u{0}",
                .unsupported("extra contains U+0000, which PostgreSQL does not store")
            ),
            (
                "born", .date(Date(timeIntervalSinceReferenceDate: 1e12)),
                .unsupported("born is a date outside of the years 1 to 9999")
            ),
            (
                "extra", .date(Date(timeIntervalSinceReferenceDate: -1e12)),
                .unsupported("extra is a date outside of the years 1 to 9999")
            ),
            (
                "token", "4f2c9ae1-0b3d-4c5e-8f60-718293a4b5c6",
                .unsupported("token is no UUID with its letters in capitals")
            ),
            ("count", "1", .schema("count is declared as int, but its value is a string")),
            ("weight", .double(.nan), .unsupported("weight is nan, which cannot be stored")),
        ]
        for (key, value, expected) in cases {
            let column = try #require(table.column(key))
            var (parameters, found) = (PostgreSQLParameters(), StoreError?.none)
            do {
                try column.append(value, to: &parameters)
            } catch let error as StoreError {
                found = error
            }
            expect(parameters.count, equals: found == nil ? 1 : 0)
            switch (found, expected) {
            case (nil, .unsupported("")): break
            case (.unsupported(let one)?, .unsupported(let other)),
                (.schema(let one)?, .schema(let other)):
                expect(one, equals: "\(table.schema.name).\(other)")
            default: Issue.record("\(key) \(value): \(String(describing: found))")
            }
        }
    }
}
