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

    @Test func `the examples of the article run`() async throws {
        let store = MemoryModelStore()
        let acme = Company()
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
