import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

/// Objects of which there is a class for each store: what is found out of a class is kept for the whole process.
private class Piece<Store>: ModelObject, @unchecked Sendable {
    let id = Field<Int>()
    let kind = Field<String>()

    override class var modelName: String { "Piece" }

    override class var subclasses: [ModelObject.Type] {
        self == Piece<Store>.self ? [RoundPiece<Store>.self] : []
    }

    /// A round one, of which nothing is said but that it is a piece.
    @inline(never)
    static func round(_ radius: Double) -> Piece<Store> {
        let piece = RoundPiece<Store>()
        piece.kind.value = "round"
        piece.radius.value = radius
        return piece
    }
}

private final class RoundPiece<Store>: Piece<Store>, @unchecked Sendable {
    let radius = Field<Double>().require(.min(0))

    override class var modelName: String { "RoundPiece" }
}

@Suite struct SubclassFirstMetStoreTests {
    private func check<Store>(
        _ kind: Store.Type,
        open: (String) throws -> any ModelStore,
        save: (any ModelStore, [Piece<Store>]) async throws -> Void,
        close: (any ModelStore) async throws -> Void
    ) async throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "modelkit-pieces-\(UUID().uuidString)").path
        defer {
            for end in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        let pieces: [Piece<Store>] = [.round(2), .round(3)]
        // What is known of the class is known by this.
        expect(pieces.map { $0.validate() }, equals: [.valid, .valid])
        var store = try open(path)
        try await save(store, pieces)
        try await close(store)
        store = try open(path)
        let found = try await store.list(Piece<Store>.self).value
        expect(found.map { ($0 as? RoundPiece<Store>)?.radius.value }, equals: [2, 3])
        try await close(store)
    }

    private func create(_ pieces: [some Model], in store: any ModelStore) async throws {
        for piece in pieces { _ = try await store.create(piece).value }
    }

    private func archive(_ path: String) throws -> ArchiveModelStore {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return try ArchiveModelStore(directory: path)
    }

    @Test func `SQLite keeps what a subclass has that is first met as its superclass`() async throws
    {
        try await check(
            SQLiteModelStore.self,
            open: { try SQLiteModelStore(path: $0) },
            save: { try await create($1, in: $0) },
            close: { try await ($0 as? SQLiteModelStore)?.close().value }
        )
    }

    @Test func `an archive keeps it, too`() async throws {
        try await check(
            ArchiveModelStore.self,
            open: { try archive($0) },
            save: { try await create($1, in: $0) },
            close: { try await ($0 as? ArchiveModelStore)?.close().value }
        )
    }

    @Test func `a list in an archive keeps it, too`() async throws {
        try await check(
            [ArchiveModelStore].self,
            open: { try archive($0) },
            save: { store, pieces in
                _ = try await (store as? ArchiveModelStore)?
                    .saveList(Piece<[ArchiveModelStore]>.self, pieces).value
            },
            close: { try await ($0 as? ArchiveModelStore)?.close().value }
        )
    }

    @Test func `a store in memory keeps it, too`() async throws {
        let memory = MemoryModelStore()
        try await check(
            MemoryModelStore.self,
            open: { _ in memory },
            save: { try await create($1, in: $0) },
            close: { _ in }
        )
        let pieces = try await memory.list(RoundPiece<MemoryModelStore>.self).value
        expect(pieces.map(\.radius.value), equals: [2, 3])
    }
}
