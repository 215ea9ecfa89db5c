import ModelKitFields
import ModelKitModels
import ModelKitPostgreSQL
import ModelKitStores
import TestSupport
import Testing

private final class Parcel: Model {
    let id = Field<String>()

    convenience init(_ id: String) {
        self.init()
        self.id.value = id
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLEventTests {
    /// What was reported of an operation, without the time that it took.
    private final class Reports: Sendable {
        private let lines = Guarded<[String]>([])
        let operation: StoreEvent.Operation

        init(_ operation: StoreEvent.Operation) { self.operation = operation }

        var all: [String] { lines.withLock { $0 } }

        var events: StoreEvents {
            StoreEvents { [self] event in
                guard event.operation == operation else { return }
                let line =
                    switch event.phase {
                    case .began: "began"
                    case .ended(_, let failure): failure ?? event.count.map { "\($0)" } ?? "well"
                    }
                lines.withLock { $0.append(line) }
            }
        }
    }

    @Test func `a lost answer is reported with what has come of its write`() async throws {
        let server = try PostgreSQLServer.shared
        let proxy = try PostgreSQLProxy(to: server)
        let reports = Reports(.settle)
        let store = try PostgreSQLModelStore(
            proxy.connection(),
            PostgreSQLOptions(connections: 1),
            schema: server.schema(),
            events: reports.events
        )
        try await store.create(Parcel("a"))
        expect(reports.all.isEmpty)
        // What is cut may be the connection by which others are notified.
        var count = 1
        while reports.all.isEmpty {
            proxy.fail(.cut, .toClient, after: 0)
            try await store.create(Parcel("\(count)"))
            count += 1
        }
        proxy.heal()
        expect(reports.all, equals: ["began", "1"])
        let stored = try await store.count(Parcel.self)
        expect(stored, equals: count)
        try await store.close().value
    }

    @Test func `a server that is away is reported until it is there again`() async throws {
        let server = try PostgreSQLServer()
        let reports = Reports(.reconnect)
        let store = try PostgreSQLModelStore(
            server.connection(),
            PostgreSQLOptions(connections: 4, deadline: .seconds(1)),
            events: reports.events
        )
        try await store.create(Parcel("a"))
        expect(reports.all.isEmpty)
        try server.stop()
        // Several look for it at once.
        let lookups = (0..<4).map { _ -> Promise<Parcel> in
            store.lookup(Parcel.self, identifier: "a")
        }
        for lookup in lookups {
            await #expect(throws: StoreError.self) { try await lookup.value }
        }
        expect(reports.all, equals: ["began"])
        try server.start()
        // A busy machine may need more than one attempt to do it in a second.
        while await (try? store.lookup(Parcel.self, identifier: "a")) == nil {}
        expect(reports.all, equals: ["began", "well"])
        try server.stop()
        await #expect(throws: StoreError.self) { try await store.count(Parcel.self) }
        try await store.close().value
        expect(reports.all, equals: ["began", "well", "began", "unavailable"])
    }
}
