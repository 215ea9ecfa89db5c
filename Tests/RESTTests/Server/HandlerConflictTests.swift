import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct HandlerConflictTests {
    func serving() async throws -> Serving {
        let serving = try Serving()
        try await serving.ask(.post, "/leagues", ["id": "a", "country": "it"])
        try await serving.ask(.patch, "/leagues/a", ["country": "fr"])
        return serving
    }

    @Test(arguments: [
        (#""2""#, 200), (#""1", "2""#, 200), ("*", 200), (#"W/"2""#, 412), (#""1""#, 412),
        (#""1", W/"2""#, 412), (#""02""#, 412), ("2", 400), ("", 400), (#""2"#, 400),
    ])
    func `If-Match has to hold`(header: String, status: Int) async throws {
        let serving = try await serving()
        for (method, body) in [
            (HTTPMethod.get, nil as AttributeValue?), (.patch, ["budget": 1]),
        ] {
            let answer = try await serving.ask(method, "/leagues/a", body, ["If-Match": header])
            expect(answer.status, equals: status, "\(method)")
        }
        let other = try await self.serving()
        let put = try await other.ask(.put, "/leagues/a", [:], ["If-Match": header])
        expect(put.status, equals: status)
        let gone = try await self.serving().ask(.delete, "/leagues/a", nil, ["If-Match": header])
        expect(gone.status, equals: (status == 200 ? 204 : status))
    }

    @Test func `a conflict gives what is current`() async throws {
        let serving = try await serving()
        let answer = try await serving.ask(
            .patch,
            "/leagues/a",
            ["budget": 1],
            ["If-Match": #""1""#]
        )
        expect(
            answer.body,
            equals: [
                "status": 412, "title": "Precondition Failed", "code": "conflict",
                "model": "League", "identifier": "a", "base": 1,
                "current": [
                    "id": "a", "country": "fr", "budget": nil,
                    "_meta": ["revision": 2, "place": 1],
                ],
            ]
        )
    }

    @Test(arguments: [
        (#""2""#, 304), (#"W/"2""#, 304), (#""1", "2""#, 304), ("*", 304), (#""1""#, 200),
        ("x", 400),
    ])
    func `If-None-Match spares the body`(header: String, status: Int) async throws {
        let serving = try await serving()
        for method in [HTTPMethod.get, .head] {
            let answer = try await serving.ask(
                method,
                "/leagues/a",
                nil,
                ["If-None-Match": header]
            )
            expect(answer.status, equals: status)
            if status == 304 { expect(answer.body == .null && answer.headers["ETag"] == #""2""#) }
        }
    }

    @Test func `If-None-Match of anything lets PUT only create`() async throws {
        let serving = try await serving()
        let old = try await serving.ask(.put, "/leagues/a", [:], ["If-None-Match": "*"])
        expect(old.status, equals: 412)
        let new = try await serving.ask(.put, "/leagues/b", [:], ["If-None-Match": "*"])
        expect(new.status, equals: 201)
    }

    @Test func `PATCH without If-Match is tried again after another write`() async throws {
        let store = MemoryModelStore()
        let failing = FailingStore(store)
        let serving = try Serving(failing)
        try await serving.ask(.post, "/leagues", ["id": "a"])
        let (hold, resolver) = Promise<Void>.withResolvers()
        failing.script = [.hold(until: hold, on: .write)]
        async let patched = serving.ask(.patch, "/leagues/a", ["country": "it"])
        while failing.count(of: .write) < 2 { await Task.yield() }
        // The first one has read by now, and writes next.
        try await serving.ask(.patch, "/leagues/a", ["budget": 3])
        resolver.fulfill()
        let answer = try await patched
        expect(answer.status == 200 && answer.headers["ETag"] == #""3""#)
        expect(answer["country"] == "it" && answer["budget"] == 3.0)
    }

    @Test func `PATCH with If-Match is not`() async throws {
        let failing = FailingStore(MemoryModelStore())
        let serving = try Serving(failing)
        try await serving.ask(.post, "/leagues", ["id": "a"])
        let (hold, resolver) = Promise<Void>.withResolvers()
        failing.script = [.hold(until: hold, on: .write)]
        async let patched = serving.ask(
            .patch,
            "/leagues/a",
            ["country": "it"],
            ["If-Match": #""1""#]
        )
        while failing.count(of: .write) < 2 { await Task.yield() }
        try await serving.ask(.patch, "/leagues/a", ["budget": 3])
        resolver.fulfill()
        let answer = try await patched
        expect(answer.status == 412 && answer["code"] == "conflict" && answer["base"] == 1)
    }

    @Test func `DELETE and PUT meet what came between`() async throws {
        for (method, status) in [(HTTPMethod.delete, 204), (.put, 200)] {
            let failing = FailingStore(MemoryModelStore())
            let serving = try Serving(failing)
            try await serving.ask(.post, "/leagues", ["id": "a"])
            let (hold, resolver) = Promise<Void>.withResolvers()
            failing.script = [.hold(until: hold, on: .write)]
            async let late = serving.ask(method, "/leagues/a", method == .put ? [:] : nil)
            while failing.count(of: .write) < 2 { await Task.yield() }
            try await serving.ask(.patch, "/leagues/a", ["budget": 3])
            resolver.fulfill()
            try await expect(late.status, equals: status)
        }
        // One that is gone by then is created, or not found.
        for (method, status) in [(HTTPMethod.delete, 404), (.put, 201), (.patch, 404)] {
            let failing = FailingStore(MemoryModelStore())
            let serving = try Serving(failing)
            try await serving.ask(.post, "/leagues", ["id": "a"])
            let (hold, resolver) = Promise<Void>.withResolvers()
            failing.script = [.hold(until: hold, on: .write)]
            let body: AttributeValue? = method == .delete ? nil : ["country": "it"]
            async let late = serving.ask(method, "/leagues/a", body)
            while failing.count(of: .write) < 2 { await Task.yield() }
            try await serving.ask(.delete, "/leagues/a")
            resolver.fulfill()
            try await expect(late.status, equals: status, "\(method)")
        }
        // One that is there by then is replaced.
        let failing = FailingStore(MemoryModelStore())
        let serving = try Serving(failing)
        let (hold, resolver) = Promise<Void>.withResolvers()
        failing.script = [.hold(until: hold, on: .write)]
        async let late = serving.ask(.put, "/leagues/a", ["country": "it"])
        while failing.count(of: .write) < 1 { await Task.yield() }
        try await serving.ask(.post, "/leagues", ["id": "a", "budget": 3])
        resolver.fulfill()
        let answer = try await late
        expect(answer.status == 200 && answer["budget"] == .null && answer["country"] == "it")
    }

    @Test func `concurrent requests keep the store consistent`() async throws {
        let serving = try Serving()
        try await serving.ask(.post, "/leagues", ["id": "a", "budget": 0])
        // Each reads, adds one, and writes if nobody else has.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<25 {
                        while true {
                            let read = try await serving.ask(.get, "/leagues/a")
                            guard case .double(let budget)? = read["budget"] else { return }
                            let answer = try await serving.ask(
                                .patch,
                                "/leagues/a",
                                ["budget": .double(budget + 1)],
                                ["If-Match": read.headers["ETag"] ?? ""]
                            )
                            if answer.status == 200 { break }
                            expect(answer.status, equals: 412)
                            await Task.yield()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let answer = try await serving.ask(.get, "/leagues/a")
        expect(answer["budget"] == 200.0 && answer.headers["ETag"] == #""201""#)
    }
}
