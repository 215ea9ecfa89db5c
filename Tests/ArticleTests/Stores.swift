import Foundation
import ModelKit
import ModelKitSQL
import Testing

@Suite struct Stores {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>().require(.notBlank)
        let age = Field<Int>().require(.min(0))

        convenience init(_ name: String, age: Int? = nil) {
            self.init()
            self.name.value = name
            if let age { self.age.value = age }
        }
    }

    final class Pet: Model {
        let id = Field<String>()
        let owner = ModelField<Person>(foreignKey: true)
    }

    func explain(_ error: StoreError) -> String {
        switch error {
        case .notFound(let type, let identifier): "there is no \(type) \(identifier)"
        case .alreadyExists(_, let holder, nil): "\(holder) is stored already"
        case .alreadyExists(_, let holder, let field?): "\(holder) has this \(field)"
        case .conflict(let conflict): "somebody else has written \(conflict.identifier)"
        case .validation(let issues): "breaks rules: \(issues)"
        case .noIdentifier(let type): "a \(type) without an identifier"
        case .decoding(_, let identifier, let issues): "\(identifier) does not fit: \(issues)"
        case .unauthorized(let text): "credentials are missing or wrong: \(text)"
        case .forbidden(let text): "not allowed: \(text)"
        case .unsupported(let text): "the store cannot do this: \(text)"
        case .unavailable(let text, let outcome): "locked, full or not there: \(text), \(outcome)"
        case .cancelled(let outcome): "cancelled, \(outcome)"
        case .timedOut(let outcome): "took too long, \(outcome)"
        case .corrupt(let text): "what is stored is damaged: \(text)"
        case .schema(let text): "types and tables do not fit: \(text)"
        }
    }

    final class Article: Model {
        let id = Field<String>()
        let title = Field<String>()
        let slug = Field<String>()

        func beforeSave() throws {
            slug.value = title.value?.lowercased().replacingOccurrences(of: " ", with: "-")
        }

        func afterCreate() { print("published") }
        func afterDelete() { print("gone") }
    }

    @Test func `the examples of the article run`() async throws {
        let store = MemoryModelStore()
        let ada = Person("Ada", age: 36)
        try await store.create(ada)
        ada.age.value = 37
        try await store.update(ada)
        let same = try await store.lookup(Person.self, identifier: ada.identifier ?? "")
        print(same === ada)  // true
        #expect(same === ada)

        let draft = Person("Ada Lovelace")
        draft.id.value = ada.id.value
        try await store.save(draft, onConflict: .merge)
        _ = try await store.lookup(Person.self, identifier: ada.identifier ?? "")
        print(ada.name.value ?? "", ada.age.value ?? 0)  // Ada Lovelace 37
        #expect(ada.name.value == "Ada Lovelace" && ada.age.value == 37)

        try await store.create(Person("Eve", age: 30))
        let eve = try await store.list(Person.self, where: \.name == "Eve")[0]
        try await store.delete(Person.self, identifier: eve.identifier ?? "")
        #expect(try await store.list(Person.self).count == 1)

        try await store.create(Person("Methuselah", age: 969))
        try await store.delete(store.list(Person.self, where: \.age > 120))
        #expect(try await store.list(Person.self).count == 1)

        do {
            try await store.create(Person("", age: -1))
        } catch StoreError.validation(let issues) {
            print(issues[0].message)  // cannot be blank
            #expect(issues.map(\.code) == ["notBlank", "min"])
        }

        ada.age.value = (ada.age.value ?? 0) + 1
        try await store.update(
            ada,
            onConflict: .merge { base, mine, theirs in
                var result = mine
                result[\.age] = (theirs[\.age] ?? 0) + (mine[\.age] ?? 0) - (base[\.age] ?? 0)
                return result
            }
        )
        #expect(ada.age.value == 38)
        try await keepAgreement()
        try await saveWhatIsDeleted()

        try await store.create([Person("Bob", age: 20), Person("Cy", age: 30)])
        let grown = try await store.list(
            Person.self,
            where: \.age > 25,
            orderBy: .ascending(\.name)
        )
        print(grown.compactMap(\.name.value))  // ["Ada Lovelace", "Cy"]
        #expect(grown.compactMap(\.name.value) == ["Ada Lovelace", "Cy"])

        var page = try await store.page(Person.self, orderBy: .descending(\.age), limit: 2)
        print(page.items.compactMap(\.age.value))  // [38, 30]
        #expect(page.items.compactMap(\.age.value) == [38, 30])
        page = try await store.page(
            Person.self,
            orderBy: .descending(\.age),
            limit: 2,
            after: page.next
        )
        print(page.items.compactMap(\.age.value))  // [20]
        #expect(page.items.compactMap(\.age.value) == [20])

        print(try store.listImmediately(Person.self).count)  // 3
        #expect(try store.listImmediately(Person.self).count == 3)

        let di = Person("Di")
        try await store.perform([.create(di), .delete(grown[1])])
        let outcomes = try await store.perform(independently: [
            .create(Person("Ed")), .create(Person("")),
        ])
        print(outcomes.map { if case .success = $0 { true } else { false } })  // [true, false]
        #expect(outcomes.map { if case .success = $0 { true } else { false } } == [true, false])

        let total = try await store.transaction { transaction in
            let people = try transaction.list(Person.self, where: \.age > 0)
            for person in people { person.age.value = (person.age.value ?? 0) + 1 }
            try transaction.perform(people.map { .update($0) })
            return people.count
        }.value
        print(total)  // 2
        #expect(total == 2)

        let json = Data(
            #"[{"id": "fay", "name": "Fay"}, {"id": "fay", "name": "Gil"}, {"name": 7}]"#.utf8
        )
        let summary = try await store.importModels(Person.stream(json: json).elements)
        print(summary.createdCount, summary.refusedCount)  // 1 2
        for refusal in summary.refusals { print(refusal) }  // [1]: id fay is stored already …
        #expect(summary.createdCount == 1)
        #expect(summary.refusals.map(\.path.description) == ["[1]", "[2]"])
        #expect(summary.refusals.first?.description == "[1]: id fay is stored already")
        try await importFiles(store)

        var writer = ModelArrayWriter()
        var bytes = Data()
        for try await people in store.pages(of: Person.self, orderBy: .ascending(\.name)) {
            bytes += try writer.write(people)
        }
        bytes += writer.finish()
        #expect(try [Person](json: bytes).last?.name.value == "Fay")
        try await store.delete(Person.self, identifier: "fay")

        let article = Article()
        article.title.value = "Hello World"
        try await store.create(article)
        #expect(article.slug.value == "hello-world")

        for try await result in store.observe(Person.self, orderBy: .ascending(\.name)) {
            print(result.models.compactMap(\.name.value))
            #expect(result.models.compactMap(\.name.value).suffix(3) == ["Bob", "Di", "Ed"])
            #expect(result.isFirst == (result.models.count == 4) && result.updated.isEmpty)
            #expect(result.isFirst == (result.edits == [.reset(Array(result.models))]))
            if !result.isFirst { break }
            try await store.create(Person("Al"))
        }

        let creation: Promise = store.with(deadline: .seconds(2)).create(Person("Flo"))
        _ = try await creation.value

        let events = StoreEvents { event in
            guard case .ended(let time, let failure?) = event.phase else { return }
            print(event.operation, failure, time)
        }
        let logged = MemoryModelStore(events: events)
        // lookup notFound 0.0001 seconds
        _ = try? await logged.lookup(Person.self, identifier: "nobody")

        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("modelkit-article-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let archive = try ArchiveModelStore(directory: directory)
        try await archive.saveList(Person.self, [ada])
        let drafts = try archive.group("drafts")
        try await drafts.create(Person("Di"))
        print(try await archive.list(Person.self).count)  // 1
        #expect(try await archive.list(Person.self).count == 1)
    }

    private func importFiles(_ store: MemoryModelStore) async throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("modelkit-article-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(#"[{"id": "ida", "name": "Ida"}, {"age": 1e400}]"#.utf8).write(to: url)

        let imported = try await store.importModels(
            Person.stream(contentsOf: url).elements,
            commitEvery: 10_000,
            refused: { refusal in print(refusal.path, refusal.issues.map(\.description)) },
            progress: { summary in print(summary.createdCount, "so far") }
        )
        #expect(imported.createdCount == 1)
        #expect(imported.refusals.map(\.path) == [[.index(1)]])
        try await store.delete(Person.self, identifier: "ida")

        let pets = Data(#"[{"id": "rex", "owner": "fay"}, {"id": "tom", "owner": "gil"}]"#.utf8)
        let added = try await store.importModels(Pet.stream(json: pets))
        for key in added.danglingKeys ?? [] { print(key) }  // Pet tom: owner leads to gil, …
        #expect(
            added.danglingKeys?.map(\.description) == [
                "Pet tom: owner leads to gil, which is not stored"
            ]
        )
        let lost = try await store.list(Pet.self, where: \.owner != nil && !.isStored(\.owner))
        print(lost.compactMap(\.id.value))  // ["tom"]
        #expect(lost.compactMap(\.id.value) == ["tom"])

        do {
            _ = try await store.lookup(Pet.self, identifier: "gil")
        } catch let error as StoreError {
            #expect(explain(error) == "there is no Pet gil" && error.outcome == .notApplied)
        }
    }

    /// Of a record that another store object has deleted.
    private func saveWhatIsDeleted() async throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("modelkit-article-\(UUID().uuidString).db").path
        defer {
            for end in ["", "-wal", "-shm", "-lock", "-journal"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        let store = try SQLiteModelStore(path: path, sharing: .severalProcesses)
        let other = try SQLiteModelStore(path: path, sharing: .severalProcesses)
        let ada = Person("Ada")
        ada.id.value = "p1"
        try await store.create(ada)
        try await other.delete(Person.self, identifier: "p1")
        ada.age.value = 36
        for policy in [OnConflict.fail, .replace, .merge] {
            await #expect(throws: StoreError.notFound(type: "Person", identifier: "p1")) {
                try await store.save(ada, onConflict: policy)
            }
        }
        try await store.create(ada)
        #expect(try await other.list(Person.self).map(\.age.value) == [36])
    }

    final class Note: Model {
        let id = Field<String>()
        let text = Field<String>()
    }

    /// What is kept over a restart, which is another store over the same file here.
    private func keepAgreement() async throws {
        let path = TemporaryDatabase.path()
        defer { TemporaryDatabase.remove(path) }
        let notes = try SQLiteModelStore(path: path, sharing: .severalProcesses)
        let restarted = try SQLiteModelStore(path: path, sharing: .severalProcesses)
        let note = Note()
        note.text.value = "first"
        try await notes.create(note)

        let kept = try JSONEncoder().encode(await notes.agreement(of: note))
        note.text.value = "edited offline"
        let values = note.dictionaryValue()
        // After the restart:
        let again = try Note(dictionaryValue: values)
        let agreement = try JSONDecoder().decode(Agreement.self, from: kept)
        try await restarted.resume(again, from: agreement)
        try await restarted.update(again, onConflict: .theirs)
        _ = try await notes.lookup(Note.self, identifier: again.identifier ?? "")
        #expect(note.text.value == "edited offline")
        let found = try await notes.list(Note.self)
        #expect(found == [note])
    }
}

extension Stores {
    @Test func `an archive goes back to what it had`() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("modelkit-article-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let archive = try ArchiveModelStore(directory: directory)
        let (rex, ada) = (Pet(), Person("Ada"))
        ada.id.value = "p1"
        rex.owner.value = ada

        try await archive.saveList(Pet.self, [rex], includeRelated: true)
        let pets = try await archive.listWithRelated(Pet.self)
        print(pets[0].owner.value?.name.value ?? "")  // Ada
        #expect(pets[0].owner.value?.name.value == "Ada")
        try await archive.deleteAll(Person.self)
        try await archive.deleteAll()
        try await archive.restorePreviousVersion()
        print(try await archive.list(Pet.self).count)  // 1
        #expect(try await archive.list(Pet.self).count == 1)
    }
}

extension Stores {
    @Test func `a transaction writes one model after the other`() async throws {
        let store = MemoryModelStore()
        let (gus, hal) = (Person("Gus"), Person("Hal"))
        gus.id.value = "p1"
        hal.id.value = "p2"
        try await store.create([gus, hal])

        let found = try store.lookupImmediately(Person.self, identifier: "p1")
        print(found?.name.value ?? "nobody")  // Gus
        #expect(found === gus)

        try await store.transaction { transaction in
            gus.age.value = 51
            try transaction.save(gus)
            try transaction.delete(Person.self, identifier: "p2")
        }.value
        #expect(try store.listImmediately(Person.self).map(\.age.value) == [51])

        try await store.transaction { transaction in
            try transaction.update(gus)
            do {
                try transaction.savepoint {
                    try transaction.delete(Person.self, identifier: "p3")
                }
            } catch StoreError.notFound {
                print("p3 was deleted before")
            }
        }.value
    }
}
