import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// With tags of versions that are not the last one that was seen.
extension RemoteTagTests {
    /// A server whose ticket somebody else has changed since it was looked up first, and changes again
    /// before every later look.
    private static func busy() -> ClosureTransport {
        ClosureTransport { request, number in
            if request.method == .get {
                return .value(Self.ticket("a\(number)", "\"x\(number)\""))
            }
            let isNow = request.headers["If-Match"] == nil
            return .value(isNow ? Self.gone : HTTPResponse(status: 412))
        }
    }

    @Test func `who writes again after a conflict meets it again, however often`() async throws {
        let transport = Self.busy()
        let store = TestAPI(transport)
        let ticket = try await store.lookup(Ticket.self, identifier: 7).value
        ticket.title.value = "b"
        for _ in 0..<3 {
            await expect(store.update(ticket).storeError?.code, equals: "conflict")
            await expect(store.delete(ticket).storeError?.code, equals: "conflict")
        }
        let writes = transport.sent.all.filter { $0.method != .get }
        expect(writes.map { $0.headers["If-Match"] }, equals: Array(repeating: "\"x1\"", count: 6))
        _ = try await store.lookup(Ticket.self, identifier: 7).value
        ticket.title.value = "c"
        await expect(store.update(ticket).storeError?.code, equals: "conflict")
        expect(
            transport.sent.all.last { $0.method != .get }?.headers["If-Match"],
            equals: "\"x14\""
        )
    }

    @Test func `a list that fails hides no tag, and none is made up after it`() async throws {
        let list = HTTPResponse.json(#"{"items":[{"id":7,"title":"e"},5]}"#)
        for first in [
            Self.ticket("a", "\"x1\""),
            HTTPResponse(status: 201, headers: ["Location": "/tickets/7", "ETag": "\"x1\""]),
        ] {
            let transport = ClosureTransport(answers: [first, list, Self.gone])
            let store = TestAPI(transport)
            let ticket =
                first.status == 201
                ? try await store.create(Ticket("a")).value
                : try await store.lookup(Ticket.self, identifier: 7).value
            await expect(store.list(Ticket.self).storeError != nil)
            ticket.title.value = "b"
            _ = try await store.update(ticket).value
            expect(Self.tags(transport), equals: [nil, nil, "\"x1\""])
        }
    }
}
