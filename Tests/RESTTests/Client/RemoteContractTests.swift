import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitSQL
import ModelKitServer
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

/// The contract of stores, by a client of a server of another store: all cases but those in `others`, and over
/// sockets but one that is too long for them.
@Suite struct RemoteContractTests {
    /// The cases where a server answers otherwise, as tests below and of routes say: it takes no two writes of
    /// one record in a batch, as it makes them by models; no path leads to an empty identifier; and requests
    /// that are made at once arrive in any order.
    static let others: Set<String> = [
        "a record may be written twice in one batch",
        "an empty identifier is one like others",
        "writes asked for independently fail each for itself",
    ]
    static let cases = StoreContract.cases.filter { !others.contains($0.description) }

    @Test func `what is left out is there`() {
        expect(Self.others.isSubset(of: StoreContract.cases.map(\.description)))
    }

    @Test(arguments: cases)
    func `a remote store of a memory store keeps the contract`(
        _ part: StoreContract.Case
    ) async throws {
        try await part.run { try ServedAPI(MemoryModelStore()) }
    }

    @Test(arguments: cases)
    func `a remote store with keys in another case keeps the contract`(
        _ part: StoreContract.Case
    ) async throws {
        try await part.run {
            let snake = ValueTransformerContext(name: "api", keyCase: .snake, explicitNull: false)
            return try ServedAPI(MemoryModelStore(), context: snake)
        }
    }

    @Test(arguments: cases)
    func `a remote store of a SQLite store keeps the contract`(
        _ part: StoreContract.Case
    ) async throws {
        try await part.run { try ServedAPI(SQLiteModelStore(path: ":memory:")) }
    }

    /// Those of which libcurl can send all, which takes no head of more than a megabyte.
    static let shortCases = cases.filter {
        $0.description != "a filter that is nested too deep is refused, a long chain is not"
    }

    @Test(arguments: shortCases)
    func `a remote store over sockets keeps the contract`(
        _ part: StoreContract.Case
    ) async throws {
        try await part.run {
            try ServedAPI(MemoryModelStore(), isOverSockets: true)
        }
    }
}

extension RemoteContractTests {
    @Test func `unique values are checked in a batch, and no record comes twice in it`()
        async throws
    {
        let store = try ServedAPI(MemoryModelStore(), [Subscriber.self])
        let twins = [Subscriber("a", "x"), Subscriber("b", "x")]
        let taken = StoreError.alreadyExists(type: "Subscriber", identifier: "a", field: "email")
        await expect(store.create(twins).storeError, equals: taken)
        try await expect(store.list(Subscriber.self).value.isEmpty)
        twins[1].email.value = "y"
        _ = try await store.create(twins).value
        let writes = ["z", "w"].map { email in
            RecordWrite(
                .update("a", ["email": .string(email)], revision: nil),
                of: Subscriber.schema
            )
        }
        await expect(store.records.perform(writes).storeError?.code, equals: "unsupported")
        try await expect(store.list(Subscriber.self, where: \.email == "x").value.count, equals: 1)
    }
}

extension RemoteContractTests {
    @Test func `writes asked for independently fail each for itself, and come in any order`()
        async throws
    {
        let store = try ServedAPI(MemoryModelStore(), [Subscriber.self])
        _ = try await store.create(Subscriber("b", "b")).value
        let outcomes = try await store.perform(independently: [
            .create(Subscriber("a", "a")), .create(Subscriber("b", "x")),
            .create(Subscriber("c", "b")), .create(Subscriber("d", "d")),
        ]).value
        let codes = outcomes.map { outcome -> String? in
            if case .failure(let error) = outcome { (error as? StoreError)?.code } else { nil }
        }
        expect(codes, equals: [nil, "alreadyExists", "alreadyExists", nil])
        let stored = try await store.list(Subscriber.self, orderBy: .ascending(\.id)).value
        expect(stored.map(\.id.value), equals: ["a", "b", "d"])
    }
}

final class Subscriber: Model {
    let id = Field<String>()
    let email = Field<String>().unique()

    convenience init(_ id: String, _ email: String) {
        self.init()
        self.id.value = id
        self.email.value = email
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
        var roomy = try RESTHandler(store, types, router: router, context: context)
        // For filters that are nested 200 deep.
        roomy.limits.target = 1 << 20
        roomy.limits.conditions = 10_000
        let handler = roomy
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
