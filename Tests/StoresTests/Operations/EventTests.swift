import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Person: Model {
    let id = Field<String>()
    let name = Field<String>().require(.notBlank)
    let points = Field<Int>()

    convenience init(_ id: String, _ name: String) {
        self.init()
        self.id.value = id
        self.name.value = name
    }
}

struct EventTests {
    /// The beginning of each event's text, without what differs from run to run.
    private func events(
        includesContents: Bool = false,
        _ body: (MemoryModelStore) async throws -> Void
    ) async throws -> [String] {
        let log = Log<String>()
        let events = StoreEvents(includesContents: includesContents) { event in
            var text = event.operation.rawValue
            if let type = event.type { text += " \(type)" }
            if let identifier = event.identifier { text += " \(identifier)" }
            if let count = event.count { text += " (\(count))" }
            switch event.phase {
            case .began: text += " began"
            case .ended(let time, let failure):
                expect(time >= .zero)
                text += failure.map { ": \($0)" } ?? " ok"
                if let error = event.error { text += ", \(error)" }
            }
            log.add(text)
        }
        try await body(MemoryModelStore(events: events))
        return log.entries
    }

    @Test func `each use is reported at its beginning and its end`() async throws {
        let found = try await events { store in
            let person = try await store.create(Person("secret", "Ada")).value
            person.name.value = "Bob"
            _ = try await store.update(person).value
            _ = try await store.list(Person.self).value
            _ = try await store.page(Person.self, limit: 5).value
            _ = try await store.count(Person.self).value
            _ = try await store.lookup(Person.self, identifier: "secret").value
            try await store.transaction { try $0.delete(person) }.value
        }
        expect(
            found,
            equals: [
                "create Person (1) began", "create Person (1) ok",
                "update Person (1) began", "update Person (1) ok",
                "list Person began", "list Person (1) ok",
                "page Person began", "page Person (1) ok",
                "aggregate Person began", "aggregate Person ok",
                "lookup Person began", "lookup Person (1) ok",
                "transaction began", "transaction ok",
            ]
        )
    }

    @Test func `failures are reported by their kind, and no identifiers or values`() async throws {
        let found = try await events { store in
            _ = try await store.create(Person("secret", "Ada")).value
            _ = try? await store.create(Person("secret", "Ada")).value
            _ = try? await store.create(Person("secret", "")).value
            _ = try? await store.lookup(Person.self, identifier: "secret2").value
            for id in ["x", "y"] {
                let person = Person(id, "Eve")
                person.points.value = .max
                _ = try await store.create(person).value
            }
            _ = try? await store.sum(Person.self, of: \.points).value
        }
        expect(
            found.filter { $0.contains(":") },
            equals: [
                "create Person (1): alreadyExists", "create Person (1): validation",
                "lookup Person: notFound", "aggregate Person: unsupported",
            ]
        )
        expect(!found.contains { $0.contains("secret") || $0.contains("Ada") })
    }

    @Test func `contents are reported where they are asked for`() async throws {
        let found = try await events(includesContents: true) { store in
            _ = try? await store.lookup(Person.self, identifier: "p1").value
        }
        expect(
            found,
            equals: [
                "lookup Person p1 began",
                "lookup Person p1: notFound, there is no Person p1",
            ]
        )
    }
}
