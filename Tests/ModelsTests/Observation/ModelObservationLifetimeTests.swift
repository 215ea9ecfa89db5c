import Dispatch
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ModelObservationLifetimeTests {
    final class Probe: Sendable {}

    @Test func `an observation keeps no model alive and ends with its own`() {
        weak var probe: Probe?
        weak var model: Guild?
        let ada = Smith("Ada")
        let received = Collector<String>()
        var observation: Observation?
        do {
            let guild = Guild(), made = Probe()
            (model, probe) = (guild, made)
            guild.smiths.value = [ada, Smith()]
            guild.chief.value = ada
            observation = guild.observe { [made] change in
                withExtendedLifetime(made) {}
                received.add(change.description)
            }
            ada.name.value = "Anna"
        }
        expect(model == nil && probe == nil)
        expect(observation?.isCancelled, equals: true)
        ada.name.value = "Ada"
        expect(received.values, equals: ["chief.name"])
        expect(ada.hookCounts, equals: [0, 0, 0])
    }

    @Test func `a field that outlives its model reports nothing more`() {
        let received = Collector<String>()
        var guild: Guild? = Guild()
        let name = guild?.name
        guild?.observe("name") { received.add($0.description) }
        guild = nil
        name?.value = "Acme"
        expect(received.values.isEmpty)
        expect(name?.hookCount, equals: 0)
    }

    @Test func `an observation ends with its model, whichever field is held elsewhere`() {
        for index in 0..<5 {
            var guild: Guild? = Guild()
            var fields: [AnyField] = []
            guild?.visitAllFields(recursive: false) { fields.append($0) }
            let observation = guild?.observe { _ in }
            fields = [fields[index]]
            guild = nil
            expect(observation?.isCancelled, equals: true)
            expect(fields[0].hookCount, equals: 0)
        }
    }

    @Test func `changes end with their model though one of its fields is held`() async {
        var guild: Guild? = Guild()
        let name = guild?.name
        guard var changes = guild?.changes.makeAsyncIterator() else { return }
        guild?.name.value = "Acme"
        guild = nil
        await expect(changes.next()?.new as? String, equals: "Acme")
        await expect(changes.next() == nil)
        expect(name?.value, equals: "Acme")
    }

    @Test func `a field of one object alone is released with the object`() {
        weak var field: AnyField?
        weak var late: AnyField?
        weak var object: Figure?
        var observation: Observation?
        do {
            let drawing = Drawing(), figure = Figure()
            object = figure
            let (first, second) = (Field<Int>(key: "first"), Field<Int>(key: "second"))
            (field, late) = (first, second)
            figure << first
            drawing.figures.value = [figure]
            drawing.observe { _ in }
            observation = figure.observe("first") { _ in }
            figure << second
            figure["second"] = 1
        }
        expect(object == nil && field == nil && late == nil)
        expect(observation?.isCancelled, equals: true)
    }

    @Test func `cancelling releases the closure and all hooks`() {
        weak var probe: Probe?
        let guild = Guild(), ada = Smith("Ada")
        guild.smiths.value = [ada]
        ada.friends.value = [ada]
        do {
            let made = Probe()
            probe = made
            let observation = guild.observe { _ in withExtendedLifetime(made) {} }
            ada.name.value = "Anna"
            observation.cancel()
            observation.cancel()
        }
        expect(probe == nil)
        expect(guild.hookCounts.allSatisfy { $0 == 0 } && ada.hookCounts.allSatisfy { $0 == 0 })
    }

    @Test func `a thousand observations leave nothing behind`() {
        let guild = Guild(), ada = Smith("Ada")
        guild.smiths.value = [ada]
        for _ in 0..<1000 {
            let observation = guild.observe("smiths.*.name") { _ in }
            guild.smiths.append(Smith())
            guild.smiths.remove(at: 1)
            observation.cancel()
        }
        expect(guild.smiths.hookCount == 0 && ada.name.hookCount == 0)
    }

    enum Place: CaseIterable {
        case here, main

        func observe(_ guild: Guild, _ pattern: FieldPattern, by owner: Probe) -> Observation {
            switch self {
            case .here: guild.observe(pattern, by: owner) { _, _ in }
            case .main: guild.onMain.observe(pattern, by: owner) { _, _ in }
            }
        }
    }

    @Test(arguments: Place.allCases)
    func `of a thousand owners that are gone few hooks are left, on any field`(place: Place) {
        let guild = Guild(), ada = Smith("Ada"), figure = Figure()
        guild.smiths.value = [ada]
        var observations: [Observation] = []
        for _ in 0..<1000 {
            observations.append(place.observe(guild, "smiths.*.name", by: Probe()))
            figure.observe("color", by: Probe()) { _, _ in }
        }
        expect(guild.smiths.hookCount < 20 && ada.name.hookCount < 20)
        expect(figure.color.hookCount < 20)
        expect(observations.count { !$0.isCancelled } < 20)
        let owner = Probe()
        let living = place.observe(guild, "smiths.*.name", by: owner)
        withExtendedLifetime(owner) { guild.smiths.touch() }
        expect(guild.smiths.hookCount == 1 && ada.name.hookCount == 1)
        expect(observations.allSatisfy(\.isCancelled) && !living.isCancelled)
    }

    @Test func `the owner of an observation is no observer of the fields`() {
        let guild = Guild(), owner = Probe(), received = Collector<String>()
        guild.observe("name", by: owner) { received.add("\($1)") }
        guild.name.removeObserver(owner)
        guild.name.value = "Acme"
        expect(received.values == ["name"] && guild.name.observerCount == 0)
    }

    @Test func `a chain of a hundred thousand models is observed`() {
        let chain = (0..<100_000).map { _ in Smith() }
        for (smith, next) in zip(chain, chain.dropFirst()) { smith.friend.value = next }
        let received = Collector<Int>()
        let observation = chain[0].observe { received.add($0.path.components.count) }
        chain.last?.name.value = "end"
        chain[0].friend.value = nil
        chain.last?.name.value = "no more"
        expect(received.values, equals: [100_000, 1])
        expect(chain.dropFirst().allSatisfy { $0.name.hookCount == 0 })
        observation.cancel()
        // From the start, where to release one releases no other.
        for smith in chain { smith.friend.value = nil }
    }
}
