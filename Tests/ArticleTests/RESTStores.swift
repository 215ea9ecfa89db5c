import Foundation
import ModelKit
import ModelKitREST
import ModelKitServer
import ModelKitTesting
import Testing

@Suite struct RESTStores {
    final class Company: Model {
        let id = Field<Int>()
        let name = Field<String>().require(.notBlank)
        let employees = ModelField<Employee>(inverse: \.company)*
        init() { linkFields() }

        convenience init(_ name: String) {
            self.init()
            self.name.value = name
        }
    }

    final class Employee: Model, HasOwnerField {
        let id = Field<Int>()
        let fullName = Field<String>().require(.notBlank)
        let company = ModelField<Company>(foreignKey: true)
        var ownerField: ModelField<Company> { company }
        init() { linkFields() }
    }

    final class API: RemoteModelStore {
        let origin = "https://api.example.com/v1"
        let session = StoreSession()
        let transport: any HTTPTransport
        var defaultHeaders: HTTPHeaders { ["X-Client": "contacts"] }

        init(_ transport: any HTTPTransport) { self.transport = transport }
    }

    private func handler() throws -> RESTHandler {
        var router = RESTRouter()
        router.prefix = "v1"
        return try RESTHandler(MemoryModelStore(), [Company.self, Employee.self], router: router)
    }

    @Test func `a store is used like any other`() async throws {
        let api = API(try handler())
        let acme = Company("Acme")
        try await api.create(acme)  // POST /v1/companies
        acme.name.value = "Acme & Sons"
        try await api.update(acme)  // PATCH /v1/companies/1 {"name": "Acme & Sons"}
        let found = try await api.list(Company.self, where: .hasPrefix(\.name, "Acme"))
        print(found == [acme])  // true
        #expect(found == [acme])

        let ada = Employee()
        ada.fullName.value = "Ada"
        ada.company.value = acme
        try await api.create(ada)  // POST /v1/companies/1/employees
        let staff = try await api.list(acme.employees)  // GET /v1/companies/1/employees
        print(staff.map(\.fullName.value))  // ["Ada"]
        print(try api.router.instancePath(for: ada))  // /companies/1/employees/1
        #expect(staff == [ada])
        #expect(try api.router.instancePath(for: ada) == "/companies/1/employees/1")
    }

    @Test func `a dialect takes a few lines`() async throws {
        var shop = RESTDialect(
            name: "the shop",
            query: RESTDialect.query { condition in
                guard condition.comparison == .equal else { return nil }
                return .init(name: condition.names.joined(separator: "."), value: condition.text)
            } order: { orders in
                .init(name: "sort", value: orders.map(\.names[0]).joined(separator: ","))
            },
            pagination: .cursor("cursor", at: ["meta", "next"], size: "limit"),
            envelope: .key("data")
        )
        shop.embedsWholeLists = { type, path in
            // Of a company only the latest are sent.
            type != Company.self || path != ["employees"]
        }
        let transport = MemoryTransport { request in
            let isFirst = request.target == "/companies?name=Acme&sort=name"
            let text =
                isFirst
                ? #"{"data": [{"id": 1, "name": "Acme"}], "meta": {"next": "n"}}"#
                : #"{"data": [{"id": 2, "name": "Acme"}], "meta": {"next": null}}"#
            #expect(isFirst || request.target.hasSuffix("cursor=n"))
            return HTTPResponse(status: 200, body: Data(text.utf8))
        }
        let store = Shop(transport, shop)
        let found = try await store.list(
            Company.self,
            where: \.name == "Acme",
            orderBy: .ascending(\.name)
        )
        #expect(found.map(\.id.value) == [1, 2])
        await #expect(
            throws: StoreError.unsupported("the shop cannot be asked for id greater than 1")
        ) {
            try await store.list(Company.self, where: \.id > 1)
        }

        let network = MemoryTransport { request in
            let ada = #"{"id": 7, "fullName": "Ada", "company": 3}"#
            let acme = #"{"id": 3, "name": "Acme", "employees": [\#(ada)]}"#
            let all = #"[\#(ada), {"id": 8, "fullName": "Grace", "company": 3}]"#
            let text = request.target == "/companies/3" ? acme : all
            return HTTPResponse(status: 200, body: Data(#"{"data": \#(text)}"#.utf8))
        }
        let whole = Shop(network, RESTDialect(name: "the shop", envelope: .key("data")))
        let loaded = try await whole.lookup(Company.self, identifier: 3)
        #expect(loaded.employees.value?.map(\.fullName.value) == ["Ada"])
        let other = Shop(network, shop)
        let acme = try await other.lookup(Company.self, identifier: 3)
        #expect(acme.employees.loadState == .notLoaded)
        try await other.load(acme, \.employees)
        #expect(acme.employees.value?.map(\.fullName.value) == ["Ada", "Grace"])
    }

    private final class Shop: RemoteModelStore {
        let origin = "https://shop.example.com"
        let session = StoreSession()
        let transport: any HTTPTransport
        let dialect: RESTDialect

        var limits: HTTPLimits { HTTPLimits(deadline: nil) }

        init(_ transport: any HTTPTransport, _ dialect: RESTDialect) {
            (self.transport, self.dialect) = (transport, dialect)
        }
    }

    final class JSONAPI: RemoteModelStore {
        let origin = "https://api.example.com"
        let session = StoreSession()
        let transport: any HTTPTransport
        var defaultHeaders: HTTPHeaders {
            ["Accept": "application/vnd.api+json", "Content-Type": "application/vnd.api+json"]
        }
        var dialect: RESTDialect {
            var dialect = RESTDialect(
                name: "JSON:API",
                query: RESTDialect.query { condition in
                    guard condition.comparison == .equal else { return nil }
                    return .init(name: "filter[\(condition.names[0])]", value: condition.text)
                } order: { orders in
                    let names = orders.map { ($0.isDescending ? "-" : "") + $0.names[0] }
                    return .init(name: "sort", value: names.joined(separator: ","))
                },
                pagination: .next(at: ["links", "next"], size: "page[limit]"),
                envelope: .key("data", wrapsPayload: true)
            )
            dialect.namesIdentifierInUpdates = true
            dialect.versionPath = ["meta", "version"]
            dialect.honoursIfMatch = true
            dialect.readParameters = { type in
                type == Employee.self ? [.init(name: "include", value: "company")] : []
            }
            return dialect
        }

        init(_ transport: any HTTPTransport) { self.transport = transport }

        func serializeModel(
            _ type: any Model.Type,
            as object: AttributeDictionary
        ) throws -> AttributeDictionary {
            let name = router.collectionPath(for: type).dropFirst()
            var resource: AttributeDictionary = ["type": .string(String(name))]
            var attributes = object
            resource["id"] = attributes.removeValue(forKey: "id").map { .string("\($0)") }
            if let company = attributes.removeValue(forKey: "company") {
                let data: AttributeValue =
                    company.isNull ? .null : ["type": "companies", "id": .string("\(company)")]
                resource["relationships"] = ["company": ["data": data]]
            }
            resource["attributes"] = .dictionary(attributes)
            return resource
        }

        func deserializeModel(
            _ type: any Model.Type,
            from object: AttributeDictionary
        ) throws -> AttributeDictionary {
            var model: AttributeDictionary = [:]
            if case .dictionary(let attributes)? = object["attributes"] { model = attributes }
            if case .dictionary(let relationships)? = object["relationships"] {
                for case (let name, .dictionary(let relationship)) in relationships {
                    switch relationship["data"] {
                    case .dictionary(let other)?: model[name] = Self.number(other["id"])
                    case .null?: model[name] = .null
                    default: break  // The server says only where they are.
                    }
                }
            }
            model["id"] = Self.number(object["id"])
            return model
        }

        /// An identifier, which is always a text there.
        private static func number(_ text: AttributeValue?) -> AttributeValue? {
            if case .string(let text)? = text, let number = Int64(text) { return .int(number) }
            return text
        }
    }

    @Test func `JSON API takes two hooks`() async throws {
        let requests = Requests()
        let network = MemoryTransport { request in
            let body = request.body.map { String(decoding: $0, as: UTF8.self) } ?? ""
            requests.note("\(request.method) \(request.target) \(body)")
            #expect(request.headers["Accept"] == "application/vnd.api+json")
            func ada(_ name: String, _ version: Int) -> String {
                #"{"type":"employees","id":"7","attributes":{"fullName":"\#(name)"},"#
                    + #""relationships":{"company":{"data":{"type":"companies","id":"3"}}},"#
                    + #""meta":{"version":\#(version)}}"#
            }
            let text: String
            switch (request.method, request.headers["If-Match"]) {
            case (.get, _) where request.target.hasPrefix("/employees?"):
                let next = request.target.contains("page=2") ? "null" : #""/employees?page=2""#
                text = next == "null" ? "" : ada("Ada", 4)
                return HTTPResponse(
                    status: 200,
                    body: Data(#"{"data":[\#(text)],"links":{"next":\#(next)}}"#.utf8)
                )
            case (.get, _): text = ada("Grace", 5)
            case (.patch, #""4""#?): return HTTPResponse(status: 412)
            case (.patch, #""5""#?): text = ada("Ada L.", 6)
            default: return HTTPResponse(status: 400)
            }
            return HTTPResponse(status: 200, body: Data(#"{"data":\#(text)}"#.utf8))
        }
        let api = JSONAPI(network)
        let employees = try await api.list(Employee.self, orderBy: .descending(\.fullName))
        let ada = try #require(employees.first)
        #expect(ada.id.value == 7 && ada.company.value?.id.value == 3)
        ada.fullName.value = "Ada L."
        do {
            try await api.update(ada)
            Testing.Issue.record("a stale copy was written")
        } catch StoreError.conflict(let conflict) {
            #expect(conflict.theirs["fullName"] == "Grace")
        }
        _ = try await api.lookup(Employee.self, identifier: 7)
        try await api.update(ada)
        #expect(
            requests.all.first == "GET /employees?sort=-fullName&include=company "
        )
        #expect(
            requests.all.last == #"PATCH /companies/3/employees/7 "#
                + #"{"data":{"attributes":{"fullName":"Ada L."},"id":"7","type":"employees"}}"#
        )
    }

    @Test func `a list has pages`() async throws {
        let api = API(try handler())
        try await api.create((0..<50).map { Company("C\($0)") })
        var page = try await api.page(Company.self, limit: 20)
        while let next = page.next {
            page = try await api.page(Company.self, limit: 20, after: next)
        }
        #expect(page.items.count == 10)
    }

    struct RowTransport: HTTPTransport {
        let network: any HTTPTransport

        func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
            var request = request
            let parts = request.target.split(separator: "/")
            if parts.count == 2 { request.target = "/\(parts[0])?id=eq.\(parts[1])" }
            if parts.count == 2 || request.method == .post {
                request.headers["Accept"] = "application/vnd.pgrst.object+json"
            }
            return network.send(request, limits).map { answer in
                var answer = answer
                if answer.status == 406 { answer.status = 404 }
                return answer
            }
        }
    }

    @Test func `a server that has identifiers in the query is asked by a transport`() async throws {
        let requests = Requests()
        let network = MemoryTransport { request in
            requests.note("\(request.method) \(request.target)")
            let isRow = request.headers["Accept"] == "application/vnd.pgrst.object+json"
            if request.target == "/companies?id=eq.2" { return HTTPResponse(status: 406) }
            let name = request.method == .patch ? "Acme & Sons" : "Acme"
            let row = #"{"id": 1, "name": "\#(name)"}"#
            return HTTPResponse(status: 200, body: Data((isRow ? row : "[\(row)]").utf8))
        }
        let store = Shop(RowTransport(network: network), RESTDialect(name: "PostgREST"))
        let acme = try await store.create(Company("Acme"))
        #expect(try await store.lookup(Company.self, identifier: 1) === acme)
        #expect(try await store.list(Company.self) == [acme])
        acme.name.value = "Acme & Sons"
        try await store.update(acme)
        try await store.delete(acme)
        await #expect(throws: StoreError.notFound(type: "Company", identifier: 2)) {
            try await store.lookup(Company.self, identifier: 2)
        }
        #expect(
            requests.all == [
                "POST /companies", "GET /companies?id=eq.1", "GET /companies",
                "PATCH /companies?id=eq.1", "DELETE /companies?id=eq.1", "GET /companies?id=eq.2",
            ]
        )
    }

    // Safe: the variable is guarded by the lock.
    private final class Requests: @unchecked Sendable {
        private let lock = NSLock()
        private var lines: [String] = []
        var all: [String] { lock.withLock { lines } }
        func note(_ line: String) { lock.withLock { lines.append(line) } }
    }

    @Test func `transports wrap each other`() async throws {
        let network = MemoryTransport { request in
            if request.target == "/login" {
                return HTTPResponse(status: 200, body: Data("fresh".utf8))
            }
            let isKnown = request.headers["Authorization"] == "Bearer fresh"
            return HTTPResponse(status: isKnown ? 201 : 401, body: Data(#"{"id": 1}"#.utf8))
        }
        network.script = [.fail(.refused)]
        let retrying = RetryingTransport(
            network,
            honoursKey: { request in request.target.hasPrefix("/v1/") }  // carried out once
        )
        await #expect(throws: StoreError.unauthorized("the server answered 401")) {
            try await API(retrying).create(Company("Acme"))
        }

        let session = AuthenticationSession(
            .bearer("expired"),
            refresh: { _, transport in
                let login = HTTPRequest(.post, "https://api.example.com", "/login")
                return transport.send(login, HTTPLimits()).map { answer in
                    .bearer(String(decoding: answer.body, as: UTF8.self))
                }
            }
        )
        let signed = AuthenticatingTransport(
            network,
            origin: "https://api.example.com",
            session: session
        )
        #expect(try await API(signed).create(Company("Acme")).id.value == 1)
    }

    @Test func `a handler is a server in memory`() async throws {
        var router = RESTRouter()
        router.prefix = "v1"  // as in the origin of the store
        let store = MemoryModelStore()
        let handler = try RESTHandler(store, [Company.self, Employee.self], router: router)
        let lossy = MemoryTransport { request in Promise { await handler.handle(request) } }
        lossy.script = [.loseAnswer(on: .post)]
        do {
            try await API(lossy).create(Company("Lost"))
        } catch let error as StoreError {
            print(error.outcome)  // unknown: the company is there
            #expect(error.outcome == .unknown)
        }
        #expect(try await API(lossy).list(Company.self).map(\.name.value) == ["Lost"])
    }
}

extension RESTStores.API {
    /// Among thousands of tests, a task may go on only after minutes.
    var limits: HTTPLimits { HTTPLimits(deadline: nil) }
}

extension RESTStores.JSONAPI {
    var limits: HTTPLimits { HTTPLimits(deadline: nil) }
}

extension RESTStores {
    final class Profile: Model {
        let id = Field<Int>()
    }

    @Test func `a router gives other paths`() async throws {
        let acme = Company("Acme")
        acme.id.value = 1
        let ada = Employee()
        ada.id.value = 7
        ada.company.value = acme

        var router = RESTRouter()
        router.nameCase = .kebab
        router.identify(Company.self, by: "name")  // a unique field in place of the identifier
        router.route(Employee.self, to: "staff")
        router.route(Profile.self, toSingleton: "me")  // of which there is one alone
        print(router.collectionPath(for: Employee.self))  // /staff
        print(try router.instancePath(for: acme))  // /companies/Acme
        print(try router.path(to: acme.employees))  // /companies/Acme/employees
        print(try router.instancePath(for: Profile()))  // /me
        #expect(router.collectionPath(for: Employee.self) == "/staff")
        #expect(try router.instancePath(for: acme) == "/companies/Acme")
        #expect(try router.path(to: acme.employees) == "/companies/Acme/employees")
        #expect(try router.instancePath(for: Profile()) == "/me")
        router.unroute(Employee.self)
        router.pluralizesCollections = false
        print(router.collectionPath(for: Employee.self))  // /employee
        #expect(router.collectionPath(for: Employee.self) == "/employee")

        let basic = HTTPCredentials.basic(user: "ada", password: "secret")
        #expect(basic?.value == "Basic YWRhOnNlY3JldA==")
    }
}

extension RESTStores {
    @Test func `requests are answered, delayed, doubled and held`() async throws {
        let server = try handler()
        let lossy = MemoryTransport { request in Promise { await server.handle(request) } }

        let (isOnline, network) = Promise<Void>.withResolvers()
        lossy.script = [
            .answer(HTTPResponse(status: 503), on: .get),
            .delay(.milliseconds(10), on: .get, at: "/v1/companies"),
            .pass(on: .get),
            .hold(until: isOnline, on: .get),
            .duplicate(on: .delete),
        ]
        let app = API(lossy)
        do {
            _ = try await app.list(Company.self)
        } catch {
            print(error)  // the server answered 503
        }
        for _ in 1...2 { _ = try await app.list(Company.self) }
        let waiting: Promise = app.list(Company.self)
        network.fulfill(())
        print(try await waiting.value.count, lossy.count(of: .get))  // 0 3
        #expect(try await waiting.value.isEmpty && lossy.count(of: .get) == 3)

        let echo = MemoryTransport(server: TransportContract.answer)
        for part in TransportContract.cases {
            try await part.run(on: echo, at: "https://a.example")
        }
    }
}

extension RESTStores {
    @Test func `what is below a model is found and removed there`() async throws {
        let api = API(try handler())
        let acme = Company("Acme")
        try await api.create(acme)
        let ada = Employee()
        ada.fullName.value = "Ada"
        ada.company.value = acme
        try await api.create(ada)

        let one = try await api.lookup(1, in: acme.employees)  // GET /v1/companies/1/employees/1
        print(one === ada)  // true
        #expect(one === ada)

        var shop = RESTDialect(name: "the shop")

        shop.pagination = .page("page", size: "per_page", maximum: 100, total: ["count"])
        shop.pagination = .offset("skip", size: "limit", maximum: 100, total: ["meta", "count"])
        shop.pagination = .link(size: "per_page", maximum: 100)
        #expect(shop.name == "the shop")
    }
}
