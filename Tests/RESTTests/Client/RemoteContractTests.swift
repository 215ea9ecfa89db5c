import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitSQL
import ModelKitStores
import ModelKitTesting
import Testing

/// The whole contract of stores, by a client of a server of another store.
@Suite struct RemoteContractTests {
    @Test(arguments: StoreContract.cases)
    func `a remote store of a memory store keeps the contract`(
        _ part: StoreContract.Case
    ) async throws {
        try await part.run { try ServedAPI(MemoryModelStore()) }
    }

    @Test(arguments: StoreContract.cases)
    func `a remote store with keys in another case keeps the contract`(
        _ part: StoreContract.Case
    ) async throws {
        try await part.run {
            let snake = ValueTransformerContext(name: "api", keyCase: .snake, explicitNull: false)
            return try ServedAPI(MemoryModelStore(), context: snake)
        }
    }

    @Test(arguments: StoreContract.cases)
    func `a remote store of a SQLite store keeps the contract`(
        _ part: StoreContract.Case
    ) async throws {
        try await part.run { try ServedAPI(SQLiteModelStore.inMemory()) }
    }

    @Test(arguments: StoreContract.cases)
    func `a remote store over sockets keeps the contract`(
        _ part: StoreContract.Case
    ) async throws {
        try await part.run {
            try ServedAPI(MemoryModelStore(), isOverSockets: true)
        }
    }
}

/// A store of a server in this process.
final class ServedAPI: RemoteModelStore {
    let origin: String
    let session = StoreSession()
    let transport: any HTTPTransport
    let router: RESTRouter
    let valueTransformerContext: ValueTransformerContext
    private let server: LoopbackServer?
    var limits: HTTPLimits { HTTPLimits(deadline: nil) }

    init(
        _ store: some RecordModelStore,
        _ types: [any Model.Type] = StoreContract.types,
        context: ValueTransformerContext = .default,
        router: RESTRouter = RESTRouter(),
        isOverSockets: Bool = false
    ) throws {
        let handler = try RESTHandler(store, types, router: router, context: context)
        self.router = router
        valueTransformerContext = context
        if isOverSockets {
            let server = try LoopbackServer { request in Promise { await handler.handle(request) } }
            self.server = server
            origin = server.origin
            transport = URLSessionTransport()
        } else {
            server = nil
            origin = example
            transport = handler
        }
    }
}
