import AsyncHTTPClientTransport
import ModelKitREST
import ModelKitTesting
import Testing

@Suite struct TransportContractTests {
    /// It does not report progress.
    static let cases = TransportContract.cases.filter { !$0.description.hasPrefix("progress") }

    @Test(arguments: cases)
    func `AsyncHTTPClient keeps the contract`(_ part: TransportContract.Case) async throws {
        let server = try LoopbackServer(handler: TransportContract.answer)
        try await part.run(on: AsyncHTTPClientTransport(), at: server.origin)
    }
}
