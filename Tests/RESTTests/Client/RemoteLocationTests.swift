import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// What a creation makes of an address in its answer.
@Suite struct RemoteLocationTests {
    private func ticket(
        _ status: Int,
        _ location: String,
        origin: String = example
    ) -> Promise<Ticket> {
        let transport = ClosureTransport { _, _ in
            .value(HTTPResponse(status: status, headers: ["Location": location]))
        }
        return TestAPI(transport, .djangoREST, origin: origin).create(Ticket("a"))
    }

    @Test(arguments: [
        "/tickets/42", "/tickets/42/", "/tickets/42#here", "https://example.com/tickets/42",
        // Servers often do not know how they are called.
        "http://10.0.0.1:8080/tickets/42", "tickets/42",
    ])
    func `an address in the collection names the new model`(_ location: String) async throws {
        try await expect(ticket(201, location).value.id.value, equals: 42)
    }

    @Test(arguments: [
        (201, "/jobs/991"), (201, "/tickets/991?state=new"), (201, "/tickets/9/991"),
        (201, "/tickets"), (201, "/"), (201, ""), (200, "/tickets/991"), (201, "/tickets/last"),
    ])
    func `another address does not name it`(_ status: Int, _ location: String) async throws {
        let error = await ticket(status, location).storeError
        expect(error?.code == "unavailable" && error?.outcome == .applied)
    }

    @Test func `an address has the path of the origin`() async throws {
        let origin = "https://example.com/api/v1"
        try await expect(
            ticket(201, "/api/v1/tickets/42", origin: origin).value.id.value,
            equals: 42
        )
        await expect(
            ticket(201, "/tickets/42", origin: origin).storeError?.outcome,
            equals: .applied
        )
    }

    @Test(arguments: ["/tickets/42.json", "/tickets/42.json/", "/tickets/42"])
    func `an address may have the suffix of the router`(_ location: String) async throws {
        var router = RESTRouter()
        router.suffix = ".json"
        let transport = ClosureTransport { _, _ in
            .value(HTTPResponse(status: 201, headers: ["Location": location]))
        }
        let store = TestAPI(transport, .djangoREST, router: router)
        try await expect(store.create(Ticket("a")).value.id.value, equals: 42)
        expect(transport.sent.all.map(\.target), equals: ["/tickets.json"])
    }

    @Test func `an address counts more than an identifier that was made here`() async throws {
        let transport = ClosureTransport { request, _ in
            let path = request.target == "/floors/f/desks" ? "/desks/k7" : "/customers/k7"
            return .value(HTTPResponse(status: 201, headers: ["Location": path]))
        }
        let store = TestAPI(transport, .djangoREST)
        try await expect(store.create(Customer(nil, "Ada")).value.id.value, equals: "k7")
        try await expect(store.create(Customer("own", "Ada")).value.id.value, equals: "own")
        let desk = Desk(nil, "red", of: Floor("f", of: nil))
        try await expect(store.create(desk).value.id.value, equals: "k7")
    }

    @Test(arguments: ["", #"{"id":991,"state":"queued"}"#])
    func `what is only accepted is not made yet`(_ body: String) async throws {
        let transport = ClosureTransport { _, _ in
            .value(.json(body, 202, ["Location": "/jobs/991"]))
        }
        for dialect in [RESTDialect.djangoREST, .plain] {
            let store = TestAPI(transport, dialect)
            let ticket = Ticket("a")
            let error = await store.create(ticket).storeError
            expect(error?.code == "unavailable" && error?.outcome == .unknown)
            expect(ticket.id.value, equals: nil)
            let known = Ticket("a")
            known.id.value = 7
            await expect(store.update(known).storeError?.outcome, equals: .unknown)
            expect(known.id.value, equals: 7)
            // What is to be deleted is not there to be used any more.
            _ = try await store.delete(known).value
        }
        let save = await TestAPI(transport).save(Customer("c1", "Ada")).storeError
        expect(save?.outcome, equals: .unknown)
    }
}
