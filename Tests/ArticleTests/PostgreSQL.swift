import Foundation
import ModelKit
import ModelKitPostgreSQL
import ModelKitSQL
import Testing

@Suite struct PostgreSQL {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
        let age = Field<Int>()

        convenience init(_ name: String, age: Int) {
            self.init()
            self.name.value = name
            self.age.value = age
        }
    }

    final class Account: Model {
        let id = Field<String>()
        let balance = Field<Int>()
    }

    final class Withdrawal: Model {
        let id = Field<String>()
        let account = Field<String>().indexed()
        let amount = Field<Int>()
    }

    final class Order: Model {
        let id = Field<String>()
    }

    /// What a program does with its store.
    struct Program {
        let store: PostgreSQLModelStore

        func withdraw(_ amount: Int, from identifier: String) async throws {
            try await store.transaction { transaction in
                let account = try transaction.lookup(Account.self, identifier: identifier)
                account.balance.value = (account.balance.value ?? 0) - amount
                try transaction.update(account)
            }.value
        }

        func place(_ order: Order) async throws {
            do {
                try await store.create(order)
            } catch let error as StoreError where error.outcome == .unknown {
                // It has its identifier, so this makes no second one.
                try await store.save(order, onConflict: .replace)
            }
        }
    }

    func move(from path: String, to server: PostgreSQLModelStore) async throws {
        let file = try SQLiteModelStore(path: "people.db")
        let moved = try await file.move([Person.self], to: server)
        print(moved)  // [2 of Person, 2 of them new]
    }

    /// Runs the examples of the article.
    func run(on connection: String) async throws {
        let store = try PostgreSQLModelStore(connection)
        try await store.create([Person("Ada", age: 36), Person("Bob", age: 17)])
        let adults = try await store.list(Person.self, where: \.age >= 18)
        print(adults.compactMap(\.name.value))  // ["Ada"]
        #expect(adults.compactMap(\.name.value) == ["Ada"])

        let options = PostgreSQLOptions(connections: 16, deadline: .seconds(5))
        let tenant = try PostgreSQLModelStore(connection, options, schema: "tenant_7")
        #expect(try await tenant.list(Person.self).isEmpty)
        // It connects when it is first used.
        let pooled = try PostgreSQLModelStore(connection, PostgreSQLOptions(mode: .pooled))
        try await pooled.close()

        let old = connection
        let migrations = [
            PostgreSQLMigration("2026-10 full names") { migration in
                try migration.rename("fullName", to: "name", in: "Person")
            },
            PostgreSQLMigration("2026-11 ages are numbers") { migration in
                try migration.change("age", in: "Person", to: .int) { age in
                    guard case .string(let text) = age else { return .null }
                    return Int64(text).map { .int($0) } ?? .null
                }
            },
        ]
        let people = try await PostgreSQLModelStore.open(old, migrations: migrations)
        let capitals = PostgreSQLMigration("2026-12 capitals") { migration in
            guard try migration.columns(of: "Person").contains("name") else { return }
            try migration.execute(
                """
                UPDATE "Person" SET name = upper(name), "_revision" = nextval('"_modelkit_revisions_Person"') \
                WHERE age > $1
                """,
                [30]
            )
            try migration.transform("Person") { row in
                if row["age"] == .int(0) { row["age"] = .null }
            }
        }
        let badges = PostgreSQLMigration("2027-01 badges are UUIDs") { migration in
            try migration.change("id", in: "Badge", to: .uuid, using: "id::uuid")
            try migration.change("badge", in: "Visit", to: .uuid, using: "badge::uuid")
        }
        try await people.close()
        let later = try await PostgreSQLModelStore.open(
            old,
            migrations: migrations + [capitals, badges]
        )
        // Its age is a number already, which is no text.
        #expect(try await later.list(Person.self).map(\.name.value) == ["Ada", "Bob"])
        try await later.close()

        let withdrawal = Withdrawal()
        withdrawal.id.value = UUID().uuidString
        withdrawal.account.value = "a1"
        withdrawal.amount.value = 10
        try await store.create(withdrawal)
        let sum = try await store.sum(Withdrawal.self, of: \.amount, where: \.account == "a1")
        #expect(sum == 10)

        let account = Account()
        account.id.value = "a1"
        account.balance.value = 100
        try await store.create(account)
        let program = Program(store: store)
        try await program.withdraw(10, from: "a1")
        let found = try await store.records.record("a1", of: Account.schema).value
        #expect(found?.values["balance"] == 90)
        try await program.place(Order())

        try await tenant.close()
        try await store.close()
    }
}
