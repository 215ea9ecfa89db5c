// Every form of making, chaining and awaiting promises, once without and once with main-actor default
// isolation.
import Dispatch
import ModelKit
import Testing

final class PromiseScreen {
    var text = ""
    let queue = DispatchQueue(label: "queue")

    func chain(_ promise: Promise<Int>) -> Promise<Int> {
        promise
            .map { $0 + 1 }
            .map(on: .queue(queue)) { "\($0)" }
            .then { Promise.value($0.count) }
            .recover { _ in 0 }
            .recoverWith { .failed($0) }
            .tap { _ in }
            .finally {}
            .timeout(.seconds(60))
            .delay(.zero)
    }

    func many(_ promise: Promise<Int>) async throws -> Int {
        let (number, text) = try await zip(promise, Promise.value("a")).value
        let all = try await Promise.all([promise, promise]).value
        let first = try await Promise.race([promise, .any([promise])]).value
        let settled = try await Promise.allSettled([promise]).value
        let mapped = try await Promise.map([1, 2], limit: 1) { .value($0) }.value
        let again = try await Promise.retry(2, backoff: .constant(.zero).jittered()) { attempt in
            attempt == 1 ? .failed(CancellationError()) : .value(attempt)
        }.recover { _ in 2 }.value
        return number + text.count + all.count + first + settled.count + mapped.count + again
    }

    func make() async throws -> Int {
        let (promise, resolver) = Promise<Int>.withResolvers()
        resolver.onCancel {}
        resolver.fulfill(1)
        let other = Promise<Int> { resolver in resolver.follow(promise) }
        let task = Promise { try await Promise.value(2).value }
        let main = Promise { @MainActor in 3 }
        let attempt = Promise.attempt { 4 }
        promise.observe { _ in }
        other.catch { _ in }
        return try await other.value + task.value + main.value + attempt.value
    }
}

@MainActor final class MainPromiseScreen {
    var text = ""

    func show(_ promise: Promise<Int>) -> Promise<Int> {
        promise.onMain.observe { self.text = "\($0)" }
        promise.onMain.catch { self.text = "\($0)" }
        return promise.onMain.map { value in
            self.text = "\(value)"
            return value
        }
        .onMain.then { .value($0 + self.text.count) }
        .onMain.recover { _ in self.text.count }
        .onMain.recoverWith { _ in .value(self.text.count) }
        .onMain.tap { _ in self.text += "!" }
        .onMain.finally { self.text += "." }
    }
}

@MainActor struct PromiseSpellings {
    @Test func `every form of promises compiles`() async throws {
        let screen = PromiseScreen(), main = MainPromiseScreen()
        #expect(try await screen.chain(.value(1)).value == 1)
        #expect(try await screen.many(.value(1)) == 10)
        #expect(try await screen.make() == 10)
        #expect(try await main.show(.value(1)).value == 2)
        #expect(main.text == "1!.")
    }
}
