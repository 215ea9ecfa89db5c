import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// Saving at servers that know none.
@Suite struct RemoteSaveTests {
    private static let shop: RESTDialect = {
        var dialect = RESTDialect(name: "the shop")
        dialect.updateMethod = .put
        return dialect
    }()
    private static let missing = HTTPResponse.json(#"{"message":"Not found"}"#, 404)
    private static let row =
        #"{"id":"c1","firstName":"Ada","age":36,"isActive":false,"createdAt":null,"#
        + #""homeAddress":{"cityName":"Rome"},"visitCount":4}"#

    /// A server that answers 404 to methods that it does not know.
    private static func server(
        _ row: HTTPResponse?,
        knows methods: Set<HTTPMethod> = [.get, .post]
    ) -> ClosureTransport {
        ClosureTransport { request, _ in
            guard methods.contains(request.method) else { return .value(missing) }
            return switch request.method {
            case .get: .value(row ?? missing)
            case .post: .value(.json(#"{"id":"c1"}"#, 201))
            default: .value(row == nil ? missing : HTTPResponse(status: 204))
            }
        }
    }

    private func error(
        _ transport: ClosureTransport,
        _ onConflict: OnConflict,
        _ dialect: RESTDialect = .djangoREST
    ) async -> StoreError? {
        await TestAPI(transport, dialect).save(Customer("c1", "Eve"), onConflict: onConflict)
            .storeError
    }

    @Test(arguments: [(OnConflict.replace, HTTPMethod.put), (.merge, .patch)])
    func `what is there is not made once more where the server has no such method`(
        _ onConflict: OnConflict,
        _ method: HTTPMethod
    ) async throws {
        let transport = Self.server(.json(Self.row))
        let error = await error(transport, onConflict)
        expect(error?.code == "unsupported" && error?.outcome == .notApplied)
        expect(error?.description.contains("\(method)"), equals: true)
        expect(error?.description.contains("Django REST framework"), equals: true)
        expect(transport.sent.all.map(\.method), equals: [method, .get])
        let empty = Self.server(nil)
        await expect(self.error(empty, onConflict), equals: nil)
        expect(empty.sent.all.map(\.method), equals: [method, .get, .post])
    }

    @Test(arguments: [
        (HTTPResponse(status: 403), "forbidden"), (HTTPResponse(status: 500), "unavailable"),
        (.json("[]"), "unavailable"), (.json(#"{"id":"c1","age":"many"}"#), "decoding"),
    ])
    func `nothing is made where nobody knows what is there`(
        _ answer: HTTPResponse,
        _ code: String
    ) async throws {
        for (dialect, count) in [(RESTDialect.djangoREST, 2), (Self.shop, 1)] {
            let transport = Self.server(answer)
            let error = await error(transport, .merge, dialect)
            expect(error?.code == code && error?.outcome == .notApplied)
            expect(transport.sent.count, equals: count)
        }
        let lost = ClosureTransport { request, _ in
            request.method == .get
                ? .failed(HTTPFailure(.connectionLost, mayBeSent: true)) : .value(Self.missing)
        }
        await expect(error(lost, .replace)?.outcome, equals: .notApplied)
        expect(lost.sent.count, equals: 2)
    }

    @Test func `a part is merged into the whole where whole models are put`() async throws {
        let transport = Self.server(.json(Self.row), knows: [.get, .post, .put])
        let customer = Customer("c1", "Eve")
        _ = try await TestAPI(transport, Self.shop).save(customer, onConflict: .merge).value
        expect(
            transport.summaries,
            equals: [
                "GET /customers/c1",
                #"PUT /customers/c1 {"age":36,"createdAt":null,"firstName":"Eve","#
                    + #""homeAddress":{"cityName":"Rome"},"id":"c1","isActive":false,"#
                    + #""visitCount":4}"#,
            ]
        )
        let empty = Self.server(nil, knows: [.get, .post, .put])
        await expect(error(empty, .merge, Self.shop), equals: nil)
        expect(empty.sent.all.map(\.method), equals: [.get, .post])
    }

    @Test func `what the server does not send is not lost by a merge`() async throws {
        let short = HTTPResponse.json(#"{"id":"c1","firstName":"Ada","age":36}"#)
        let transport = Self.server(short, knows: [.get, .put])
        let error = await error(transport, .merge, Self.shop)
        expect(error?.code == "unsupported" && error?.outcome == .notApplied)
        expect(error?.description.contains("does not send isActive of Customer c1"), equals: true)
        expect(transport.sent.all.map(\.method), equals: [.get])
    }

    @Test func `a merge names the version that it was made of`() async throws {
        var dialect = Self.shop
        dialect.honoursIfMatch = true
        let transport = Self.server(
            .json(Self.row, 200, ["ETag": "\"x1\""]),
            knows: [.get, .put]
        )
        await expect(error(transport, .merge, dialect), equals: nil)
        expect(transport.sent.all.map { $0.headers["If-Match"] }, equals: [nil, "\"x1\""])
    }
}
