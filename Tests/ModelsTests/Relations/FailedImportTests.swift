import Foundation
import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

/// What is read and dropped is in no relation, and nothing keeps it alive.
@Suite struct FailedImportTests {
    /// Counts which of the models that a task has made are alive.
    final class Watch: Sendable {
        @TaskLocal static var current: Watch?
        private let models = Collector<@Sendable () -> Bool>()

        func add(_ model: any Model) { models.add { [weak model] in model != nil } }
        var count: Int { models.values.filter { $0() }.count }
        var made: Int { models.values.count }
    }

    final class Team: Model {
        let id = Field<String>()
        let name = Field<String>()
        let fans = ModelField<Fan>(inverse: \.team)*
        let rank = Field<Int>()
        init() {
            linkFields()
            Watch.current?.add(self)
        }
    }

    final class Fan: Model {
        let id = Field<String>()
        let team = ModelField<Team>()
        let home = ModelField<City>(foreignKey: true)
        let age = Field<Int>()
        init() {
            linkFields()
            Watch.current?.add(self)
        }
    }

    final class City: Model {
        let id = Field<String>()
        let fans = ModelField<Fan>(inverse: \.home, foreignKey: true)*
        let team = ModelField<Team>()
        init() { linkFields() }
    }

    /// Has no inverse itself.
    final class League: Model {
        let teams = ModelField<Team>()*
        let size = Field<Int>()
    }

    init() throws {
        // The models that schemas are made of live on.
        _ = try League(dictionaryValue: ["teams": [["fans": [["home": "c"]]]]])
        _ = try City(dictionaryValue: [:])
    }

    static func watching(_ body: () throws -> Void) rethrows -> Watch {
        let watch = Watch()
        try Watch.$current.withValue(watch, operation: body)
        return watch
    }

    static let team: AttributeDictionary = [
        "id": "t", "fans": [["id": "1", "home": "c"], ["id": "2", "home": "c"]],
    ]

    static let bad = team.merging(["rank": "x"]) { $1 }

    enum Way: CaseIterable {
        case make, initialiser, native, array, codable, json, jsonArray, stream, nested, map
    }

    @Test(arguments: Way.allCases)
    func `a strict import that fails leaves nothing behind`(way: Way) throws {
        let json = try AttributeValue.dictionary(Self.bad).jsonData()
        let good = try AttributeValue.dictionary(Self.team).jsonData()
        let array = Data("[".utf8) + good + Data(",".utf8) + json + Data("]".utf8)
        let watch = Self.watching {
            #expect(throws: ImportError.self) {
                switch way {
                case .make: _ = try Team.make(of: Self.bad)
                case .initialiser: _ = try Team(dictionaryValue: Self.bad)
                case .native:
                    _ = try Team(dictionary: ["rank": "x", "fans": [["id": "1"]]])
                case .array: _ = try [Team](dictionaryValues: [Self.team, Self.bad])
                case .codable: _ = try JSONDecoder().decode(Team.self, from: json)
                case .json: _ = try Team(json: json)
                case .jsonArray: _ = try [Team](json: array)
                case .stream:
                    var reader = ModelArrayReader<Team>()
                    _ = try reader.read(Data("[".utf8) + json + Data("]".utf8))
                case .nested:
                    _ = try League(dictionaryValue: [
                        "teams": [.dictionary(Self.team)], "size": "x",
                    ])
                case .map: _ = try IdentityMap().read(Team.self, Self.bad)
                }
            }
        }
        expect(watch.made >= 2)
        expect(watch.count, equals: 0)
    }

    @Test(arguments: ["{\"fans\": [{\"id\": \"1\"}]} x", "{\"fans\": [{\"id\": \"1\"}], \"rank\"}"])
    func `a text that turns out to be none leaves nothing behind`(text: String) throws {
        for text in [text, "[\(text)]", "[{\"fans\": [{}]}, \(text)]"] {
            let watch = Self.watching {
                #expect(throws: ImportError.self) {
                    if text.hasPrefix("[") {
                        _ = try [Team](json: Data(text.utf8))
                    } else {
                        _ = try Team(json: Data(text.utf8))
                    }
                }
            }
            expect(watch.made >= 2)
            expect(watch.count, equals: 0)
        }
    }

    @Test func `a text that is read again has each model once`() throws {
        let text = #"{"id": "t", "fans": [{"id": "1", "home": "c"}], "rank": 1, "rank": 2}"#
        for isArray in [false, true] {
            var team: Team?
            let watch = try Self.watching {
                team =
                    isArray
                    ? try [Team](json: Data("[\(text)]".utf8))[0] : try Team(json: Data(text.utf8))
            }
            expect(watch.made, equals: 4)
            expect(watch.count, equals: 2)
            expect(team?.rank.value, equals: 2)
            expect(team?.fans[0]?.team.value === team)
            expect(team?.fans[0]?.home.value?.fans.value, equals: nil)
            team?.fans[0]?.unlink()
            team = nil
            expect(watch.count, equals: 0)
        }
    }

    @Test func `the models in use do not see what failed`() throws {
        let map = IdentityMap()
        let city = try map.read(City.self, ["id": "c"])
        let received = Collector<Int>()
        city.fans.observe { fans in received.add(fans?.count ?? 0) }
        let (before, count) = (city.fans.updatedAt, received.values.count)
        let watch = Self.watching {
            #expect(throws: ImportError.self) {
                try map.read(Fan.self, ["id": "1", "home": "c", "age": "x"])
            }
            #expect(throws: ImportError.self) {
                try map.use { try Team(dictionaryValue: Self.bad) }
            }
        }
        expect(watch.count, equals: 0)
        expect(map.model(Fan.self, identifier: "1"), equals: nil)
        expect(city.fans.value, equals: [])
        expect(city.fans.updatedAt, equals: before)
        expect(received.values.count, equals: count)

        let team = try map.use { try Team(dictionaryValue: Self.team) }
        expect(city.fans.value, equals: team.fans.value)
        expect(received.values.last, equals: 2)
        expect(team.fans.value?.allSatisfy { $0.team.value === team }, equals: true)
        city.unlink()
        team.unlink()
    }

    @Test func `a field that keeps its value drops what was read for it, and others keep theirs`()
        throws
    {
        let team = Team()
        let city = City()
        let watch = Self.watching {
            #expect(throws: ImportError.self) {
                try team.read(dictionaryValue: [
                    "name": "n", "fans": [["id": "1"], ["id": "2", "age": "x"]],
                ])
            }
            #expect(throws: ImportError.self) {
                try city.read(dictionaryValue: [
                    "id": 7, "team": ["fans": [["id": "3"]]],
                ])
            }
        }
        expect(team.name.value, equals: "n")
        expect(team.fans.value, equals: [])
        expect(watch.count, equals: 2, "the team of the city and its fan")
        let other = try #require(city.team.value)
        expect(other.fans[0]?.team.value === other)
        other.unlink()
    }

    @Test func `what a model in use has got from an import that failed stays its own`() throws {
        let map = IdentityMap()
        let city = try map.read(City.self, ["id": "c"])
        let team = try map.read(Team.self, ["id": "t"])
        #expect(throws: ImportError.self) {
            try map.use {
                try [City](dictionaryValues: [
                    ["id": "c", "team": ["id": "u", "fans": [["id": "1"]]]], ["id": 3],
                ])
            }
        }
        let found = try #require(city.team.value)
        expect(found !== team)
        expect(map.model(Team.self, identifier: "u") === found)
        expect(found.fans[0]?.team.value === found)
        found.unlink()
    }

    @Test func `what others have found meanwhile stays`() throws {
        final class Note: Model {
            @TaskLocal static var meet: @Sendable () -> Void = {}
            let id = Field<String>()
            let parent = ModelField<Note>()
            let notes: ModelArrayField<Note> = ModelField<Note>(inverse: \.parent)*
            let text = Field<String>().transform(
                with: FieldTransformer(
                    export: { .string($0) },
                    import: { value in
                        Note.meet()
                        return "\(value)"
                    }
                )
            )
            let rank = Field<Int>()
            init() { linkFields() }
        }
        let map = IdentityMap()
        let found = Collector<Note>()
        #expect(throws: ImportError.self) {
            try Note.$meet.withValue({
                if let note = map.model(Note.self, identifier: "1") { found.add(note) }
            }) {
                try map.read(
                    Note.self,
                    ["id": "1", "notes": [["id": "2"]], "text": "a", "rank": "x"]
                )
            }
        }
        let note = try #require(found.values.first)
        expect(map.model(Note.self, identifier: "1") === note)
        expect(note.notes[0]?.parent.value === note)
        let other = Note()
        note.notes.append(other)
        expect(other.parent.value === note, "it is linked")
        note.unlink()
    }

    /// Makes models of its own while it is made and read.
    final class Maker: Model {
        @TaskLocal static var meet: @Sendable () -> Void = {}
        @TaskLocal static var made: Collector<Fan>?
        let id = Field<String>()
        let teams = ModelField<Team>()*
        let text = Field<String>().transform(
            with: FieldTransformer(
                export: { .string($0) },
                import: { value in
                    Maker.meet()
                    return "\(value)"
                }
            )
        )
        let rank = Field<Int>()
        init() { Self.made?.add(Fan()) }
    }

    @Test func `what others make during an import that fails is linked`() throws {
        _ = Maker.schema
        let (made, links) = (Collector<Fan>(), Collector<Bool>())
        let (city, found) = (City(), Collector<Fan>())
        #expect(throws: ImportError.self) {
            try Maker.$made.withValue(made) {
                try Maker.$meet.withValue({
                    links.add(Self.areLinked())
                    let fan = Fan()
                    fan.home.value = city
                    if let read = try? Fan(dictionaryValue: ["id": "1"]) { found.add(read) }
                }) {
                    try Maker(dictionaryValue: ["id": "m", "text": "a", "rank": "x"])
                }
            }
        }
        expect(links.values, equals: [true], "at once")
        expect(city.fans.count, equals: 1, "nobody else has it")
        for fan in made.values + found.values {
            let team = Team()
            fan.team.value = team
            expect(team.fans.value, equals: [fan])
            fan.unlink()
        }
        expect(made.values.count, equals: 1)
        expect(found.values.count, equals: 1)
        city.unlink()
    }

    /// Imports models of its own while it is made.
    final class Importer: Model {
        @TaskLocal static var imported: Collector<Fan>?
        let id = Field<String>()
        let teams = ModelField<Team>()*
        let own = ModelField<Team>()
        let rank = Field<Int>()
        init() {
            guard let imported = Self.imported else { return }
            own.value = try? Team(dictionaryValue: ["id": "own", "fans": [["id": "of own"]]])
            let team = try? Team(dictionaryValue: [
                "id": "kept", "fans": [["id": "1", "home": "c"], ["id": "2"]],
            ])
            _ = try? Team(dictionaryValue: ["id": "none", "fans": [["id": "3"]], "rank": "x"])
            for fan in team?.fans.value ?? [] { imported.add(fan) }
            Watch.current?.add(self)
        }
    }

    @Test(arguments: [true, false])
    func `what a model imports as it is made stays, also if its own import fails`(
        hasMap: Bool
    ) throws {
        _ = Importer.schema
        let (imported, map) = (Collector<Fan>(), IdentityMap())
        let watch = Self.watching {
            #expect(throws: ImportError.self) {
                try Importer.$imported.withValue(imported) {
                    let bad: AttributeDictionary = ["id": "m", "teams": [["id": "t"]], "rank": "x"]
                    if hasMap {
                        _ = try map.read(Importer.self, bad)
                    } else {
                        _ = try Importer(dictionaryValue: bad)
                    }
                }
            }
        }
        let fans = imported.values
        expect(fans.map(\.id.value), equals: ["1", "2"])
        let team = Team()
        fans[1].team.value = team
        expect(team.fans.value, equals: [fans[1]])
        let home = try #require(fans[0].home.value)
        expect(home.fans.value, equals: nil)
        if hasMap {
            expect(map.model(Fan.self, identifier: "1") === fans[0])
            expect(map.model(Fan.self, identifier: "3"), equals: nil)
            expect(map.model(Importer.self, identifier: "m"), equals: nil)
        }
        for fan in fans { fan.unlink() }
        team.unlink()
        expect(watch.count == 2 || hasMap, "nobody has the others")
        expect(hasMap || map.count == 0)
    }

    @Test func `what another task makes while an import reads is linked`() async {
        let links = Collector<Bool>()
        // Of its own, as all threads of tasks may be busy with tests.
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let done = DispatchSemaphore(value: 0)
                Maker.$meet.withValue({
                    Task {
                        links.add(Self.areLinked())
                        done.signal()
                    }
                    done.wait()
                }) {
                    _ = try? Maker(dictionaryValue: ["id": "m", "text": "a"])
                }
                continuation.resume()
            }
        }
        expect(links.values, equals: [true])
    }

    @Test(arguments: [true, false])
    func `what is made in a task that outlives what began it is linked`(
        isDraft: Bool
    ) async throws {
        final class Root: Model {
            @TaskLocal static var tasks: Collector<Task<Bool, Never>>?
            let id = Field<String>()
            let teams = ModelField<Team>()*
            init() {
                Self.tasks?.add(
                    Task {
                        try? await Task.sleep(for: .milliseconds(20))
                        return FailedImportTests.areLinked()
                    }
                )
            }
        }
        let tasks = Collector<Task<Bool, Never>>()
        try Root.$tasks.withValue(tasks) {
            if isDraft {
                _ = Root().draft()
            } else {
                _ = try Root(dictionaryValue: ["id": "1", "teams": [["id": "t"]]])
            }
        }
        for task in tasks.values { await expect(task.value) }
        expect(tasks.values.count >= 1)
    }

    /// Whether models that are made now keep each other's fields in step.
    private static func areLinked() -> Bool {
        let (team, fan) = (Team(), Fan())
        fan.team.value = team
        defer { fan.unlink() }
        return team.fans.value == [fan]
    }

    @Test func `a deep import keeps its map and links on success`() throws {
        final class Step: Model {
            let id = Field<String>()
            let next = ModelField<Step>(inverse: \.last)
            let last = ModelField<Step>(foreignKey: true)
            let root = ModelField<Step>(foreignKey: true)
            init() { linkFields() }
        }
        var dictionary: AttributeDictionary = ["id": "300", "root": "0"]
        for number in (0..<300).reversed() {
            dictionary = ["id": .string("\(number)"), "root": "0", "next": .dictionary(dictionary)]
        }
        let map = IdentityMap()
        let found = Collector<Step>()
        let thread = Thread { [dictionary] in
            if let step = try? map.read(Step.self, dictionary) { found.add(step) }
        }
        thread.stackSize = 256 * 1024
        thread.start()
        while !thread.isFinished { Thread.sleep(forTimeInterval: 0.005) }
        let step = try #require(found.values.first)
        var (last, count) = (step, 0)
        while let next = last.next.value {
            expect(next.last.value === last)
            expect(next.root.value === step)
            (last, count) = (next, count + 1)
        }
        expect(count, equals: 300)
        expect(map.model(Step.self, identifier: "300") === last)
        var one: Step? = step
        while let next = one {
            one = next.next.value
            next.unlink()
        }
    }
}
