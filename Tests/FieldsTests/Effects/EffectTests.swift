import Dispatch
import ModelKitFields
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct EffectTests {
    private let first = Field<String>(value: "Ada")
    private let last = Field<String>(value: "Lovelace")
    private let log = Log<String>()

    @Test func `it runs at once, and again when something that it has read is another`() {
        let full = Computed { [first, last] in "\(first.value ?? "") \(last.value ?? "")" }
        let effect = effect { [log] in log.add(full.value ?? "") }
        first.value = "Augusta"
        first.value = "Augusta"
        batch {
            first.value = "Ada"
            last.value = "King"
        }
        expect(log.entries, equals: ["Ada Lovelace", "Augusta Lovelace", "Ada King"])
        expect(!effect.isCancelled)
    }

    @Test func `it follows what it has read in its last run, and nothing that is untracked`() {
        let isShort = Field<Bool>(value: true)
        let effect = effect { [first, last, log] in
            let name = first.value ?? ""
            log.add(isShort.value == true ? name : "\(name) \(untracked { last.value ?? "" })")
        }
        last.value = "King"
        isShort.value = false
        last.value = "Byron"
        first.value = "Augusta"
        expect(log.entries, equals: ["Ada", "Ada King", "Augusta Byron"])
        effect.cancel()
    }

    @Test func `what it sets is delivered after it, and makes others run`() {
        let copy = Field<String>()
        copy.observe(when: .changes) { [log] in log.add("copy \($0 ?? "")") }
        let outer = effect { [first, log] in
            copy.value = first.value
            log.add("set")
        }
        let inner = effect { [log] in log.add("read \(copy.value ?? "")") }
        first.value = "Augusta"
        expect(
            log.entries,
            equals: [
                "set", "copy Ada", "read Ada", "set", "copy Augusta", "read Augusta",
            ]
        )
        withExtendedLifetime((outer, inner)) {}
    }

    @Test func `one that makes itself run again is stopped after a hundred times`() {
        let number = Field<Int>(value: 0)
        let codes = Log<Diagnostic.Code>()
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            let effect = effect { number.value = (number.value ?? 0) + 1 }
            let count = number.value ?? 0
            expect(count >= 100 && count <= 102)
            expect(codes.entries, equals: [.endlessDelivery])
            number.value = 0
            expect(number.value, equals: 0)
            expect(codes.entries, equals: [.endlessDelivery])
            withExtendedLifetime(effect) {}
        }
    }

    @Test func `so is one whose runs are posted to a queue`() async {
        let queue = DispatchQueue(label: "endless")
        let number = Field<Int>(value: 0)
        let posted = effect(on: queue) {
            ModelKitDiagnostics.withHandler({ _ in }) { number.value = (number.value ?? 0) + 1 }
        }
        for _ in 0..<10_000 where !posted.isCancelled {
            await withCheckedContinuation { next in queue.async { next.resume() } }
        }
        expect(posted.isCancelled)
        expect(number.value, equals: 100)
    }

    @Test func `so is one that sets what it reads by way of a computed field and a binding`() async
    {
        let queue = DispatchQueue(label: "endless")
        let (source, fed) = (Field<Int>(value: 0), Field<Int>())
        let next = Computed { (source.value ?? 0) + 1 }
        next.bind(to: fed)
        let posted = effect(on: queue) {
            ModelKitDiagnostics.withHandler({ _ in }) { source.value = fed.value }
        }
        for _ in 0..<10_000 where !posted.isCancelled {
            await withCheckedContinuation { next in queue.async { next.resume() } }
        }
        expect(posted.isCancelled)
    }

    @Test func `an inner one does not run once more when the outer one is about to`() {
        let chosen = Field<String>(value: "Ada")
        let outer = effect { [log] in
            guard chosen.value != nil else { return log.add("none") }
            effect(log) { $0.add(chosen.value ?? "outdated") }
        }
        chosen.value = nil
        chosen.value = "Grace"
        chosen.value = nil
        expect(log.entries, equals: ["Ada", "none", "Grace", "none"])
        withExtendedLifetime(outer) {}
    }

    @Test func `one that was cancelled keeps nothing that it has read`() {
        weak var weakField: Field<String>?
        let ended: Effect
        do {
            let field = Field<String>(value: "read")
            weakField = field
            ended = effect { [weak field, log] in log.add(field?.value ?? "") }
            ended.cancel()
        }
        expect(weakField == nil)
        expect(ended.isCancelled)
    }

    @Test func `one that sets what it reads to what it has to be runs once more`() {
        let number = Field<Int>(value: 7)
        let runs = Log<Int>()
        let effect = effect {
            runs.add(number.value ?? 0)
            number.value = min(5, number.value ?? 0)
        }
        expect(runs.entries, equals: [7, 5])
        number.value = 9
        expect(runs.entries, equals: [7, 5, 9, 5])
        withExtendedLifetime(effect) {}
    }

    @Test func `what a run has made ends before the next one and with the effect`() {
        let tick = Field<Int>(value: 0)
        let outer = effect { [first, last, log] in
            let run = tick.value ?? 0
            first.observe(when: .changes) { log.add("observed \(run) \($0 ?? "")") }
            effect(log) { $0.add("effect \(run) \(last.value ?? "")") }
            _ = effect { log.add("held \(run) \(last.value ?? "")") }
        }
        first.value = "A"
        tick.value = 1
        first.value = "B"
        last.value = "K"
        outer.cancel()
        first.value = "C"
        last.value = "L"
        tick.value = 2
        expect(
            log.entries,
            equals: [
                "effect 0 Lovelace", "held 0 Lovelace", "observed 0 A",
                "effect 1 Lovelace", "held 1 Lovelace", "observed 1 B",
                "effect 1 K", "held 1 K",
            ]
        )
        expect(first.observerCount, equals: 0)
    }

    @Test func `it ends with what holds it`() {
        do {
            let effect = effect { [first, log] in log.add(first.value ?? "") }
            withExtendedLifetime(effect) {}
        }
        first.value = "Augusta"
        expect(log.entries, equals: ["Ada"])
    }

    private final class Screen: Sendable {
        let log: Log<String>

        init(_ log: Log<String>) { self.log = log }
    }

    @Test func `one with an owner lives as long as that`() {
        weak var weakScreen: Screen?
        weak var source: Field<String>?
        var token: Effect?
        do {
            let screen = Screen(log)
            let field = Field<String>(value: "one")
            (weakScreen, source) = (screen, field)
            token = effect(screen) { $0.log.add(field.value ?? "") }
            field.value = "two"
            expect(log.entries, equals: ["one", "two"])
        }
        expect(weakScreen == nil)
        expect(token?.isCancelled, equals: true)
        token = nil
        // It is found to be over when others are made.
        for _ in 0..<100 { effect(log) { $0.add("") }.cancel() }
        let screens = (0..<100).map { _ in Screen(log) }
        for screen in screens { effect(screen) { _ in } }
        expect(source == nil)
    }

    @Test func `it may end itself, and is through with its run`() {
        let holder = Log<Effect>()
        let effect = effect { [first, log] in
            log.add(first.value ?? "")
            if first.value == "Augusta" {
                holder.entries.first?.cancel()
                first.observe { log.add("late \($0 ?? "")") }
                log.add("through")
            }
        }
        holder.add(effect)
        first.value = "Augusta"
        first.value = "Ada"
        expect(log.entries, equals: ["Ada", "Augusta", "late Augusta", "through"])
        expect(effect.isCancelled)
    }

    @Test func `it follows the validity of a field`() {
        let age = Field<Int>(value: 3).require("must be positive") { $0 > 0 }
        let effect = effect { [log] in log.add("\(age.validationState == .valid)") }
        age.validate()
        age.value = -1
        age.validate()
        age.value = 4
        age.validate()
        expect(log.entries, equals: ["false", "true", "false", "true"])
        withExtendedLifetime(effect) {}
    }

    @MainActor @Test func `on the main thread it runs at once, and when that comes to it`() async {
        let effect = effect(.onMain) { [first, log] in
            MainActor.assertIsolated()
            log.add(first.value ?? "")
        }
        expect(log.entries, equals: ["Ada"])
        first.value = "Augusta"
        expect(log.entries, equals: ["Ada", "Augusta"])
        await Task.detached { [first] in first.value = "Byron" }.value
        await first.settled()
        for _ in 0..<1_000 where log.entries.count < 3 { await Task.yield() }
        expect(log.entries, equals: ["Ada", "Augusta", "Byron"])
        effect.cancel()
    }

    @Test func `on a queue one run is over before the next one begins`() async {
        let queue = DispatchQueue(label: "effects", attributes: .concurrent)
        let number = Field<Int>(value: 0)
        let runs = Log<Int>()
        let effect = effect(on: queue) { runs.add(number.value ?? 0) }
        for value in 1...100 { number.value = value }
        for _ in 0..<10_000 where runs.entries.last != 100 {
            await withCheckedContinuation { next in queue.async { next.resume() } }
        }
        expect(runs.entries.last, equals: 100)
        expect(runs.entries, equals: runs.entries.sorted())
        withExtendedLifetime(effect) {}
    }

    @Test func `one that corrects what another thread sets again and again is not stopped`() async {
        for _ in 0..<10 {
            let number = Field<Int>(value: 0)
            let effect = effect { number.value = min(5, number.value ?? 0) }
            await Task.detached { for value in 0...2_000 { number.value = value } }.value
            await number.settled()
            for _ in 0..<10_000 where number.value != 5 { await Task.yield() }
            expect(number.value, equals: 5)
            expect(!effect.isCancelled)
        }
    }

    @Test(arguments: [false, true])
    func `the last of many sets on many threads is not missed`(setsAnother: Bool) async {
        for _ in 0..<10 {
            let (left, right) = (Field<Int>(value: 0), Field<Int>(value: 0))
            let sum = Computed { (left.value ?? 0) + (right.value ?? 0) }
            let (seen, other) = (Log<Int>(), Field<Int>())
            let effect = effect {
                let value = sum.value ?? 0
                if setsAnother { other.value = value }
                seen.add(value)
            }
            await withTaskGroup(of: Void.self) { group in
                for field in [left, right] {
                    group.addTask { for value in 1...1_000 { field.value = value } }
                }
            }
            await left.settled()
            await right.settled()
            for _ in 0..<10_000 where seen.entries.last != 2_000 { await Task.yield() }
            expect(seen.entries.last, equals: 2_000)
            expect(!setsAnother || other.value == 2_000)
            withExtendedLifetime(effect) {}
        }
    }
}
