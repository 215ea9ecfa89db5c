import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// What a model that is written with members of its relations leaves in these.
@Suite struct GraphTests {
    private final class Order: Model {
        let id = Field<String>()
        let note = Field<String>()
        let lines = ModelField<Line>(inverse: \.order)*
        let customer = ModelField<Customer>(foreignKey: true)
        init() { linkFields() }
    }

    private final class Line: Model {
        let id = Field<String>()
        let order = ModelField<Order>(foreignKey: true)
        let customer = ModelField<Customer>(foreignKey: true).require(.required)
        init() { linkFields() }

        convenience init(_ id: String, for customer: Customer) {
            self.init()
            self.id.value = id
            self.customer.value = customer
        }
    }

    private final class Customer: Model {
        let id = Field<String>()
        let name = Field<String>().require(.required)
        let age = Field<Int>(value: 3)
    }

    private let store = MemoryModelStore()

    init() throws {
        _ = try store.records.perform([
            RecordWrite(.create("o", ["customer": "c"]), of: Order.schema),
            RecordWrite(.create("c", ["name": "Ada", "age": 36]), of: Customer.schema),
        ]).wait()
    }

    private func stored() async throws -> Record {
        try #require(try await store.records.record("c", of: Customer.schema).value)
    }

    @Test(arguments: [false, true])
    func `what is only known by its identifier stays so, and is written as far as it was set`(
        isCreated: Bool
    ) async throws {
        let read = try await store.lookup(Order.self, identifier: "o").value
        let shell = try #require(read.customer.value)
        let before = try await stored()
        let order = isCreated ? Order() : read
        order.note.value = "new"
        order.customer.value = shell
        if isCreated {
            _ = try await store.create(order, including: \.customer).value
        } else {
            _ = try await store.save(order, including: \.customer).value
        }
        expect(shell.loadState, equals: .incomplete)
        try await expect(stored(), equals: before)
        shell.name.value = "Eve"
        _ = try await store.save(order, including: \.customer).value
        try await expect(stored().values, equals: ["id": "c", "name": "Eve", "age": 36])
        let found = try await store.lookup(Customer.self, identifier: "c").value
        expect(found === shell)
        expect(shell.age.value, equals: 36)
        read.unlink()
    }

    private final class Team: Model {
        let id = Field<String>()
        let name = Field<String>()
        let players = ModelField<Player>(inverse: \.team)*
        let address = ModelField<Player>()
        init() { linkFields() }
    }

    private final class Player: Model {
        let id = Field<String>()
        let team = ModelField<Team>()
        init() { linkFields() }
    }

    @Test func `what has no records of its own cannot be written by including it`() async throws {
        let team = Team(), player = Player()
        team.players.append(player)
        func message<M>(_ promise: Promise<M>) async -> String {
            do {
                _ = try await promise.value
                return "written"
            } catch StoreError.unsupported(let message) {
                return message
            } catch {
                return "\(error)"
            }
        }
        let texts = await [
            message(store.save(team, including: \.players)),
            message(store.create(team, including: .relation(\.address))),
            message(store.save(player, including: \.team)),
            message(store.save(team, including: \.name)),
        ]
        expect(texts[0].contains("Team.players") && texts[0].contains("declare Player.team with"))
        expect(texts[1].contains("declare Team.address with foreignKey: true"))
        expect(texts[2].contains("declare Player.team with foreignKey: true"))
        expect(texts[3].contains("Team.name is no relation"))
        try await expect(store.list(Team.self).value.count, equals: 0)
        team.unlink()
    }

    @Test(arguments: [("alreadyExists", true), ("validation", false)])
    func `one that fails gives back the identifiers that it has given`(
        code: String,
        isTaken: Bool
    ) async throws {
        let customer = try await store.lookup(Customer.self, identifier: "c").value
        let taken = try await store.create(Line("taken", for: customer)).value
        let order = Order()
        // A customer that was never stored has no key.
        let wrong = isTaken ? Line("taken", for: customer) : Line("m", for: Customer())
        order.lines.value = [Line("l", for: customer), wrong]
        do {
            _ = try await store.create(order, including: \.lines).value
            expect(Bool(false), "a line was written that cannot be")
        } catch let error as StoreError {
            expect(error.code, equals: code)
        }
        expect(order.identifier, equals: nil)
        try await expect(store.list(Line.self).value.map(\.id.value), equals: ["taken"])
        (wrong.id.value, wrong.customer.value) = ("m", customer)
        _ = try await store.create(order, including: \.lines).value
        let lines = try await store.list(Line.self, orderBy: .ascending(\.id)).value
        expect(lines.map { $0.order.value === order }, equals: [true, true, false])
        withExtendedLifetime(taken) {}
    }
}
