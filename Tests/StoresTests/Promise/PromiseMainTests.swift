import Dispatch
import ModelKitStores
import TestSupport
import Testing

/// Handlers isolated by their type; that this file compiles is half of the test.
struct PromiseMainTests {
    @MainActor final class View {
        var lines: [String] = []

        func show(_ promise: Promise<Int>) -> Promise<Void> {
            promise.onMain.observe { self.lines.append("observe \(($0.failure == nil))") }
            return promise.onMain
                .map { value in
                    self.lines.append("map \(value)")
                    return value + 1
                }
                .onMain.then { value -> Promise<Int> in
                    self.lines.append("then \(value)")
                    throw Trouble()
                }
                .onMain.recover { _ in
                    self.lines.append("recover")
                    return 0
                }
                .onMain.finally { self.lines.append("finally") }
                .onMain.catch { _ in self.lines.append("catch") }
        }
    }

    final class Plain: Sendable {
        @MainActor func update(_ value: Int) -> Int { value }

        func handle(_ promise: Promise<Int>) -> Promise<Int> {
            promise.onMain.map { self.update($0) }
        }
    }

    actor Counter {
        var count = 0

        func add(_ promise: Promise<Int>) async throws {
            count += try await promise.value
            // Not isolated to the actor, and may not touch it.
            count += try await promise.map { $0 + 1 }.value
        }
    }

    @Test @MainActor func `handlers run on the main actor, in order, after being added`() async {
        for start in Start.allCases {
            let view = View()
            let ends = Log<Promise<Void>>()
            _ = Setting(.main).promise(start, .success(1)) { ends.add(view.show($0)) }
            expect(view.lines, equals: [])
            _ = try? await ends.entries[0].value
            expect(view.lines, equals: ["observe true", "map 1", "then 2", "recover", "finally"])
        }
    }

    @Test @MainActor func `an error reaches the handlers for it on the main actor`() async {
        let view = View()
        let failed = Promise<Int>.failed(Trouble())
        _ = try? await view.show(failed).value
        expect(view.lines, equals: ["observe false", "recover", "finally"])
        let end = failed.onMain.catch { _ in view.lines.append("catch") }
        expect(view.lines.count, equals: 3)
        _ = try? await end.value
        expect(view.lines.last, equals: "catch")
    }

    @Test func `they may be added from anywhere`() async throws {
        try await expect(Plain().handle(.value(3)).value, equals: 3)
        let counter = Counter()
        try await counter.add(.value(1))
        await expect(counter.count, equals: 3)
    }
}
