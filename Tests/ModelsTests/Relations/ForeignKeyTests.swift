import Foundation
import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
import Testing

@Suite struct ForeignKeyTests {
    final class Club: Model {
        let id = Field<String>()
        let name = Field<String>()
        let members = ModelField<Player>(inverse: \.club, foreignKey: true)*
        init() { linkFields() }
    }

    final class Player: Model {
        let number = Field<Int>(key: ["id", "number"]).identifier()
        let name = Field<String>()
        let club = ModelField<Club>(foreignKey: true)
        let rivals = ModelField<Player>(foreignKey: true)*
        init() { linkFields() }
    }

    @Test func `a dictionary has the identifiers, and what is read has shells`() throws {
        let club = Club()
        club.id.value = "c"
        let players = [7, 8].map { number in
            let player = Player()
            player.number.value = number
            return player
        }
        club.members.value = players
        players[0].rivals.value = [players[1], Player()]
        expect(
            players[0].dictionaryValue(),
            equals: [
                "id": ["number": 7], "club": "c", "rivals": [8],
            ],
            "one without an identifier is left out"
        )
        expect(club.dictionaryValue(), equals: ["id": "c"], "the other side of a key is in none")

        let read = try Player(dictionaryValue: ["club": "c", "rivals": [1, 2, 1]])
        expect(read.club.value?.id.value, equals: "c")
        expect(read.club.value?.loadState, equals: .incomplete)
        expect(read.club.value?.members.value, equals: nil, "others may be of that club")
        expect(read.rivals.value?.map(\.number.value), equals: [1, 2, 1])
        expect(read.rivals[0] === read.rivals[2], "one shell for each identifier")
        expect(read.incompleteChildModels().count, equals: 3)
        try expect(
            Player(dictionaryValue: read.dictionaryValue()).dictionaryValue(),
            equals: read.dictionaryValue()
        )
    }

    @Test func `a JSON Schema has the identifier`() {
        guard case .dictionary(let root) = JSONSchema(Player.self).document,
            case .dictionary(let properties)? = root["properties"],
            case .dictionary(let rivals)? = properties["rivals"]
        else {
            Testing.Issue.record("there are no properties")
            return
        }
        expect(properties["club"], equals: ["type": ["string", "null"]])
        expect(rivals["items"], equals: ["type": "integer"])
        expect(root["$defs"], equals: nil)
    }

    @Test func `a model without an identifier is null`() {
        let player = Player()
        player.club.value = Club()
        expect(player.dictionaryValue()["club"], equals: .null)
    }

    @Test(
        arguments: [
            (["club": 7], "club must be a string, not an integer"),
            (["club": ["id": "c"]], "club must be a string, not a dictionary"),
            (["rivals": ["x"]], "rivals[0] must be an integer, not a string"),
            (["rivals": [1, 2.5]], "rivals[1] must be an integer, not 2.5"),
        ] as [(AttributeDictionary, String)]
    )
    func `an identifier of another type is an issue and makes no shell`(
        dictionary: AttributeDictionary,
        message: String
    ) {
        let player = Player()
        let club = Club()
        player.club.value = club
        #expect {
            try player.read(dictionaryValue: dictionary)
        } throws: { error in
            (error as? ImportError)?.description == message
        }
        expect(player.club.value, equals: club)
        expect(player.rivals.value, equals: [])
    }

    @Test func `a type without an identifier cannot be a foreign key`() {
        final class Bare: Model { let name = Field<String>() }
        final class Holder: Model { let bare = ModelField<Bare>(foreignKey: true) }
        #expect {
            try Holder(dictionaryValue: ["bare": "x"])
        } throws: { error in
            (error as? ImportError)?.description == "bare cannot be read: Bare has no identifier"
        }
    }

    final class League: Model {
        let players = ModelField<Player>()*
        let best = ModelField<Player>(foreignKey: true)*
        let worst = ModelField<Player>(foreignKey: true)
    }

    @Test(arguments: [true, false])
    func `one key is one object in all of an import`(isJSON: Bool) throws {
        let dictionary: AttributeDictionary = [
            "players": [["club": "c"], ["club": "c", "rivals": [1, 2]]], "best": [2, 1, 2],
            "worst": 1,
        ]
        let league =
            isJSON
            ? try League(json: AttributeValue.dictionary(dictionary).jsonData())
            : try League(dictionaryValue: dictionary)
        let club = try #require(league.players[0]?.club.value)
        expect(league.players[1]?.club.value === club)
        expect(club.members.loadState, equals: .notLoaded)
        expect(league.best[0] === league.best[2])
        expect(league.best[1] === league.worst.value)
        expect(league.players[1]?.rivals[0] === league.worst.value)
        club.unlink()

        let values: [AttributeDictionary] = [["club": "c"], ["club": "c"]]
        let players =
            isJSON
            ? try [Player](json: AttributeValue.array(values.map { .dictionary($0) }).jsonData())
            : try [Player](dictionaryValues: values)
        expect(players[0].club.value === players[1].club.value)
        players[0].club.value?.unlink()
    }

    @Test(arguments: [1, 30, 1_000])
    func `one key is one object in all of a stream, however that is cut`(size: Int) throws {
        let json = Data(#"[{"club": "c"}, {"club": "c", "rivals": [1]}, {"rivals": [1]}]"#.utf8)
        var reader = ModelArrayReader<Player>()
        var players: [Player] = []
        for start in stride(from: 0, to: json.count, by: size) {
            players += try reader.read(json[start..<min(start + size, json.count)])
        }
        try reader.finish()
        let club = try #require(players[0].club.value)
        expect(players[1].club.value === club)
        expect(club.members.isEmpty, "it would keep all that the stream has given")
        expect(players[1].rivals[0] != nil && players[1].rivals[0] === players[2].rivals[0])
        club.unlink()
    }

    @Test func `two readings of one stream have no object in common`() async throws {
        let stream = Player.stream(json: Data(#"[{"rivals": [1]}, {"rivals": [1]}]"#.utf8))
        var rivals: [Player] = []
        for _ in 0..<2 {
            for try await player in stream { rivals += player.rivals.value ?? [] }
        }
        expect(rivals.count == 4 && Set(rivals).count == 2)
        expect(rivals[0] === rivals[1] && rivals[2] === rivals[3])
    }

    @Test func `a stream keeps no object of a key alive`() throws {
        var reader = ModelArrayReader<Player>()
        weak var rival: Player?
        do {
            let players = try reader.read(Data(#"[{"rivals": [1]}"#.utf8))
            rival = players[0].rivals[0]
            expect(rival != nil)
        }
        expect(rival, equals: nil)
        let players = try reader.read(Data(#", {"rivals": [1]}]"#.utf8))
        expect(players[0].rivals[0]?.number.value, equals: 1)
    }

    @Test func `what is known of a type with relations alone is that it was read`() throws {
        final class Crew: Model {
            let id = Field<String>()
            let sailors = ModelField<Sailor>(inverse: \.crew)*
            init() { linkFields() }
        }
        final class Sailor: Model {
            let id = Field<String>()
            let crew = ModelField<Crew>(foreignKey: true)
            init() { linkFields() }
        }
        final class Mark: Model { let id = Field<String>() }
        let map = IdentityMap()
        let sailor = try map.read(Sailor.self, ["id": "s", "crew": "c"])
        let crew = try #require(sailor.crew.value)
        expect(crew.loadState, equals: .incomplete)
        expect(sailor.incompleteChildModels().count, equals: 1)
        try expect(map.read(Crew.self, ["id": "c"]) === crew)
        expect(crew.loadState, equals: .loaded)
        crew.unload()
        expect(crew.loadState, equals: .incomplete)
        expect(map.canonical(Mark.self, identifier: "m").loadState, equals: .incomplete)
        try expect(Mark(dictionaryValue: ["id": "m"]).loadState, equals: .loaded)
        sailor.unlink()
    }

    @Test func `an identity map gives the model in use, and fills its shells`() throws {
        let map = IdentityMap()
        let club = try map.read(Club.self, ["id": "c", "name": "Blue"])
        let player = try map.read(Player.self, ["id": ["number": 7], "club": "c"])
        expect(player.club.value === club)
        expect(club.members.value, equals: [player])
        let other = try map.read(Player.self, ["id": ["number": 8], "club": "d"])
        let shell = try #require(other.club.value)
        expect(shell.loadState, equals: .incomplete)
        try expect(map.read(Club.self, ["id": "d", "name": "Red"]) === shell)
        expect(shell.loadState, equals: .loaded)
        expect(shell.name.value, equals: "Red")
        expect(shell.members.value, equals: nil, "others may be of that club")
    }

    final class Guide: Model {
        let club = ModelField<Club>(foreignKey: true)
        let clubs = ModelField<Club>(foreignKey: true)*
    }

    @Test func `another spelling of a key is the identifier of another model`() throws {
        let (one, other) = ("caf\u{E9}", "cafe\u{301}")
        let map = IdentityMap()
        let clubs = [one, other].map { map.canonical(Club.self, identifier: $0) }
        let guide = Guide()
        guide.club.value = clubs[0]
        guide.clubs.value = [clubs[0]]
        try map.use {
            try guide.read(
                dictionaryValue: ["club": .string(other), "clubs": [.string(other)]]
            )
        }
        expect(guide.club.value === clubs[1] && guide.clubs[0] === clubs[1])
    }
}

@Suite struct IdentityMapTests {
    final class Node: Model {
        let id = Field<String>()
        let next = ModelField<Node>()
        let all = ModelField<Node>()*
    }

    @Test func `a model is the same object as long as somebody keeps it`() {
        let map = IdentityMap()
        var node: Node? = map.canonical(Node.self, identifier: "a")
        expect(map.canonical(Node.self, identifier: "a") === node)
        expect(map.model(Node.self, identifier: "b"), equals: nil)
        weak let weakly = node
        node = nil
        expect(weakly, equals: nil)
        expect(map.model(Node.self, identifier: "a"), equals: nil)
    }

    @Test func `types of one name are distinguished`() {
        enum Other { final class Node: Model { let id = Field<String>() } }
        let map = IdentityMap()
        let node = map.canonical(Node.self, identifier: "a")
        let other = map.canonical(Other.Node.self, identifier: "a")
        expect(map.model(Node.self, identifier: "a") === node)
        expect(map.model(Other.Node.self, identifier: "a") === other)
    }

    @Test func `of two objects the first stands for the model, until it is removed`() {
        let map = IdentityMap()
        let one = Node(), two = Node()
        one.id.value = "a"
        two.id.value = "a"
        expect(map.insert(one) === one)
        expect(map.insert(two) === one)
        map.remove(one)
        expect(map.insert(two) === two)
        let unknown = Node()
        expect(map.insert(unknown) === unknown)
    }

    @Test func `a cycle that was exported is read as a cycle`() throws {
        let one = Node(), two = Node()
        one.id.value = "1"
        two.id.value = "2"
        one.next.value = two
        two.next.value = one
        one.all.value = [one, two, two]
        let read = try IdentityMap().read(Node.self, one.dictionaryValue())
        expect(read.next.value?.next.value === read)
        expect(read.all.value?.map(\.id.value), equals: ["1", "2", "2"])
        expect(read.all[1] === read.next.value)
        let list = try IdentityMap().use {
            try [Node](json: try [one, two].jsonData())
        }
        expect(list[0].next.value === list[1])
    }

    @Test func `a cycle leads back to the model that is being read`() throws {
        let dictionary: AttributeDictionary = [
            "id": "1", "next": ["id": "2", "next": ["id": "1"]],
        ]
        let map = IdentityMap()
        let read = try map.use { try Node(dictionaryValue: dictionary) }
        expect(read.next.value?.next.value === read)
        expect(map.model(Node.self, identifier: "1") === read)
        read.next.value = nil
    }

    @Test func `dead models leave no places behind`() {
        let map = IdentityMap()
        let kept = map.canonical(Node.self, identifier: "kept")
        for count in 0..<10_000 { _ = map.canonical(Node.self, identifier: "\(count)") }
        expect(map.count < 200)
        expect(map.model(Node.self, identifier: "kept") === kept)
    }

    @Test func `threads that ask for one model get one object`() async {
        let map = IdentityMap()
        for round in 0..<100 {
            let nodes = await withTaskGroup(of: Node.self) { group in
                for _ in 0..<4 {
                    group.addTask { map.canonical(Node.self, identifier: "\(round)") }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            expect(Set(nodes).count, equals: 1)
        }
    }
}
