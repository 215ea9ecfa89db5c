import Foundation
import ModelKit
import Testing

@Suite struct Queries {
    final class Company: Model {
        let id = Field<String>()
        let name = Field<String>()
    }

    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>().require(.notBlank)
        let email = Field<String>().unique()
        let city = Field<String>().indexed()
        let age = Field<Int>().indexed()
        let company = ModelField<Company>(foreignKey: true)
        let friends = ModelField<Person>(foreignKey: true)*
    }

    final class Ticket: Model {
        let id = Field<String>()
        let price = Field<Decimal>().indexed()
    }

    final class Seller: Model {
        let id = Field<String>()
        let sales = ModelField<Sale>(inverse: \.seller)*

        init() { linkFields() }
    }

    final class Sale: Model {
        let id = Field<String>()
        let amount = Field<Decimal>()
        let category = Field<String>()
        let seller = ModelField<Seller>(foreignKey: true)

        init() { linkFields() }
    }

    @Test func `the examples of sums and counts run`() async throws {
        let store = MemoryModelStore()
        let ada = try await store.create(Seller())
        for (amount, category) in [("5.3", "tea"), ("20", "tea"), ("20", nil)] {
            let sale = Sale()
            sale.amount.value = Decimal(string: amount)
            sale.category.value = category
            sale.seller.value = category == nil ? nil : ada
            try await store.create(sale)
        }

        let sales = try await store.count(Sale.self, where: \.amount > 10)
        print(sales)  // 2
        #expect(sales == 2)
        let total = try await store.sum(Sale.self, of: \.amount)
        print(total)  // 45.3
        #expect("\(total)" == "45.3")
        let mean = try await store.average(Sale.self, of: \.amount, where: \.category == "tea")
        print(mean ?? 0)  // 12.65
        #expect(mean.map { "\($0)" } == "12.65")
        let byCategory = try await store.sum(Sale.self, of: \.amount, by: \.category)
        print(byCategory["tea"] ?? 0, byCategory[nil] ?? 0)  // 25.3 20
        #expect(byCategory.mapValues { "\($0)" } == ["tea": "25.3", nil: "20"])
        let ofAda = try await store.sum(ada.sales, of: \.amount)
        print(ofAda)  // 25.3
        #expect("\(ofAda)" == "25.3")
        let bySeller = try await store.count(Sale.self, by: \.seller)
        print(bySeller[ada.identifier] ?? 0)  // 2
        #expect(bySeller == [ada.identifier: 2, nil: 1])

        let live = store.observe(sum: \.amount, of: ada.sales)
        for try await sum in live {
            print(sum)  // 25.3
            break
        }
    }

    @Test func `the examples of the article run`() async throws {
        let store = MemoryModelStore()
        let acme = Company()
        acme.id.value = "acme"
        acme.name.value = "Acme"
        try await store.create(acme)
        let ada = Person("Ada", email: "ada@acme.org", age: 45, city: "Rome")
        let bob = Person("Bob", age: 20, city: "Bern")
        let cy = Person("Cy", age: 17)
        ada.company.value = acme
        cy.company.value = acme
        try await store.create([ada, bob, cy])
        bob.friends.value = [cy, ada]
        try await store.update(bob)

        let grown: Condition<Person> = \.age >= 18 && \.age < 65
        let some: Condition<Person> = .hasPrefix(\.name, "A") || .isIn(\.city, ["Rome", "Oslo"])
        let found = try await store.list(Person.self, where: grown && !some)
        print(found.compactMap(\.name.value))  // ["Bob"]
        #expect(found.compactMap(\.name.value) == ["Bob"])

        let without = try await store.list(Person.self, where: \.city == nil)
        print(without.compactMap(\.name.value))  // ["Cy"]
        #expect(without.compactMap(\.name.value) == ["Cy"])
        let elsewhere = try await store.list(Person.self, where: !(\.city == "Rome"))
        print(elsewhere.compactMap(\.name.value))  // ["Bob"]
        #expect(elsewhere.compactMap(\.name.value) == ["Bob"])
        let notRome: Condition<Person> = \.city != "Rome" || \.city == nil
        let others = try await store.list(Person.self, where: notRome)
        print(others.compactMap(\.name.value))  // ["Bob", "Cy"]
        #expect(others.compactMap(\.name.value) == ["Bob", "Cy"])

        for price in [1.5, 100, 9] as [Decimal] {
            let ticket = Ticket()
            ticket.price.value = price
            try await store.create(ticket)
        }
        let affordable = try await store.list(
            Ticket.self,
            where: \.price < 10,
            orderBy: .ascending(\.price)
        )
        print(affordable.compactMap(\.price.value))  // [1.5, 9]
        #expect(affordable.compactMap(\.price.value) == [1.5, 9])

        let atAcme: Condition<Person> = .has(\.company, \.name == "Acme")
        let theirs = try await store.list(Person.self, where: atAcme)
        print(theirs.compactMap(\.name.value))  // ["Ada", "Cy"]
        #expect(theirs.compactMap(\.name.value) == ["Ada", "Cy"])
        let acmes = try await store.list(Person.self, where: \.company == acme)
        print(acmes.compactMap(\.name.value))  // ["Ada", "Cy"]
        #expect(acmes.compactMap(\.name.value) == ["Ada", "Cy"])
        let proud = try await store.list(Person.self, where: .hasAny(\.friends, \.age > 40))
        print(proud.compactMap(\.name.value))  // ["Bob"]
        #expect(proud.compactMap(\.name.value) == ["Bob"])

        let ofAcme = try await store.list(Person.self, where: \.company == "acme")
        let either: Condition<Person> = .isIn(\.company, ["acme", "initech"])
        let same: Condition<Person> = .isIn(\.company, [acme.identifier].compactMap { $0 })
        #expect(ofAcme == acmes)
        #expect(try await store.list(Person.self, where: either) == acmes)
        #expect(try await store.list(Person.self, where: same) == acmes)
        let none: Condition<Person> = .isIn(\.company, [Company().identifier].compactMap { $0 })
        #expect(try await store.list(Person.self, where: none) == [])

        let sorted = try await store.list(
            Person.self,
            orderBy: .descending(\.city),
            .ascending(\.name),
            limit: 2
        )
        print(sorted.compactMap(\.name.value))  // ["Ada", "Bob"]
        #expect(sorted.compactMap(\.name.value) == ["Ada", "Bob"])
        let first = try await store.page(Person.self, orderBy: .ascending(\.age), limit: 2)
        let second = try await store.page(
            Person.self,
            orderBy: .ascending(\.age),
            limit: 2,
            after: first.next
        )
        print(second.items.compactMap(\.name.value))  // ["Ada"]
        #expect(second.items.compactMap(\.name.value) == ["Ada"])

        let columns: [Ordering<Person>] = [.descending(\.city), .ascending(\.name)]
        let query = RecordQuery(filter: grown.filter, order: columns.map(\.order), limit: 50)
        let table = try await store.list(Person.self, matching: query).value
        print(table.compactMap(\.name.value))  // ["Ada", "Bob"]
        #expect(table.compactMap(\.name.value) == ["Ada", "Bob"])

        let twin = Person("Ada L.", email: "ada@acme.org")
        do {
            try await store.create(twin)
        } catch StoreError.alreadyExists(_, let holder, let field?) {
            print(field, holder == ada.identifier)  // email true
            #expect(field == "email" && holder == ada.identifier)
        }
    }
}

extension Queries.Person {
    convenience init(_ name: String, email: String? = nil, age: Int? = nil, city: String? = nil) {
        self.init()
        self.name.value = name
        if let email { self.email.value = email }
        if let age { self.age.value = age }
        if let city { self.city.value = city }
    }
}

extension Queries {
    @Test func `of the members of a relation, too`() async throws {
        let store = MemoryModelStore()
        let ada = try await store.create(Seller())
        for amount in [5, 20] as [Decimal] {
            let sale = Sale()
            (sale.amount.value, sale.seller.value) = (amount, ada)
            try await store.create(sale)
        }

        let least = try await store.min(ada.sales, of: \.amount)
        let greatest = try await store.max(ada.sales, of: \.amount)
        let middle = try await store.average(ada.sales, of: \.amount)
        print(least ?? 0, greatest ?? 0, middle ?? 0)  // 5 20 12.5
        #expect(least == 5 && greatest == 20 && middle == 12.5)
        let ofGroups = try await store.max(Sale.self, of: \.amount, by: \.category)
        print(ofGroups[nil].flatMap { $0 } ?? 0)  // 20: those without a category
        #expect(ofGroups[nil].flatMap { $0 } == 20)
        let small = try await store.list(Sale.self, where: .isIn(\.amount, 0..<20))
        let others = try await store.list(Sale.self, where: \.seller != "s2")
        print(small.count, others.count)  // 1 2
        #expect(small.count == 1 && others.count == 2)
    }
}
