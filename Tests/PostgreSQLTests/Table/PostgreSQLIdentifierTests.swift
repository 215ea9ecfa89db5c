import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private final class Wide: Model {
    let id = Field<UInt64>()
    let text = Field<String>()
}

private final class Exact: Model {
    let id = Field<Decimal>()
    let text = Field<String>()
}

private final class Either: Model {
    let id = Field<Identifier>()
    let text = Field<String>()
}

private final class Token: Model {
    let id = Field<UUID>()
    let text = Field<String>()
}

private final class Owner: Model {
    let id = Field<Int>()
    let token = ModelField<Token>(foreignKey: true)
    let wide = ModelField<Wide>(foreignKey: true)
    let exact = ModelField<Exact>(foreignKey: true)
    let either = ModelField<Either>(foreignKey: true)
    let whole = ModelField<Owner>(foreignKey: true)
}

/// Identifiers of every kind, and keys that lead to them.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLIdentifierTests {
    private let database: QueryDatabase
    private let memory = MemoryRecordStore()

    private static let wides: [AttributeValue] = [
        0, 9, 10, .int(.max), "9223372036854775808", "10000000000000000000",
        "18446744073709551615",
    ]
    private static let exacts: [AttributeValue] = ["0", "-1", "9", "10", "1.5", "-0.25"]
    private static let eithers: [AttributeValue] = [
        .int(.min), -10, -9, 0, 1, 10, .int(.max), "", "1", "a", "\u{301}",
    ]
    private static let tokens: [AttributeValue] = [
        "00000000-0000-0000-0000-000000000000", "4F2C9AE1-0B3D-4C5E-8F60-718293A4B5C6",
        "4F2C9AE1-0B3D-4C5E-8F60-718293A4B5C7", "A0000000-0000-4000-8000-000000000000",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    ]
    /// Texts beside those of UUIDs.
    private static let near: [AttributeValue] = [
        "4f2c9ae1-0b3d-4c5e-8f60-718293a4b5c6", "4F2C9AE1-0B3D-4C5E-8F60-718293A4B5C", "4F2C9AE1-",
        "4F2C9AE1-0B3D-4C5E-8F60-718293A4B5C66", "4F2C9AE1.0B3D-4C5E-8F60-718293A4B5C6", "C6",
        "4F2C9AE1!0B3D-4C5E-8F60-718293A4B5C6", "4F2C9AE1-0B3D-4C5E-8F60-718293A4B5C:", "-8F60",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFFF", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFG", "4",
        "4F2C9AE1-0B3D-4C5E-8F60-718293A4B5C6\u{0}", "G", "@", ":", "/", "-", "FFFFFFFFF",
    ]
    private static let operands: [AttributeValue] =
        wides + exacts + eithers + tokens + near + [
            .null, true, 1.0, 9.5, -0.0, .double(.infinity), .double(.nan), .double(0x1p63), "1.50",
            "a\u{0}", "zz", .data(Data([1])), .date(Date(timeIntervalSinceReferenceDate: 1e15)),
            [1],
        ]

    init() async throws {
        database = try QueryDatabase()
        for (schema, identifiers) in [
            (Wide.schema, Self.wides), (Exact.schema, Self.exacts), (Either.schema, Self.eithers),
            (Token.schema, Self.tokens),
        ] {
            let rows = identifiers.enumerated().map { index, identifier in
                ["id": identifier, "text": .string("\(index % 3)")] as [FieldKey: AttributeValue]
            }
            try await fill(rows, schema)
        }
        try await fill(
            (0..<24).map { index in
                [
                    "id": .int(Int64(index)), "wide": pick(Self.wides, index),
                    "exact": pick(Self.exacts, index), "either": pick(Self.eithers, index),
                    "token": pick(Self.tokens, index),
                    "whole": index % 4 == 0 ? .null : .int(Int64(index / 2)),
                ]
            },
            Owner.schema
        )
    }

    private func pick(_ values: [AttributeValue], _ index: Int) -> AttributeValue {
        let all = values + [.null]
        return all[index % all.count]
    }

    private func fill(_ rows: [[FieldKey: AttributeValue]], _ schema: ModelSchema) async throws {
        let writes = try rows.map { values in
            let identifier = try Identifier(attributeValue: values["id"] ?? .null)
            return RecordWrite(.create(identifier, values), of: schema)
        }
        _ = try await memory.perform(writes).value
        try database.insert(await memory.fetch(RecordQuery(), of: schema).value, of: schema)
    }

    private func compare(_ query: RecordQuery, _ schema: ModelSchema) async throws {
        let right = try await memory.fetch(query, of: schema).value.map(\.identifier)
        let found = try database.fetch(query, of: schema).map(\.identifier)
        expect(found, equals: right, "\(query) of \(schema.name)")
    }

    @Test func `conditions on identifiers and keys are those of memory`() async throws {
        let comparisons: [RecordFilter.Comparison] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ]
        let keys: [(FieldKey, ModelSchema)] = [
            ("id", Wide.schema), ("id", Exact.schema), ("id", Either.schema),
            ("wide", Owner.schema), ("exact", Owner.schema), ("either", Owner.schema),
            ("whole", Owner.schema), ("id", Token.schema), ("token", Owner.schema),
        ]
        for (key, schema) in keys {
            for operand in Self.operands {
                var filters = comparisons.map { RecordFilter.compare(key, $0, operand) }
                filters.append(.isIn(key, [operand, 9, "10", "9223372036854775808"]))
                if case .string(let text) = operand {
                    filters += [.hasPrefix(key, text), .hasSuffix(key, text)]
                    filters.append(.hasSubstring(key, text))
                }
                for filter in filters {
                    try await compare(RecordQuery(filter: filter), schema)
                    try await compare(RecordQuery(filter: .not(filter)), schema)
                }
            }
        }
    }

    @Test func `keys lead to what they lead to in memory`() async throws {
        let relations: [(FieldKey, ModelSchema)] = [
            ("wide", Wide.schema), ("exact", Exact.schema), ("either", Either.schema),
            ("whole", Owner.schema), ("wide", Either.schema), ("either", Exact.schema),
            ("token", Token.schema), ("token", Either.schema), ("either", Token.schema),
        ]
        for (key, partner) in relations {
            let inner: [RecordFilter] =
                partner == Owner.schema
                ? [.isNull("wide"), .has("whole", partner, .compare("id", .less, 3))]
                : [.compare("text", .equal, "1"), .compare("id", .greater, 1)]
            for filter in inner.map({ RecordFilter.has(key, partner, $0) }) {
                try await compare(RecordQuery(filter: filter), Owner.schema)
                try await compare(RecordQuery(filter: .not(filter)), Owner.schema)
            }
        }
    }

    @Test func `records are in the order that they have in memory, page by page`() async throws {
        let schemas = [
            Wide.schema, Exact.schema, Either.schema, Token.schema, Owner.schema,
        ]
        for schema in schemas {
            for key in schema.fields.map(\.key) {
                for isDescending in [false, true] {
                    var query = RecordQuery(order: [.init(key, isDescending: isDescending)])
                    try await compare(query, schema)
                    let all = try await memory.fetch(query, of: schema).value
                    query.limit = 3
                    for last in all {
                        query.after = PageCursor(after: last, in: query, of: schema)
                        try await compare(query, schema)
                    }
                }
            }
        }
    }

    @Test func `a key of another kind than the identifiers of its partner is refused`() throws {
        let table = try database.table(Owner.schema)
        let cases: [(FieldKey, AttributeValue, String)] = [
            ("wide", -1, "unsigned, but its value is an integer"),
            ("wide", "x", "unsigned, but its value is a string"),
            ("exact", 1, "decimal, but its value is an integer"),
            ("whole", "1", "int, but its value is a string"),
            ("token", 1, "uuid, but its value is an integer"),
        ]
        for (key, value, reason) in cases {
            var parameters = PostgreSQLParameters()
            let error = #expect(throws: StoreError.self) {
                try table.column(key)?.append(value, to: &parameters)
            }
            expect(
                error,
                equals: .schema("Owner.\(key) leads to identifiers of the kind \(reason)")
            )
        }
    }

    @Test func `numbers are made as the column of the identifier holds them`() throws {
        for (schema, isText) in [
            (Wide.schema, false), (Either.schema, true), (Owner.schema, false),
        ] {
            let table = try database.table(schema)
            for number in [1, 2, 3, 255, 256, Int64.max - 1, .max] {
                try database.connection.execute(
                    "SELECT setval(\(table.numbers), \(number), false)"
                )
                let made = try database.connection.run(
                    PostgreSQLStatement("SELECT (\(table.nextNumber))::text")
                )
                let expected = isText ? try PostgreSQLVariant.text(of: .int(number)) : "\(number)"
                expect(try made.bytes(0, 0).text, equals: expected)
            }
            let sql = "SELECT max(\(table.identifierColumn.number))::text FROM \(table.name)"
            let found = try database.connection.run(PostgreSQLStatement(sql))
            let greatest = try found.bytes(0, 0).text
            let right = [
                "Wide": "18446744073709551615", "Either": "9223372036854775807", "Owner": "23",
            ]
            expect(greatest, equals: right[schema.name])
        }
    }
}
