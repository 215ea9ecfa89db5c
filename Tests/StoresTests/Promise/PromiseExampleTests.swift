import Dispatch
import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import Synchronization
import TestSupport
import Testing

/// The examples of the documentation of promises, as they stand there.
struct PromiseExampleTests {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
    }

    struct Offline: Error {}

    let url = "https://example.com", mirror = "https://example.org"
    let store = MemoryModelStore()

    private func download(_ url: String) -> Promise<String> {
        .value("page of \(url)")
    }

    private func people() -> [Person] {
        ["Ada", "Grace"].map { name in
            let person = Person()
            person.id.value = name.lowercased()
            person.name.value = name
            return person
        }
    }

    private func parse(_ text: String) throws -> Int {
        guard let number = Int(text) else { throw Offline() }
        return number
    }

    @Test func `making promises`() async throws {
        do {
            let cache = ["https://example.com": "an old page"]
            let page = cache[url].map { .value($0) } ?? download(url)
            try await expect(page.value, equals: "an old page")
        }
        do {
            let number = Promise.attempt { try parse("42") }
            try await expect(number.value, equals: 42)
        }
        do {
            func fetch(_ url: String, _ done: @Sendable (String?, (any Error)?) -> Void) {
                done("page", nil)
            }
            let (promise, resolver) = Promise<String>.withResolvers()
            fetch(url) { page, error in resolver.resolve(page, error) }
            try await expect(promise.value, equals: "page")
        }
        do {
            let queue = DispatchQueue(label: "queue")
            let answer = Promise<Int> { resolver in queue.async { resolver.fulfill(42) } }
            try await expect(answer.value, equals: 42)
        }
        do {
            @Sendable func fetch(_ url: String) async throws -> String { "page" }
            let page = Promise { try await fetch(url) }
            try await expect(page.value, equals: "page")
        }
    }

    @Test func `a resolver`() async throws {
        final class Timer: Sendable {
            let isStopped = Atomic(false)
            func stop() { isStopped.store(true, ordering: .relaxed) }
        }
        func startTimer(_ body: @escaping @Sendable () -> Void) -> Timer {
            body()
            return Timer()
        }
        let (promise, resolver) = Promise<Int>.withResolvers()
        let timer = startTimer { resolver.fulfill(1) }
        resolver.onCancel { timer.stop() }
        try await expect(promise.value, equals: 1)
    }

    @Test func `a resolver that decides about cancelling`() async throws {
        struct Job { func remove() -> Bool { true } }
        let job = Job()
        let (promise, resolver) = Promise<Int>.withResolvers()
        resolver.whenCancelled { job.remove() ? StoreError.cancelled(.notApplied) : nil }
        promise.cancel()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await promise.value }
    }

    @Test func `waiting for a promise`() async throws {
        do {
            let size = download(url).map { $0.count }
            size.observe { print($0) }  // calls back,
            let count = try await size.value  // or is awaited
            expect(count, equals: 27)
        }
        do {
            let person = people()[0], id = "ada"
            _ = try await store.create(person).value
            do {
                let person = try await store.lookup(Person.self, identifier: id).value
                expect(person.name.value, equals: "Ada")
            }
            let name = store.lookup(Person.self, identifier: id).map { $0.name.value ?? "nobody" }
            try await expect(name.value, equals: "Ada")
            let deleted = store.lookup(Person.self, identifier: id).then { store.delete($0) }
            try await expect(deleted.value === person)
            store.create(person).catch { error in print("not stored:", error) }
        }
        do {
            let promise = Promise<Int> { resolver in
                // Nobody keeps the resolver, so nobody can settle the promise any more.
            }
            do { _ = try await promise.value } catch PromiseError.broken { print("gave up") }
        }
        do {
            let page = download(url)
            let size = page.map { $0.count }
            size.cancel()  // nobody else waits for the page: its download is stopped
        }
    }

    @Test func `waiting on a thread`() throws {
        let page = try download(url).wait(timeout: .seconds(5))
        expect(page, equals: "page of https://example.com")
    }

    @Test func `steps`() async throws {
        struct Spinner { func stop() {} }
        let spinner = Spinner()
        let queue = DispatchQueue(label: "queue")
        do {
            let page = download(url).recover { error in
                guard error is Offline else { throw error }
                return "an old page"
            }
            try await expect(page.value, equals: "page of https://example.com")
        }
        do {
            let page = download(url).recoverWith { _ in download(mirror) }
            try await expect(page.value, equals: "page of https://example.com")
        }
        do {
            let page = download(url).tap { outcome in print("downloaded:", outcome) }
            try await expect(page.value, equals: "page of https://example.com")
        }
        do {
            let page = download(url).finally { spinner.stop() }
            try await expect(page.value, equals: "page of https://example.com")
        }
        download(url).observe { outcome in print("downloaded:", outcome) }
        let number = download(url).map(on: .queue(queue)) { page in try parse(page) }
        await expect(trouble(of: number) is Offline)
    }

    @Test func `many promises`() async throws {
        let people = people()
        do {
            let count = Promise.all(people.map { store.create($0) }).map { $0.count }
            try await expect(count.value, equals: 2)
        }
        do {
            let outcomes = Promise.allSettled(people.map { store.create($0) })
            try await expect(outcomes.value.map { $0.failure is StoreError }, equals: [true, true])
        }
        do {
            let text = zip(download(url), Promise.value(3)).map { page, count in
                "\(count) of \(page)"
            }
            try await expect(text.value, equals: "3 of page of https://example.com")
        }
        do {
            let page = Promise.race([download(url), download(mirror)])
            try await expect(page.value, equals: "page of https://example.com")
        }
        do {
            let page = Promise.any([download(url), download(mirror)]).recover { error in
                (error as? PromiseError.Aggregate)?.errors.count == 2 ? "both failed" : "cancelled"
            }
            try await expect(page.value, equals: "page of https://example.com")
        }
        let pages = Promise.map([url, mirror, url], limit: 2) { url in download(url) }
        try await expect(pages.value.count, equals: 3)
    }

    @Test func `time and attempts`() async throws {
        do {
            let page = download(url).timeout(.seconds(10))
            try await expect(page.value, equals: "page of https://example.com")
        }
        do {
            let later = Promise.value("again").delay(.milliseconds(10))
            try await expect(later.value, equals: "again")
        }
        do {
            let backoff = PromiseBackoff.exponential(from: .milliseconds(10)).jittered()
            let page = Promise.retry(3, backoff: backoff) { attempt in download(url) }
            try await expect(page.value, equals: "page of https://example.com")
        }
        let backoff = PromiseBackoff.exponential(from: .milliseconds(100), upTo: .seconds(5))
        let pauses = (1...7).map(backoff.pause)  // 0.1, 0.2, 0.4, 0.8, 1.6, 3.2 and 5 seconds
        expect(pauses.last, equals: .seconds(5))
    }

    @MainActor final class Label {
        var text = ""
    }

    @Test @MainActor func `the main actor`() async throws {
        let label = Label()
        download(url).onMain.observe { label.text = (try? $0.get()) ?? "no page" }
        let shown = download(url).onMain.map { page in label.text = page }
        try await shown.value
        expect(label.text, equals: "page of https://example.com")
    }

    @Test func `every example of the documentation stands in this file`() throws {
        let test = URL(fileURLWithPath: #filePath)
        let code = try lines(of: test)
        var root = test
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let folder = root.appending(path: "Sources/Promises")
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path())
        where file.hasSuffix(".swift") {
            var example: [String]?
            for line in try lines(of: folder.appending(path: file)) where line.hasPrefix("///") {
                let text = line.dropFirst(3).trimmingCharacters(in: .whitespaces)
                if text == "```swift" {
                    example = []
                } else if text == "```", let wanted = example {
                    expect(!code.indices(of: wanted).isEmpty, "\(file): \(wanted)")
                    example = nil
                } else {
                    example?.append(text)
                }
            }
        }
    }

    private func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

extension Array where Element: Equatable {
    /// Where the other one begins in it.
    fileprivate func indices(of other: [Element]) -> [Int] {
        guard count >= other.count else { return [] }
        return (0...count - other.count).filter { Array(self[$0..<$0 + other.count]) == other }
    }
}
