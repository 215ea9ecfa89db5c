import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ModelChangesTests {
    private let guild = Guild(), ada = Smith("Ada")

    @Test func `the changes of all fields come in order`() async {
        guild.smiths.append(ada)
        var changes = guild.changes.makeAsyncIterator()
        ada.name.value = "Anna"
        guild.name.value = "Acme"
        guild.smiths.removeAll()
        ada.name.value = "Ada"
        guild.name.value = nil
        for expected in ["smiths[0].name", "name", "smiths (+0 -1)", "name"] {
            await expect(changes.next()?.description, equals: expected)
        }
    }

    @Test func `a sequence can be of some fields, and keep the newest change`() async {
        guild.smiths.append(ada)
        var changes = guild.changes(of: "smiths.*.name", buffering: .newest).makeAsyncIterator()
        ada.name.value = "Anna"
        guild.name.value = "Acme"
        guild.smiths.insert(Smith(), at: 0)
        ada.name.value = "Ada"
        await expect(changes.next()?.description, equals: "smiths[1].name")
        ada.name.value = "Anna"
        await expect(changes.next()?.description, equals: "smiths[1].name")
    }

    @Test func `a sequence ends when its model dies`() async {
        var guild: Guild? = Guild()
        guild?.smiths.append(ada)
        let changes = guild?.changes
        let task = Task { [changes] in
            var count = 0
            if let changes { for await _ in changes { count += 1 } }
            return count
        }
        guild = nil
        _ = await task.value
        var none = changes?.makeAsyncIterator()
        await expect(none?.next() == nil)
        expect(ada.hookCounts, equals: [0, 0, 0])
    }

    @Test func `what waits is delivered after the model has died`() async {
        var guild: Guild? = Guild()
        guild?.smiths.append(ada)
        var changes = guild?.changes(of: "smiths.*.name").makeAsyncIterator()
        ada.name.value = "Anna"
        guild = nil
        await expect(changes?.next()?.model === ada)
        await expect(changes?.next() == nil)
    }

    @Test func `an iterator that is released or cancelled observes no more`() async {
        do {
            let changes = guild.changes.makeAsyncIterator()
            expect(guild.name.hookCount, equals: 1)
            withExtendedLifetime(changes) {}
        }
        expect(guild.name.hookCount, equals: 0)
        let task = Task { [guild] in
            for await _ in guild.changes {}
        }
        task.cancel()
        await task.value
        expect(guild.name.hookCount, equals: 0)
    }

    @Test func `a sequence of a wrong pattern ends at once`() async {
        let diagnostics = Collector<Diagnostic>()
        await ModelKitDiagnostics.withHandler({ diagnostics.add($0) }) {
            var changes = guild.changes(of: "nothing").makeAsyncIterator()
            await expect(changes.next() == nil)
        }
        expect(diagnostics.values.map(\.code), equals: [.refusedPath])
    }
}
