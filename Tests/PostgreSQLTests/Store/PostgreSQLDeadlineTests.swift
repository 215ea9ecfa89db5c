import ModelKitFields
import ModelKitModels
import ModelKitPostgreSQL
import ModelKitStores
import TestSupport
import Testing

private final class Seat: Model {
    let id = Field<Int>()
    let guest = Field<String>()

    convenience init(_ id: Int) {
        self.init()
        self.id.value = id
    }
}

/// A write of a row that somebody else has locked.
private enum Write: CaseIterable {
    case one, several, transaction

    func make(_ store: some RecordModelStore, _ seat: Seat) async throws {
        switch self {
        case .one: try await store.update(seat)
        case .several: try await store.perform([.update(seat), .create(Seat(2))]).value
        case .transaction:
            let guest = seat.guest.value
            try await store.transaction { transaction in
                try transaction.create(Seat(2))
                let seat = try transaction.lookup(Seat.self, identifier: 1)
                seat.guest.value = guest
                try transaction.update(seat)
            }.value
        }
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLDeadlineTests {
    @Test(arguments: PostgreSQLRoute.all, Write.allCases)
    private func
        `a write that waits for a lock is cancelled at a deadline of its own, and is not applied`(
            _ route: PostgreSQLRoute,
            _ write: Write
        ) async throws
    {
        let server = try PostgreSQLServer.shared
        let space = try server.schema()
        let store = try route.store(space, connections: 1)
        let seat = Seat(1)
        try await store.create(seat)
        let other = try server.connect()
        try other.execute("BEGIN; SELECT FROM \(space).\"Seat\" FOR UPDATE")
        seat.guest.value = "Ada"
        await #expect(throws: StoreError.timedOut(.notApplied)) {
            try await write.make(store.with(deadline: .milliseconds(300)), seat)
        }
        // The connection is free for others, though the lock is not.
        expect(try await store.count(Seat.self), equals: 1)
        try other.execute("ROLLBACK")
        seat.guest.value = "Ada"
        try await write.make(store.with(deadline: .seconds(60)), seat)
        try await expect(store.list(Seat.self).first?.guest.value, equals: "Ada")
        try await store.close()
    }

    @Test func `a task that is begun in a transaction with a deadline has none of it`() async throws
    {
        let server = try PostgreSQLServer.shared
        let store = try PostgreSQLRoute(mode: .direct).store(server.schema())
        let (isOver, continuation) = AsyncStream<Void>.makeStream()
        let deadline = Duration.milliseconds(20)
        let task = Guarded<Task<Void, any Error>?>(nil)
        let done: Promise<Void> = MemoryModelStore().with(deadline: deadline).transaction { _ in
            let begun = Task {
                await isOver.first { true }
                try await store.create(Seat(1))
            }
            task.withLock { $0 = begun }
        }
        _ = try? await done.value
        try await Task.sleep(for: deadline)
        continuation.yield()
        try await task.withLock { $0 }?.value
        try await expect(store.list(Seat.self).count, equals: 1)
        try await store.close()
    }
}
