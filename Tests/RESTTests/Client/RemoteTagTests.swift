import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// What a store of the plain dialect names a version by at a server that is no `RESTHandler`.
@Suite struct RemoteTagTests {
    static let gone = HTTPResponse(status: 204)

    static func ticket(_ title: String, _ tag: String? = nil) -> HTTPResponse {
        var response = HTTPResponse.json("{\"id\":7,\"title\":\"\(title)\"}")
        response.headers["ETag"] = tag
        return response
    }

    static func tags(_ transport: ClosureTransport) -> [String?] {
        transport.sent.all.map { $0.headers["If-Match"] }
    }

    @Test(arguments: [
        ("\"33a64df5\"", "\"33a64df5\""), ("\"5\"", "\"5\""), ("\"0\"", "\"0\""),
        // What is weak is no version, and what is not sent is not made up.
        ("W/\"33a64df5\"", nil), (nil, nil),
    ])
    func `a tag that the server never gave is not named`(
        _ tag: String?,
        _ named: String?
    ) async throws {
        let transport = ClosureTransport(answers: [
            Self.ticket("a", tag), Self.ticket("b", tag), Self.gone,
        ])
        let store = TestAPI(transport)
        let ticket = try await store.lookup(Ticket.self, identifier: 7).value
        ticket.title.value = "b"
        _ = try await store.update(ticket).value
        _ = try await store.delete(ticket).value
        expect(Self.tags(transport), equals: [nil, named, named])
    }

    @Test func `what came by a list, or was answered without a tag, is written whatever there is`()
        async throws
    {
        let list = HTTPResponse.json(#"{"items":[{"id":7,"title":"a"},{"id":8,"title":"a"}]}"#)
        let transport = ClosureTransport { request, _ in
            .value(request.method == .get ? list : Self.gone)
        }
        let store = TestAPI(transport)
        for ticket in try await store.list(Ticket.self).value {
            for title in ["b", "c"] {
                ticket.title.value = title
                _ = try await store.update(ticket).value
            }
            _ = try await store.delete(ticket).value
        }
        expect(transport.sent.count, equals: 7)
        expect(Self.tags(transport), equals: [String?](repeating: nil, count: 7))
    }

    @Test(arguments: [("\"x1\"", "\"x1\""), ("\"0\"", "\"0\""), (nil, nil)])
    func `what was made is named by the tag of its answer, or not at all`(
        _ tag: String?,
        _ named: String?
    ) async throws {
        for hasBody in [true, false] {
            var made = Self.ticket("a", tag)
            made.status = 201
            made.headers["Location"] = "/tickets/7"
            if !hasBody { made.body = Data() }
            let transport = ClosureTransport(answers: [made, Self.gone, Self.gone])
            let store = TestAPI(transport)
            let ticket = try await store.create(Ticket("a")).value
            expect(ticket.id.value, equals: 7)
            ticket.title.value = "b"
            _ = try await store.update(ticket).value
            _ = try await store.delete(ticket).value
            // Nobody has sent the version after the update.
            expect(Self.tags(transport), equals: [nil, named, nil])
        }
    }

    @Test func `a tag of numbers is followed from answer to answer`() async throws {
        var updated = Self.gone
        updated.headers["ETag"] = "\"1\""
        let transport = ClosureTransport(answers: [
            Self.ticket("a", "\"0\""), updated, Self.ticket("C", "\"2\""), Self.gone,
        ])
        let store = TestAPI(transport)
        let ticket = try await store.lookup(Ticket.self, identifier: 7).value
        for title in ["b", "c", "d"] {
            ticket.title.value = title
            _ = try await store.update(ticket).value
            // What the server has made of it arrives.
            expect(ticket.title.value, equals: (title == "c" ? "C" : title))
        }
        expect(Self.tags(transport), equals: [nil, "\"0\"", "\"1\"", "\"2\""])
    }

    @Test(arguments: [(30_000, "\"x1\""), (10_000, nil)])
    func `a tag is known as long as a list may be, and forgotten after that`(
        _ maximumCount: Int,
        _ named: String?
    ) async throws {
        func list(_ numbers: Range<Int>) -> HTTPResponse {
            let items = numbers.map { "{\"id\":\($0),\"title\":\"a\"}" }
            return .json("{\"items\":[\(items.joined(separator: ","))]}")
        }
        let transport = ClosureTransport(answers: [
            Self.ticket("a", "\"x1\""), list(100..<10_100), list(10_100..<20_100),
            Self.ticket("b", "\"x2\""),
        ])
        let store = TestAPI(transport, maximumCount: maximumCount)
        let ticket = try await store.lookup(Ticket.self, identifier: 7).value
        for _ in 1...2 {
            _ = try await store.records.fetch(RecordQuery(), of: Ticket.schema).value
        }
        ticket.title.value = "b"
        _ = try await store.update(ticket).value
        expect(Self.tags(transport), equals: [nil, nil, nil, named])
    }

    @Test func `the tag of a text is not that of the model`() async throws {
        let text = HTTPResponse.json("OK", 200, ["Content-Type": "text/plain", "ETag": "\"t1\""])
        let transport = ClosureTransport(answers: [Self.ticket("a", "\"x1\""), text, Self.gone])
        let store = TestAPI(transport)
        let ticket = try await store.lookup(Ticket.self, identifier: 7).value
        ticket.title.value = "b"
        _ = try await store.update(ticket).value
        _ = try await store.delete(ticket).value
        expect(Self.tags(transport), equals: [nil, "\"x1\"", nil])
    }

    @Test func `a conflict is one once, and what is there now is named after it`() async throws {
        let transport = ClosureTransport(answers: [
            Self.ticket("a", "\"x1\""), HTTPResponse(status: 412), Self.ticket("e", "\"x2\""),
            Self.ticket("e", "\"x2\""), Self.ticket("b", "\"x3\""),
        ])
        let store = TestAPI(transport)
        let ticket = try await store.lookup(Ticket.self, identifier: 7).value
        ticket.title.value = "b"
        guard case .conflict(let conflict)? = await store.update(ticket).storeError else {
            Testing.Issue.record("there is no conflict")
            return
        }
        expect(conflict.mine == ["title": "b"] && conflict.theirs.values["title"] == "e")
        _ = try await store.lookup(Ticket.self, identifier: 7).value
        expect(ticket.title.value, equals: "b")
        _ = try await store.update(ticket).value
        expect(Self.tags(transport), equals: [nil, "\"x1\"", nil, nil, "\"x2\""])
    }

    @Test func `what has not changed keeps its revision, also with the plain dialect`()
        async throws
    {
        let transport = ClosureTransport { _, number in
            .value(.json("{\"items\":[{\"id\":7,\"title\":\"\(number < 3 ? "a" : "b")\"}]}"))
        }
        let records = TestAPI(transport).records
        var revisions: [Int64] = []
        for _ in 0..<3 {
            let found = try await records.fetch(RecordQuery(), of: Ticket.schema).value
            revisions += found.map(\.revision)
        }
        expect(revisions[0] == revisions[1] && revisions[1] < revisions[2])
    }
}
