import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct ArchiveStoreTests {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
        let age = Field<Int>().require { $0 >= 0 }
        let company = ModelField<Company>(foreignKey: true)

        init() {}
        convenience init(_ id: String?, _ name: String) {
            self.init()
            self.id.value = id
            self.name.value = name
        }
    }

    final class Company: Model {
        let id = Field<String>()
        let name = Field<String>()
        let town = Field<String>()
    }

    @Test(arguments: StoreContract.cases)
    func `the archive keeps the contract`(_ part: StoreContract.Case) async throws {
        let directory = try Directory()
        try await part.run { try ArchiveModelStore(directory: directory.path) }
    }

    @Test func `what was written is there in the next life, in the order of creation`() async throws
    {
        let directory = try Directory()
        try await withStore(directory) { store in
            _ = try await store.create([Person("b", "Bob"), Person("a", "Ada")]).value
            let ada = try await store.lookup(Person.self, identifier: "a").value
            ada.age.value = 36
            _ = try await store.update(ada).value
        }
        try await withStore(directory) { store in
            let people = try await store.list(Person.self).value
            expect(people.map(\.name.value), equals: ["Bob", "Ada"])
            expect(people.map(\.age.value), equals: [nil, 36])
        }
    }

    @Test func `a record has a place after all of before, also after one that was deleted`()
        async throws
    {
        let directory = try Directory()
        var last: Int64?
        try await withStore(directory) { store in
            let bob = try await store.create([Person("a", "Ada"), Person("b", "Bob")]).value[1]
            last = try await store.records.record("b", of: Person.schema).value?.place
            _ = try await store.delete(bob).value
        }
        try await withStore(directory) { store in
            _ = try await store.create(Person("c", "Cy")).value
            let next = try await store.records.record("c", of: Person.schema).value?.place
            expect(next ?? 0 > last ?? .max)
        }
    }

    @Test func `groups know nothing of each other, whatever their names`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let names = ["", "a", "A", "_41", "../x", "x/y", "é", "e\u{301}", "a.b", "%41"]
        for name in names {
            _ = try await store.group(name).create(Person("p", name)).value
        }
        for name in names {
            let person = try await store.group(name).lookup(Person.self, identifier: "p").value
            expect((person.name.value ?? "-").utf8.elementsEqual(name.utf8))
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        expect(files.filter { $0.hasSuffix(".archive") }.count, equals: names.count)
        #expect(throws: StoreError.self) {
            try store.group(String(repeating: "long", count: 60))
        }
    }

    @Test func `a list is saved in its order, and takes the place of the one before`() async throws
    {
        let directory = try Directory()
        try await withStore(directory) { store in
            let (ada, bob, cy) = (Person("a", "Ada"), Person("b", "Bob"), Person(nil, "Cy"))
            try await expect(store.saveList(Person.self, [ada, bob]).value, equals: [ada, bob])
            ada.name.value = "Ada L."
            _ = try await store.saveList(Person.self, [cy, ada]).value
            expect(cy.identifier != nil)
            // It agrees with the store now.
            ada.age.value = 36
            _ = try await store.update(ada).value
        }
        try await withStore(directory) { store in
            let people = try await store.list(Person.self).value
            expect(people.map(\.name.value), equals: ["Cy", "Ada L."])
            expect(people.map(\.age.value), equals: [nil, 36])
            _ = try await store.saveList(Person.self, []).value
            try await expect(store.list(Person.self).value, equals: [])
        }
        try await withStore(directory) { store in
            let people = try await store.list(Person.self).value
            expect(people, equals: [])
        }
    }

    @Test func `related models are added to what is there, and come back with the list`()
        async throws
    {
        let directory = try Directory()
        try await withStore(directory) { store in
            let (acme, other) = (Company(), Company())
            (acme.id.value, acme.name.value, acme.town.value) = ("c1", "Acme", "Rome")
            (other.id.value, other.name.value) = ("c2", "Other")
            _ = try await store.create([acme, other]).value
        }
        try await withStore(directory) { store in
            let acme = Company()
            (acme.id.value, acme.name.value) = ("c1", "Acme Ltd")
            let ada = Person("a", "Ada")
            ada.company.value = acme
            _ = try await store.saveList(Person.self, [ada]).value
        }
        try await withStore(directory) { store in
            let ada = try #require(try await store.listWithRelated(Person.self).value.first)
            let acme = try #require(ada.company.value)
            expect(acme.loadState, equals: .loaded)
            expect(acme.name.value, equals: "Acme Ltd")
            expect(acme.town.value, equals: "Rome")
            try await expect(store.list(Company.self).value.count, equals: 2)
        }
    }

    @Test func `nothing is saved of a list that has a wrong model, or one identifier twice`()
        async throws
    {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        _ = try await store.create(Person("a", "Ada")).value
        let wrong = Person("b", "Bob")
        wrong.age.value = -1
        await #expect {
            try await store.saveList(Person.self, [Person("c", "Cy"), wrong]).value
        } throws: { error in
            (error as? StoreError)?.issues.map(\.path.description) == ["[1].age"]
        }
        await #expect(throws: StoreError.alreadyExists(type: "Person", identifier: "c")) {
            try await store.saveList(Person.self, [Person("c", "Cy"), Person("c", "Di")]).value
        }
        try await expect(store.list(Person.self).value.map(\.name.value), equals: ["Ada"])
    }

    @Test func `a list with one value twice in a unique field is refused as a write is`()
        async throws
    {
        final class Account: Model {
            let id = Field<String>()
            let email = Field<String>().unique()
        }
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let accounts = ["a", "b"].map { id in
            let account = Account()
            (account.id.value, account.email.value) = (id, "ada@acme.org")
            return account
        }
        await #expect(
            throws: StoreError.alreadyExists(type: "Account", identifier: "a", field: "email")
        ) { try await store.saveList(Account.self, accounts).value }
    }

    @Test func `the body of a transaction cannot wait for the store's end or its version before`()
        async throws
    {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        _ = try await store.saveList(Person.self, [Person("a", "Ada")]).value
        _ = try await store.saveList(Person.self, [Person("b", "Bob")]).value
        let uses: [@Sendable () -> Promise<Void>] = [store.close, store.restorePreviousVersion]
        for use in uses {
            await #expect {
                try await store.transaction { _ in try use().wait(timeout: .seconds(2)) }.value
            } throws: { error in
                if case StoreError.unsupported = error { true } else { false }
            }
        }
        try await expect(store.list(Person.self).value.map(\.name.value), equals: ["Bob"])
        _ = try await store.group("drafts").create(Person("c", "Cy")).value
    }

    @Test func `deleting all forgets a type or the group, and numbers are not used again`()
        async throws
    {
        final class Item: Model { let id = Field<Int>() }
        let directory = try Directory()
        try await withStore(directory) { store in
            _ = try await store.deleteAll(Person.self).value
            _ = try await store.deleteAll().value
            _ = try await store.create([Item(), Item()]).value
            _ = try await store.create(Person("a", "Ada")).value
            _ = try await store.deleteAll(Item.self).value
            try await expect(store.list(Item.self).value, equals: [])
            try await expect(store.list(Person.self).value.count, equals: 1)
        }
        try await withStore(directory) { store in
            _ = try await store.deleteAll().value
            try await expect(store.list(Person.self).value, equals: [])
            try await expect(store.create(Item()).value.id.value, equals: 3)
        }
    }

    @Test(
        arguments: [
            { try await $0.deleteAll(Person.self).value }, { try await $0.deleteAll().value },
            { _ = try await $0.saveList(Person.self, [Person("b", "Bob")]).value },
        ] as [@Sendable (ArchiveModelStore) async throws -> Void]
    )
    func `what is made again after it was deleted with others has no revision of before`(
        delete: @Sendable (ArchiveModelStore) async throws -> Void
    ) async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let ada = try await store.create(Person("a", "Ada")).value
        ada.age.value = 36
        _ = try await store.update(ada).value
        let last = try await store.records.record("a", of: Person.schema).value?.revision
        try await delete(store)
        _ = try await store.create(Person("a", "Ada")).value
        let next = try await store.records.record("a", of: Person.schema).value?.revision
        expect(next ?? 0 > last ?? .max)
    }

    @Test func `deleting all is reported as every use of a store is`() async throws {
        let log = Log<String>()
        let directory = try Directory()
        let store = try ArchiveModelStore(
            directory: directory.path,
            events: StoreEvents { event in
                guard case .ended(_, let failure) = event.phase else { return }
                log.add("\(event.operation) \(event.type ?? "all") \(failure ?? "ok")")
            }
        )
        try await store.deleteAll(Person.self).value
        try await store.deleteAll().value
        try await store.close().value
        await #expect(throws: StoreError.self) { try await store.deleteAll().value }
        expect(
            log.entries,
            equals: ["delete Person ok", "delete all ok", "delete all unavailable"]
        )
    }

    @Test func `a second store is refused while the first lives`() async throws {
        let directory = try Directory()
        try await withStore(directory) { store in
            _ = try await store.create(Person("a", "Ada")).value
            #expect(
                throws: StoreError.unavailable(
                    "\(directory.path) is in use by another store or process",
                    .notApplied
                )
            ) { try ArchiveModelStore(directory: directory.path) }
        }
        _ = try ArchiveModelStore(directory: directory.path)
    }

    @Test func `writes that wait are written together`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        try await expect(store.list(Person.self).value, equals: [])
        // The first write waits for a reader of this, and fails, as such a file cannot be synchronised.
        let pipe = "\(directory.path)/group-.archive.new"
        expect(mkfifo(pipe, 0o600), equals: 0)
        let first: Promise = store.create(Person("first", "Person"))
        try await Task.sleep(for: .milliseconds(50))
        let people = (0..<200).map { Person("p\($0)", "Person") }
        let writes = people.map { store.create($0) }
        _ = try FileHandle(forReadingFrom: URL(fileURLWithPath: pipe)).readToEnd()
        await #expect(throws: StoreError.self) { try await first.value }
        for write in writes { _ = try? await write.value }
        let stored = try await store.list(Person.self).value
        expect(stored.count > 1)
        // Not even one was written before the others.
        expect(
            !FileManager.default.fileExists(atPath: "\(directory.path)/group-.archive.previous")
        )
    }

    @Test func `a related model agrees with the store after its list was saved`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let company = Company()
        (company.id.value, company.name.value) = ("c", "Acme")
        _ = try await store.create(company).value
        let ada = Person("a", "Ada")
        ada.company.value = company
        _ = try await store.saveList(Person.self, [ada]).value
        company.name.value = "Acme Ltd"
        _ = try await store.update(company).value
        let stored = try await store.records.record("c", of: Company.schema).value
        expect(stored?.values["name"], equals: "Acme Ltd")
    }

    @Test func `a new model that is saved again at once keeps its identifier`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let (ada, bob) = (Person(nil, "Ada"), Person(nil, "Bob"))
        let saves: [Promise] = [
            store.saveList(Person.self, [ada]), store.saveList(Person.self, [ada]),
            store.create(bob).map { [$0] }, store.saveList(Person.self, [ada, bob]),
        ]
        for save in saves { _ = try await save.value }
        ada.name.value = "Ada L."
        _ = try await store.update(ada).value
        bob.name.value = "Bob M."
        _ = try await store.update(bob).value
        let names = try await store.list(Person.self).value.map(\.name.value)
        expect(names, equals: ["Ada L.", "Bob M."])
    }

    @Test func `of a list that is refused nothing is written, nor of what is related`() async throws
    {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let company = Company()
        (company.id.value, company.name.value) = ("c", "Acme")
        let (one, two) = (Person("a", "Ada"), Person("a", "Eve"))
        one.company.value = company
        let other: Promise = store.create(Person("b", "Bob"))
        await #expect(throws: StoreError.alreadyExists(type: "Person", identifier: "a")) {
            try await store.saveList(Person.self, [one, two]).value
        }
        _ = try await other.value
        try await expect(store.list(Company.self).value, equals: [])
        await #expect(
            throws: StoreError.unsupported("the same Person is to be saved twice in a list")
        ) { try await store.saveList(Person.self, [one, one]).value }
        let nameless = Company()
        nameless.name.value = "No identifier"
        one.company.value = nameless
        await #expect(throws: StoreError.noIdentifier(type: "Company")) {
            try await store.saveList(Person.self, [one]).value
        }
    }

    @Test func `what was taken away is created when it is saved again`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let (ada, bob) = (Person("a", "Ada"), Person("b", "Bob"))
        _ = try await store.save(ada).value
        _ = try await store.deleteAll(Person.self).value
        _ = try await store.save(ada).value
        try await expect(store.list(Person.self).value, equals: [ada])
        _ = try await store.saveList(Person.self, [ada, bob]).value
        _ = try await store.saveList(Person.self, [ada]).value
        bob.age.value = 3
        _ = try await store.save(bob).value
        try await expect(store.list(Person.self).value, equals: [ada, bob])
        _ = try await store.deleteAll().value
        _ = try await store.save(ada).value
        try await expect(store.list(Person.self).value, equals: [ada])
    }

    @Test func `what is asked for is done in its order`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        _ = try await store.saveList(Person.self, [Person("a", "Ada")]).value
        _ = store.saveList(Person.self, [Person("b", "Bob")]) as Promise
        try await expect(store.list(Person.self).value.map(\.name.value), equals: ["Bob"])
        _ = store.saveList(Person.self, [Person("c", "Cy")]) as Promise
        _ = try await store.restorePreviousVersion().value
        try await expect(store.list(Person.self).value.map(\.name.value), equals: ["Bob"])
    }

    @Test func `a store that is closed has done what was asked for, and does no more`() async throws
    {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let drafts = try store.group("drafts")
        let ada = Person("a", "Ada")
        var writes: [Promise] = [store.create(ada), drafts.create(Person("b", "Bob"))]
        // It waits for the creation.
        ada.age.value = 36
        writes.append(store.update(ada))
        _ = try await store.close().value
        for write in writes { _ = try await write.value }
        for late in [store, drafts] {
            await #expect(throws: StoreError.self) { try await late.list(Person.self).value }
            await #expect(throws: StoreError.self) { try await late.deleteAll().value }
            await #expect(throws: StoreError.self) {
                try await late.restorePreviousVersion().value
            }
        }
        #expect(throws: StoreError.self) { try store.group("more") }
        let next = try ArchiveModelStore(directory: directory.path)
        try await expect(next.list(Person.self).value.map(\.age.value), equals: [36])
        try await expect(next.group("drafts").list(Person.self).value.count, equals: 1)
    }

    @Test func `a deletion of all comes after writes that wait, and before later ones`()
        async throws
    {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let (person, later) = (Person("p", "Ada"), Person("q", "Bob"))
        _ = store.create(person) as Promise
        person.name.value = "Eve"
        let update: Promise = store.update(person)
        let deletion: Promise = store.deleteAll()
        let creation: Promise = store.create(later)
        _ = try await update.value
        try await deletion.value
        _ = try await creation.value
        try await expect(store.list(Person.self).value, equals: [later])
    }

    @Test func `a list takes the place of what writes that wait have made`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let (person, listed) = (Person("p", "Ada"), Person("q", "Bob"))
        _ = try await store.create(person).value
        let deletion: Promise = store.delete(person)
        let creation: Promise = store.create(person)
        _ = try await store.saveList(Person.self, [listed]).value
        _ = try await deletion.value
        _ = try await creation.value
        try await expect(store.list(Person.self).value, equals: [listed])
    }

    @Test func `a list sees the writes that wait for others of their models`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        for round in 0..<20 {
            let person = Person("p\(round)", "Ada")
            let creation: Promise = store.create(person)
            person.name.value = "Bob \(round)"
            let update: Promise = store.update(person)
            let list: Promise = store.list(Person.self, where: \.name == "Bob \(round)")
            try await expect(list.value, equals: [person])
            let deletion: Promise = store.delete(person)
            let again: Promise = store.create(person)
            let last: Promise = store.delete(person)
            try await expect(store.list(Person.self).value, equals: [])
            _ = (creation, update, deletion, again, last)
        }
    }
}
