import Foundation
import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

@Suite struct ModelDraftRaceTests {
    @Test func `tasks that edit one draft while it is committed lose nothing`() async throws {
        let trip = Trip.sample()
        let draft = trip.draft()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for number in 1...500 { draft.start.value = -number } }
            group.addTask { for number in 1...500 { draft.stops.append("\(number)") } }
            group.addTask { for _ in 1...100 { _ = try? draft.commit() } }
            group.addTask { for _ in 1...100 { draft.rebase() } }
        }
        try draft.commit(overwriting: true)
        expect(trip.start.value, equals: -500)
        expect(trip.stops.count, equals: 502)
        expect(!draft.isDirty)
    }

    @Test func `a commit while the base is set loses neither side's fields`() async throws {
        let trip = Trip.sample()
        let draft = trip.draft()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for number in 1...500 { trip.start.value = -number } }
            group.addTask {
                for number in 1...200 {
                    draft.title.value = "\(number)"
                    _ = try? draft.commit()
                }
            }
        }
        draft.rebase()
        try draft.commit()
        expect(trip.start.value, equals: -500)
        expect(draft.start.value, equals: -500)
        expect(trip.title.value, equals: "200")
    }

    /// A lost update would leave less.
    @Test func `of drafts committed at once each is refused or builds on the other`() async {
        let trip = Trip.sample()
        let committed = Collector<String>()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<100 {
                        let draft = trip.draft()
                        draft.stops.append("\(task).\(number)")
                        if (try? draft.commit()) != nil { committed.add("\(task).\(number)") }
                    }
                }
            }
        }
        expect(Set(trip.stops.value ?? []), equals: Set(committed.values + ["Bern", "Milan"]))
    }

    /// Holds the next thread that compares it, where its gate wants that.
    struct Stop: Equatable, Sendable {
        final class Gate: Sendable {
            let isWanted = Setting(false)
            let (reached, opened) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        }

        let gate: Gate

        static func == (left: Stop, right: Stop) -> Bool {
            if left.gate.isWanted.value {
                left.gate.isWanted.value = false
                left.gate.reached.signal()
                left.gate.opened.wait()
            }
            return left.gate === right.gate
        }
    }

    final class Basket: Model {
        let name = Field<String>()
        let fruits = ModelField<Fruit>()*
    }

    final class Fruit: Model {
        let count = Field<Int>()
        let stop = Field<Stop>()
    }

    @Test func `a model that one rebase drafts is kept while another one ends`() {
        let gate = Stop.Gate()
        let basket = Basket(), fruit = Fruit()
        fruit.stop.value = Stop(gate: gate)
        let draft = basket.draft()
        let isDone = DispatchSemaphore(value: 0)
        // Called between the look at the fields and the end of the rebase.
        let observation = draft.name.observe(when: .changes) { _ in
            basket.fruits.value = [fruit]
            gate.isWanted.value = true
            Thread.detachNewThread {
                draft.rebase()
                isDone.signal()
            }
            gate.reached.wait()
        }
        basket.name.value = "a"
        draft.rebase()
        observation.cancel()
        gate.opened.signal()
        isDone.wait()
        draft.fruits[0]?.count.value = 3
        expect(draft.changes, equals: [["fruits", 0, "count"]])
    }
}
