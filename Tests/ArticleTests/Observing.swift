import Dispatch
import Foundation
import ModelKit
import Observation
import Testing

@Suite struct Observing {
    @Test func `the examples of the article run`() async {
        let log = Log<String>()

        let name = Field<String>(value: "Ada")
        name --> { value in print(value ?? "nobody") }
        name --> { old, new in print("\(old ?? "none") became \(new ?? "none")") }
        name.value = "Grace"

        let observation = name.observe(when: .changes) { old, new in
            print("changed from \(old ?? "none") to \(new ?? "none")")
        }
        name.value = "Grace"  // no change: the closure is not called
        observation.cancel()
        #expect(observation.isCancelled)

        let screen = Screen()
        name.observe(screen) { screen, value in screen.show(value) }
        let scoped = name.observe { (value: String?) in print(value ?? "") }.scoped()
        name -/-> screen
        #expect(screen.shown.entries == ["Grace"])
        withExtendedLifetime(scoped) {}

        name.onMain.observe(screen) { screen, value in screen.show(value) }

        let queue = DispatchQueue(label: "log")
        name.on(queue).observe { value in log.add("queue: \(value ?? "")") }
        queue.sync {}
        #expect(log.entries == ["queue: Grace"])
        name.removeAllObservers()
        log.clear()

        let level = Field<Int>(value: 1)
        var values = level.values.makeAsyncIterator()
        print(await values.next() as Any)  // Optional(Optional(1))
        level.value = 2
        level.value = 3
        print(await values.next() as Any)  // Optional(Optional(3)): the newest

        let tags = ArrayField(Field<String>(), value: ["red", "green"])
        let rows = Rows()
        tags.observeEdits { change in rows.follow(change) }
        tags.append("blue")
        tags.move(from: 2, to: 0)
        tags.value = ["blue", "green"]
        print(rows.current)  // ["blue", "green"]
        #expect(rows.current == ["blue", "green"])

        final class Thermostat: FieldBacked {
            let field = Field<Double>(value: 20).constrain(to: 5...30)
        }

        let hall = Thermostat()
        let wanted = Field<Double>(value: 21)
        hall <--> wanted
        wanted.value = 40
        print(hall.value ?? 0)  // 30.0
        #expect(hall.value == 30)
        hall --> { degrees in print(degrees ?? 0) }

        let noon = FieldClock { Date(timeIntervalSince1970: 43_200) }
        FieldClock.withCurrent(noon) { level.value = 4 }
        print(level.updatedAt?.timeIntervalSince1970 ?? 0)  // 43200.0
        print(FieldClock.current.now() > noon.now())  // true
        #expect(level.updatedAt == Date(timeIntervalSince1970: 43_200))

        let age = Field<Int>(value: 0)
        age.observe(when: .changes) { (value: Int?) in if value == 1 { age.value = 2 } }
        age.observe(when: .changes) { old, new in log.add("\(old ?? -1) to \(new ?? -1)") }
        age.value = 1
        print(log.entries)  // ["0 to 1", "1 to 2"]
        #expect(log.entries == ["0 to 1", "1 to 2"])
        age.removeAllObservers()

        withObservationTracking {
            print(name.observed ?? "nobody")
        } onChange: {
            print("now \(name.value ?? "nobody")")  // it is called after the change
        }
        name.value = "Barbara"
    }
}

/// A table that follows an array by its edits, on one thread.
private final class Rows: @unchecked Sendable {
    private(set) var current: [String] = []

    func follow(_ change: ArrayChange<String>) {
        do {
            try change.apply(to: &current)
        } catch {
            Issue.record(error)
        }
    }
}

private final class Screen: Sendable {
    let shown = Log<String?>()
    func show(_ text: String?) { shown.add(text) }
}
