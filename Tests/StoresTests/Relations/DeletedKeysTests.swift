import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

/// Keys that lead to what was deleted, beyond what every store is tried with.
@Suite struct DeletedKeysTests {
    private final class Album: Model {
        let id = Field<String>()
        let songs = ModelField<Song>(inverse: \.album)*
        let tracks = ModelField<Track>(inverse: \.album, cascadeDelete: true)*
        let reviews = ModelField<Review>(inverse: \.album)*

        init() { linkFields() }
    }

    private final class Review: Model {
        let id = Field<String>()
        let album = ModelField<Album>(name: "Record", foreignKey: true)

        init() { linkFields() }
    }

    private final class Song: Model {
        let id = Field<String>()
        let title = Field<String>()
        let album = ModelField<Album>(foreignKey: true)
        let labels = ModelField<Label>(foreignKey: true)*

        init() { linkFields() }

        convenience init(of album: Album) {
            self.init()
            self.album.value = album
        }
    }

    private final class Label: Model {
        let id = Field<String>()
        let songs = ModelField<Song>(inverse: \.labels)*

        init() { linkFields() }
    }

    private final class Track: Model {
        let id = Field<String>()
        let album = ModelField<Album>(foreignKey: true)

        init() { linkFields() }
    }

    /// Has a key without another side, as a deletion may leave it.
    private final class Play: Model {
        let id = Field<String>()
        let song = ModelField<Song>(foreignKey: true)

        init() { linkFields() }
    }

    private func codes(_ body: () async throws -> Void) async throws -> [String] {
        do {
            try await body()
            return []
        } catch StoreError.validation(let issues) {
            return issues.map(\.code)
        }
    }

    private struct Stop: Error {}

    private struct OtherStore: RecordModelStore {
        let records: any RecordStore
        let session = StoreSession()
    }

    private func stored(_ store: some RecordModelStore, _ id: Identifier) async throws -> [String?]
    {
        let record = try await store.records.record(id, of: Song.schema).value
        let texts = ["title", "album"].map { (key: FieldKey) -> String? in
            if case .string(let text)? = record?[key] { text } else { nil }
        }
        return texts
    }

    /// A song of an album, which another store has read and this one has changed since.
    private func changedElsewhere() async throws -> (MemoryModelStore, OtherStore, Album, Song) {
        let store = MemoryModelStore()
        let (album, song) = (Album(), Song())
        (album.id.value, song.id.value, song.title.value) = ("a", "s", "Old")
        song.album.value = album
        try await store.create(album)
        try await store.create(song)
        let other = OtherStore(records: store.records)
        let read = try await other.lookup(Song.self, identifier: "s")
        let owner = try await other.lookup(Album.self, identifier: "a")
        song.title.value = "New"
        try await store.update(song)
        return (store, other, owner, read)
    }

    @Test(arguments: [0, 1])
    func `a transaction reads what others have written to the members of what it deletes`(
        _ failures: Int
    ) async throws {
        let (store, other, owner, song) = try await changedElsewhere()
        let left = Guarded(failures)
        for _ in 0...failures {
            let found = try? await other.transaction { transaction in
                try transaction.delete(owner)
                let read = try transaction.lookup(Song.self, identifier: "s")
                let title = read.title.value
                read.title.value = "Mine"
                try transaction.update(read)
                let mustFail = left.withLock { left in
                    defer { left -= 1 }
                    return left > 0
                }
                if mustFail { throw Stop() }
                return title
            }.value
            if let found { expect(found, equals: "New") }
        }
        try await expect(stored(store, "s"), equals: ["Mine", nil])
        song.title.value = "Last"
        try await other.update(song)
        try await expect(stored(store, "s"), equals: ["Last", nil])
    }

    @Test func `what a failed transaction has set in members of what it has deleted is taken back`()
        async throws
    {
        let (store, other, owner, song) = try await changedElsewhere()
        await #expect(throws: Stop.self) {
            try await other.transaction { transaction in
                try transaction.delete(owner)
                try transaction.lookup(Song.self, identifier: "s").title.value = "Mine"
                throw Stop()
            }.value
        }
        _ = try await other.lookup(Song.self, identifier: "s")
        expect(song.title.value, equals: "New")
        expect(song.album.value === owner)
        song.labels.value = []
        song.title.value = "Next"
        try await other.update(song)
        try await expect(stored(store, "s"), equals: ["Next", "a"])
    }

    @Test func `what a failed transaction has read, written and read again is not what is stored`()
        async throws
    {
        let (store, other, owner, song) = try await changedElsewhere()
        await #expect(throws: Stop.self) {
            try await other.transaction { transaction in
                try transaction.delete(owner)
                let read = try transaction.lookup(Song.self, identifier: "s")
                read.title.value = "Mine"
                try transaction.update(read)
                _ = try transaction.lookup(Song.self, identifier: "s")
                throw Stop()
            }.value
        }
        let theirs = try await store.lookup(Song.self, identifier: "s")
        theirs.title.value = "Theirs"
        try await store.update(theirs)
        _ = try await other.lookup(Song.self, identifier: "s")
        expect(song.title.value, equals: "Theirs")
        expect(song.album.value === owner)
    }

    @Test func `what a savepoint has read of what was deleted before it may be written`()
        async throws
    {
        let (store, other, owner, song) = try await changedElsewhere()
        try await other.transaction { transaction in
            try transaction.delete(owner)
            try? transaction.savepoint {
                _ = try transaction.lookup(Song.self, identifier: "s")
                throw Stop()
            }
        }.value
        song.title.value = "Next"
        try await other.update(song)
        try await expect(stored(store, "s"), equals: ["Next", nil])
    }

    @Test
    func `what is read again after a savepoint was taken back may be written after a failure`()
        async throws
    {
        let (store, other, owner, song) = try await changedElsewhere()
        await #expect(throws: Stop.self) {
            try await other.transaction { transaction in
                try? transaction.savepoint {
                    try transaction.delete(owner)
                    _ = try transaction.lookup(Song.self, identifier: "s")
                    throw Stop()
                }
                try transaction.lookup(Song.self, identifier: "s").title.value = "Mine"
                throw Stop()
            }.value
        }
        expect(song.title.value, equals: "New")
        expect(song.album.value === owner)
        song.title.value = "Next"
        try await other.update(song)
        try await expect(stored(store, "s"), equals: ["Next", "a"])
    }

    @Test func `a member may be given to the next owner of an identifier in one transaction`()
        async throws
    {
        let (store, other, owner, song) = try await changedElsewhere()
        _ = try await other.lookup(Song.self, identifier: "s")
        let next = Album()
        next.id.value = "a"
        try await other.transaction { transaction in
            try transaction.delete(owner)
            try transaction.create(next)
            let read = try transaction.lookup(Song.self, identifier: "s")
            read.album.value = next
            try transaction.update(read)
        }.value
        try await expect(stored(store, "s"), equals: ["New", "a"])
        expect(song.album.value === next)
    }

    @Test(arguments: [true, false])
    func `what is created with the deletion of its owner is one object, which may be written`(
        _ isBatch: Bool
    ) async throws {
        let store = MemoryModelStore()
        let (album, song) = (Album(), Song())
        let labels = [Label(), Label()]
        song.id.value = "s"
        try await store.perform([.create(album), .create(labels[0]), .create(labels[1])])
        song.album.value = album
        song.labels.value = labels
        let seen = Log<Song>()
        let observation = store.records.observeChanges { _ in
            for model in (try? store.listImmediately(Song.self)) ?? [] { seen.add(model) }
        }
        let writes = [ModelWrite.create(song), .delete(album), .delete(labels[1])]
        if isBatch {
            try await store.perform(writes)
        } else {
            try await store.transaction { try $0.perform(writes) }.value
        }
        observation?.end()
        expect(seen.entries, equals: [song])
        expect(labels[0].songs.value, equals: [song])
        song.title.value = "New"
        try await store.update(song)
        song.title.value = "Next"
        try await store.update(song)
        try await expect(stored(store, "s"), equals: ["Next", nil])
    }

    @Test func `what another store has read has the next owner of an identifier, too`() async throws
    {
        let (_, other, owner, song) = try await changedElsewhere()
        try await other.load(owner, \.songs)
        let store = OtherStore(records: other.records)
        let next = Album()
        next.id.value = "a"
        try await store.transaction { transaction in
            try transaction.delete(Album.self, identifier: "a")
            try transaction.create(next)
            let read = try transaction.lookup(Song.self, identifier: "s")
            read.album.value = next
            try transaction.update(read)
        }.value
        expect(song.album.value?.id.value, equals: "a")
        expect(song.album.value !== owner)
        _ = try await other.lookup(Song.self, identifier: "s")
        song.title.value = "Next"
        try await other.update(song)
        try await expect(stored(store, "s"), equals: ["Next", "a"])
    }

    @Test func `a key that others write after it was written here is a conflict`() async throws {
        let store = MemoryModelStore()
        let albums = ["a", "b", "c"].map { id in
            let album = Album()
            album.id.value = id
            return album
        }
        try await store.create(albums)
        try await store.load(albums, \.songs)
        let song = Song(of: albums[0])
        song.id.value = "s"
        try await store.create(song)
        let isDone = Guarded(false)
        let observation = store.records.observeChanges { [records = store.records] changes in
            guard changes.types == ["Song"], !isDone.exchange(true) else { return }
            let write = RecordWrite.Action.update("s", ["album": "c"], revision: nil)
            _ = records.perform([RecordWrite(write, of: Song.schema)])
        }
        song.album.value = albums[1]
        try await store.update(song)
        song.album.value = albums[0]
        let error = await #expect(throws: StoreError.self) { try await store.update(song) }
        expect(error?.code, equals: "conflict")
        observation?.end()
    }

    @Test func `a transaction sets no key to what it has deleted, and may store that again`()
        async throws
    {
        let store = MemoryModelStore()
        let album = Album()
        try await store.create(album)
        let found = try await codes {
            try await store.transaction {
                try $0.delete(album)
                try $0.create(Song(of: album))
            }.value
        }
        expect(found, equals: ["deleted"])
        // Nothing of it was done.
        let song = Song(of: album)
        try await store.create(song)
        try await store.transaction {
            try $0.delete(album)
            try $0.save(album)
            try $0.create(Song(of: album))
        }.value
        let songs = try await store.list(Song.self)
        expect(songs.map { $0.album.value === album }, equals: [false, true])
    }

    @Test func `what went with its owner is stored again only with it`() async throws {
        let store = MemoryModelStore()
        let (album, track) = (Album(), Track())
        track.album.value = album
        try await store.save(album, including: \.tracks)
        try await store.delete(album)
        let alone = try await codes { try await store.save(track) }
        expect(alone, equals: ["deleted"])
        try await store.save(album, including: \.tracks)
        let count = try await store.list(Track.self).count
        expect(count, equals: 1)
    }

    @Test func `the next record of the identifier is one that keys may lead to`() async throws {
        let store = MemoryModelStore()
        let (old, new) = (Album(), Album())
        (old.id.value, new.id.value) = ("a", "a")
        try await store.create(old)
        try await store.delete(old)
        try await store.create(new)
        try await store.create(Song(of: old))
        let read = try await store.list(Song.self)
        expect(read.first?.album.value?.id.value, equals: "a")
    }

    @Test func `a key without another side may lead to what was deleted`() async throws {
        let store = MemoryModelStore()
        let (song, play) = (Song(), Play())
        try await store.create(song)
        try await store.delete(song)
        play.song.value = song
        try await store.create(play)
        expect(play.song.value === song)
    }

    @Test func `only a key that is written is looked at`() async throws {
        let store = MemoryModelStore()
        let album = Album()
        let song = Song(of: album)
        try await store.create(album)
        try await store.create(song)
        song.title.value = "Blue"
        let deletion: Promise = store.delete(album)
        // The key still leads to the album, but is not what is written.
        let update: Promise = store.update(song)
        _ = try await deletion.value
        _ = try await update.value
        expect(song.album.value, equals: nil)
        let read = try await store.list(Song.self)
        expect(read.map(\.title.value), equals: ["Blue"])
    }

    @Test func `a batch and a transaction may make the record anew by another object`() async throws
    {
        let store = MemoryModelStore()
        let old = Album()
        old.id.value = "a"
        try await store.create(old)
        @Sendable func again() -> Album {
            let new = Album()
            new.id.value = "a"
            return new
        }
        let new = again()
        try await store.perform([.delete(old), .create(new), .create(Song(of: old))])
        try await store.transaction {
            try $0.delete(new)
            try $0.create(again())
            try $0.create(Song(of: new))
        }.value
        let songs = try await store.list(Song.self)
        expect(songs.map(\.album.value?.id.value), equals: [nil, "a"])
    }

    @Test func `a deletion of which nobody knows whether it was done keeps no key from being set`()
        async throws
    {
        let store = FailingStore(MemoryModelStore())
        let album = Album()
        try await store.create(album)
        store.script = [.fail(.unavailable("offline", .unknown), on: .write)]
        do {
            try await store.delete(album)
            Testing.Issue.record("it was deleted")
        } catch StoreError.unavailable(_, .unknown) {}
        try await store.create(Song(of: album))
        let count = try await store.list(Song.self).count
        expect(count, equals: 1)
    }

    @Test func `of two deletions at once the one that fails does not hide the other`() async throws
    {
        let store = MemoryModelStore()
        let album = Album()
        try await store.create(album)
        let (first, second): (Promise<Album>, Promise<Album>) = (
            store.delete(album), store.delete(album)
        )
        _ = try await first.value
        await #expect(throws: (any Error).self) { try await second.value }
        let found = try await codes { try await store.create(Song(of: album)) }
        expect(found, equals: ["deleted"])
    }

    @Test func `a transaction that deletes and creates an object leaves it with its owner`()
        async throws
    {
        let store = MemoryModelStore()
        let album = Album()
        try await store.create(album)
        let song = Song(of: album)
        try await store.create(song)
        try await store.transaction {
            try $0.delete(song)
            try $0.create(song)
        }.value
        expect(song.album.value === album)
        expect(album.songs.value, equals: [song])
        song.title.value = "Again"
        try await store.update(song)
        let identifier = try #require(song.identifier)
        let record = try await store.records.record(identifier, of: Song.schema).value
        expect(record?["album"], equals: album.identifier?.attributeValue)
    }

    @Test func `a save that is asked for while its object is deleted leaves it with its owner`()
        async throws
    {
        let store = MemoryModelStore()
        let album = Album()
        try await store.create(album)
        let song = Song(of: album)
        try await store.create(song)
        let deletion: Promise = store.delete(song)
        let save: Promise = store.save(song)
        _ = try await (deletion.value, save.value)
        expect(song.album.value === album)
        expect(album.songs.value, equals: [song])
    }

    @Test func `a deleted object that takes the place of another has its owner again`() async throws
    {
        let store = MemoryModelStore()
        let album = Album()
        try await store.create(album)
        let song = Song(of: album)
        song.id.value = "s"
        try await store.create(song)
        try await store.delete(song)
        let other = Song()
        other.id.value = "s"
        try await store.create(other)
        try await store.save(song, onConflict: .replace)
        expect(album.songs.value, equals: [song])
    }

    @Test func `a deleted object that had no owner can get one from the other side`() async throws {
        let store = MemoryModelStore()
        let (album, label) = (Album(), Label())
        let song = Song()
        song.labels.value = nil
        try await store.create(song)
        try await store.create(album)
        try await store.create(label)
        try await store.delete(song)
        album.songs.append(song)
        label.songs.append(song)
        expect(song.album.value === album)
        expect(song.labels.value, equals: [label])
    }

    @Test func `what was never stored is not deleted with its owner`() async throws {
        let store = MemoryModelStore()
        let (album, other) = (Album(), Album())
        try await store.create(album)
        try await store.create(other)
        let track = Track()
        track.album.value = album
        try await store.delete(album)
        expect(track.album.value === album)
        try await expect(codes { try await store.create(track) }, equals: ["deleted"])
        track.album.value = other
        expect(album.tracks.value == [] && other.tracks.value == [track])
        try await store.create(track)
    }

    @Test func `what leads to a deleted object is said by the name of its field`() async throws {
        let store = MemoryModelStore()
        let album = Album()
        album.id.value = "x"
        try await store.create(album)
        try await store.delete(album)
        let review = Review()
        review.album.value = album
        do {
            try await store.create(review)
            Testing.Issue.record("it was created")
        } catch StoreError.validation(let issues) {
            expect(issues.map(\.description), equals: ["Record leads to Album x, which is deleted"])
            expect(issues.first?.parameters, equals: ["type": "Album", "identifier": "x"])
        }
    }

    @Test func `what was deleted is freed`() async throws {
        let store = MemoryModelStore()
        weak var freed: Album?
        for _ in 0..<200 {
            let album = Album()
            try await store.create(album)
            try await store.delete(album)
            freed = album
        }
        expect(freed, equals: nil)
    }
}
