import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private final class Moved: Model {
    let id = Field<Int>()
    let name = Field<String>().unique()
    let born = Field<Date>()
    let price = Field<Decimal>()
    let tags = Field<String>()*
    let extra = Field<AttributeValue>()
    let weight = Field<Double>()
    let token = Field<UUID>()

    convenience init(_ number: Int) {
        self.init()
        token.value = number % 3 == 0 ? nil : UUID()
        name.value = "n\(number)"
        born.value = Date(timeIntervalSince1970: Double(number) + 0.25)
        price.value = Decimal(number) / 8
        tags.value = ["a", "\(number)"]
        extra.value = [.int(1), .double(-0.0), .string("x"), ["k": [1.5, nil]]][number % 4]
        weight.value = number % 2 == 0 ? -0.0 : Double(number)
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLMoveTests {
    private func fill(_ store: MemoryModelStore) async throws {
        let models = try await store.create((0..<2_300).map { Moved($0) })
        try await store.delete(models[5])
        for number in [3, 2_299] {
            for name in ["x", "y"] {
                models[number].name.value = "\(name)\(number)"
                try await store.update(models[number])
            }
        }
        let shapes = [Shape(), Circle()]
        for (number, shape) in shapes.enumerated() { shape.id.value = "s\(number)" }
        try await store.create(shapes)
    }

    private func records(_ store: some RecordModelStore) async throws -> [Record] {
        try await store.records.fetch(RecordQuery(), of: Moved.schema).value.map { record in
            var record = record
            record.place = 0
            return record
        }
    }

    @Test func `what is moved is as it was, with its identifiers, revisions and order`()
        async throws
    {
        let source = MemoryModelStore()
        try await fill(source)
        let database = try ImportDatabase()
        let lines = Guarded<[String]>([])
        let moved = try await source.move(
            [Moved.self, Shape.self, Circle.self, Moved.self],
            to: database.store
        ) { progress in
            lines.withLock { $0.append("\(progress)") }
        }
        expect(
            moved.map(\.description),
            equals: [
                "2299 of Moved, 2299 of them new", "1 of Shape, 1 of them new",
                "1 of Circle, 1 of them new",
            ]
        )
        expect(lines.withLock { $0.count }, equals: 5)
        let (here, there) = (try await records(source), try await records(database.store))
        expect(there.count, equals: here.count)
        for (here, there) in zip(here, there) where here != there {
            Issue.record("\(there) is not \(here)")
        }
        // The next numbers and revisions come after them.
        let next = Moved(9_999)
        try await database.store.create(next)
        expect(next.id.value, equals: 2_301)
        let revision = try await database.store.records.record(2_301, of: Moved.schema).value
        expect((revision?.revision ?? 0) > (here.map(\.revision).max() ?? 0))
        try await database.close()
    }

    @Test func `what is moved has other revisions after it is edited`() async throws {
        let source = MemoryModelStore()
        try await source.create(Moved(1))
        let database = try ImportDatabase()
        try await source.move([Moved.self], to: database.store)
        let record = try await database.store.records.record(1, of: Moved.schema).value
        expect(record?.revision, equals: 1)
        let other = try PostgreSQLModelStore(
            database.server.connection(),
            schema: database.space
        )
        let mine = try await database.store.lookup(Moved.self, identifier: 1)
        let theirs = try await other.lookup(Moved.self, identifier: 1)
        (mine.name.value, theirs.name.value) = ("mine", "theirs")
        try await database.store.update(mine)
        do {
            try await other.update(theirs)
            Issue.record("it was written over theirs")
        } catch StoreError.conflict {}
        // Nor is its number given again.
        try await database.store.delete(mine)
        let next = Moved(2)
        try await database.store.create(next)
        expect(next.id.value, equals: 2)
        try await other.close().value
        try await database.close()
    }

    @Test func `it goes on where it has ended, and refuses what is not the same`() async throws {
        let source = MemoryModelStore()
        try await fill(source)
        let proxy = try PostgreSQLProxy(to: .shared)
        let database = try ImportDatabase(.init(connections: 2), proxy.connection())
        _ = try await database.store.list(Moved.self)
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SplitMix(seed: seed)
        var ends = 0
        for _ in 0..<100 {
            proxy.fail(.cut, .toServer, after: .random(in: 0..<150_000, using: &chance))
            do {
                try await source.move([Moved.self], to: database.store)
                if ends > 0 { break }
                // What was cut has made no difference; from the beginning.
                try database.observer.execute("DELETE FROM \"\(database.space)\".\"Moved\"")
            } catch is StoreError {
                ends += 1
            }
        }
        proxy.heal()
        print("seed \(seed): ended \(ends) times")
        expect(ends > 0, "seed \(seed)")
        let moved = try await source.move([Moved.self], to: database.store)
        expect(moved.map(\.count), equals: [2_299])
        let (here, there) = (try await records(source), try await records(database.store))
        expect(there == here, "seed \(seed)")
        // One that somebody has changed there.
        let model = try await database.store.lookup(Moved.self, identifier: 7)
        model.name.value = "other"
        try await database.store.update(model)
        await #expect(throws: StoreError.alreadyExists(type: "Moved", identifier: 7)) {
            try await source.move([Moved.self], to: database.store)
        }
        // One that has the value of a unique field.
        try await database.store.delete(Moved.self, identifier: 7)
        try await database.store.create(Moved(6))
        let holder = try await database.store.list(Moved.self, where: \.name == "n6").first
        await #expect(
            throws: StoreError.alreadyExists(
                type: "Moved",
                identifier: try #require(holder?.identifier),
                field: "name"
            )
        ) {
            try await source.move([Moved.self], to: database.store)
        }
        // One that is there alone.
        try await source.delete(Moved.self, identifier: 8)
        try await source.delete(Moved.self, identifier: 7)
        let error = await #expect(throws: StoreError.self) {
            try await source.move([Moved.self], to: database.store)
        }
        expect("\(error as Any)".contains("2297 models here, 2299 there"), "\(error as Any)")
        try await database.close()
        await #expect(throws: StoreError.self) {
            try await source.move([Moved.self], to: MemoryModelStore())
        }
    }
}
