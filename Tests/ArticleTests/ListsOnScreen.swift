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
