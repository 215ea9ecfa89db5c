import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ModelKitTesting
import ScriptSupport
import TestSupport
import Testing

@Suite struct SQLiteDifferentialTests {
    @Test func `SQLite and memory answer every query alike, with indexes and without`()
        async throws
    {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SampleChance(seed: seed)
        let memory = MemoryRecordStore()
        let sqlite = try SQLiteModelStore(path: ":memory:").records
        let stores: [any RecordStore] = [memory, sqlite]
        try await fill(stores, &chance)
        for round in 0..<5 {
            let rows = (0..<20).map { index in
                (
                    chance.pick(["0", "0", "0"] + SampleChance.texts) + "\(round)-\(index)",
                    chance.values()
                )
            }
            for schema in [Sample.schema, Indexed.schema] {
                let writes = rows.map { identifier, values in
                    RecordWrite(.create(.string(identifier), values), of: schema)
                }
                for store in stores { _ = try await store.perform(writes).value }
            }
            // The values of one record after the other, without any index, show what is right.
            let all = try await memory.fetch(RecordQuery(), of: Sample.schema).value
            let partners =
                try await memory.fetch(RecordQuery(), of: Partner.schema).value
                + memory.fetch(RecordQuery(), of: Ticket.schema).value
            let known = Dictionary(uniqueKeysWithValues: all.map { ($0.identifier, $0) })
            let knownPartners = Dictionary(
                uniqueKeysWithValues: partners.map { ($0.identifier, $0) }
            )
            for _ in 0..<1_000 {
                var query = chance.query()
                let last = chance.pick([nil, nil, all.randomElement(using: &chance)])
                query.after = last.map { PageCursor(after: $0, in: query, of: Sample.schema) }
                let right = query.answer(from: all) {
                    $1 == Sample.schema ? known[$0] : knownPartners[$0]
                }
                for schema in [Sample.schema, Indexed.schema] {
                    query.filter = query.filter?.naming(schema)
                    query.after = last.map { PageCursor(after: $0, in: query, of: schema) }
                    for store in stores {
                        let found = try await store.fetch(query, of: schema).value
                        expect(
                            found.map(\.identifier),
                            equals: right.map(\.identifier),
                            "seed: \(seed), \(type(of: store)), \(schema.name), query: \(query)"
                        )
                        if found.map(\.identifier) != right.map(\.identifier) { return }
                        for (found, right) in zip(found, right) where found != right {
                            expect(
                                found.comparable,
                                equals: right.comparable,
                                "seed: \(seed), query: \(query)"
                            )
                        }
                    }
                }
            }
        }
    }

    private func fill(_ stores: [any RecordStore], _ chance: inout SampleChance) async throws {
        let writes = SampleChance.partners.dropLast().map { identifier in
            var values: [FieldKey: AttributeValue] = [:]
            for (key, value) in chance.partnerValues() { values[FieldKey(key)] = value }
            return RecordWrite(.create(.string(identifier), values), of: Partner.schema)
        }
        for store in stores {
            _ = try await store.perform(writes + SampleChance.tickets).value
        }
    }

    @Test func `pages of SQLite and memory are parts of the whole answer`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SampleChance(seed: seed)
        let memory = MemoryRecordStore()
        let sqlite = try SQLiteModelStore(path: ":memory:").records
        let writes = (0..<60).map { index in
            let identifier = chance.pick(SampleChance.texts) + "-\(index)"
            return RecordWrite(.create(.string(identifier), chance.values()), of: Sample.schema)
        }
        _ = try await memory.perform(writes).value
        _ = try await sqlite.perform(writes).value
        for _ in 0..<300 {
            var query = chance.query()
            query.limit = nil
            let all = try await memory.fetch(query, of: Sample.schema).value.map(\.identifier)
            let size = chance.pick([1, 2, 5, 20])
            for store in [memory as any RecordStore, sqlite] {
                var found: [Identifier] = []
                query.after = nil
                query.limit = size
                while true {
                    let page = try await store.fetch(query, of: Sample.schema).value
                    found += page.map(\.identifier)
                    guard let last = page.last, found.count <= all.count else { break }
                    query.after = PageCursor(after: last, in: query, of: Sample.schema)
                }
                expect(found, equals: all, "seed: \(seed), query: \(query), \(type(of: store))")
            }
        }
    }

    @Test func `SQLite and memory take and refuse the same writes`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SampleChance(seed: seed)
        let memory = MemoryRecordStore()
        let sqlite = try SQLiteModelStore(path: ":memory:").records
        for _ in 0..<500 {
            let writes = (0..<chance.pick([1, 1, 2, 4])).map { _ -> RecordWrite in
                let identifier: Identifier = .string(
                    chance.pick(["a", "b", "A", "\u{e9}", "e\u{301}"])
                )
                let revision = chance.pick([nil, nil, 1, 2, 3])
                var values = chance.values()
                if chance.pick([false, false, false, true]) {
                    let key = chance.pick(SampleChance.keys + ["nobody"])
                    values[key] = chance.operand(key)
                }
                let action: RecordWrite.Action =
                    switch chance.pick([0, 0, 1, 1, 2]) {
                    case 0: .create(chance.pick([identifier, identifier, 7, nil]), values)
                    case 1: .update(identifier, values, revision: revision.map(Int64.init))
                    default: .delete(identifier, revision: revision.map(Int64.init))
                    }
                return RecordWrite(action, of: Sample.schema)
            }
            let right = await outcome(of: memory.perform(writes))
            let found = await outcome(of: sqlite.perform(writes))
            expect(found, equals: right, "seed: \(seed), writes: \(writes.map(\.action))")
            let expected = try await memory.fetch(RecordQuery(), of: Sample.schema).value
            let all = try await sqlite.fetch(RecordQuery(), of: Sample.schema).value
            expect(
                all.map(\.comparable),
                equals: expected.map(\.comparable),
                "seed: \(seed), writes: \(writes.map(\.action))"
            )
        }
    }

    private func outcome(of promise: Promise<[RecordReceipt]>) async -> String {
        do {
            return "\(try await promise.value)"
        } catch StoreError.conflict(let conflict) {
            return "conflict \(conflict.identifier) \(conflict.base) \(conflict.theirs.comparable)"
        } catch {
            return "\(error)"
        }
    }
}
