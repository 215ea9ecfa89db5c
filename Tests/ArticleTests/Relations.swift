import Foundation
import ModelKit
import ModelKitSQL
import Testing

@Suite struct Relations {
    @Test func `the examples of the article run`() throws {
        let office = Office()
        office.name.value = "Paris"
        let desk = Desk()
        desk.label.value = "A1"
        office.desks.append(desk)
        print(office.dictionaryValue()["desks"] ?? .null)
        #expect(office.dictionaryValue()["desks"] == [["label": "A1", "office": [:]]])

        print(desk.office.value === office)  // true
        #expect(desk.office.value === office)
        let annex = Office()
        desk.office.value = annex
        print(office.desks.count, annex.desks.count)  // 0 1
        #expect(office.desks.value == [] && annex.desks.value == [desk])

        annex.unlink()
        print(desk.office.value as Any)  // nil
        #expect(desk.office.value == nil)

        let order = Order()
        let line = Line()
        order.lines.append(line)
        print(order.cascade().count, line.cascade().count)  // 1 0
        #expect(order.cascade().count == 1 && line.cascade().isEmpty)
        order.nullify()

        let parcel = try Parcel(dictionaryValue: ["id": "p1", "order": "o1"])
        print(parcel.order.value?.loadState as Any)  // incomplete
        #expect(parcel.order.value?.loadState == .incomplete)
        print(parcel.dictionaryValue()["order"] ?? .null)  // "o1"
        #expect(parcel.dictionaryValue()["order"] == "o1")

        let map = IdentityMap()
        let first = try map.read(Parcel.self, ["id": "p2", "order": "o2"])
        let known = try map.read(Order.self, ["id": "o2", "note": "fragile"])
        print(first.order.value === known)  // true
        #expect(first.order.value === known)
        print(known.loadState)  // loaded
        #expect(known.loadState == .loaded)

        let copy = known.copy()
        print(copy === known, copy.note.value ?? "")  // false fragile
        #expect(copy !== known && copy.note.value == "fragile")
        known.unload()
        print(known.loadState, known.dictionaryValue())  // incomplete ["id": "o2"]
        #expect(known.loadState == .incomplete && known.dictionaryValue() == ["id": "o2"])
        known.merge(from: copy)
        print(known.note.value ?? "")  // fragile
        #expect(known.note.value == "fragile")

        order["lines[0].amount"] = 3
        print(line.amount.value ?? 0)  // 3
        #expect(line.amount.value == 3)
        try order.setValue(4, at: ["lines", 0, "amount"])
        var names: [String] = []
        order.visitAllFields { field in names.append(field.key?.description ?? "-") }
        print(names.count)  // 5
        #expect(names.count == 5)
    }

    @Test func `a derived relation is loaded when it is asked for`() async throws {
        let path = TemporaryDatabase.path()
        defer { TemporaryDatabase.remove(path) }
        do {
            let store = try SQLiteModelStore(path: path)
            let account = Account()
            account.id.value = "a"
            try await store.create(account)
            for (id, amount) in [("e1", 5), ("e2", 7)] {
                let entry = Entry()
                entry.id.value = id
                entry.amount.value = amount
                entry.account.value = account
                try await store.create(entry)
            }
            #expect(account.total.value == 12)
            try await store.close()
        }
        let store = try SQLiteModelStore(path: path)
        let account = try await store.lookup(Account.self, identifier: "a")
        print(account.total.value as Any)  // nil
        #expect(account.total.value == nil && account.total.loadState == .notLoaded)
        let entries = try await store.load(account, \.entries)
        print(account.total.value as Any)  // Optional(12)
        #expect(account.total.value == 12)
        #expect(try await store.list(Entry.self) == entries)

        let large = try await store.list(account.entries, where: \.amount > 6)
        #expect(large.map(\.id.value) == ["e2"])
        #expect(try await store.count(account.entries) == 2)
        store.unload(account, \.entries)
        #expect(account.total.value == nil)
        let sum = try await store.load([account], \.entries) { account.total.value }
        #expect(sum == 12 && account.entries.value == nil)
        let listed = try await store.list(
            Account.self,
            including: .relation(\.entries, including: .relation(\.account))
        )
        #expect(listed.map(\.total.value) == [12])

        try await store.delete(account)
        #expect(entries.allSatisfy { $0.account.value == nil })

        let log = Log<String>()
        do {
            let report: ModelKitDiagnostics.Handler = { diagnostic in
                print(diagnostic.code.rawValue, diagnostic.field ?? "")  // unsavedMembers entries
            }
            let other = Account()
            other.entries.append(Entry())
            try await ModelKitDiagnostics.withHandler(report) {
                try await store.create(other)
            }
            try await ModelKitDiagnostics.withHandler({ log.add($0.code.rawValue) }) {
                let other = Account()
                other.entries.append(Entry())
                try await store.create(other)
            }
            #expect(log.entries == ["unsavedMembers"])
        }
        try await store.close()
    }
}

/// A file for a database of a test.
enum TemporaryDatabase {
    static func path() -> String {
        FileManager.default.temporaryDirectory
            .appendingPathComponent("\(UUID().uuidString).db").path
    }

    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal", "-lock"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }
}

final class Account: Model {
    let id = Field<String>()
    let entries = ModelField<Entry>(inverse: \.account)*
    let total: Computed<Int>

    init() {
        total = Computed { [entries] in entries.value?.reduce(0) { $0 + ($1.amount.value ?? 0) } }
        linkFields()
    }
}

final class Entry: Model {
    let id = Field<String>()
    let amount = Field<Int>()
    let account = ModelField<Account>(foreignKey: true)

    init() { linkFields() }
}

final class Office: Model {
    let name = Field<String>()
    let desks = ModelField<Desk>(inverse: \.office)*
    init() { linkFields() }
}

final class Desk: Model {
    let label = Field<String>()
    let office = ModelField<Office>()
    init() { linkFields() }
}

final class Order: Model {
    let id = Field<String>()
    let note = Field<String>()
    let lines = ModelField<Line>(inverse: \.order, cascadeDelete: true)*
    init() { linkFields() }
}

final class Line: Model {
    let amount = Field<Int>()
    let order = ModelField<Order>()
    init() { linkFields() }
}

final class Parcel: Model {
    let id = Field<String>()
    let order = ModelField<Order>(foreignKey: true)
}

extension Relations {
    @Test func `promises take relations, too`() async throws {
        let store = MemoryModelStore()
        let account = Account()
        account.id.value = "a"
        let (rent, food) = (Entry(), Entry())
        (rent.amount.value, food.amount.value) = (900, 60)

        account.entries.value = [rent, food]
        try await store.save(account, including: .relation(\.entries))
        rent.amount.value = 950
        _ = try await store.update(account, including: .relation(\.entries)).value  // rent
        store.unload(account, \.entries)
        let known = try await store.lookup(Account.self, identifier: "a", including: \.entries)
        print(known.total.value ?? 0)  // 1010
        #expect(known.total.value == 1010)

        let other = Account()
        other.entries.value = [Entry()]
        let created: Promise<Account> = store.create(other, including: \.entries)
        _ = try await created.value
        let saved: Promise<Account> = store.save(other, including: \.entries)
        let updated: Promise<Account> = store.update(other, including: \.entries)
        _ = try await (saved.value, updated.value)
        let found: Promise = store.lookup(Account.self, identifier: "a", including: \.entries)
        let accounts: Promise = store.list(Account.self, including: \.entries)
        let large: Promise = store.list(account.entries, where: \.amount > 100)
        print(try await found.value === account, try await accounts.value.count)  // true 2
        print(try await large.value == [rent])  // true
        #expect(try await found.value === account)
        #expect(try await accounts.value.count == 2)
        #expect(try await large.value == [rent])
    }
}
