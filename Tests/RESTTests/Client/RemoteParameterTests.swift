import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// What is sent as parameters, and what is sent without a body.
@Suite struct RemoteParameterTests {
    private final class FormAPI: RemoteModelStore {
        let origin = example
        let session = StoreSession()
        let sent: ClosureTransport
        let encoding: RESTEncoding
        let parameterEncoder: ParameterEncoder
        var transport: any HTTPTransport { sent }
        var limits: HTTPLimits { HTTPLimits(deadline: nil) }
        var defaultHeaders: HTTPHeaders { ["content-type": "application/x-www-form-urlencoded"] }

        init(_ encoding: RESTEncoding, _ encoder: ParameterEncoder) {
            sent = ClosureTransport { request, _ in
                .value(HTTPResponse(status: request.method == .post ? 201 : 204))
            }
            (self.encoding, parameterEncoder) = (encoding, encoder)
        }

        func encodingForMethod(_ method: HTTPMethod) -> RESTEncoding { encoding }

        /// The parameters of the last request.
        var last: String? {
            let request = sent.sent.all.last
            return encoding == .form
                ? request?.body.map { String(decoding: $0, as: UTF8.self) } : request?.query
        }
    }

    @Test(arguments: [
        (ParameterArrays.indexed, "id=t1&tags%5B0%5D=a&tags%5B1%5D=b"),
        (.bracketed, "id=t1&tags%5B%5D=a&tags%5B%5D=b"), (.repeated, "id=t1&tags=a&tags=b"),
        (.commas, "id=t1&tags=a,b"),
    ])
    func `a store says how arrays are written`(_ arrays: ParameterArrays, _ text: String)
        async throws
    {
        for encoding in [RESTEncoding.form, .query] {
            let encoder = ParameterEncoder(arrays: arrays, includeNullValues: true)
            let store = FormAPI(encoding, encoder)
            let tagged = Tagged()
            tagged.id.value = "t1"
            tagged.tags.value = ["a", "b"]
            _ = try await store.create(tagged).value
            expect(store.last, equals: text)
        }
    }

    @Test func `a store says how nil is written, and nil that is not is not lost`() async throws {
        for (encoder, text) in [
            (ParameterEncoder(includeNullValues: true), "age="),
            (ParameterEncoder(includeNullValues: true, nullString: "null"), "age=null"),
            (ParameterEncoder(), nil),
        ] {
            let store = FormAPI(.form, encoder)
            let customer = Customer("c1", "Ada", age: 36)
            _ = try await store.create(customer).value
            customer.age.value = nil
            let error = await store.update(customer).storeError
            guard let text else {
                expect(
                    error,
                    equals: .unsupported("age is empty, of which parameters say nothing")
                )
                expect(store.sent.sent.count, equals: 1)
                continue
            }
            expect(error == nil && store.last == text)
        }
    }

    private final class Loose: Model {
        let id = Field<String>()
        let anything = Field<AttributeValue>()
    }

    @Test func `what is empty is found at once, however deep it stands`() async throws {
        let store = FormAPI(.form, ParameterEncoder())
        let loose = Loose()
        loose.id.value = "l1"
        loose.anything.value = [1]
        _ = try await store.create(loose).value
        loose.anything.value = (0..<50).reduce([]) { value, _ in .array([value]) }
        let error = await store.update(loose).storeError
        expect(error, equals: .unsupported("anything is empty, of which parameters say nothing"))
    }

    @Test func `what has no body has no type of one`() async throws {
        for encoding in [RESTEncoding.form, .query] {
            let store = FormAPI(encoding, ParameterEncoder(includeNullValues: true))
            let customer = Customer("c1", "Ada")
            _ = try await store.create(customer).value
            _ = await store.lookup(Customer.self, identifier: "c1").storeError
            _ = await store.list(Customer.self).storeError
            _ = try await store.delete(customer).value
            let types = store.sent.sent.all.map { $0.headers["Content-Type"] }
            let type = encoding == .form ? "application/x-www-form-urlencoded" : nil
            expect(types, equals: [type, nil, nil, nil])
        }
    }
}

extension RemoteParameterTests {
    /// A store of a server that speaks JSON:API.
    private final class Library: RemoteModelStore {
        let origin = example
        let session = StoreSession()
        let transport: any HTTPTransport
        let dialect: RESTDialect = {
            var dialect = RESTDialect(
                name: "JSON:API",
                envelope: .key("data", wrapsPayload: true)
            )
            dialect.namesIdentifierInUpdates = true
            return dialect
        }()
        var limits: HTTPLimits { HTTPLimits(deadline: nil) }
        var defaultHeaders: HTTPHeaders {
            ["Accept": "application/vnd.api+json", "Content-Type": "application/vnd.api+json"]
        }

        init(_ transport: any HTTPTransport) { self.transport = transport }

        func serializeModel(
            _ type: any Model.Type,
            as object: AttributeDictionary
        ) throws -> AttributeDictionary {
            var attributes = object
            let id = attributes.removeValue(forKey: "id")
            return [
                "type": .string(String(router.collectionPath(for: type).dropFirst())),
                "id": id ?? .null, "attributes": .dictionary(attributes),
            ]
        }

        func deserializeModel(
            _ type: any Model.Type,
            from object: AttributeDictionary
        ) throws -> AttributeDictionary {
            guard case .dictionary(var attributes)? = object["attributes"] else { return object }
            attributes["id"] = object["id"]
            return attributes
        }
    }

    @Test func `a server of JSON:API gets the identifier in an update`() async throws {
        let transport = ClosureTransport { request, _ in
            let name = request.method == .patch ? "Ada L." : "Ada"
            return .value(
                request.method == .delete
                    ? HTTPResponse(status: 204)
                    : .json(
                        #"{"data":{"type":"customers","id":"c1","attributes":{"firstName":"\#(name)"}}}"#
                    )
            )
        }
        let store = Library(transport)
        let customer = try await store.lookup(Customer.self, identifier: "c1").value
        customer.firstName.value = "Ada L."
        _ = try await store.update(customer).value
        _ = try await store.update(customer).value
        _ = try await store.delete(customer).value
        expect(
            transport.summaries,
            equals: [
                "GET /customers/c1",
                #"PATCH /customers/c1 {"data":{"attributes":{"firstName":"Ada L."},"id":"c1","type":"customers"}}"#,
                "DELETE /customers/c1",
            ]
        )
        expect(
            transport.sent.all.map { $0.headers["Content-Type"] },
            equals: [nil, "application/vnd.api+json", nil]
        )
    }
}
