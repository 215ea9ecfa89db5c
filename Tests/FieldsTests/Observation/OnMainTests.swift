import Dispatch
import Foundation
import ModelKitFields
import TestSupport
import Testing

@Suite struct OnMainTests {
    @MainActor
    @Test func `a change made on the main actor is delivered in place`() {
        let field = Field<Int>(value: 1)
        var seen: [Int?] = []
        let box = Box<(Int?) -> Void>({ seen.append($0) })
        field.onMain --> { value in box.content(value) }
        field.value = 2
        expect(seen, equals: [1, 2])
    }

    @Test func `changes made elsewhere reach the main thread, the newest last`() async {
        let field = Field<Int>(value: 0)
        let log = Log<[Int?]>()
        field.onMain --> { old, new in
            MainActor.assertIsolated()
            log.add([old, new])
        }
        await Task.detached {
            for value in 1...500 { field.value = value }
        }.value
        while log.entries.last?.last != 500 { await MainActor.run {} }
        let entries = log.entries
        expect(entries.first?.first, equals: .some(nil))
        for (before, after) in zip(entries, entries.dropFirst()) {
            expect(before[1], equals: after[0])
        }
    }

    @MainActor
    @Test func `a set inside a main observer is delivered after the running call`() {
        let field = Field<Int>(value: 0)
        var seen: [String] = []
        let box = Box<(Int?) -> Void>({ value in
            seen.append("begin \(value ?? 0)")
            if value == 1 { field.value = 2 }
            seen.append("end \(value ?? 0)")
        })
        field.onMain.observe(when: .changes) { value in box.content(value) }
        field.value = 1
        expect(seen, equals: ["begin 1", "end 1", "begin 2", "end 2"])
    }

    @MainActor
    @Test func `cancelled on the main actor, it is not called again though changes wait`() async {
        let field = Field<Int>(value: 0)
        let log = Log<Int?>()
        let observation = field.onMain.observe(when: .changes) { value in log.add(value) }
        let join = startThread { field.value = 1 }
        join()
        observation.cancel()
        await Task.yield()
        for _ in 0..<10 { await Task.detached { await MainActor.run {} }.value }
        expect(log.entries.isEmpty)
    }

    @MainActor
    @Test func `changes that lead back to where they began are not delivered`() async {
        let field = Field<Int>(value: 1)
        let log = Log<Int?>()
        field.onMain.observe(when: .changes) { value in log.add(value) }
        let join = startThread {
            field.value = 2
            field.value = 1
        }
        join()
        for _ in 0..<10 { await Task.detached { await MainActor.run {} }.value }
        expect(log.entries.isEmpty)
        field.value = 3
        expect(log.entries, equals: [3])
    }

    @MainActor
    @Test func `an observer that is called without end leaves the main thread time`() async {
        let field = Field<Int>(value: 0)
        field.onMain.observe(when: .changes) { value in
            // Set while the mailbox is busy, so that the next change waits.
            startThread { field.value = (value ?? 0) + 1 }()
        }
        startThread { field.value = 1 }()
        while (field.value ?? 0) < 10 { await Task.detached { await MainActor.run {} }.value }
        field.removeAllObservers()
        expect((field.value ?? 0) >= 10)
    }

    @MainActor
    @Test func `an owner is handed in and held weakly`() {
        let field = Field<Int>(value: 1)
        var owner: Screen? = Screen()
        weak let weakOwner = owner
        if let owner {
            field.onMain.observe(owner) { screen, value in screen.text = "\(value ?? 0)" }
            field.onMain --> owner { [weak owner] value in owner?.count += 1 }
        }
        field.value = 2
        expect(owner?.text, equals: "2")
        expect(owner?.count, equals: 2)
        owner = nil
        expect(weakOwner == nil)
        field.value = 3
        expect(field.observerCount, equals: 0)
    }
}

@MainActor
private final class Screen: ObservationOwner {
    var text = ""
    var count = 0
}

/// Lets a main-actor closure reach a local of the test.
@MainActor
private final class Box<Content> {
    let content: Content
    init(_ content: Content) { self.content = content }
}
