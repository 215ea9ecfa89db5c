import Dispatch
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ModelOnQueueTests {
    private let guild = Guild(), ada = Smith("Ada")
    private let queue = DispatchQueue(label: "observers")

    /// Runs what waits on the queue, each in a turn of its own.
    private func drain(_ turns: Int = 3) async {
        for _ in 0..<turns {
            await withCheckedContinuation { done in queue.async { done.resume() } }
        }
    }

    @Test func `changes are all told on the queue, in order, with their values`() async {
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let log = Collector<String>()
        guild.smiths.append(ada)
        queue.suspend()
        guild.on(queue).observe("smiths.*.name") { change in
            let isHere = DispatchQueue.getSpecific(key: key) == true
            log.add("\(isHere) \(change) \(change.new as? String ?? "")")
        }
        ada.name.value = "Anna"
        ada.name.value = "Ann"
        guild.smiths.insert(Smith(), at: 0)
        ada.name.value = "Ada"
        expect(log.values.isEmpty)
        queue.resume()
        await drain(6)
        expect(
            log.values,
            equals: [
                "true smiths[0].name Anna", "true smiths[0].name Ann", "true smiths (+1 -0) ",
                "true smiths[1].name Ada",
            ]
        )
    }

    @Test func `on a concurrent queue an observer is called once at a time`() async {
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let running = Collector<Int>()
        let log = Collector<String>()
        guild.on(concurrent).observe { change in
            running.add(1)
            if running.values.reduce(0, +) != 1 { log.add("overlap") }
            log.add(change.description)
            running.add(-1)
        }
        for _ in 0..<100 { guild.name.touch() }
        while log.values.count < 100 { await Task.yield() }
        expect(log.values, equals: Array(repeating: "name", count: 100))
    }

    @Test func `cancelled on the queue, or with its owner gone, it tells nothing more`() async {
        final class Owner: Sendable { let log = Collector<String>() }
        var owner: Owner? = Owner()
        let log = Collector<String>()
        queue.suspend()
        let observation = guild.on(queue).observe("name") { log.add($0.description) }
        let owned = owner.map { guild.on(queue).observe("name", by: $0) { $0.log.add("\($1)") } }
        queue.async { observation.cancel() }
        guild.name.value = "Acme"
        owner = nil
        queue.resume()
        await drain()
        expect(log.values.isEmpty)
        guild.name.value = "Corp"
        await drain()
        expect(owned?.isCancelled == true && guild.name.hookCount == 0)
    }
}
