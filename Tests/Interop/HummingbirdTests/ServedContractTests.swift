import AsyncHTTPClientTransport
import Foundation
import ModelKitModels
import ModelKitREST
import ModelKitSQL
import ModelKitStores
import ModelKitTesting
import Testing

/// The contract of stores, by AsyncHTTPClient, Hummingbird and SQLite.
@Suite struct ServedContractTests {
    /// All but two: the server takes no two writes of one record in a batch, and NIO no head of a request
    /// that has more than 80 KB.
    private static let cases = StoreContract.cases.filter {
        $0.description != "a batch is checked write by write, and taken back as a whole"
            && $0.description != "a filter that is nested too deep is refused, a long chain is not"
    }

    @Test(arguments: cases)
    func `a store that is served keeps the contract`(_ part: StoreContract.Case) async throws {
        let stores = ServedStores()
        try await withServer(stores, bodySize: 16 << 20) { origin in
            try await part.run { try stores.add(origin) }
        }
    }
}

/// The handlers of several stores behind one server, told apart by a field of the request.
// Safe: the variable is guarded by the lock.
private final class ServedStores: HTTPTransport, @unchecked Sendable {
    private let lock = NSLock()
    private var handlers: [RESTHandler] = []

    func add(_ origin: String) throws -> ServedStore {
        let handler = try RESTHandler(SQLiteModelStore.inMemory(), StoreContract.types)
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
