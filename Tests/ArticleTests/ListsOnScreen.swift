import ModelKit
import Testing

@Suite struct ListsOnScreen {
    final class Track: Model {
        let id = Field<String>()
        let title = Field<String>().indexed()
        let length = Field<Int>()
        let genre = Field<String>()
    }

    @MainActor final class TrackScreen {
        private(set) var rows: [Track] = []
        private var observation: LiveObservation?

        func follow(_ store: any ModelStore) {
            observation = store.observe(Track.self, orderBy: .ascending(\.title)).onMain.observe {
                [weak self] result in
                guard let self, let result = try? result.get() else { return }
                for edit in result.edits { try? edit.apply(to: &self.rows) }
                for track in result.updated { reload(track) }
            }
        }

        private func reload(_ track: Track) {}
    }

    private final class Rows {
        var rows: [Track] = []

        func show(_ edit: ArrayEdit<Track>) {
            switch edit {
            case .insert(let track, at: let index): rows.insert(track, at: index)
            case .remove(_, at: let index): rows.remove(at: index)
            case .replace(_, with: let track, at: let index): rows[index] = track
            case .move(let track, from: let start, to: let end):
                rows.remove(at: start)
                rows.insert(track, at: end)
            case .reset(let tracks): rows = tracks
            }
        }
    }

    private func tracks() -> [Track] {
        (0..<1_000).map { number in
            let track = Track()
            let digits = String(number)
            track.title.value = "track " + String(repeating: "0", count: 4 - digits.count) + digits
            track.length.value = 100
            track.genre.value = number % 2 == 0 ? "jazz" : "folk"
            return track
        }
    }

    @Test func `the examples of the article run`() async throws {
        let store = MemoryModelStore()
        let tracks = tracks()
        try await store.create(tracks)

        let window = store.observe(Track.self, orderBy: .ascending(\.title), window: 0..<50)
        for try await result in window {
            print(result.range, "of", result.total)  // 0..<50 of 1000
            #expect(result.range == 0..<50 && result.total == 1_000)
            break
        }

        let results = window.makeAsyncIterator()
        _ = try await results.next()
        window.show(500..<550)
        let middle = try await results.next()
        print(middle?.models.first?.title.value ?? "")  // track 0500
        #expect(middle?.models.first === tracks[500])

        let long = store.observe(sum: \.length, of: Track.self, where: \.genre == "jazz")
        let perGenre = store.observe(count: Track.self, by: \.genre)
        let seconds = try await long.makeAsyncIterator().next()
        let counts = try await perGenre.makeAsyncIterator().next()
        print(seconds ?? 0, counts?["jazz"] ?? 0)  // 50000 500
        #expect(seconds == 50_000 && counts?["jazz"] == 500)

        let number = store.observe(count: Track.self)
        let numbers = store.observe(count: Track.self, by: \.genre)
        let sum = store.observe(sum: \.length, of: Track.self)
        let sums = store.observe(sum: \.length, of: Track.self, by: \.genre)
        let mean = store.observe(average: \.length, of: Track.self)
        let shortest = store.observe(min: \.length, of: Track.self)
        let longest = store.observe(max: \.length, of: Track.self)
        let ten = store.observe(Track.self, orderBy: .descending(\.length), limit: 10)
        #expect(try await number.makeAsyncIterator().next() == 1_000)
        #expect(try await numbers.makeAsyncIterator().next() == ["jazz": 500, "folk": 500])
        #expect(try await sum.makeAsyncIterator().next() == 100_000)
        #expect(try await sums.makeAsyncIterator().next() == ["jazz": 50_000, "folk": 50_000])
        #expect(try await mean.makeAsyncIterator().next() == 100)
        #expect(try await shortest.makeAsyncIterator().next() == 100)
        #expect(try await longest.makeAsyncIterator().next() == 100)
        let first = try #require(try await ten.makeAsyncIterator().next())
        #expect(first.models.count == 10 && first.total == 10)
    }

    /// By how many rows it is shown, by what edits a window comes that was moved far.
    @Test(arguments: [20, 128, 129])
    func `a window that was moved far comes by replacements, or is reset`(count: Int) async throws {
        let store = MemoryModelStore()
        let tracks = tracks()
        try await store.create(tracks)
        let window = store.observe(Track.self, orderBy: .ascending(\.title), window: 0..<count)
        let results = window.makeAsyncIterator()
        let screen = Rows()
        for edit in try await results.next()?.edits ?? [] { screen.show(edit) }
        window.show(800..<800 + count)
        let edits = try await results.next()?.edits ?? []
        for edit in edits { screen.show(edit) }
        #expect(screen.rows == Array(tracks[800..<800 + count]))
        #expect(edits.count == (count == 129 ? 1 : count))
        if case .reset? = edits.first { #expect(count == 129) } else { #expect(count < 129) }
        window.show(801..<801 + count)
        for edit in try await results.next()?.edits ?? [] { screen.show(edit) }
        #expect(screen.rows == Array(tracks[801..<801 + count]))
        tracks[802].title.value = "track 0804 and a half"
        try await store.update(tracks[802])
        let moved = try await results.next()?.edits ?? []
        #expect(moved == [.move(tracks[802], from: 1, to: 3)])
        for edit in moved { screen.show(edit) }
        #expect(screen.rows[3] === tracks[802])
    }

    @Test @MainActor func `a screen follows by edits`() async throws {
        let store = MemoryModelStore()
        let tracks = tracks()
        try await store.create(tracks)
        let screen = TrackScreen()
        screen.follow(store)
        while screen.rows.count < 1_000 { try await Task.sleep(for: .milliseconds(1)) }
        tracks[0].title.value = "z"
        try await store.update(tracks[0])
        try await store.delete(tracks[1])
        while screen.rows.count > 999 { try await Task.sleep(for: .milliseconds(1)) }
        while screen.rows.last !== tracks[0] { try await Task.sleep(for: .milliseconds(1)) }
        #expect(screen.rows == Array(tracks[2...]) + [tracks[0]])
    }
}

extension ListsOnScreen {
    @Test @MainActor func `the further examples of the article run`() async throws {
        let store = MemoryModelStore()
        let tracks = tracks()
        try await store.create(tracks)
        let window = store.observe(Track.self, orderBy: .ascending(\.title), window: 0..<50)
        let lines = Log<String>()
        let edited = Log<Int>()

        let shown = window.onMain.observe { result in
            if let result = try? result.get() { lines.add("\(result.range) of \(result.total)") }
        }
        let edits = window.observeEdits { edits in edited.add((try? edits.get())?.count ?? 0) }
        let mainEdits = window.onMain.observeEdits { edits in
            edited.add((try? edits.get())?.count ?? 0)
        }
        window.show(100..<150)
        print(window.places)  // 100..<150
        #expect(window.places == 100..<150)

        for _ in 0..<10_000 where lines.entries.last != "100..<150 of 1000" || edited.count < 2 {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(lines.entries.last == "100..<150 of 1000")
        for observation in [shown, edits, mainEdits] { observation.cancel() }
    }
}
