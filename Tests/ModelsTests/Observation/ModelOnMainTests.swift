import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ModelOnMainTests {
    private let guild = Guild(), ada = Smith("Ada")

    @MainActor
    @Test func `a change made on the main actor is delivered in place`() {
        final class Table: Sendable { let rows = Collector<String>() }
        let table = Table()
        guild.smiths.append(ada)
        guild.onMain.observe("smiths.*.name", by: table) { $0.rows.add("\($1)") }
        ada.name.value = "Anna"
        expect(table.rows.values, equals: ["smiths[0].name"])
    }

    @Test func `changes made elsewhere are all delivered on the main thread, in order`() async {
        let log = Collector<String>()
        guild.onMain.observe { change in
            MainActor.assertIsolated()
            log.add(change.description)
        }
        await Task.detached { [guild, ada] in
            for _ in 0..<100 {
                guild.name.touch()
                guild.smiths.append(ada)
            }
        }.value
        while log.values.count < 200 { await MainActor.run {} }
        expect(log.values.prefix(3), equals: ["name", "smiths (+1 -0)", "name"])
        expect(log.values.count, equals: 200)
    }

    @MainActor
    @Test func `cancelled on the main actor, it delivers nothing more`() async {
        let log = Collector<String>()
        let observation = guild.onMain.observe("name") { log.add($0.description) }
        let guild = guild
        // The main actor waits for it, so that what it delivers waits for the main actor.
        let done = Collector<Bool>()
        Task.detached {
            guild.name.value = "Acme"
            done.add(true)
        }
        while done.values.isEmpty {}
        observation.cancel()
        for _ in 0..<10 { await Task.detached { await MainActor.run {} }.value }
        expect(log.values.isEmpty)
        expect(guild.name.hookCount, equals: 0)
    }
}
