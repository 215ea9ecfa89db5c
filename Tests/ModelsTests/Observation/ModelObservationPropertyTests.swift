import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// The graph of models is compared with what a walk through it finds.
@Suite(.timeLimit(.minutes(10))) struct ModelObservationPropertyTests {
    /// A model at a place of a pattern.
    struct Place: Hashable {
        let model: Smith
        let position: Int
    }

    /// What a field of a model leads to, as the documentation says it.
    struct Lead {
        let field: AnyField
        let key: String
        /// The only element that counts.
        var index: Int?
        var next: [(path: FieldPath, place: Place)] = []
    }

    /// The slow way.
    struct Walk {
        let pattern: [FieldPattern.Component]
        let root: Smith
        /// A field that it does not go through.
        var avoided: AnyField?

        func leads(from place: Place) -> [Lead] {
            ["name", "friend", "friends"].compactMap { lead($0, of: place) }
        }

        private func lead(_ key: String, of place: Place) -> Lead? {
            let rest: Int
            switch pattern[place.position] {
            case .all: rest = place.position
            case .each: rest = place.position + 1
            case .key(key): rest = place.position + 1
            default: return nil
            }
            let component = rest < pattern.count ? pattern[rest] : nil
            switch key {
            case "name":
                let isReported = component == nil || component == .all
                return isReported ? Lead(field: place.model.name, key: key) : nil
            case "friend":
                if case .index = component { return nil }
                var lead = Lead(field: place.model.friend, key: key)
                if component != nil, let friend = place.model.friend.value {
                    lead.next = [([.key(key)], Place(model: friend, position: rest))]
                }
                return lead
            default:
                var lead = Lead(field: place.model.friends, key: key)
                var behind = rest + 1
                switch component {
                case nil: return lead
                case .all: behind = rest
                case .each: break
                case .index(let index): lead.index = index
                case .key: return nil
                }
                if behind == pattern.count { return lead }
                for (index, friend) in (place.model.friends.value ?? []).enumerated()
                where lead.index == nil || lead.index == index {
                    let place = Place(model: friend, position: behind)
                    lead.next.append(([.key(key), .index(index)], place))
                }
                return lead
            }
        }

        /// All places, each with the shortest paths there.
        var places: [Place: Set<FieldPath>] {
            var found: [Place: Set<FieldPath>] = [Place(model: root, position: 0): [[]]]
            var level = found
            while !level.isEmpty {
                var next: [Place: Set<FieldPath>] = [:]
                for (place, paths) in level {
                    for (step, target) in leads(from: place)
                        .flatMap({ $0.field === avoided ? [] : $0.next })
                    where found[target] == nil {
                        next[target, default: []].formUnion(paths.map { $0.appending(step) })
                    }
                }
                found.merge(next) { first, _ in first }
                level = next
            }
            return found
        }
    }

    struct World {
        let smiths = (0..<6).map { Smith("\($0)") }

        func random(_ random: inout SplitMix) -> Smith {
            smiths.randomElement(using: &random) ?? smiths[0]
        }

        /// Sets or edits a field, and gives it.
        func edit(_ random: inout SplitMix) -> AnyField {
            let smith = self.random(&random), other = self.random(&random)
            let index = Int.random(in: 0..<4, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: smith.name.value = "\(index)"
            case 2: smith.friend.value = other
            case 3: smith.friend.value = nil
            case 4, 5: smith.friends.append(other)
            case 6: smith.friends.insert(other, at: 0)
            case 7, 8: smith.friends.remove(at: index)
            case 9: smith.friends.replace(at: index, with: other)
            case 10: smith.friends.move(from: index, to: 0)
            default: smith.friends.value = smiths.filter { _ in Bool.random(using: &random) }
            }
            return [smith.name, smith.friend, smith.friends]
                .max { $0.revision < $1.revision } ?? smith.name
        }
    }

    @Test(
        arguments: [
            "**", "friends.*.name", "friends.*.friends.*.name", "friend.friend.name", "friends.**",
            "friends[1].name", "friends[0].friends[1].**", "*.*.name", "friend.*", "friends",
        ] as [FieldPattern]
    )
    func `what is reported is what a walk before and after each edit says`(pattern: FieldPattern) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        let world = World()
        let walk = Walk(pattern: pattern.components, root: world.smiths[0])
        let received = Collector<ModelChange>()
        walk.root.observe(pattern) { received.add($0) }
        for step in 0..<1000 {
            let before = world.smiths.map { ($0.name.value, $0.friend.value, $0.friends.value) }
            let (known, count) = (walk.places, received.values.count)
            let field = world.edit(&random)
            let news = received.values.dropFirst(count)
            // For each place that was there and still is, what it may be reported as. Where the ways
            // lead through the field itself, it counts as new.
            var expected: [Set<String>] = []
            var possible: Set<String> = []
            let lasting = Walk(pattern: walk.pattern, root: walk.root, avoided: field).places
            for (place, paths) in walk.places where known[place] != nil {
                let old = before[world.smiths.firstIndex(of: place.model) ?? 0]
                for lead in walk.leads(from: place) where lead.field === field {
                    guard let kind = place.model.kind(of: lead, since: old) else { continue }
                    let texts = Set(paths.map { "\($0.appending(key: lead.key))\(kind)" })
                    if lasting[place] != nil { expected.append(texts) }
                    possible.formUnion(texts)
                }
            }
            let isRight =
                news.count >= expected.count
                && expected.allSatisfy { $0.contains { text in news.contains { "\($0)" == text } } }
                && news.allSatisfy { $0.field === field && possible.contains("\($0)") }
                && Set(news.map(\.path)).count == news.count
            guard isRight else {
                Issue.record("seed \(seed), step \(step): \(Array(news)), not \(expected)")
                return
            }
        }
    }

    @Test(
        arguments: [
            ("**.name", "**"), ("friends.**.name", "friends.**"), ("friend.**.*", "friend.**"),
        ] as [(FieldPattern, FieldPattern)]
    )
    func `two stars before what every model has report as those at the end`(
        pattern: FieldPattern,
        simple: FieldPattern
    ) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        let world = World()
        let (log, expected) = (world.smiths[0].log(pattern), world.smiths[0].log(simple))
        for _ in 0..<1000 { _ = world.edit(&random) }
        expect(log.values, equals: expected.values, "seed \(seed)")
        expect(expected.values.count > 100)
    }

    @Test func `exactly what can be reached is hooked, also after sets of inverses`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        let world = InversePropertyTests.World()
        let root = world.artists[0]
        let observation = root.observe { _ in }
        for step in 0..<1000 {
            world.step(&random)
            guard world.isHooked(from: root) else {
                Issue.record("seed \(seed), step \(step)")
                return
            }
        }
        observation.cancel()
        expect(world.models.flatMap(\.hookCounts).allSatisfy { $0 == 0 })
    }

    @Test func `after edits of several threads exactly what can be reached is hooked and reported`()
        async
    {
        let seed = UInt64.random(in: .min ... .max)
        for round in 0..<8 {
            let world = InversePropertyTests.World()
            let root = world.artists[0]
            let seen = Snapshots(root)
            root.observe { _ in seen.take() }
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<4 {
                    group.addTask {
                        var random = SplitMix(seed: seed &+ UInt64(round * 4 + thread))
                        for count in 0..<100 {
                            world.step(&random)
                            let artist = world.artists.randomElement(using: &random)
                            artist?.name.value = "\(thread) \(count)"
                        }
                    }
                }
            }
            await world.settle()
            guard world.isHooked(from: root), seen.last == seen.now else {
                Issue.record("seed \(seed), round \(round)")
                return
            }
            let received = Collector<ObjectIdentifier>()
            root.observe { received.add(ObjectIdentifier($0.field)) }
            let reachable = root.reachable
            for artist in world.artists { artist.name.touch() }
            let names = world.artists.filter { reachable.contains(ObjectIdentifier($0)) }.map(
                \.name
            )
            expect(received.values, equals: names.map { ObjectIdentifier($0) }, "seed \(seed)")
        }
    }
}

/// What all that can be reached is called, as it was last seen by an observer.
// Safe: `last` is used on the queue alone.
private final class Snapshots: @unchecked Sendable {
    private let root: Artist
    private let queue = DispatchQueue(label: "snapshots")
    private var taken: [String] = []

    init(_ root: Artist) { self.root = root }

    var now: [String] {
        var names: [String] = []
        root.visitAllFieldValues { if let name = $0 as? String { names.append(name) } }
        return names
    }

    var last: [String] { queue.sync { taken } }

    func take() { queue.sync { taken = now } }
}

extension Model {
    fileprivate var reachable: Set<ObjectIdentifier> {
        var found: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        visitAllFieldValues { value in
            if let model = value as? any Model { found.insert(ObjectIdentifier(model)) }
        }
        return found
    }
}

extension InversePropertyTests.World {
    fileprivate var models: [any Model] { studios + artists + bikes + films }

    fileprivate func isHooked(from root: any Model) -> Bool {
        let reachable = root.reachable
        return models.allSatisfy { model in
            let count = reachable.contains(ObjectIdentifier(model)) ? 1 : 0
            return model.hookCounts.allSatisfy { $0 == count }
        }
    }

    fileprivate func settle() async {
        for model in models {
            var fields: [AnyField] = []
            model.visitAllFields(recursive: false) { fields.append($0) }
            for field in fields { await field.settled() }
        }
    }
}

extension Smith {
    /// How a change of a field is reported; nil if it is none.
    fileprivate func kind(
        of lead: ModelObservationPropertyTests.Lead,
        since old: (String?, Smith?, [Smith]?)
    ) -> String? {
        if lead.field === name { return name.value == old.0 ? nil : "" }
        var (now, then) = (friends.value ?? [], old.2 ?? [])
        if lead.field === friend {
            (now, then) = (friend.value.map { [$0] } ?? [], old.1.map { [$0] } ?? [])
        }
        if let index = lead.index {
            (now, then) = (
                Array(now.dropFirst(index).prefix(1)), Array(then.dropFirst(index).prefix(1))
            )
        }
        let (entered, left) = (Set(now).subtracting(then), Set(then).subtracting(now))
        return now == then ? nil : " (+\(entered.count) -\(left.count))"
    }
}
