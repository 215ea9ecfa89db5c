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

extension Observing {
    final class Printer: ValueObserver {
        func valueChanged(_ observable: any ValueObservable<String>, value: String?) {
            print(value ?? "nobody")
        }
    }

    /// Is only compiled, as it is for the whole process.
    private func setTheProcess() {
        FieldTracking.enable()
        print(FieldTracking.isEnabled)  // true
    }

    @Test @MainActor func `the further examples of the article run`() async {
        let log = Log<String>()
        let screen = MainScreen()
        let name = Field<String>(value: "Ada")
        let level = Field<Int>(value: 1)
        let queue = DispatchQueue(label: "further log")

        let (printer, other) = (Printer(), Printer())
        name --> printer
        other <-- name  // the same from the other side

        let height = Field<Int>(value: 180)
        for field in [name, height] as [AnyField] {
            field.observe(when: .changes) { log.add("something is different") }
        }

        height.value = 181
        #expect(log.entries == ["something is different"])
        log.clear()
        level.value = 2
        name.removeAllObservers()

        name --> screen { value in print(value ?? "nobody") }
        name --> screen { old, new in print("\(old ?? "none") became \(new ?? "none")") }
        name --> screen { print("set") }
        name -/-> screen

        let few = name.observe { (value: String?) in print(value ?? "nobody") }.scoped()
        few.cancel()
        print(few.isCancelled)  // true
        #expect(few.isCancelled && name.observerCount == 0)

        name.onMain --> { value in screen.text = value ?? "" }
        name.onMain --> { old, new in print("\(old ?? "none") became \(new ?? "none")") }
        name.onMain --> { print("set") }
        name.onMain --> screen { value in print(value ?? "nobody") }
        name.onMain -/-> screen

        name.value = "Grace"
        #expect(screen.text == "Grace")
        name.removeAllObservers()

        var changes = level.changes.makeAsyncIterator()
        level.value = 3
        level.value = 5
        while let change = await changes.next() {
            print(change.old ?? 0, "became", change.new ?? 0)  // 2 became 3, then 3 became 5
            if change.new == 5 { break }
        }

        let subscription = FieldSubscription(
            to: level,
            receive: { value in
                log.add("level \(value ?? 0)")
                return 0  // how many more are requested
            },
            finish: { log.add("the field is gone") }
        )
        subscription.request(2)
        subscription.start()
        level.value = 6
        level.value = 7
        level.value = 8
        subscription.request(1)
        subscription.cancel()
        print(log.entries)  // ["level 5", "level 6", "level 8"]
        #expect(log.entries == ["level 5", "level 6", "level 8"])

        let tags = ArrayField(Field<String>(), value: ["red", "green"])

        tags.observeEdits(screen) { screen, change in print(change.edits.count) }
        tags.onMain.observeEdits(screen) { screen, change in
            for step in change.difference { screen.animate(step) }
        }
        tags.on(queue).observeEdits { change in log.add("\(change.edits.count) edits") }

        tags.value = ["red", "green"]
        tags.insert("blue", at: 1)
        tags.insert(contentsOf: ["cyan", "lime"], at: 3)
        tags.replace(at: 0, with: "amber")
        tags.removeFirst("green")
        tags.remove(at: 3)
        tags.sort()  // or sort(by:)
        print(tags.value ?? [], tags.contains("blue"), tags.isEmpty)
        // ["amber", "blue", "cyan"] true false
        #expect(tags.value == ["amber", "blue", "cyan"] && tags.contains("blue") && !tags.isEmpty)

        #expect(screen.steps > 0)
        tags.removeAllObservers()

        print(level.changedAt == level.updatedAt)  // true: 8 was another value
        level.value = 8
        print(level.changedAt == level.updatedAt)  // false
        print(level.isNewer(than: name))  // true: it was set later
        #expect(level.changedAt != level.updatedAt && level.isNewer(than: name))
    }
}
