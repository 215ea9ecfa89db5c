import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Imports of the same identifiers on several threads, some of which fail.
@Suite(.timeLimit(.minutes(5))) struct ImportRaceTests {
    final class Room: Model {
        let id = Field<String>()
        let desks = ModelField<Place>(inverse: \.room)*
        let rank = Field<Int>()
        init() { linkFields() }
    }

    final class Place: Model {
        let id = Field<String>()
        let room = ModelField<Room>()
        let next = ModelField<Place>()
        let mark = Field<String>().transform(
            with: FieldTransformer(
                export: { .string($0) },
                import: { value in
                    // Gives the other imports time to come in between.
                    sched_yield()
                    return "\(value)"
                }
            )
        )
        init() { linkFields() }
    }

    private static func row(_ room: Int, _ desks: [Int]) -> AttributeDictionary {
        [
            "id": .string("r\(room)"),
            "desks": .array(
                desks.map { desk in
                    [
                        "id": .string("d\(desk)"), "mark": "m",
                        "next": ["id": .string("d\(desk + 1)"), "mark": "n"],
                    ]
                }
            ),
        ]
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `each identifier has one object, whatever fails beside`(seed: UInt64) {
        _ = Room.schema.fields
        var random = SplitMix(seed: seed)
        for round in 0..<300 {
            let map = IdentityMap()
            let kept = Collector<[Room]>()
            let imports = (0..<3).map { index -> [AttributeDictionary] in
                var rows = (0..<3).shuffled(using: &random).map { room in
                    Self.row(room, [3 * room, 3 * room + 1, 3 * room + 2].shuffled(using: &random))
                }
                if index > 0 { rows.append(["id": 7]) }
                return rows
            }
            let faults = Collector<String>()
            DispatchQueue.concurrentPerform(iterations: imports.count) { index in
                guard let rooms = try? map.use({ try [Room](dictionaryValues: imports[index]) })
                else { return }
                // Those that another one has made first, it links in the end.
                Self.check(rooms, in: map, areLinked: false).map(faults.add)
                kept.add(rooms)
            }
            let rooms = kept.values.first ?? []
            expect(rooms.count, equals: 3)
            Self.check(rooms, in: map, areLinked: true).map { faults.add("later: " + $0) }
            expect(faults.values, equals: [], "seed \(seed), round \(round)")
            for room in rooms { room.unlink() }
            if !faults.values.isEmpty { break }
        }
    }

    @Test func `what a kept model has is not found anew while an import gives up the rest`() {
        _ = Room.schema.fields
        let ids = (0..<200).map { AttributeValue.string("d\($0)") }
        let rows: [AttributeDictionary] = [
            ["id": "r", "desks": .array(ids.map { ["id": $0] })], ["id": 7],
        ]
        for round in 0..<40 {
            let (map, isOver, rooms) = (IdentityMap(), Collector<Bool>(), Collector<Room>())
            let others = Collector<Int>()
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 {
                    _ = try? map.use { try [Room](dictionaryValues: rows) }
                    isOver.add(true)
                    return
                }
                while rooms.values.isEmpty, isOver.values.isEmpty {
                    map.model(Room.self, identifier: "r").map(rooms.add)
                }
                var isLast = false
                while !isLast, !rooms.values.isEmpty {
                    isLast = !isOver.values.isEmpty
                    let found = ids.compactMap { try? map.read(Place.self, ["id": $0]) }
                    guard isLast, let desks = rooms.values[0].desks.value else { continue }
                    others.add(zip(desks, found).count { $0 !== $1 })
                }
            }
            expect(others.values.allSatisfy { $0 == 0 }, "round \(round)")
            rooms.values.first?.unlink()
        }
    }

    /// What is wrong with rooms that were read.
    private static func check(
        _ rooms: [Room],
        in map: IdentityMap,
        areLinked: Bool
    ) -> String? {
        for room in rooms {
            guard map.model(Room.self, identifier: room.id.value ?? "") === room else {
                return "another room"
            }
            guard room.desks.count == 3 else { return "\(room.desks.count) desks" }
            for desk in room.desks.value ?? [] {
                guard !areLinked || desk.room.value === room else { return "not linked" }
                guard map.model(Place.self, identifier: desk.id.value ?? "") === desk else {
                    return "another desk"
                }
                guard let next = desk.next.value,
                    map.model(Place.self, identifier: next.id.value ?? "") === next
                else { return "another desk is next" }
            }
        }
        return nil
    }
}
