import ModelKitFields
import ModelKitModels
import ModelKitStores
import Synchronization
import TestSupport
import Testing

/// What is reported where the members of a written model would be lost.
@Suite struct UnsavedMembersTests {
    private final class Album: Model {
        let id = Field<String>()
        let songs = ModelField<Song>(inverse: \.album)*

        init() { linkFields() }
    }

    private final class Song: Model {
        let id = Field<String>()
        let album = ModelField<Album>(foreignKey: true)

        init() { linkFields() }
    }

    private func reports(
        _ code: Diagnostic.Code = .unsavedMembers,
        _ body: () throws -> Void
    ) rethrows -> [String] {
        let seen = Mutex<[Diagnostic]>([])
        try ModelKitDiagnostics.withHandler(
            { diagnostic in seen.withLock { $0.append(diagnostic) } },
            body
        )
        return seen.withLock { $0.filter { $0.code == code }.map(\.message) }
    }

    @Test func `a model that is written without its new members is reported`() async throws {
        let store = MemoryModelStore()
        let album = Album()
        album.songs.value = [Song(), Song()]
        var made: Promise<Album>?
        let found = reports { made = store.create(album) }
        expect(
            found,
            equals: [
                "Album is written, but 2 of its songs were never stored; save it including: \\.songs"
            ]
        )
        _ = try await made?.value
        made = nil
        expect(reports { made = store.save(album, including: \.songs) }, equals: [])
        _ = try await made?.value
        expect(reports { made = store.update(album) }, equals: [])
        _ = try await made?.value
    }

    @Test func `members that are written beside it, or before, are not`() async throws {
        let store = MemoryModelStore()
        let album = Album()
        let songs = [Song(), Song(), Song()]
        album.songs.value = [songs[0]]
        var writes: Promise<Void>?
        expect(reports { writes = store.perform([.create(album), .create(songs[0])]) }, equals: [])
        _ = try await writes?.value
        album.songs.append(songs[1])
        var first: Promise<Song>?
        var second: Promise<Album>?
        let found = reports {
            first = store.create(songs[1])
            second = store.update(album)
        }
        expect(found, equals: [])
        _ = try await first?.value
        _ = try await second?.value
    }

    @Test func `what is taken out is let go once that is stored`() async throws {
        let store = MemoryModelStore()
        let album = Album()
        album.songs.value = [Song(), Song(), Song()]
        _ = try await store.save(album, including: \.songs).value
        weak let taken = album.songs.value?[0]
        weak let updated = album.songs.value?[1]
        weak let deleted = album.songs.value?[2]
        expect(taken != nil)
        album.songs.remove(at: 0)
        expect(taken != nil)
        _ = try await store.save(album, including: \.songs).value
        expect(taken, equals: nil)
        weak var unsaved: Song?
        do {
            let song = Song()
            unsaved = song
            album.songs.append(song)
            album.songs.remove(at: 2)
        }
        expect(unsaved != nil)
        do {
            let song = try #require(updated)
            song.album.value = nil
            _ = try await store.update(song).value
        }
        expect(updated, equals: nil)
        expect(unsaved, equals: nil, "nobody will ask about it")
        do { _ = try await store.delete(try #require(deleted)).value }
        expect(deleted, equals: nil)
        try await expect(store.list(Song.self).value.count, equals: 2)
    }

    private final class Ticket: Model {
        let id = Field<String>()
        let album = ModelField<Album>(foreignKey: true).require(.required)
    }

    @Test func `a key to what was never stored is reported, or refused where it is needed`()
        async throws
    {
        let store = MemoryModelStore()
        let (album, song, ticket) = (Album(), Song(), Ticket())
        song.album.value = album
        ticket.album.value = album
        var creation: Promise<Song>?
        let found = reports(.unsavedKey) { creation = store.create(song) }
        expect(
            found,
            equals: [
                "Song is written without its album, which was never stored; store that before, or "
                    + "save this one including: \\.album"
            ]
        )
        _ = try await creation?.value
        do {
            try await store.create(ticket)
            expect(Bool(false), "a ticket of nothing was stored")
        } catch StoreError.validation(let issues) {
            expect(issues.map(\.code), equals: ["unsaved"])
            expect(issues.map(\.path.description), equals: ["album"])
        }
        try await expect(store.list(Ticket.self).isEmpty && ticket.identifier == nil)
        try await store.save(ticket, including: \.album)
        expect(album.identifier != nil)
        try await store.update(song)
        let stored = try await store.records.record(song.identifier ?? "", of: Song.schema).value
        expect(stored?["album"], equals: album.identifier?.attributeValue)
    }
}
