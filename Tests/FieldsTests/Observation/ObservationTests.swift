import Dispatch
import Foundation
import ModelKitFields
import TestSupport
import Testing

final class Owner: ObservationOwner {}

final class Watcher: ValueObserver {
    let log = Log<Int?>()
    func valueChanged(_ observable: any ValueObservable<Int>, value: Int?) {
        log.add(value)
        if observable.value != value { log.add(-999) }
    }
}

@Suite struct ObservationTests {
    @Test func `closures may take the value, both values or nothing`() {
        let field = Field<Int>(value: 1)
        let log = Log<String>()
        field --> { (value: Int?) in log.add("value \(value ?? 0)") }
        field --> { old, new in log.add("\(old ?? 0) to \(new ?? 0)") }
        field --> { log.add("plain") }
        field.value = 2
        expect(
            log.entries,
            equals: ["value 1", "0 to 1", "plain", "value 2", "1 to 2", "plain"]
        )
    }

    @Test func `an observer object is notified and held weakly`() {
        let field = Field<Int>(value: 1)
        var watcher: Watcher? = Watcher()
        weak let weakWatcher = watcher
        let log = watcher?.log
        if let watcher { field --> watcher }
        field.value = 2
        watcher = nil
        expect(weakWatcher == nil)
        field.value = 3
        expect(log?.entries, equals: [1, 2])
        expect(field.observerCount, equals: 0)
    }

    @Test func `an owner identifies its closures and is held weakly`() {
        let field = Field<Int>(value: 1)
        var owner: Owner? = Owner()
        weak let weakOwner = owner
        let log = Log<String>()
        if let owner {
            field --> owner { value in log.add("a\(value ?? 0)") }
            field --> owner { value in log.add("b\(value ?? 0)") }
        }
        let other = Owner()
        field --> other { value in log.add("c\(value ?? 0)") }
        field -/-> other
        field.value = 2
        owner = nil
        expect(weakOwner == nil)
        field.value = 3
        expect(log.entries, equals: ["a1", "b1", "c1", "a2", "b2"])
    }

    @Test func `an observed owner is handed in`() {
        let field = Field<Int>(value: 1)
        let watcher = Watcher()
        field.observe(watcher) { watcher, value in watcher.log.add(value) }
        field.value = 2
        expect(watcher.log.entries, equals: [1, 2])
        field -/-> watcher
        field.value = 3
        expect(watcher.log.entries, equals: [1, 2])
    }

    @Test func `a dropped token keeps observing, a scoped one ends`() {
        let field = Field<Int>(value: 0)
        let log = Log<String>()
        field.observe(when: .changes) { log.add("dropped") }
        var scoped: ScopedObservation? =
            field.observe(when: .changes) { log.add("scoped") }.scoped()
        field.value = 1
        withExtendedLifetime(scoped) {}
        scoped = nil
        field.value = 2
        expect(log.entries, equals: ["dropped", "scoped", "dropped"])
    }

    @Test func `a cancelled closure is released, also while the token lives`() {
        let field = Field<Int>()
        weak var weakObject: Owner?
        let observation: Observation
        do {
            let object = Owner()
            weakObject = object
            observation = field.observe { withExtendedLifetime(object) {} }
        }
        expect(weakObject != nil)
        observation.cancel()
        observation.cancel()
        expect(weakObject == nil)
        expect(observation.isCancelled)
    }

    @Test func `a closure that is cancelled in its own call is released after it`() {
        let field = Field<Int>()
        let holder = Log<Observation>()
        weak var weakObject: Owner?
        do {
            let object = Owner()
            weakObject = object
            holder.add(
                field.observe(when: .changes) {
                    withExtendedLifetime(object) {}
                    holder.entries.first?.cancel()
                }
            )
        }
        field.value = 1
        expect(weakObject == nil)
    }

    @Test func `a field's closures are released with it, also while tokens live`() {
        weak var weakObject: Owner?
        let observation: Observation
        do {
            let field = Field<Int>()
            let object = Owner()
            weakObject = object
            observation = field.observe { withExtendedLifetime(object) {} }
        }
        expect(weakObject == nil)
        expect(observation.isCancelled)
        observation.cancel()
    }

    @Test func `a field that is observed and bound is freed`() {
        weak var weakSource: Field<Int>?
        weak var weakTarget: Field<Int>?
        do {
            let source = Field<Int>(value: 1)
            let target = Field<Int>()
            weakSource = source
            weakTarget = target
            source <--> target
            source --> { _ in }
            source.value = 2
        }
        expect(weakSource == nil)
        expect(weakTarget == nil)
    }

    @Test func `observers of dead owners are cleared away though nobody sets the field`() {
        let field = Field<Int>()
        for _ in 0..<10_000 {
            let owner = Owner()
            field --> owner { _ in }
            let target = Field<Int>()
            field --> target
        }
        expect(field.observerCount < 200)
    }

    @Test func `removeAllObservers ends observers and bindings`() {
        let field = Field<Int>(value: 1)
        let target = Field<Int>()
        let log = Log<Int?>()
        field --> { log.add($0) }
        field --> target
        field.removeAllObservers()
        field.value = 2
        expect(log.entries, equals: [1])
        expect(target.value, equals: 1)
        expect(field.observerCount, equals: 0)
    }

    @Test func `cancelling from many threads while the field is set and dies is safe`() {
        for _ in 0..<200 {
            var field: Field<Int>? = Field<Int>()
            let observations = (0..<8).compactMap { _ in field?.observe(when: .changes) {} }
            let join = startThread { [field] in for value in 0..<20 { field?.value = value } }
            field = nil
            DispatchQueue.concurrentPerform(iterations: 8) { observations[$0].cancel() }
            join()
            expect(observations.allSatisfy { $0.isCancelled })
        }
    }

    @Test func `adding observers while others set the field loses and repeats nothing`() async {
        let field = Field<Int>(value: 0)
        let logs = (0..<50).map { _ in Log<Int?>() }
        // No more than may wait for a slow observer without being merged.
        let join = startThread { for value in 1...1000 { field.value = value } }
        for log in logs { field.observe { new in log.add(new) } }
        join()
        await field.settled()
        for log in logs {
            let seen = log.entries.compactMap { $0 }
            expect(seen.last, equals: 1000)
            if let first = seen.first { expect(seen, equals: Array(first...1000)) }
        }
    }
}
