import Dispatch
import ModelKit
import Testing

@Suite struct Promises {
    struct NotFound: Error {}

    @MainActor final class Screen {
        var text = ""
    }

    @Test @MainActor func `the examples of the article run`() async throws {
        let log = Log<String>()
        let screen = Screen()
        @Sendable func fetch(_ page: String) -> Promise<String> {
            page == "missing" ? .failed(NotFound()) : .value("<\(page)>")
        }
        @Sendable func download(_ page: String) async throws -> String { page }

        let (page, resolver) = Promise<String>.withResolvers()
        page.observe { outcome in log.add("observed: \(outcome)") }
        resolver.fulfill("hello")
        print(try await page.value)  // hello
        #expect(log.entries == ["observed: success(\"hello\")"])

        let size = Promise { try await download("index.html").count }
        print(try await size.value)  // 10
        #expect(try await size.value == 10)

        let text = fetch("index.html")
            .map { page in page.count }
            .then { count in fetch("page \(count)") }
            .recover { error in "nothing" }
        print(try await text.value)  // <page 12>
        #expect(try await text.value == "<page 12>")

        log.clear()
        fetch("missing")
            .finally { log.add("done") }
            .catch { error in log.add("failed: \(error)") }
        #expect(log.entries == ["done", "failed: NotFound()"])

        let queue = DispatchQueue(label: "words")
        let words = fetch("index.html").map(on: .queue(queue)) { $0.split(separator: ".") }
        fetch("index.html").onMain.observe { outcome in screen.text = (try? outcome.get()) ?? "" }
        #expect(screen.text == "")
        #expect(try await words.value.count == 2)
        _ = try await fetch("").onMain.map { $0 }.value
        #expect(screen.text == "<index.html>")

        let both = Promise.all([fetch("a"), fetch("b")])
        print(try await both.value)  // ["<a>", "<b>"]
        #expect(try await both.value == ["<a>", "<b>"])
        let (count, name) = try await zip(size, fetch("c")).value
        print(count, name)  // 10 <c>
        #expect(count == 10 && name == "<c>")
        let fastest = Promise.any([fetch("missing"), fetch("mirror")])
        print(try await fastest.value)  // <mirror>
        #expect(try await fastest.value == "<mirror>")

        let pages = Promise.map(1...5, limit: 2) { number in fetch("page \(number)") }
        print(try await pages.value.count)  // 5
        #expect(try await pages.value.last == "<page 5>")

        let backoff = PromiseBackoff.exponential(from: .milliseconds(1)).jittered()
        let stubborn = Promise.retry(3, backoff: backoff) { attempt in
            attempt < 3 ? fetch("missing") : fetch("found")
        }
        print(try await stubborn.timeout(.seconds(60)).value)  // <found>
        #expect(try await stubborn.value == "<found>")

        log.clear()
        let (work, worker) = Promise<Int>.withResolvers()
        worker.onCancel { log.add("stopped") }
        let first = work.map { $0 + 1 }
        let second = work.map { $0 + 2 }
        first.cancel()  // the second still waits
        #expect(log.entries == [])
        second.cancel()  // nobody does: the work is stopped
        #expect(log.entries == ["stopped"])
    }
}

extension Promises {
    func readOld(_ name: String, _ done: @escaping @Sendable (String?, (any Error)?) -> Void) {
        done("<\(name)>", nil)
    }

    func script() throws -> String {
        let page = Promise<String> { resolver in
            readOld("index.html") { text, error in resolver.resolve(text, error) }
        }
        return try page.wait(timeout: .seconds(5))
    }

    @Test @MainActor func `the further examples of the article run`() async throws {
        let log = Log<String>()
        let screen = Screen()
        @Sendable func fetch(_ page: String) -> Promise<String> {
            page == "missing" ? .failed(NotFound()) : .value("<\(page)>")
        }
        #expect(try script() == "<index.html>")

        fetch("missing")
            .onMain.recoverWith { _ in fetch("mirror") }
            .onMain.then { page in fetch("\(page.count) characters") }
            .onMain.recover { _ in "nothing" }
            .onMain.tap { outcome in screen.text = (try? outcome.get()) ?? "" }
            .onMain.finally { log.add("done") }
            .onMain.catch { error in screen.text = "\(error)" }

        for _ in 0..<10_000 where log.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(screen.text == "<8 characters>" && log.entries == ["done"])

        let jobs = Log<@Sendable () -> Void>()
        let loop = PromiseExecutor.custom { job in jobs.add(job) }
        let loud = fetch("index.html").map(on: loop) { page in page.uppercased() }
        print(loud.result == nil)  // true
        for job in jobs.entries { job() }
        print(try await loud.value)  // <INDEX.HTML>
        #expect(try await loud.value == "<INDEX.HTML>")
    }
}
