import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

/// Which cannot keep answers.
private struct ForgetfulStore: IdempotencyStore {
    let store = MemoryIdempotencyStore()
    func begin(_ key: IdempotencyKey, fingerprint: UInt64) -> IdempotencyState {
        store.begin(key, fingerprint: fingerprint)
    }
    func end(_ key: IdempotencyKey, with response: HTTPResponse?) throws {
        throw CancellationError()
    }
}

@Suite struct HandlerIdempotencyTests {
    @Test func `a repetition gets the first answer, and is not carried out`() async throws {
        let serving = try Serving()
        let headers: HTTPHeaders = ["Idempotency-Key": "\"k\""]
        let first = try await serving.ask(.post, "/leagues", ["country": "it"], headers)
        let second = try await serving.ask(.post, "/leagues", ["country": "it"], headers)
        expect(first.status == 201 && second.status == 201 && first.body == second.body)
        expect(first.headers["Idempotent-Replayed"], equals: nil)
        expect(second.headers["Idempotent-Replayed"], equals: "true")
        expect(second.headers["Location"], equals: first.headers["Location"])
        try await expect(serving.ask(.get, "/leagues").items.count, equals: 1)
        // With or without quotes it is the same key.
        let third = try await serving.ask(
            .post,
            "/leagues",
            ["country": "it"],
            ["Idempotency-Key": "k"]
        )
        expect(third.headers["Idempotent-Replayed"], equals: "true")
    }

    @Test func `refusals are repeated, too, and every method has keys`() async throws {
        let serving = try Serving()
        try await serving.ask(.post, "/leagues", ["id": "a"])
        let all: [(HTTPMethod, String, AttributeValue?, Int)] = [
            (.post, "/leagues", ["id": "a"], 409), (.post, "/teams", [:], 422),
            (.patch, "/leagues/a", ["country": "it"], 200), (.put, "/leagues/b", [:], 201),
            (.post, "/batch", ["writes": []], 200), (.delete, "/leagues/a", nil, 204),
        ]
        for (index, (method, path, body, status)) in all.enumerated() {
            let headers: HTTPHeaders = ["Idempotency-Key": "\"\(index)\""]
            for replayed in [nil, "true"] {
                let answer = try await serving.ask(method, path, body, headers)
                expect(answer.status, equals: status, "\(method) \(path)")
                expect(answer.headers["Idempotent-Replayed"], equals: replayed)
            }
        }
        try await expect(serving.ask(.get, "/leagues/b").headers["ETag"], equals: "\"1\"")
    }

    @Test func `another request with the same key is refused`() async throws {
        let serving = try Serving()
        let headers: HTTPHeaders = ["Idempotency-Key": "\"k\""]
        try await serving.ask(.post, "/leagues", ["id": "a"], headers)
        let other = try await serving.ask(.post, "/leagues", ["id": "b"], headers)
        expect(other.status == 422 && other["code"] == "idempotency")
        try await expect(serving.ask(.put, "/leagues/a", ["id": "a"], headers).status, equals: 422)
        let match: HTTPHeaders = ["Idempotency-Key": "\"k\"", "If-Match": "*"]
        try await expect(serving.ask(.post, "/leagues", ["id": "a"], match).status, equals: 422)
        try await expect(serving.ask(.get, "/leagues").identifiers, equals: ["a"])
    }

    @Test func `a key belongs to a principal`() async throws {
        let serving = try Serving()
        for (index, token) in ["ada", "bob"].enumerated() {
            let headers: HTTPHeaders = ["Idempotency-Key": "\"k\"", "Authorization": token]
            let answer = try await serving.ask(
                .post,
                "/leagues",
                ["id": .string("\(index)")],
                headers
            )
            expect(answer.status, equals: 201)
        }
        var other = try Serving()
        other.handler.principal = { _ in "everybody" }
        for (token, status) in [("ada", 201), ("bob", 422)] {
            let headers: HTTPHeaders = ["Idempotency-Key": "\"k\"", "Authorization": token]
            let answer = try await other.ask(.post, "/leagues", ["id": .string(token)], headers)
            expect(answer.status, equals: status)
        }
    }

    @Test func `a repetition while the first is under way is 409`() async throws {
        let failing = FailingStore(MemoryModelStore())
        let serving = try Serving(failing)
        let (hold, resolver) = Promise<Void>.withResolvers()
        failing.script = [.hold(until: hold, on: .write)]
        let headers: HTTPHeaders = ["Idempotency-Key": "\"k\""]
        async let first = serving.ask(.post, "/leagues", ["id": "a"], headers)
        while failing.count(of: .write) < 1 { await Task.yield() }
        let second = try await serving.ask(.post, "/leagues", ["id": "a"], headers)
        expect(second.status == 409 && second["code"] == "idempotency")
        expect(second.headers["Retry-After"], equals: "1")
        resolver.fulfill()
        try await expect(first.status, equals: 201)
        let third = try await serving.ask(.post, "/leagues", ["id": "a"], headers)
        expect(third.status == 201 && third.headers["Idempotent-Replayed"] == "true")
    }

    @Test func `of many at once one is carried out`() async throws {
        let serving = try Serving()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    try await serving.ask(
                        .post,
                        "/leagues",
                        ["country": "it"],
                        ["Idempotency-Key": "\"k\""]
                    ).status
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        expect(statuses.allSatisfy { $0 == 201 || $0 == 409 })
        try await expect(serving.ask(.get, "/leagues").items.count, equals: 1)
    }

    @Test func `a request that is cancelled is ended, and its repetition knows how`() async throws {
        let failing = FailingStore(MemoryModelStore())
        let serving = try Serving(failing)
        let (hold, resolver) = Promise<Void>.withResolvers()
        failing.script = [.hold(until: hold, on: .write)]
        let headers: HTTPHeaders = ["Idempotency-Key": "\"k\""]
        let first = Task { try await serving.ask(.post, "/leagues", ["id": "a"], headers) }
        while failing.count(of: .write) < 1 { await Task.yield() }
        first.cancel()
        resolver.fulfill()
        _ = try await first.value
        let second = try await serving.ask(.post, "/leagues", ["id": "a"], headers)
        expect(second.status == 201 && second.headers["Idempotent-Replayed"] == "true")
    }

    @Test func `what failed without an effect may be made anew`() async throws {
        let failing = FailingStore(MemoryModelStore())
        let serving = try Serving(failing)
        let headers: HTTPHeaders = ["Idempotency-Key": "\"k\""]
        failing.script = [.fail(.unavailable("full", .notApplied), on: .write)]
        try await expect(serving.ask(.post, "/leagues", ["id": "a"], headers).status, equals: 503)
        try await expect(serving.ask(.post, "/leagues", ["id": "a"], headers).status, equals: 201)
        // What may have had one is not.
        let other: HTTPHeaders = ["Idempotency-Key": "\"l\""]
        failing.script = [.loseAnswer(on: .write)]
        for replayed in [nil, "true"] {
            let answer = try await serving.ask(.post, "/leagues", ["id": "b"], other)
            expect(answer.status == 503 && answer["outcome"] == "unknown")
            expect(answer.headers["Idempotent-Replayed"], equals: replayed)
        }
    }

    @Test func `an empty batch of a stranger takes no place from others`() async throws {
        var serving = try Serving()
        serving.handler.idempotency = MemoryIdempotencyStore(capacity: 1)
        serving.handler.authorize = { access in
            access.request.headers["Authorization"] == "ada" ? .allowed : .unauthorized()
        }
        let ada: HTTPHeaders = ["Idempotency-Key": "\"k\"", "Authorization": "ada"]
        try await expect(serving.ask(.post, "/leagues", [:], ada).status, equals: 201)
        for number in 1...2 {
            let headers: HTTPHeaders = [
                "Idempotency-Key": "\"\(number)\"", "Authorization": "\(number)",
            ]
            let answer = try await serving.ask(.post, "/batch", ["writes": []], headers)
            expect(answer.status == 200 && answer["results"] == [])
        }
        let again = try await serving.ask(.post, "/leagues", [:], ada)
        expect(again.headers["Idempotent-Replayed"], equals: "true")
        try await expect(serving.ask(.get, "/leagues", nil, ada).items.count, equals: 1)
    }

    @Test func `what was cancelled with an unknown outcome is not made anew`() async throws {
        var serving = try Serving()
        try await serving.ask(.put, "/teams/1", ["title": "Reds"])
        serving.handler.authorize = { access in
            if access.type == Team.self { throw CancellationError() }
            return .allowed
        }
        let headers: HTTPHeaders = ["Idempotency-Key": "\"k\""]
        for replayed in [nil, "true"] {
            let player: AttributeValue = ["full_name": "A"]
            let answer = try await serving.ask(.post, "/teams/1/players", player, headers)
            expect(answer.status == 503 && answer["outcome"] == "unknown")
            expect(answer.headers["Idempotent-Replayed"], equals: replayed)
        }
    }

    @Test(arguments: ["", "\"\"", "\"", "a\"b", "é", String(repeating: "k", count: 256)])
    func `what is no key is refused`(key: String) async throws {
        let serving = try Serving()
        let answer = try await serving.ask(.post, "/leagues", [:], ["Idempotency-Key": key])
        expect(answer.status == 400 && answer["code"] == "request")
    }

    @Test func `without a store keys are ignored`() async throws {
        var serving = try Serving()
        serving.handler.idempotency = nil
        for _ in 0..<2 {
            let answer = try await serving.ask(
                .post,
                "/leagues",
                [:],
                ["Idempotency-Key": "\"k\""]
            )
            expect(answer.status, equals: 201)
        }
        try await expect(serving.ask(.get, "/leagues").items.count, equals: 2)
    }

    @Test func `answers in memory expire, and are so many at most`() throws {
        let clock = ManualClock()
        let store = MemoryIdempotencyStore(capacity: 3, lifetime: .seconds(10), clock: clock)
        func key(_ number: Int) -> IdempotencyKey {
            IdempotencyKey(principal: "p", value: "\(number)")
        }
        func begin(_ number: Int) -> String {
            switch store.begin(key(number), fingerprint: 1) {
            case .new: "new"
            case .underWay: "under way"
            case .mismatch: "mismatch"
            case .answered(let response): "\(response.status)"
            case .full: "full"
            }
        }
        expect(begin(1) == "new" && begin(1) == "under way")
        store.end(key(1), with: HTTPResponse(status: 201))
        expect(begin(1), equals: "201")
        clock.advance(by: .seconds(9))
        expect(begin(1) == "201" && begin(2) == "new")
        clock.advance(by: .seconds(1))
        expect(begin(1) == "new" && begin(3) == "new")
        expect(begin(4) == "full")
        store.end(key(2), with: nil)
        expect(begin(4) == "new" && begin(5) == "full")
        store.end(key(4), with: HTTPResponse(status: 204))
        store.end(key(3), with: HTTPResponse(status: 204))
        // The oldest answer makes room.
        expect(begin(5) == "new" && begin(3) == "204")
        store.end(key(9), with: HTTPResponse(status: 204))
        expect(begin(3), equals: "204")
        guard case .mismatch = store.begin(key(3), fingerprint: 2) else {
            Issue.record("another request has the same key")
            return
        }
    }

    @Test func `an answer that cannot be kept is given all the same, and reported`() async throws {
        var serving = try Serving()
        serving.handler.idempotency = ForgetfulStore()
        let failures = Noted<RESTFailure>()
        serving.handler.failed = { failures.note($0) }
        let headers: HTTPHeaders = ["Idempotency-Key": "\"k\""]
        let answer = try await serving.ask(.post, "/leagues", ["id": "a"], headers)
        expect(answer.status, equals: 201)
        expect(failures.all.first?.status == 201 && failures.all.first?.error is CancellationError)
        let second = try await serving.ask(.post, "/leagues", ["id": "a"], headers)
        expect(second.status == 409 && second["code"] == "idempotency")
    }

    @Test func `when no key can be kept, the request is not carried out`() async throws {
        var serving = try Serving()
        serving.handler.idempotency = MemoryIdempotencyStore(capacity: 0)
        let answer = try await serving.ask(.post, "/leagues", [:], ["Idempotency-Key": "\"k\""])
        expect(answer.status == 503 && answer["outcome"] == "notApplied")
        try await expect(serving.ask(.get, "/leagues").items.isEmpty)
    }
}
