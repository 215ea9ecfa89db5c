import ModelKitFields
import ModelKitModels
import Observation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ModelObservationTests {
    private let guild = Guild()
    private let ada = Smith("Ada"), bob = Smith("Bob"), cyd = Smith("Cyd")

    @Test func `a field of an element is reported with the index that the element has now`() {
        guild.smiths.value = [ada, bob]
        let log = guild.log("smiths.*.name")
        bob.name.value = "Bill"
        bob.name.value = "Bill"
        guild.smiths.insert(cyd, at: 0)
        bob.name.value = "Ben"
        guild.smiths.move(from: 2, to: 0)
        bob.name.value = "Bob"
        cyd.name.value = "Cyn"
        expect(
            log.values,
            equals: [
                "smiths[1].name", "smiths (+1 -0)", "smiths[2].name", "smiths (+0 -0)",
                "smiths[0].name", "smiths[1].name",
            ]
        )
    }

    @Test func `a change has the field, the model and what entered and left`() {
        guild.smiths.value = [ada, bob]
        let changes = Collector<ModelChange>()
        guild.observe("smiths.*.name") { changes.add($0) }
        bob.name.value = "Bill"
        guild.smiths.value = [cyd, bob]
        let (first, last) = (changes.values.first, changes.values.last)
        expect(first?.path, equals: ["smiths", 1, "name"])
        expect(first?.field === bob.name && first?.model === bob)
        expect(last?.field === guild.smiths && last?.model === guild)
        guard case .value? = first?.kind, case .models(let entered, let left)? = last?.kind else {
            Issue.record("the kinds are others")
            return
        }
        expect(entered.map { ObjectIdentifier($0) }, equals: [ObjectIdentifier(cyd)])
        expect(left.map { ObjectIdentifier($0) }, equals: [ObjectIdentifier(ada)])
    }

    @Test(
        arguments: [
            ("smiths.*.name", "smiths[0].name"),
            ("smiths.*", ""), ("smiths", ""), ("chief.name", ""), ("chief", ""), ("name", "name"),
            ("smiths.*.*", "smiths[0].name"), ("*", "name place.street tags"),
            ("place.street", "place.street"),
            ("smiths[0].name", "smiths[0].name"), ("smiths[1].name", ""),
            ("smiths[0].friend.name", "smiths[0].friend.name"), ("tags.*", "tags"),
            ("smiths.*.friend.*", "smiths[0].friend.name"), ("*.*.name", "smiths[0].name"),
            ("**", "name place.street tags smiths[0].name smiths[0].friend.name"),
            ("smiths.**", "smiths[0].name smiths[0].friend.name"), ("tags", "tags"),
            ("**.name", "name smiths[0].name smiths[0].friend.name"),
            ("smiths.**.name", "smiths[0].name smiths[0].friend.name"),
            ("**.friend.name", "smiths[0].friend.name"), ("**.friend.**.friend.name", ""),
            ("**[0].name", "smiths[0].name"), ("smiths.**[1].name", ""), ("chief.**.name", ""),
            ("**.tags.*", "tags"), ("smiths.**.**.name", "smiths[0].name smiths[0].friend.name"),
            ("**.smiths.**", "smiths[0].name smiths[0].friend.name"),
            ("**.street", "place.street"), ("place.**", "place.street"),
            ("place.**.street", "place.street"), ("**.place.**", "place.street"),
            ("**.place", ""), ("**.place.name", ""), ("**.street.street", ""), ("street", ""),
        ] as [(FieldPattern, String)]
    )
    func `a pattern leads to its fields and to no others`(pattern: FieldPattern, expected: String) {
        guild.smiths.append(ada)
        ada.friend.value = bob
        let log = guild.log(pattern)
        guild.name.value = "Acme"
        guild.street.value = "Main Street"
        guild.tags.append("big")
        ada.name.value = "Anna"
        bob.name.value = "Bill"
        expect(log.values, equals: expected.split(separator: " ").map(String.init))
    }

    @Test func `a model that enters is observed before it is reported, and one that leaves is not`()
    {
        let log = Collector<String>()
        guild.observe("smiths.*.friend.name") { change in
            log.add(change.description)
            // What an observer sets of a model that has just entered is reported, too.
            if case .models(let entered, _) = change.kind {
                for case let smith as Smith in entered { smith.friend.value?.name.value = "new" }
            }
        }
        ada.friend.value = bob
        guild.smiths.append(ada)
        ada.friend.value = cyd
        bob.name.value = "Bill"
        cyd.name.value = "Cyn"
        guild.smiths.removeAll()
        cyd.name.value = "Cyd"
        ada.friend.value = nil
        expect(
            log.values,
            equals: [
                "smiths (+1 -0)", "smiths[0].friend.name", "smiths[0].friend (+1 -1)",
                "smiths[0].friend.name", "smiths (+0 -1)",
            ]
        )
        expect([ada, bob, cyd].flatMap(\.hookCounts).allSatisfy { $0 == 0 })
    }

    @Test func `a pattern with an index follows the element that stands there`() {
        guild.smiths.value = [ada, bob]
        let log = guild.log("smiths[1].name")
        guild.smiths.append(cyd)
        guild.smiths.remove(at: 0)
        ada.name.value = "Anna"
        bob.name.value = "Bill"
        cyd.name.value = "Cyn"
        guild.smiths.value = nil
        cyd.name.value = "Cyd"
        expect(log.values, equals: ["smiths (+1 -1)", "smiths[1].name", "smiths (+0 -1)"])
    }

    @Test func `a model that is in an array twice is reported once and stays until both are gone`()
    {
        guild.smiths.value = [ada, bob, ada]
        let log = guild.log("smiths.*.name")
        ada.name.value = "Anna"
        guild.smiths.remove(at: 0)
        ada.name.value = "Ada"
        guild.smiths.remove(at: 1)
        ada.name.value = "Anna"
        expect(
            log.values,
            equals: [
                "smiths[0].name", "smiths (+0 -0)", "smiths[1].name", "smiths (+0 -1)",
            ]
        )
    }

    @Test func `a model to which several ways lead is reported once, with the shortest`() {
        guild.smiths.value = [bob, ada]
        bob.friend.value = cyd
        let log = guild.log("**")
        guild.chief.value = cyd
        cyd.name.value = "Cyn"
        guild.chief.value = nil
        cyd.name.value = "Cyd"
        bob.friend.value = nil
        cyd.name.value = "Cyn"
        expect(
            log.values,
            equals: [
                "chief (+1 -0)", "chief.name", "chief (+0 -1)", "smiths[0].friend.name",
                "smiths[0].friend (+0 -1)",
            ]
        )
    }

    @Test func `cycles end, and what only leads to itself is observed no more`() {
        ada.friends.value = [ada, bob]
        bob.friend.value = ada
        bob.friends.value = [cyd]
        cyd.friend.value = bob
        guild.chief.value = ada
        let log = guild.log("**")
        cyd.name.value = "Cyn"
        ada.name.value = "Anna"
        expect(log.values, equals: ["chief.friends[1].friends[0].name", "chief.name"])
        expect([ada, bob, cyd].flatMap(\.hookCounts), equals: Array(repeating: 1, count: 9))
        guild.chief.value = nil
        expect([ada, bob, cyd].flatMap(\.hookCounts), equals: Array(repeating: 0, count: 9))
        cyd.name.value = "Cyd"
        expect(log.values.count, equals: 3)
    }

    @Test func `a model that is its own friend can be the root`() {
        ada.friend.value = ada
        let log = ada.log("**")
        ada.name.value = "Anna"
        ada.friend.value = nil
        ada.name.value = "Ada"
        expect(log.values, equals: ["name", "friend (+0 -1)", "name"])
    }

    @Test func `a batch reports each field once`() {
        guild.smiths.value = [ada, bob]
        let log = guild.log("smiths.*.name")
        batch {
            guild.smiths.append(cyd)
            cyd.name.value = "1"
            guild.smiths.remove(at: 0)
            guild.smiths.insert(ada, at: 0)
            bob.name.value = "2"
            bob.name.value = "3"
        }
        cyd.name.value = "4"
        ada.name.value = "5"
        expect(
            log.values,
            equals: [
                "smiths (+1 -0)", "smiths[1].name", "smiths[2].name", "smiths[0].name",
            ]
        )
    }

    @Test func `a touched field is reported, and who is in it stays`() {
        guild.smiths.value = [ada]
        let log = guild.log("smiths.*.name")
        guild.smiths.touch()
        ada.name.touch()
        expect(log.values, equals: ["smiths (+0 -0)", "smiths[0].name"])
    }

    @Test func `an observer that cancels itself is not called again`() {
        guild.smiths.value = [ada, bob]
        let log = Collector<String>()
        let observation = Collector<ModelKitFields.Observation>()
        observation.add(
            guild.observe("smiths.*.name") { change in
                log.add(change.description)
                observation.values.first?.cancel()
            }
        )
        batch {
            ada.name.value = "Anna"
            bob.name.value = "Bill"
        }
        guild.smiths.removeAll()
        expect(log.values, equals: ["smiths[0].name"])
        expect(guild.smiths.hookCount == 0 && ada.name.hookCount == 0)
    }

    @Test func `the end of a scope or of an owner ends the observation`() {
        final class Owner: Sendable { let log = Collector<String>() }
        guild.chief.value = ada
        var owner: Owner? = Owner()
        let log = owner?.log
        let owned = owner.map { guild.observe("chief.name", by: $0) { $0.log.add("\($1)") } }
        var scoped: ScopedObservation? = guild.observe("chief.name") { log?.add("\($0)") }.scoped()
        ada.name.value = "Anna"
        owner = nil
        withExtendedLifetime(scoped) {}
        scoped = nil
        ada.name.value = "Ada"
        expect(log?.values, equals: ["chief.name", "chief.name"])
        expect(owned?.isCancelled, equals: true)
        expect(ada.name.hookCount == 0 && guild.chief.hookCount == 0)
    }

    @Test func `to remove all observers of a field leaves observers of models`() {
        guild.chief.value = ada
        let log = guild.log("chief.name")
        ada.name.removeAllObservers()
        guild.chief.removeAllObservers()
        ada.name.value = "Anna"
        guild.chief.value = bob
        bob.name.value = "Bill"
        expect(log.values, equals: ["chief.name", "chief (+1 -1)", "chief.name"])
        expect(ada.name.observerCount == 0 && guild.chief.observerCount == 0)
    }

    @Test(
        arguments: [
            "nam", "smiths.name", "smiths.*.nam", "chief[0].name", "name.first", "place", "tags[0]",
            "smiths[0][1]", "place.*", "**.nam", "smiths..name", "", "chief.**.tags",
            "name.**.name",
        ] as [FieldPattern]
    )
    func `a pattern that leads to no field is a diagnostic`(pattern: FieldPattern) {
        let diagnostics = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ diagnostics.add($0) }) {
            let observation = guild.observe(pattern) { _ in }
            expect(observation.isCancelled)
        }
        expect(diagnostics.values.map(\.code), equals: [.refusedPath])
        expect(diagnostics.values.first?.field, equals: pattern.description)
        expect(guild.hookCounts.allSatisfy { $0 == 0 })
    }

    @Test func `a change has the values before and after, one leading to the next`() {
        guild.smiths.value = [ada]
        let changes = Collector<ModelChange>()
        guild.observe("smiths.*.name") { changes.add($0) }
        ada.name.value = "Anna"
        ada.name.value = nil
        guild.smiths.append(bob)
        batch {
            bob.name.value = "Ben"
            bob.name.value = "Bill"
        }
        let texts = changes.values.map { [$0.old as? String, $0.new as? String] }
        expect(texts[0...1], equals: [["Ada", "Anna"], ["Anna", nil]])
        expect(changes.values[2].old as? [Smith], equals: [ada])
        expect(changes.values[2].new as? [Smith], equals: [ada, bob])
        expect(texts[3], equals: ["Bob", "Bill"])
        let chiefs = Collector<ModelChange>()
        guild.observe("chief") { chiefs.add($0) }
        guild.chief.value = ada
        guild.chief.value = bob
        expect(chiefs.values.map { $0.old as? Smith }, equals: [nil, ada])
        expect(chiefs.values.map { $0.new as? Smith }, equals: [ada, bob])
    }

    @Test func `two stars in the middle are any depth, also of models that come later`() {
        let log = guild.log("smiths.**.name")
        guild.name.value = "Acme"
        guild.chief.value = cyd
        bob.friends.value = [cyd]
        guild.smiths.append(ada)
        ada.friend.value = bob
        cyd.name.value = "Cyn"
        ada.friend.value = nil
        cyd.name.value = "Cyd"
        expect(
            log.values,
            equals: [
                "smiths (+1 -0)", "smiths[0].friend (+1 -0)", "smiths[0].friend.friends[0].name",
                "smiths[0].friend (+0 -1)",
            ]
        )
        expect([bob, cyd].flatMap(\.hookCounts).allSatisfy { $0 == 0 })
    }

    @Test func `a field that an index and two stars lead to is reported once`() {
        guild.smiths.value = [ada, bob]
        let log = guild.log("**[0].friend.name")
        guild.smiths.remove(at: 0)
        guild.smiths.touch()
        bob.friend.value = cyd
        cyd.name.value = "Cyn"
        expect(
            log.values,
            equals: [
                "smiths (+0 -1)", "smiths (+0 -0)", "smiths[0].friend (+1 -0)",
                "smiths[0].friend (+1 -0)", "smiths[0].friend.name",
            ]
        )
    }

    @Test func `fields on the way to nothing are not observed`() {
        let drawing = Drawing()
        expect(drawing.log("**.nosuch").values.isEmpty && drawing.hookCounts == [1])
        let observation = guild.observe("**.place.street") { _ in }
        expect(!observation.isCancelled)
        // No smith has a guild.
        expect(guild.hookCounts, equals: [0, 1, 0, 0, 0])
    }

    @Test func `a field that an object gets later is observed from then on`() {
        let drawing = Drawing(), figure = Figure()
        drawing.figures.value = [figure]
        let log = drawing.log("figures.*.radius")
        figure << Field<Int>(key: "size")
        figure << Field<Int>(key: "radius")
        figure["radius"] = 2
        figure["size"] = 2
        batch {
            let other = Figure()
            drawing.figures.append(other)
            other << Field<Int>(key: "radius")
            other["radius"] = 3
        }
        drawing.figures.remove(at: 0)
        figure["radius"] = 4
        expect(
            log.values,
            equals: [
                "figures[0].radius", "figures (+1 -0)", "figures (+0 -1)",
            ]
        )
        let last = drawing.log("**")
        drawing["figures[0].radius"] = 5
        expect(last.values, equals: ["figures[0].radius"])
    }

    @Test func `a field that comes with a value or a model is reported, also one of the root`() {
        let figure = Figure()
        let changes = Collector<ModelChange>()
        let log = figure.log("owner.name")
        figure.observe { changes.add($0) }
        figure << Field<Int>(value: 7, key: "radius")
        figure << ModelField<Smith>(value: ada, key: "owner")
        figure << Field<Int>(key: "size")
        ada.name.value = "Anna"
        batch {
            figure << Field<Int>(key: "depth")
            figure["depth"] = 1
        }
        expect(
            changes.values.map(\.description),
            equals: [
                "radius", "owner (+1 -0)", "owner.name", "depth",
            ]
        )
        expect(changes.values.map { $0.old == nil }, equals: [true, true, false, true])
        expect(changes.values.map { $0.new as? Int }, equals: [7, nil, nil, 1])
        expect(log.values, equals: ["owner (+1 -0)", "owner.name"])
    }

    /// A model that gets a field while it is looked at.
    private final class Growing: Model {
        // Safe: used by one thread alone.
        private final class Growth: @unchecked Sendable {
            var looks: Int?
            let field = Field<Int>(key: "extra")
        }

        private let growth = Growth()
        let name = Field<String>()

        var extra: Field<Int> { growth.field }

        var dynamicFields: [AnyField] {
            guard let looks = growth.looks else { return [] }
            growth.looks = looks + 1
            return looks == 0 ? [] : [growth.field]
        }

        func grow() { growth.looks = 0 }
    }

    @Test func `a field that one model gets while it enters is observed of no other`() {
        final class Farm: Model { let crops = ModelField<Growing>()* }
        let field = Farm(), first = Growing(), second = Growing()
        let log = field.log("crops.*.*")
        first.grow()
        field.crops.append(first)
        field.crops.append(second)
        first.extra.value = 1
        second.name.value = "oats"
        expect(!log.values.contains("crops[1].extra"))
        expect(log.values.last, equals: "crops[1].name")
    }

    @Test func `a thousand fields that an observed object gets are each observed once`() {
        let figure = Figure()
        let received = Collector<String>()
        figure.observe { received.add($0.path.description) }
        let fields = (0..<1_000).map { Field<Int>(key: FieldKey("f\($0)")) }
        for field in fields { figure << field }
        expect(fields.allSatisfy { $0.hookCount == 1 })
        for field in fields { field.value = 1 }
        expect(received.values, equals: fields.compactMap(\.key?.description))
    }

    @Test func `fields that several threads add are all observed`() async {
        let figure = Figure()
        let received = Collector<String>()
        let observation = figure.observe { received.add($0.path.description) }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for count in 0..<25 {
                        figure << Field<Int>(key: FieldKey("f\(thread)x\(count)"))
                    }
                }
            }
        }
        await figure.settleAdditions()
        let names = figure.dynamicFields.compactMap { $0.key?.description }
        for name in names { figure[name] = 1 }
        expect(names.count == 100 && received.values == names)
        observation.cancel()
        expect(figure.dynamicFields.allSatisfy { $0.hookCount == 0 })
    }

    @Test func `fields of subclasses and of one object alone are observed where they are`() {
        let drawing = Drawing(), disc = Disc(), figure = Figure()
        figure << Field<Int>(key: "radius")
        drawing.figures.value = [Figure(), disc, figure]
        let log = drawing.log("figures.*.radius")
        disc.radius.value = 1
        figure["radius"] = 2
        disc.color.value = "red"
        expect(log.values, equals: ["figures[1].radius", "figures[2].radius"])
    }

    @Test func `key paths lead to the fields of models in a field`() {
        guild.smiths.value = [ada]
        guild.chief.value = bob
        let log = Collector<String>()
        guild.observe(\.smiths, \.name) { log.add($0.description) }
        guild.observe(\.chief, \.friends) { log.add($0.description) }
        ada.name.value = "Anna"
        bob.name.value = "Bill"
        bob.friends.append(cyd)
        expect(log.values, equals: ["smiths[0].name", "chief.friends (+1 -0)"])
    }

    @Test func `who reads fields of several models is notified of the first change`() {
        guild.smiths.value = [ada, bob]
        let received = Collector<String>()
        func read() {
            withObservationTracking {
                for smith in guild.smiths.observed ?? [] { _ = smith.name.observed }
            } onChange: {
                received.add("changed")
            }
        }
        read()
        bob.name.value = "Bill"
        expect(received.values.count, equals: 1)
        read()
        guild.smiths.append(cyd)
        expect(received.values.count, equals: 2)
        read()
        cyd.name.value = "Cyn"
        expect(received.values.count, equals: 3)
        func isObservable(_ value: some Observable) -> Bool { true }
        expect(isObservable(guild))
    }
}
