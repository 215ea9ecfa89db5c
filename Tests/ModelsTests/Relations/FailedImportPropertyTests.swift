import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Random imports that fail, of models that have each other in all ways.
@Suite(.timeLimit(.minutes(10))) struct FailedImportPropertyTests {
    final class Node: Model {
        let id = Field<String>()
        let left = ModelField<Node>(inverse: \.right)
        let right: ModelField<Node> = ModelField()
        let friends: ModelArrayField<Node> = ModelField<Node>(inverse: \.friends)*
        let plain = ModelField<Node>()
        let key = ModelField<Node>(foreignKey: true)
        let rank = Field<Int>()
        init() {
            linkFields()
            FailedImportTests.Watch.current?.add(self)
        }

        var others: [Node] {
            [left, right, plain, key].compactMap(\.value) + (friends.value ?? [])
        }
    }

    // The models that schemas are made of live on.
    init() { _ = Node.schema }

    private func dictionary(
        _ random: inout SplitMix,
        inside depth: Int,
        withKeys hasKeys: Bool
    ) -> AttributeDictionary {
        var dictionary: AttributeDictionary = [:]
        if Int.random(in: 0..<8, using: &random) > 0 {
            dictionary["id"] = .string("\(Int.random(in: 0..<7, using: &random))")
        }
        if Int.random(in: 0..<12, using: &random) == 0 { dictionary["rank"] = "x" }
        if hasKeys, Int.random(in: 0..<4, using: &random) == 0 {
            dictionary["key"] = .string("\(Int.random(in: 0..<7, using: &random))")
        }
        guard depth < 3 else { return dictionary }
        for name in ["left", "right", "plain"] where Int.random(in: 0..<3, using: &random) == 0 {
            dictionary[name] = .dictionary(
                self.dictionary(&random, inside: depth + 1, withKeys: hasKeys)
            )
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            let count = Int.random(in: 0..<4, using: &random)
            dictionary["friends"] = .array(
                (0..<count).map { _ in
                    .dictionary(self.dictionary(&random, inside: depth + 1, withKeys: hasKeys))
                }
            )
        }
        return dictionary
    }

    /// Reads some models, and fails at the end.
    private func fail(
        _ random: inout SplitMix,
        in map: IdentityMap,
        withKeys hasKeys: Bool
    ) {
        let count = Int.random(in: 1..<6, using: &random)
        var rows = (0..<count).map { _ in dictionary(&random, inside: 0, withKeys: hasKeys) }
        rows.append(["id": 7])
        #expect(throws: ImportError.self) {
            try map.use { try [Node](dictionaryValues: rows) }
        }
    }

    @Test(arguments: 0..<1000) func `an import that fails leaves nothing of new models`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        let map = IdentityMap()
        let watch = FailedImportTests.watching { fail(&random, in: map, withKeys: false) }
        expect(watch.count, equals: 0, "seed \(seed)")
        for number in 0..<7 {
            let node: Node? = map.model(Node.self, identifier: "\(number)")
            expect(node, equals: nil, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<1000) func `what models in use have of one that fails is linked and known`(
        seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        let map = IdentityMap()
        var reached = try ["0", "1"].map { try map.read(Node.self, ["id": .string($0)]) }
        fail(&random, in: map, withKeys: true)
        var seen = Set(reached.map { ObjectIdentifier($0) })
        var next = 0
        while next < reached.count {
            let node = reached[next]
            reached += node.others.filter { seen.insert(ObjectIdentifier($0)).inserted }
            if let left = node.left.value { expect(left.right.value === node, "seed \(seed)") }
            if let right = node.right.value { expect(right.left.value === node, "seed \(seed)") }
            for friend in node.friends.value ?? [] {
                expect(friend.friends.value?.contains(node), equals: true, "seed \(seed)")
            }
            if let identifier = node.identifier {
                let known = map.model(Node.self, identifier: identifier)
                expect(known === node, "seed \(seed)")
            }
            next += 1
        }
        for node in reached {
            node.unlink()
            (node.plain.value, node.key.value) = (nil, nil)
        }
    }

    @Test func `what others keep of a field that failed keeps what it has of the import`() throws {
        let map = IdentityMap()
        let used = try map.read(Node.self, ["id": "0"])
        #expect(throws: ImportError.self) {
            try map.use {
                try [Node](dictionaryValues: [
                    ["id": "4", "plain": ["id": "6"]],
                    [
                        "id": "5",
                        "plain": [
                            "id": "2", "friends": [["id": "0", "plain": ["id": "2"]]],
                            "plain": ["id": "4"], "rank": "x",
                        ],
                    ],
                ])
            }
        }
        let kept = try #require(used.plain.value?.plain.value)
        expect(map.model(Node.self, identifier: "4") === kept)
        expect(kept.plain.value?.id.value, equals: "6")
        let other = Node()
        kept.left.value = other
        expect(other.right.value === kept)
        for node in [kept, used, used.plain.value].compactMap(\.self) {
            node.unlink()
            node.plain.value = nil
        }
    }
}
