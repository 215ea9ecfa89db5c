import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct TransportContractTests {
    @Test(arguments: TransportContract.cases)
    func `a transport in memory keeps the contract`(_ part: TransportContract.Case) async throws {
        let transport = MemoryTransport(server: TransportContract.answer)
        try await part.run(on: transport, at: "https://a.example")
    }

    @Test(arguments: TransportContract.cases, [false, true])
    func `URLSession keeps it, also over connections that it keeps`(
        _ part: TransportContract.Case,
        _ keepsConnections: Bool
    ) async throws {
        let server = try LoopbackServer(handler: TransportContract.answer)
        let transport = URLSessionTransport(keepsConnections: keepsConnections)
        try await part.run(on: transport, at: server.origin)
    }

    @Test func `one that follows redirects, and fails otherwise when cancelled, does not keep it`()
        async throws
    {
        var broken: [String] = []
        for part in TransportContract.cases {
            do {
                try await part.run(on: Following(), at: "https://a.example")
            } catch let violation as ContractViolation {
                broken.append(violation.sentence)
            }
        }
        expect(
            broken,
            equals: [
                "an answer comes as it is, whatever its status, and no redirect is followed",
                "to cancel it ends it",
            ]
        )
    }
}

/// What no transport does: it goes where a redirect leads.
private struct Following: HTTPTransport {
    let memory = MemoryTransport(server: TransportContract.answer)

    func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
        memory.send(request, limits).then { [memory] answer in
            guard let place = answer.headers["Location"] else { return .value(answer) }
            return memory.send(HTTPRequest(.get, request.origin, place), limits)
        }
    }
}
