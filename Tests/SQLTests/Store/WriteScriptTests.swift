import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

private final class Account: Model {
    let id = Field<String>()
    let email = Field<String>().unique()
    let ratio = Field<Double>().unique()
    let seen = Field<Date>().unique()
    let mixed = Field<AttributeValue>().unique()
    let city = Field<String>().indexed()
    let tags = Field<String>()*
}

private final class Counted: Model {
    let id = Field<Int>()
    let code = Field<Int>().unique()
}

extension SplitMix {
    fileprivate mutating func value(_ key: FieldKey) -> AttributeValue {
        switch key {
        case "email", "city":
            .string(pick(["a", "A", "", "\u{e9}", "e\u{301}", "a\u{0}", "😀", "b", "c", "d"]))
        case "ratio": .double(pick([-0.0, 0, 0.5, 1, 5e300, -1, .nan]))
        case "seen":
            .date(Date(timeIntervalSince1970: pick([0, 0.000_000_1, 0.000_001, 1, 2, -1e9])))
        case "mixed":
            pick([
                .int(1), .double(1), .double(-0.0), .int(0), .string("1"), .bool(true),
                .array([1]), .dictionary(["a": 1]), .data(Data([1])),
                .date(Date(timeIntervalSince1970: 0)), .int(.max), .double(0x1p63),
            ])
        case "code": .int(pick([.min, -1, 0, 1, 2, .max]))
        default: .array([.string(pick(["a", "b"]))])
        }
    }

    fileprivate mutating func values(_ schema: ModelSchema) -> [FieldKey: AttributeValue] {
        var values: [FieldKey: AttributeValue] = [:]
        for entry in schema.fields where entry.name != "id" {
            switch Int.random(in: 0..<8, using: &self) {
            case 0: values[entry.key] = .null
            case 1, 2, 3: values[entry.key] = value(entry.key)
            default: continue
            }
        }
        if Int.random(in: 0..<60, using: &self) == 0 { values["nobody"] = 1 }
        if Int.random(in: 0..<60, using: &self) == 0 { values["id"] = "other" }
        return values
    }

    fileprivate mutating func write() -> RecordWrite {
        let schema = pick([Account.schema, Account.schema, Counted.schema])
        let identifier: Identifier =
            schema == Account.schema
            ? .string(pick(["p", "q", "P", "\u{e9}", "e\u{301}"]))
            : .int(pick([1, 2, 3, 7]))
        let revision: Int64? = pick([nil, nil, nil, 1, 2])
        switch Int.random(in: 0..<12, using: &self) {
        case 0, 1, 2:
            let given = schema == Counted.schema ? pick([nil, identifier]) : identifier
            return RecordWrite(.create(given, values(schema)), of: schema)
        case 3, 4, 5:
            let policy = pick([OnConflict.fail, .replace, .merge])
            return RecordWrite(.save(identifier, values(schema), policy), of: schema)
        case 6...9:
            return RecordWrite(.update(identifier, values(schema), revision: revision), of: schema)
        default: return RecordWrite(.delete(identifier, revision: revision), of: schema)
        }
    }
}

/// What a store has to do, with nothing but arrays and searches from the start.
private struct Naive {
    struct Row {
        let type: String
        let identifier: Identifier
        var revision: Int64
        var values: [FieldKey: AttributeValue]
    }

    private(set) var rows: [Row] = []
    private var greatest: Int64 = 0
    /// The greatest revisions of deleted rows, by type.
    private var gone: [String: Int64] = [:]

    mutating func perform(_ writes: [RecordWrite]) throws(StoreError) -> [RecordReceipt] {
        let before = self
        var receipts: [RecordReceipt] = []
        for write in writes {
            do throws(StoreError) {
                receipts.append(try apply(write.action, write.schema))
            } catch {
                self = before
                throw error
            }
        }
        return receipts
    }

    private mutating func apply(
        _ action: RecordWrite.Action,
        _ schema: ModelSchema
    ) throws(StoreError) -> RecordReceipt {
        switch action {
        case .create(let given, let values):
            let identifier = given ?? .int(greatest + 1)
            var all = values
            all["id"] = identifier.attributeValue
            try check(all, schema)
            if index(of: identifier, schema) != nil {
                throw .alreadyExists(type: schema.name, identifier: identifier)
            }
            try checkUnique(all, identifier, schema)
            if case .int(let number) = identifier { greatest = max(greatest, number) }
            for entry in schema.fields where all[entry.key] == nil { all[entry.key] = .null }
            let revision = gone[schema.name, default: 0] + 1
            rows.append(
                Row(type: schema.name, identifier: identifier, revision: revision, values: all)
            )
            return RecordReceipt(identifier: identifier, revision: revision, isNew: true)
        case .save(let identifier, var values, let onConflict):
            if onConflict == .fail || index(of: identifier, schema) == nil {
                return try apply(.create(identifier, values), schema)
            }
            if onConflict == .replace {
                var checked = values
                checked["id"] = identifier.attributeValue
                try check(checked, schema)
                for entry in schema.fields where values[entry.key] == nil {
                    values[entry.key] = .null
                }
            }
            values["id"] = nil
            return try apply(.update(identifier, values, revision: nil), schema)
        case .update(let identifier, let changes, let expected):
            let index = try find(identifier, expected, changes, schema)
            try check(changes, schema, of: identifier)
            try checkUnique(changes, identifier, schema)
            rows[index].revision += 1
            rows[index].values.merge(changes) { $1 }
            return RecordReceipt(identifier: identifier, revision: rows[index].revision)
        case .delete(let identifier, let expected):
            let index = try find(identifier, expected, [:], schema)
            let row = rows.remove(at: index)
            gone[schema.name] = max(row.revision, gone[schema.name, default: 0])
            return RecordReceipt(identifier: identifier, revision: row.revision)
        }
    }

    private func index(of identifier: Identifier, _ schema: ModelSchema) -> Int? {
        rows.firstIndex { $0.type == schema.name && $0.identifier == identifier }
    }

    private func find(
        _ identifier: Identifier,
        _ expected: Int64?,
        _ changes: [FieldKey: AttributeValue],
        _ schema: ModelSchema
    ) throws(StoreError) -> Int {
        guard let index = index(of: identifier, schema) else {
            throw .notFound(type: schema.name, identifier: identifier)
        }
        if let expected, expected != rows[index].revision {
            throw .conflict(
                StoreError.Conflict(
                    type: schema.name,
                    identifier: identifier,
                    base: expected,
                    mine: changes,
                    theirs: Record(
                        identifier: identifier,
                        revision: rows[index].revision,
                        values: rows[index].values
                    )
                )
            )
        }
        return index
    }

    /// Field by field, so that the first mistake in the order of the schema is reported.
    private func check(
        _ values: [FieldKey: AttributeValue],
        _ schema: ModelSchema,
        of identifier: Identifier? = nil
    ) throws(StoreError) {
        for entry in schema.fields {
            if case .double(let number)? = values[entry.key], number.isNaN {
                throw .unsupported("\(schema.name).\(entry.key) is nan, which cannot be stored")
            }
            if entry.name == "id", entry.kind == .int, case .string? = values["id"] {
                throw .schema("\(schema.name).id is declared as int, but its value is a string")
            }
            if entry.name == "id", let identifier, let other = values["id"],
                (try? Identifier(attributeValue: other)) != identifier
            {
                throw .unsupported(
                    "the identifier of \(schema.name) \(identifier) cannot be changed to \(other)"
                )
            }
        }
        if values["nobody"] != nil { throw .schema("\(schema.name) has no field nobody") }
    }

    private func checkUnique(
        _ values: [FieldKey: AttributeValue],
        _ identifier: Identifier,
        _ schema: ModelSchema
    ) throws(StoreError) {
        for entry in schema.fields where entry.isUnique {
            guard let value = values[entry.key] else { continue }
            for row in rows where row.type == schema.name && row.identifier != identifier {
                if let other = row.values[entry.key], areSame(value, other) {
                    throw .alreadyExists(
                        type: schema.name,
                        identifier: row.identifier,
                        field: entry.key
                    )
                }
            }
        }
    }

    private func areSame(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.int(let left), .double(let right)), (.double(let right), .int(let left)):
            Int64(exactly: right) == left
        case (.string(let left), .string(let right)): Array(left.utf8) == Array(right.utf8)
        case (.bool(let left), .bool(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.date(let left), .date(let right)):
            Timestamp.microseconds(of: left) == Timestamp.microseconds(of: right)
        default: false
        }
    }
}

@Suite struct WriteScriptTests {
    @Test func `every store does with scripts of writes what arrays do`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SplitMix(seed: seed)
        let directory = try TemporaryDirectory()
        var refused = 0
        for round in 0..<12 {
            var naive = Naive()
            let stores: [any RecordStore] = [
                MemoryRecordStore(), try SQLiteModelStore(path: ":memory:").records,
                try ArchiveModelStore(
                    directory: directory.file("archive\(round)"),
                    group: "group"
                ).records,
            ]
            for step in 0..<60 {
                let writes = (0..<chance.pick([1, 1, 2, 3, 5])).map { _ in chance.write() }
                let right: String
                do {
                    right = text(of: try naive.perform(writes))
                } catch {
                    right = text(of: error)
                    refused += 1
                }
                for store in stores {
                    let found = await outcome(of: store.perform(writes))
                    expect(
                        found,
                        equals: right,
                        "seed: \(seed), \(type(of: store)), \(round) \(step) \(writes.map(\.action))"
                    )
                    for schema in [Account.schema, Counted.schema] {
                        let all = try await store.fetch(RecordQuery(), of: schema).value
                        let expected = naive.rows.filter { $0.type == schema.name }
                        expect(
                            all.map { text($0.identifier, $0.revision, $0.values) },
                            equals: expected.map { text($0.identifier, $0.revision, $0.values) },
                            "seed: \(seed), \(type(of: store)), \(round) \(step)"
                        )
                    }
                    if found != right { return }
                }
            }
        }
        // Enough of them to show something.
        expect(refused > 100)
    }

    private func outcome(of promise: Promise<[RecordReceipt]>) async -> String {
        do {
            return text(of: try await promise.value)
        } catch {
            return text(of: error)
        }
    }

    /// Without the records, which are compared as they are fetched.
    private func text(of receipts: [RecordReceipt]) -> String {
        receipts.map { "\($0.identifier) \($0.revision) \($0.isNew)" }.joined(separator: ", ")
    }

    private func text(of error: any Error) -> String {
        guard case StoreError.conflict(let conflict) = error else {
            return "\(String(reflecting: type(of: error))) \(error)"
        }
        let theirs = conflict.theirs
        return "conflict \(conflict.identifier) \(conflict.base) "
            + text(theirs.identifier, theirs.revision, theirs.values)
    }

    private func text(
        _ identifier: Identifier,
        _ revision: Int64,
        _ values: [FieldKey: AttributeValue]
    ) -> String {
        let values = values.map { "\($0.key): \(text(of: $0.value))" }.sorted()
        return "\(Array(identifier.description.utf8)) \(revision) \(values)"
    }

    private func text(of value: AttributeValue) -> String {
        switch value {
        case .date(let date): "date \(Timestamp.microseconds(of: date))"
        case .string(let text): "\(Array(text.utf8))"
        case .array(let values): "\(values.map(text(of:)))"
        case .data(let data): "data \(Array(data))"
        case .double(let number): "double \(number.bitPattern)"
        default: "\(value)"
        }
    }
}
