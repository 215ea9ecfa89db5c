import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// Writes that a server refuses for another reason than that somebody else has written.
@Suite struct RemoteRefusalTests {
    private static let tagged: RESTDialect = {
        var dialect = RESTDialect.djangoREST
        dialect.honoursIfMatch = true
        return dialect
    }()
    private static let refusal = HTTPResponse.json(#"{"detail":"There are orders."}"#, 409)
    private static let refused = StoreError.unavailable(
        "the server answered 409: There are orders.",
        .notApplied
    )

    private static func customer(_ name: String, _ tag: String? = nil) -> HTTPResponse {
        var response = HTTPResponse.json("{\"id\":\"c1\",\"firstName\":\"\(name)\"}")
        response.headers["ETag"] = tag
        return response
    }

    /// What a deletion, or an update, of a model that was looked up before fails with.
    private func error(
        _ answers: [HTTPResponse],
        _ dialect: RESTDialect = .djangoREST,
        isDeletion: Bool = true
    ) async throws -> StoreError? {
        let store = TestAPI(ClosureTransport(answers: answers), dialect)
        let customer = try await store.lookup(Customer.self, identifier: "c1").value
        if isDeletion { return await store.delete(customer).storeError }
        customer.age.value = 3
        return await store.update(customer).storeError
    }

    @Test(arguments: [true, false])
    func `what has not changed is refused with the words of the server`(
        _ isDeletion: Bool
    ) async throws {
        let ada = Self.customer("Ada", "\"x1\"")
        for dialect in [RESTDialect.djangoREST, Self.tagged] {
            let answers = [ada, Self.refusal, ada]
            try await expect(error(answers, dialect, isDeletion: isDeletion), equals: Self.refused)
            let changed = [ada, Self.refusal, Self.customer("Eve", "\"x2\"")]
            let error = try await error(changed, dialect, isDeletion: isDeletion)
            expect(error?.code, equals: "conflict")
        }
    }

    @Test func `what nobody has read is refused with the words of the server`() async throws {
        for write in [0, 1] {
            let transport = ClosureTransport(answers: [Self.refusal, Self.customer("Ada")])
            let store = TestAPI(transport, .djangoREST)
            let customer = Customer("c1", "Eve")
            let error =
                write == 0
                ? await store.delete(customer).storeError : await store.update(customer).storeError
            expect(error, equals: Self.refused)
        }
        let transport = ClosureTransport(answers: [Self.refusal])
        let error = await TestAPI(transport, .djangoREST).lookup(Customer.self, identifier: "c1")
            .storeError
        expect(error, equals: Self.refused)
    }

    @Test func `a write that was answered without values is no change by somebody else`()
        async throws
    {
        let servers: [(String?, RESTDialect)] = [(nil, .djangoREST), ("\"x2\"", Self.tagged)]
        for (tag, dialect) in servers {
            var done = HTTPResponse(status: 204)
            done.headers["ETag"] = tag
            let transport = ClosureTransport(answers: [
                Self.customer("Ada", "\"x1\""), done, Self.refusal, Self.customer("Bob", tag),
            ])
            let store = TestAPI(transport, dialect)
            let customer = try await store.lookup(Customer.self, identifier: "c1").value
            customer.firstName.value = "Bob"
            _ = try await store.update(customer).value
            await expect(store.delete(customer).storeError, equals: Self.refused)
            expect(
                transport.sent.all.map { $0.headers["If-Match"] }.dropFirst(2).first,
                equals: tag
            )
        }
    }

    @Test func `what is wrong with the values of a known model is on their fields`() async throws {
        let answer = HTTPResponse.json(#"{"errors":{"age":["is too high"]}}"#, 409)
        let error = try await error([Self.customer("Ada"), answer], isDeletion: false)
        expect(error?.code, equals: "validation")
        expect(error?.issues.map(\.path), equals: [["age"]])
        expect(error?.issues.map(\.message), equals: ["is too high"])
    }

    @Test func `texts of the whole hide no conflict`() async throws {
        let texts = HTTPResponse.json(#"{"message":"No.","details":["It has changed."]}"#, 409)
        let ada = Self.customer("Ada", "\"x1\"")
        for dialect in [RESTDialect.djangoREST, Self.tagged] {
            let changed = [ada, texts, Self.customer("Eve", "\"x2\"")]
            let error = try await error(changed, dialect, isDeletion: false)
            expect(error?.code, equals: "conflict")
            let same = try await self.error([ada, texts, ada], dialect, isDeletion: false)
            expect(same?.issues.map(\.message), equals: ["It has changed.", "No."])
        }
    }

    @Test func `what is gone was refused with the words of the server`() async throws {
        let texts = HTTPResponse.json(#"{"errors":["There are orders."]}"#, 409)
        let gone = HTTPResponse.json("{}", 404)
        let store = TestAPI(ClosureTransport(answers: [texts, gone]), .djangoREST)
        let error = await store.delete(Customer("c1", "Eve")).storeError
        expect(error?.issues.map(\.message), equals: ["There are orders."])
        let update = try await self.error([Self.customer("Ada"), texts, gone], isDeletion: false)
        expect(update?.issues.map(\.message), equals: ["There are orders."])
        // Where it says nothing, it is known what is the matter.
        let silent = [Self.customer("Ada"), HTTPResponse(status: 409), gone]
        try await expect(self.error(silent), equals: .notFound(type: "Customer", identifier: "c1"))
    }

    @Test func `only an identifier that was given may be there already`() async throws {
        let transport = ClosureTransport { _, _ in .value(Self.refusal) }
        let store = TestAPI(transport, .djangoREST)
        await expect(store.create(Customer(nil, "Ada")).storeError, equals: Self.refused)
        let given = await store.create(Customer("c1", "Ada")).storeError
        expect(given, equals: .alreadyExists(type: "Customer", identifier: "c1"))
        let write = RecordWrite(.create("c1", ["firstName": "Ada"]), of: Customer.schema)
        await expect(store.records.perform([write]).storeError, equals: given)
    }

    @Test func `with the plain dialect, too, what is there already is there`() async throws {
        for body in [#"{"detail":"There are orders."}"#, "", "taken", #"{"code":7}"#] {
            let transport = ClosureTransport { _, _ in .value(.json(body, 409)) }
            let store = TestAPI(transport)
            let given = await store.create(Customer("c1", "Ada")).storeError
            expect(given, equals: .alreadyExists(type: "Customer", identifier: "c1"))
            await expect(
                store.create(Customer(nil, "Ada")).storeError?.outcome,
                equals: .notApplied
            )
        }
        let ada = Self.customer("Ada", "\"x1\"")
        try await expect(error([ada, Self.refusal, ada], .plain), equals: Self.refused)
        let changed = [ada, Self.refusal, Self.customer("Eve", "\"x2\"")]
        try await expect(error(changed, .plain)?.code, equals: "conflict")
    }

    @Test(arguments: [409, 412])
    func `what is refused is not made, whatever comes of looking for it`(
        _ status: Int
    ) async throws {
        for failure in [HTTPFailure.Reason.timedOut, .connectionLost] {
            let transport = ClosureTransport { _, number in
                switch number {
                case 1: .value(Self.customer("Ada", "\"x1\""))
                case 2: .value(HTTPResponse(status: status))
                default: .failed(HTTPFailure(failure, mayBeSent: true))
                }
            }
            let store = TestAPI(transport, Self.tagged)
            let customer = try await store.lookup(Customer.self, identifier: "c1").value
            let error = await store.delete(customer).storeError
            expect(error, equals: .unavailable("the server answered \(status)", .notApplied))
        }
    }
}
