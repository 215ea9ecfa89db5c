import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Models that an import meets more than once, new ones and ones in use.
@Suite struct ImportIdentityTests {
    typealias Team = FailedImportTests.Team
    typealias Fan = FailedImportTests.Fan
    typealias City = FailedImportTests.City

    let map = IdentityMap()

    init() throws { _ = try FailedImportTests() }

    @Test func `what is read twice by an import that fails leaves nothing behind`() throws {
        let watch = FailedImportTests.watching {
            #expect(throws: ImportError.self) {
                try map.use {
                    try [Team](dictionaryValues: [
                        ["id": "t", "fans": [["id": "1"]]],
                        ["id": "t", "fans": [["id": "1"], ["id": "2", "team": ["id": "t"]]]],
                        ["id": 3],
                    ])
                }
            }
        }
        expect(watch.made >= 3)
        expect(watch.count, equals: 0)
        expect(map.model(Team.self, identifier: "t"), equals: nil)
        let teams = try map.use {
            try [Team](dictionaryValues: [
                ["id": "t", "fans": [["id": "1"]]], ["id": "t", "name": "n"],
            ])
        }
        expect(teams[0] === teams[1])
        expect(teams[0].name.value, equals: "n")
        expect(teams[0].fans[0]?.team.value === teams[0])
        teams[0].unlink()
    }

    @Test func `a model in use keeps what an import had read before, with all that it has`()
        throws
    {
        let city = try map.read(City.self, ["id": "c"])
        #expect(throws: ImportError.self) {
            try map.use {
                try [City](dictionaryValues: [
                    ["id": "d", "team": ["id": "t", "fans": [["id": "1"]]]],
                    ["id": "c", "team": ["id": "t"]], ["id": 3],
                ])
            }
        }
        let team = try #require(city.team.value)
        expect(map.model(Team.self, identifier: "t") === team)
        let fan = try #require(team.fans[0])
        expect(fan.team.value === team)
        expect(map.model(Fan.self, identifier: "1") === fan)
        expect(map.model(City.self, identifier: "d"), equals: nil)
        team.unlink()
    }

    @Test func `a model that is read twice into one field is there once`() throws {
        let team = try map.read(
            Team.self,
            ["id": "t", "fans": [["id": "1"], ["id": "2"], ["id": "1", "age": 3]]]
        )
        expect(team.fans.value?.map(\.id.value), equals: ["1", "2"])
        let fan = try #require(team.fans[0])
        expect(fan.age.value, equals: 3)
        fan.team.value = nil
        expect(team.fans.value?.map(\.id.value), equals: ["2"])
        team.unlink()
    }

    @Test(arguments: ["x]", "]x", "{\"id\": \"u\"", "{\"id\": \"u\"},]", "{\"id\": 1, 2}]", ""])
    func `a text that is no JSON changes no model in use`(end: String) throws {
        let team = try map.read(Team.self, ["id": "t", "name": "old", "fans": [["id": "1"]]])
        let received = Collector<String?>()
        team.name.observe { received.add($0) }
        let text = #"[{"id": "t", "name": "new", "fans": []}, {"id": "s"}, "# + end
        for policy in [ImportPolicy.strict, .skipInvalid()] {
            #expect(throws: ImportError.self) {
                try map.use { try [Team](json: Data(text.utf8), policy: policy) }
            }
        }
        expect(received.values, equals: ["old"])
        expect(team.fans.value?.map(\.id.value), equals: ["1"])
        expect(map.model(Team.self, identifier: "s"), equals: nil)
        team.unlink()
    }

    /// Has neither an identifier nor an inverse.
    final class Box: Model {
        let inner = ModelField<Box>()
        let team = ModelField<Team>()
    }

    final class Depot: Model {
        let id = Field<String>()
        let box = ModelField<Box>()
    }

    final class Yard: Model {
        let id = Field<String>()
        let depot = ModelField<Depot>()
    }

    @Test func `a model that others have met keeps what is inside of models without identifiers`()
        throws
    {
        let yard = try map.read(Yard.self, ["id": "y"])
        #expect(throws: ImportError.self) {
            try map.use {
                try [Yard](dictionaryValues: [
                    [
                        "id": "z",
                        "depot": [
                            "id": "d",
                            "box": ["inner": ["team": ["id": "t", "fans": [["id": "1"]]]]],
                        ],
                    ],
                    ["id": "y", "depot": ["id": "d"]], ["id": 3],
                ])
            }
        }
        let depot = try #require(yard.depot.value)
        expect(map.model(Depot.self, identifier: "d") === depot)
        let team = try #require(depot.box.value?.inner.value?.team.value)
        expect(map.model(Team.self, identifier: "t") === team)
        let fan = try #require(team.fans[0])
        expect(fan.team.value === team)
        expect(map.model(Fan.self, identifier: "1") === fan)
        expect(map.model(Yard.self, identifier: "z"), equals: nil)
        team.unlink()
    }

    @Test func `a model that many others refer to gets them all at once`() throws {
        let city = try map.read(City.self, ["id": "c"])
        let old = try map.read(Fan.self, ["id": "old", "home": "c"])
        let received = Collector<Int>()
        city.fans.observe { fans in received.add(fans?.count ?? 0) }
        let rows = (0..<5000).map { number -> AttributeDictionary in
            ["id": .string("\(number)"), "home": "c"]
        }
        let fans = try map.use { try [Fan](dictionaryValues: rows) }
        expect(received.values, equals: [1, 5001])
        expect(city.fans.value, equals: [old] + fans)
        expect(city.fans.loadState, equals: .loaded, "the city was made here")
        expect(fans.allSatisfy { $0.home.value === city })
        city.unlink()
        expect(fans.allSatisfy { $0.home.value == nil })
    }

    @Test func `a relation of a model that is made here stays loaded`() throws {
        let city = try map.read(City.self, ["id": "c"])
        let states = Collector<LoadState?>()
        city.fans.observe { [weak city] in states.add(city?.fans.loadState) }
        let fans = try map.use {
            try [Fan](dictionaryValues: [["id": "1", "home": "c"], ["id": "2", "home": "c"]])
        }
        expect(city.fans.value, equals: fans)
        expect(states.values, equals: [.loaded, .loaded])
        let more = try map.use {
            try [Fan](dictionaryValues: [["id": "3", "home": "c"], ["id": "4", "home": "c"]])
        }
        expect(city.fans.value, equals: fans + more)
        expect(states.values, equals: [.loaded, .loaded, .loaded])
        city.unlink()
    }

    @Test func `models without inverses that have each other are given up`() throws {
        final class Node: Model {
            let id = Field<String>()
            let next = ModelField<Node>()
            init() { FailedImportTests.Watch.current?.add(self) }
        }
        _ = Node.schema
        let watch = FailedImportTests.watching {
            #expect(throws: ImportError.self) {
                try map.use {
                    try [Node](dictionaryValues: [
                        ["id": "a", "next": ["id": "b", "next": ["id": "a"]]], ["id": 1],
                    ])
                }
            }
        }
        expect(watch.made >= 2)
        expect(watch.count, equals: 0)
        expect(map.model(Node.self, identifier: "a"), equals: nil)
    }

    @Test func `a model whose identifier the map cannot keep is given up`() throws {
        final class Ticket: Model {
            let id = Field<Int>().transform(
                with: FieldTransformer(
                    kind: .int,
                    export: { .int(Int64($0)) },
                    import: { value throws(ModelKitFields.Issue) in
                        guard let number = Int(try String(attributeValue: value)) else {
                            throw ModelKitFields.Issue(message: "is no number")
                        }
                        return number
                    }
                )
            )
            let parts = ModelField<Ticket>(inverse: \.whole)*
            let whole: ModelField<Ticket> = ModelField()
            let rank = Field<Int>()
            init() {
                linkFields()
                FailedImportTests.Watch.current?.add(self)
            }
        }
        _ = try Ticket(dictionaryValue: ["id": "7"])
        let watch = FailedImportTests.watching {
            #expect(throws: ImportError.self) {
                try map.read(
                    Ticket.self,
                    ["id": "1", "parts": [["id": "2"]], "rank": "x"]
                )
            }
        }
        expect(watch.made >= 2)
        expect(watch.count, equals: 0)
    }

    @Test func `an object is found by the identifier that its own class has`() throws {
        class Shape: ModelObject, @unchecked Sendable {
            let id = Field<String>()
            override class func instanceClass(
                for dictionary: AttributeDictionary
            ) -> ModelObject.Type {
                dictionary["code"] == nil ? self : Circle.self
            }
        }
        final class Circle: Shape, @unchecked Sendable {
            let code = Field<String>().identifier()
            let radius = Field<Int>()
        }
        let circle = try map.read(Shape.self, ["id": "s", "code": "a"])
        expect(circle.identifier, equals: "a")
        expect(map.model(Shape.self, identifier: "a") === circle)
        try expect(map.read(Shape.self, ["id": "t", "code": "a", "radius": 2]) === circle)
        try expect(map.read(Shape.self, ["id": "s", "code": "b"]) !== circle)
        try expect(map.read(Shape.self, ["id": "s"]) !== circle)
    }

    @Test func `a long chain is read into a model in use`() throws {
        final class Step: Model {
            let id = Field<String>()
            let next = ModelField<Step>(inverse: \.last, foreignKey: true)
            let last = ModelField<Step>(foreignKey: true)
            init() { linkFields() }
        }
        let root = try map.read(Step.self, ["id": "root"])
        let count = 20_000
        // Each is there already where the one before it is read, but none is linked yet.
        var rows: [AttributeDictionary] = (0..<count).reversed().map { number in
            let id = AttributeValue.string("\(number)")
            return number + 1 == count ? ["id": id] : ["id": id, "next": .string("\(number + 1)")]
        }
        rows.append(["id": "root", "next": "0"])
        let read = Collector<[Step]>()
        let thread = Thread { [map, rows] in
            if let steps = try? map.use({ try [Step](dictionaryValues: rows) }) { read.add(steps) }
        }
        thread.stackSize = 256 * 1024
        thread.start()
        while !thread.isFinished { Thread.sleep(forTimeInterval: 0.005) }
        let steps = try #require(read.values.first)
        expect(steps.last === root)
        expect(root.next.value === steps[count - 1])
        for (next, step) in zip(steps, steps.dropFirst()) where next.last.value !== step {
            Issue.record("\(next) does not follow \(step)")
        }
        for step in steps { step.unlink() }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `a field of many models is linked by either side`(
        isSaidTwice: Bool
    ) throws {
        final class Hall: Model {
            let id = Field<String>()
            let seats = ModelField<Seat>(inverse: \.hall)*
            init() { linkFields() }
        }
        final class Seat: Model {
            let id = Field<String>()
            let hall = ModelField<Hall>(foreignKey: true)
            init() { linkFields() }
        }
        let count = 20_000
        let seats = (0..<count).map { number -> AttributeValue in
            let id = AttributeValue.string("\(number)")
            return .dictionary(isSaidTwice ? ["id": id, "hall": "h"] : ["id": id])
        }
        let hall = try map.read(Hall.self, ["id": "h", "seats": .array(seats)])
        expect(hall.seats.count, equals: count)
        expect(hall.seats.value?.allSatisfy { $0.hall.value === hall }, equals: true)
        expect(hall.seats.value?.map(\.id.value), equals: (0..<count).map { "\($0)" })
        let other = Hall()
        hall.seats[5]?.hall.value = other
        expect(hall.seats.count, equals: count - 1)
        expect(other.seats.count, equals: 1)
        other.unlink()
        hall.unlink()
    }
}
