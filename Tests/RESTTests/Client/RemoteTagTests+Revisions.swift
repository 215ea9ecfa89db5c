import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import TestSupport
import Testing

/// With revisions that a server sends.
extension RemoteTagTests {
    /// A ticket as a server of our own gives it.
    private static func noted(_ title: String, _ revision: Int64) -> HTTPResponse {
        .json("{\"id\":7,\"title\":\"\(title)\",\"_meta\":{\"revision\":\(revision)}}")
    }

    /// Revisions of a server over a store that gives models alone.
    private static let hashes: (Int64, Int64) = (1 << 60 + 9, 1 << 60 + 3)

    @Test func `a revision that the server sends is its tag, however great it is`() async throws {
        for revision: Int64 in [1, 7, 1 << 52 + 9, Int64.max - 1] {
            let transport = ClosureTransport(answers: [
                Self.noted("a", revision), Self.noted("B", revision + 1), Self.gone,
            ])
            let store = TestAPI(transport)
            let ticket = try await store.lookup(Ticket.self, identifier: 7).value
            ticket.title.value = "b"
            _ = try await store.update(ticket).value
            expect(ticket.title.value, equals: "B")
            _ = try await store.delete(ticket).value
            expect(Self.tags(transport), equals: [nil, "\"\(revision)\"", "\"\(revision + 1)\""])
        }
    }

    @Test func `a revision that is sent for a write counts, also if it is a lower one`()
        async throws
    {
        let (first, second) = Self.hashes
        let transport = ClosureTransport(answers: [
            Self.noted("a", first), Self.noted("B", second), Self.gone,
        ])
        let store = TestAPI(transport)
        let ticket = try await store.lookup(Ticket.self, identifier: 7).value
        ticket.title.value = "b"
        _ = try await store.update(ticket).value
        expect(ticket.title.value, equals: "B")
        _ = try await store.delete(ticket).value
        expect(Self.tags(transport), equals: [nil, "\"\(first)\"", "\"\(second)\""])
    }

    @Test(arguments: [(3, 5), hashes])
    func `a version that nobody has sent is not named, and the next that is sent is`(
        _ first: Int64,
        _ next: Int64
    ) async throws {
        let transport = ClosureTransport(answers: [
            Self.noted("a", first), Self.gone, Self.noted("C", next), Self.gone,
        ])
        let store = TestAPI(transport)
        let ticket = try await store.lookup(Ticket.self, identifier: 7).value
        for title in ["b", "c", "d"] {
            ticket.title.value = title
            _ = try await store.update(ticket).value
            expect(ticket.title.value, equals: (title == "c" ? "C" : title))
        }
        expect(Self.tags(transport), equals: [nil, "\"\(first)\"", nil, "\"\(next)\""])
    }

    @Test func `a lookup that came before the answer to a write is not overtaken by it`()
        async throws
    {
        let (answer, resolver) = Promise<HTTPResponse>.withResolvers()
        let transport = ClosureTransport { _, number in
            switch number {
            case 1: .value(Self.noted("a", 3))
            case 2: answer
            case 3: .value(Self.noted("e", 5))
            default: .value(Self.gone)
            }
        }
        let store = TestAPI(transport)
        let ticket = try await store.lookup(Ticket.self, identifier: 7).value
        ticket.title.value = "b"
        let update: Promise = store.update(ticket)
        _ = try await store.lookup(Ticket.self, identifier: 7).value
        resolver.fulfill(Self.noted("b", 4))
        _ = try await update.value
        ticket.title.value = "c"
        _ = try await store.update(ticket).value
        expect(Self.tags(transport), equals: [nil, "\"3\"", nil, "\"5\""])
    }

    @Test func `a number in a tag is a text, as long as the server sends no revisions`()
        async throws
    {
        var made = Self.ticket("a", "\"900\"")
        made.status = 201
        let transport = ClosureTransport(answers: [
            made, Self.ticket("B", "\"500\""), .json(#"{"items":[{"id":7,"title":"B"}]}"#),
            Self.ticket("C", "\"300\""), Self.ticket("D", "\"400\""), Self.gone,
        ])
        let store = TestAPI(transport)
        let ticket = try await store.create(Ticket("a")).value
        for title in ["b", "c", "d"] {
            ticket.title.value = title
            _ = try await store.update(ticket).value
            expect(ticket.title.value, equals: title.uppercased())
            // It is the same version, whose tag is known.
            if title == "b" { _ = try await store.list(Ticket.self).value }
        }
        _ = try await store.delete(ticket).value
        expect(
            Self.tags(transport),
            equals: [nil, "\"900\"", nil, "\"500\"", "\"300\"", "\"400\""]
        )
    }

    @Test func `an answer that was asked for before a write does not undo it`() async throws {
        var made = Self.ticket("a", "\"900\"")
        made.status = 201
        let (old, resolver) = Promise<HTTPResponse>.withResolvers()
        let transport = ClosureTransport { [made] _, number in
            switch number {
            case 1: .value(made)
            case 2: old
            default: .value(Self.ticket("B", "\"500\""))
            }
        }
        let store = TestAPI(transport)
        let ticket = try await store.create(Ticket("a")).value
        let list: Promise = store.list(Ticket.self)
        ticket.title.value = "b"
        _ = try await store.update(ticket).value
        resolver.fulfill(.json(#"{"items":[{"id":7,"title":"a"}]}"#))
        _ = try await list.value
        expect(ticket.title.value, equals: "B")
    }

    @Test func `a sent revision is named however many records were read since`() async throws {
        let (first, _) = Self.hashes
        let items = (0..<21_000 as Range<Int64>).map {
            "{\"id\":\($0),\"title\":\"a\",\"_meta\":{\"revision\":\(first + $0)}}"
        }
        let transport = ClosureTransport(answers: [
            .json("{\"items\":[\(items.joined(separator: ","))]}"), Self.gone,
        ])
        let store = TestAPI(transport, maximumCount: 30_000)
        let records = try await store.records.fetch(RecordQuery(), of: Ticket.schema).value
        let write = RecordWrite.Action.update(
            records[0].identifier,
            ["title": "b"],
            revision: records[0].revision
        )
        _ = try await store.records.perform([RecordWrite(write, of: Ticket.schema)]).value
        expect(Self.tags(transport), equals: [nil, "\"\(first)\""])
    }

    @Test func `a tag of a handler over another server is of no other version after a restart`()
        async throws
    {
        @Sendable func answer(to method: HTTPMethod, title: String) async throws -> HTTPResponse {
            let transport = ClosureTransport(answers: [Self.ticket(title), Self.ticket("c")])
            // Another process knows nothing of the one before.
            let handler = try RESTHandler(TestAPI(transport, .djangoREST), [Ticket.self])
            return await handler.handle(HTTPRequest(method, "/tickets/7"))
        }
        let first = try await answer(to: .get, title: "a")
        let second = try await answer(to: .get, title: "b")
        expect(first.status == 200 && second.status == 200)
        expect(first.headers["ETag"] != second.headers["ETag"])
    }

    @Test func `what a lookup has overtaken is read again`() async throws {
        @Sendable func noted(_ title: String, _ revision: Int) -> HTTPResponse {
            .json(
                "{\"id\":7,\"title\":\"\(title)\","
                    + "\"_meta\":{\"revision\":\(revision),\"place\":17}}"
            )
        }
        let (answer, resolver) = Promise<HTTPResponse>.withResolvers()
        let transport = ClosureTransport { _, number in
            number == 2 ? answer : .value(number == 1 ? noted("a", 3) : noted("e", 5))
        }
        let store = TestAPI(transport)
        let ticket = try await store.lookup(Ticket.self, identifier: 7).value
        ticket.title.value = "b"
        let update: Promise = store.update(ticket)
        _ = try await store.lookup(Ticket.self, identifier: 7).value
        resolver.fulfill(noted("b", 4))
        _ = try await update.value
        _ = try await store.lookup(Ticket.self, identifier: 7).value
        expect(ticket.title.value, equals: "e")
    }

    @Test func `a revision that is sent for a made record is named`() async throws {
        let made = HTTPResponse(status: 201, headers: ["Location": "/tickets/7"])
        let transport = ClosureTransport(answers: [made, Self.noted("a", 1), Self.gone])
        let store = TestAPI(transport)
        let ticket = try await store.create(Ticket("a")).value
        _ = try await store.lookup(Ticket.self, identifier: 7).value
        ticket.title.value = "b"
        _ = try await store.update(ticket).value
        expect(Self.tags(transport), equals: [nil, nil, "\"1\""])
    }

    @Test(arguments: [5, Int64.min])
    func `a list from before a reported write does not undo it`(_ revision: Int64) async throws {
        let (old, resolver) = Promise<HTTPResponse>.withResolvers()
        let transport = ClosureTransport { _, number in
            switch number {
            case 1: old
            case 2: .value(Self.ticket("a"))
            default: .value(Self.noted("B", revision))
            }
        }
        let store = TestAPI(transport)
        let list: Promise = store.list(Ticket.self)
        let ticket = try await store.lookup(Ticket.self, identifier: 7).value
        ticket.title.value = "b"
        _ = try await store.update(ticket).value
        resolver.fulfill(.json(#"{"items":[{"id":7,"title":"a"}]}"#))
        _ = try await list.value
        // Below the least there is nothing, and no way to know.
        if revision > .min { expect(ticket.title.value, equals: "B") }
    }
}
