import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// Writes of models of which a store has more than they know: shells, and what was unloaded.
@Suite struct ShellWriteTests {
    final class Order: Model {
        let id = Field<String>()
        let note = Field<String>()
        let lines = ModelField<Line>(inverse: \.order)*
        let marked = ModelField<Line>(foreignKey: true)*
        let customer = ModelField<Customer>(foreignKey: true)
        init() { linkFields() }
    }

    final class Line: Model {
        let id = Field<String>()
        let amount = Field<Int>()
        let order = ModelField<Order>(foreignKey: true)
        init() { linkFields() }
    }

    final class Customer: Model {
        let id = Field<String>()
        let name = Field<String>().require(.required)
        let age = Field<Int>(value: 3)
        let town = Field<String>().require("is too long") { $0.count < 9 }
    }

    final class Contact: Model {
        let id = Field<String>()
        let email = Field<String>()
        let phone = Field<String>()
        let note = Field<String>()

        func check(_ report: inout ModelReport) {
            report.require("needs an e-mail or a phone") {
                email.value != nil || phone.value != nil
            }
        }
    }

    private let store = MemoryModelStore()

    init() throws {
        _ = try store.records.perform([
            RecordWrite(
                .create("o", ["marked": ["l", "m"], "customer": "c", "note": "first"]),
                of: Order.schema
            ),
            RecordWrite(.create("l", ["order": "o", "amount": 1]), of: Line.schema),
            RecordWrite(.create("m", ["order": "o", "amount": 2]), of: Line.schema),
            RecordWrite(.create("c", ["name": "Ada", "age": 36]), of: Customer.schema),
        ]).wait()
    }

    private func values<M: Model>(
        of type: M.Type,
        _ identifier: Identifier
    ) async throws -> [FieldKey: AttributeValue] {
        let record = try await store.records.record(identifier, of: M.schema).value
        return try #require(record).values
    }

    private func customer() async throws -> (order: Order, shell: Customer) {
        let order = try await store.lookup(Order.self, identifier: "o").value
        let shell = try #require(order.customer.value)
        expect(shell.loadState, equals: .incomplete)
        return (order, shell)
    }

    @Test(arguments: [false, true])
    func `an update of a shell sends what was set, and no default value`(
        _ inTransaction: Bool
    ) async throws {
        let (order, shell) = try await customer()
        shell.name.value = "Eve"
        if inTransaction {
            try await store.transaction { try $0.update(shell) }.value
        } else {
            _ = try await store.update(shell).value
        }
        try await expect(
            values(of: Customer.self, "c"),
            equals: ["id": "c", "name": "Eve", "age": 36, "town": .null]
        )
        // Nor is it taken for what was agreed on.
        try expect(store.lookupImmediately(Customer.self, identifier: "c") === shell)
        expect(shell.age.value, equals: 36)
        shell.age.value = 37
        _ = try await store.update(shell).value
        try await expect(values(of: Customer.self, "c")["age"], equals: 37)
        order.unlink()
    }

    @Test func `an update of a shell sends nothing that inverses have set of it`() async throws {
        let line = try await store.lookup(Line.self, identifier: "l").value
        let shell = try #require(line.order.value)
        expect(shell.lines.value, equals: nil)
        shell.note.value = "fragile"
        _ = try await store.update(shell).value
        let values = try await values(of: Order.self, "o")
        expect(values["marked"], equals: ["l", "m"])
        expect(values["lines"], equals: nil)
        expect(values["note"], equals: "fragile")
        expect(values["customer"], equals: "c")
        let order = try await store.lookup(Order.self, identifier: "o").value
        expect(order === shell)
        expect(order.marked.value?.map(\.id.value), equals: ["l", "m"])
        expect(order.customer.value?.id.value, equals: "c")
        order.unlink()
    }

    @Test func `what was set in a shell stays as its record is read, and is written`() async throws
    {
        let line = try await store.lookup(Line.self, identifier: "l").value
        let shell = try #require(line.order.value)
        let eve = Customer()
        (eve.id.value, eve.name.value) = ("e", "Eve")
        _ = try await store.create(eve).value
        shell.customer.value = eve
        shell.note.value = "fragile"
        let order = try await store.lookup(Order.self, identifier: "o").value
        expect(order === shell)
        expect(order.customer.value === eve)
        expect(order.note.value, equals: "fragile")
        expect(order.marked.value?.map(\.id.value), equals: ["l", "m"])
        _ = try await store.update(order).value
        let values = try await values(of: Order.self, "o")
        expect([values["customer"], values["note"]], equals: ["e", "fragile"])
        order.unlink()
    }

    @Test func `a shell that is merged leaves alone what it does not know`() async throws {
        let (order, shell) = try await customer()
        shell.town.value = "Rome"
        shell.name.value = "Eve"
        _ = try await store.save(shell, onConflict: .merge).value
        try await expect(
            values(of: Customer.self, "c"),
            equals: ["id": "c", "name": "Eve", "age": 36, "town": "Rome"]
        )
        order.unlink()
    }

    @Test func `a shell that is created has its default values, and all of it is known then`()
        async throws
    {
        let (order, shell) = try await customer()
        _ = try await store.records.perform([
            RecordWrite(.delete("c", revision: nil), of: Customer.schema)
        ]).value
        await #expect(throws: StoreError.self, "it has no name") {
            try await store.create(shell).value
        }
        shell.name.value = "Eve"
        _ = try await store.create(shell).value
        try await expect(values(of: Customer.self, "c")["age"], equals: 3)
        try expect(store.lookupImmediately(Customer.self, identifier: "c") === shell)
        shell.age.value = 4
        _ = try await store.update(shell).value
        try await expect(values(of: Customer.self, "c")["age"], equals: 4)
        order.unlink()
    }

    @Test func `rules are asked of what is written, and not of what is not known`() async throws {
        let (order, shell) = try await customer()
        shell.age.value = 40
        _ = try await store.update(shell).value
        expect(shell.name.validationState, equals: .unknown)
        shell.town.value = "Constantinople"
        await #expect {
            try await store.update(shell).value
        } throws: { error in
            (error as? StoreError)?.issues.map(\.path) == [["town"]]
        }
        shell.town.value = "Rome"
        _ = try await store.save(shell).value
        let found = try await store.lookup(Customer.self, identifier: "c").value
        expect(found === shell)
        expect([found.name.value, found.town.value], equals: ["Ada", "Rome"])
        found.unload()
        found.age.value = 41
        _ = try await store.update(found).value
        found.age.value = 42
        _ = try await store.save(found).value
        try await store.transaction { transaction in
            found.town.value = "Pisa"
            try transaction.save(found)
        }.value
        try await expect(
            values(of: Customer.self, "c"),
            equals: ["id": "c", "name": "Ada", "age": 42, "town": "Pisa"]
        )
        // What is known has to be there.
        found.name.value = nil
        await #expect(throws: StoreError.self) { try await store.update(found).value }
        order.unlink()
    }

    @Test func `without waiting, a model that was unloaded is filled`() throws {
        let found = try #require(try store.lookupImmediately(Customer.self, identifier: "c"))
        found.unload()
        found.town.value = "Rome"
        try expect(store.lookupImmediately(Customer.self, identifier: "c") === found)
        expect(found.name.value, equals: "Ada")
        expect(found.age.value, equals: 36)
        expect(found.town.value, equals: "Rome")
    }

    @Test func `what is wrong with a model as a whole is asked only of one that is known`()
        async throws
    {
        let contact = Contact()
        (contact.id.value, contact.email.value) = ("k", "ada@example.org")
        _ = try await store.create(contact).value
        contact.unload()
        contact.note.value = "x"
        _ = try await store.update(contact).value
        try await expect(
            values(of: Contact.self, "k"),
            equals: ["id": "k", "email": "ada@example.org", "phone": .null, "note": "x"]
        )
        // All of it is known now.
        contact.unload()
        (contact.email.value, contact.phone.value, contact.note.value) = (nil, nil, "y")
        await #expect(throws: StoreError.self) { try await store.update(contact).value }
    }

    @Test(arguments: [false, true])
    func `a shell that is merged where there is nothing is a new model`(
        _ inTransaction: Bool
    ) async throws {
        let (order, shell) = try await customer()
        _ = try await store.records.perform([
            RecordWrite(.delete("c", revision: nil), of: Customer.schema)
        ]).value
        func save() async throws {
            if inTransaction {
                try await store.transaction { try $0.save(shell, onConflict: .merge) }.value
            } else {
                _ = try await store.save(shell, onConflict: .merge).value
            }
        }
        shell.town.value = "Rome"
        await #expect {
            try await save()
        } throws: { error in
            (error as? StoreError)?.issues.map(\.path) == [["name"]]
        }
        try await expect(store.list(Customer.self).value.isEmpty)
        shell.name.value = "Eve"
        try await save()
        try await expect(
            values(of: Customer.self, "c"),
            equals: ["id": "c", "name": "Eve", "age": 3, "town": "Rome"]
        )
        try expect(store.lookupImmediately(Customer.self, identifier: "c") === shell)
        expect(shell.age.value, equals: 3)
        order.unlink()
    }

    @Test func `issues of a batch that come up only as it is written name their model, too`()
        async throws
    {
        let (order, shell) = try await customer()
        _ = try await store.records.perform([
            RecordWrite(.delete("c", revision: nil), of: Customer.schema)
        ]).value
        shell.town.value = "Rome"
        order.note.value = "new"
        await #expect {
            try await store.perform([.update(order), .save(shell, onConflict: .merge)]).value
        } throws: { error in
            (error as? StoreError)?.issues.map(\.path) == [[1, "name"]]
        }
        try await expect(values(of: Order.self, "o")["note"], equals: "first")
        order.unlink()
    }

    @Test func `a shell that is merged needs no more rules than an update of it`() async throws {
        let (order, shell) = try await customer()
        shell.age.value = 40
        _ = try await store.save(shell, onConflict: .merge).value
        try await expect(
            values(of: Customer.self, "c"),
            equals: ["id": "c", "name": "Ada", "age": 40, "town": .null]
        )
        expect(shell.name.validationState, equals: .unknown)
        order.unlink()
    }
}
