import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitTesting
import Synchronization
import TestSupport
import Testing

/// How loaded relations follow others, where two things happen at once.
@Suite struct FollowingTests {
    private final class Album: Model {
        let id = Field<String>()
        let songs = ModelField<Song>(inverse: \.album)*

        init() { linkFields() }

        convenience init(_ id: String) {
            self.init()
            self.id.value = id
        }
    }

    private class Song: ModelObject, @unchecked Sendable {
        let id = Field<String>()
        let title = Field<String>()
        let album = ModelField<Album>(foreignKey: true)

        required init() {
            super.init()
            linkFields()
        }
    }

    private final class LiveSong: Song, @unchecked Sendable {
        let place = Field<String>()
    }

    private func song(_ id: String, _ album: Album? = nil) -> Song {
        let song = Song()
        song.id.value = id
        song.album.value = album
        return song
    }

    /// Records whose lists are answered late, with what was there when they were asked for.
    private struct LateRecords: RecordStore {
        let base: any RecordStore
        /// What is done between the two, once.
        let meanwhile: Once

        func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { base.perform(writes) }

        func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
            let work = meanwhile.take(schema.name)
            return base.fetch(query, of: schema).then { found in
                guard let work else { return .value(found) }
                return Promise { try await work() }.map { found }
            }
        }

        func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
            base.record(identifier, of: schema)
        }

        func observeChanges(
            _ handler: @escaping @Sendable (RecordChanges) -> Void
        ) -> RecordObservation? {
            base.observeChanges(handler)
        }
    }

    private final class Once: Sendable {
        private let work: Mutex<(@Sendable () async throws -> Void)?>

        private let isRepeated: Bool

        init(isRepeated: Bool = false, _ work: @escaping @Sendable () async throws -> Void) {
            self.isRepeated = isRepeated
            self.work = Mutex(work)
        }

        func take(_ type: String) -> (@Sendable () async throws -> Void)? {
            if type != Song.schema.name { return nil }
            return work.withLock { work in
                defer { if !isRepeated { work = nil } }
                return work
            }
        }
    }

    private struct LateStore: RecordModelStore {
        let records: any RecordStore
        let session = StoreSession()
    }

    @Test func `what the store itself deletes during a load is not in it`() async throws {
        let store = MemoryModelStore()
        let album = try await store.create(Album("a"))
        for id in ["one", "two"] { _ = try await store.create(song(id, album)) }
        let own = Log<LateStore>()
        let late = LateStore(
            records: LateRecords(
                base: store.records,
                meanwhile: Once {
                    try await own.entries[0].delete(Song.self, identifier: "two")
                }
            )
        )
        own.add(late)
        let read = try await late.lookup(Album.self, identifier: "a")
        try await late.load(read, \.songs)
        expect(read.songs.value?.map(\.id.value), equals: ["one"])
    }

    @Test(arguments: [false, true])
    func `what the store itself creates during a load is in it, and does not stop it`(
        _ isHeld: Bool
    ) async throws {
        let store = MemoryModelStore()
        let album = try await store.create(Album("a"))
        _ = try await store.create(song("one", album))
        let (own, held) = (Log<LateStore>(), Log<Song>())
        let count = Guarded(0)
        let late = LateStore(
            records: LateRecords(
                base: store.records,
                meanwhile: Once(isRepeated: isHeld) {
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    let new = Song()
                    new.id.value = "new\(number)"
                    new.album.value = try await own.entries[0].lookup(Album.self, identifier: "a")
                    if isHeld { held.add(new) }
                    try await own.entries[0].create(new)
                }
            )
        )
        own.add(late)
        let read = try await late.lookup(Album.self, identifier: "a")
        try await late.load(read, \.songs)
        expect(read.songs.value?.map(\.id.value), equals: ["one", "new1"])
    }

    /// Records that report what an import has added, as of any number of records.
    private struct ImportedRecords: RecordStore {
        let memory = MemoryRecordStore()
        let observers = RecordObservers()

        func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { memory.perform(writes) }

        func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
            memory.fetch(query, of: schema)
        }

        func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
            memory.record(identifier, of: schema)
        }

        func observeChanges(_ handler: @escaping RecordChanges.Handler) -> RecordObservation? {
            observers.add(handler)
        }

        func report() {
            observers.notify(RecordChanges([.init(type: Song.schema.name, identifier: nil)]))
        }
    }

    @Test func `an import takes no unsaved member away, and brings none back`() async throws {
        let records = ImportedRecords()
        let store = LateStore(records: records)
        let albums = [Album("a"), Album("b"), Album("c")]
        for album in albums { try await store.save(album, including: \.songs) }
        albums[0].songs.append(song("new"))
        albums[1].songs.append(song("old"))
        try await store.save(albums[1], including: \.songs)
        albums[1].songs.remove(at: 0)
        records.report()
        expect(albums.map { $0.songs.value?.count }, equals: [1, 0, nil])
        for album in albums.prefix(2) { try await store.save(album, including: \.songs) }
        let stored = try await store.list(Song.self)
        expect(
            stored.map { [$0.id.value, $0.album.value?.id.value] },
            equals: [["old", nil], ["new", "a"]]
        )
    }

    enum Commit: String, CaseIterable, Sendable { case creation, moveIn, moveOut, deletion }

    @Test(arguments: Commit.allCases)
    func `what others commit during a load is in it`(_ commit: Commit) async throws {
        let store = MemoryModelStore()
        let (album, other) = (Album("a"), Album("b"))
        for album in [album, other] { _ = try await store.create(album) }
        _ = try await store.create(song("one", album))
        let two = try await store.create(song("two", album))
        let three = try await store.create(song("three", other))
        let new = song("new", album)
        let late = LateStore(
            records: LateRecords(
                base: store.records,
                meanwhile: Once {
                    switch commit {
                    case .creation: _ = try await store.create(new)
                    case .moveIn:
                        three.album.value = album
                        _ = try await store.update(three)
                    case .moveOut:
                        two.album.value = other
                        _ = try await store.update(two)
                    case .deletion: _ = try await store.delete(two)
                    }
                }
            )
        )
        let read = try await late.lookup(Album.self, identifier: "a")
        let found = try await late.load(read, \.songs)
        let expected =
            switch commit {
            case .creation: ["one", "two", "new"]
            case .moveIn: ["one", "two", "three"]
            case .moveOut, .deletion: ["one"]
            }
        expect(found.map(\.id.value), equals: expected)
        expect(read.songs.value?.map(\.id.value), equals: expected)
        expect(read.songs.loadState, equals: .loaded)
    }

    @Test func `a load that is cancelled leaves a relation not loaded`() async throws {
        let store = MemoryModelStore()
        _ = try await store.create(Album("a"))
        let (gate, resolver) = Promise<Void>.withResolvers()
        let late = LateStore(
            records: LateRecords(base: store.records, meanwhile: Once { try await gate.value })
        )
        let read = try await late.lookup(Album.self, identifier: "a")
        let load: Promise<[Song]> = late.load(read, \.songs)
        expect(read.songs.loadState, equals: .loading)
        load.cancel()
        do {
            _ = try await load.value
            Issue.record("the load goes on")
        } catch StoreError.cancelled(let outcome) {
            expect(outcome, equals: .notApplied)
        }
        expect(read.songs.loadState, equals: .notLoaded)
        resolver.fulfill()
        try await expect(late.load(read, \.songs).isEmpty)
        expect(read.songs.loadState, equals: .loaded)
    }

    @Test func `members of a subclass are followed`() async throws {
        let store = MemoryModelStore()
        let album = try await store.create(Album("a"))
        let other = OtherStore(records: store.records)
        let read = try await other.lookup(Album.self, identifier: "a")
        _ = try await other.load(read, \.songs)
        let live = LiveSong()
        live.id.value = "live"
        live.album.value = album
        _ = try await store.create(live)
        expect(read.songs.value?.map(\.id.value), equals: ["live"])
        expect(read.songs.value?.first is LiveSong)
    }

    @Test func `a member that others have deleted is freed`() async throws {
        let store = MemoryModelStore()
        let album = try await store.create(Album("a"))
        let one = try await store.create(song("one", album))
        let other = OtherStore(records: store.records)
        let read = try await other.lookup(Album.self, identifier: "a")
        weak let member = try await other.load(read, \.songs).first
        expect(member != nil)
        _ = try await store.delete(one)
        expect(read.songs.value?.isEmpty, equals: true)
        expect(member, equals: nil)
    }

    @Test func `a transaction that fails leaves relations as they are`() async throws {
        let store = MemoryModelStore()
        _ = try await store.create(Album("a"))
        let other = OtherStore(records: store.records)
        let album = Album("a")
        album.songs.append(song("new"))
        await #expect(throws: CancellationError.self) {
            try await other.transaction { transaction in
                try transaction.save(album, onConflict: .replace)
                throw CancellationError()
            }
            .value
        }
        expect(album.songs.value?.map(\.id.value), equals: ["new"])
        _ = try await other.save(album, onConflict: .replace)
        expect(album.songs.loadState, equals: .notLoaded)
    }

    @Test func `a store that skips damaged records is a local one`() async throws {
        let store = MemoryModelStore()
        let (album, other) = (Album("a"), Album("b"))
        for album in [album, other] { _ = try await store.create(album) }
        let skipping = store.skippingDamaged { _ in }
        _ = try await skipping.load([album, other], \.songs)
        let one = try await skipping.create(song("one", album))
        _ = try await skipping.delete(other)
        expect(album.songs.value, equals: [one])
        let agreement = try await skipping.agreement(of: one)
        expect(agreement.identifier, equals: "one")
    }

    @Test func `a conflict of a subclass is resolved, too`() async throws {
        let store = MemoryModelStore()
        let song = LiveSong()
        song.id.value = "live"
        _ = try await store.create(song)
        let other = OtherStore(records: store.records)
        let theirs = try await other.lookup(LiveSong.self, identifier: "live")
        theirs.place.value = "Graz"
        _ = try await other.update(theirs)
        song.title.value = "Alone"
        let known: Song = song
        _ = try await store.update(known, onConflict: .merge { _, mine, _ in mine })
        expect(song.place.value, equals: "Graz")
        let record = try await store.records.record("live", of: LiveSong.schema).value
        expect(record?["title"], equals: "Alone")
        expect(record?["place"], equals: "Graz")
    }
}

private struct OtherStore: RecordModelStore {
    let records: any RecordStore
    let session = StoreSession()
}
