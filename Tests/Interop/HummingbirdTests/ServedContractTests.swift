import AsyncHTTPClientTransport
import Foundation
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitSQL
import ModelKitStores
import ModelKitTesting
import Testing

/// The contract of stores, by AsyncHTTPClient, Hummingbird and SQLite: all cases but those in `others`.
@Suite struct ServedContractTests {
    /// The cases where a server answers otherwise, and one that is too long for it: it takes no two writes of
    /// one record in a batch, no path leads to an empty identifier, requests that are made at once arrive in
    /// any order, and NIO takes no head of a request that has more than 80 KB.
    private static let others: Set<String> = [
        "a record may be written twice in one batch",
        "an empty identifier is one like others",
        "writes asked for independently fail each for itself",
        "a filter that is nested too deep is refused, a long chain is not",
    ]
    private static let cases = StoreContract.cases.filter { !others.contains($0.description) }

    @Test func `what is left out is there`() {
        #expect(Self.others.isSubset(of: StoreContract.cases.map(\.description)))
    }

    @Test(arguments: cases)
    func `a store that is served keeps the contract`(_ part: StoreContract.Case) async throws {
        let stores = ServedStores()
        try await withServer(stores, bodySize: 16 << 20) { origin in
            try await part.run { try stores.add(origin) }
        }
    }
}

/// The handlers of several stores behind one server, distinguished by a field of the request.
// Safe: the variable is guarded by the lock.
private final class ServedStores: HTTPTransport, @unchecked Sendable {
    private let lock = NSLock()
    private var handlers: [RESTHandler] = []

    func add(_ origin: String) throws -> ServedStore {
        let handler = try RESTHandler(SQLiteModelStore(path: ":memory:"), StoreContract.types)
        return lock.withLock {
            handlers.append(handler)
            return ServedStore(origin, handlers.count - 1)
        }
    }

    func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
        let number = request.headers["X-Store"].flatMap { Int($0) } ?? 0
        return lock.withLock { handlers[number] }.send(request, limits)
    }
}

private final class ServedStore: RemoteModelStore {
    private static let shared = AsyncHTTPClientTransport()

    let origin: String
    let session = StoreSession()
    let defaultHeaders: HTTPHeaders
    let limits = HTTPLimits(deadline: nil)
    var transport: any HTTPTransport { Self.shared }

    init(_ origin: String, _ number: Int) {
        self.origin = origin
        defaultHeaders = ["X-Store": "\(number)"]
    }
}
