import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// What the usual servers say is wrong, and what of that is about fields.
@Suite struct RESTProblemTests {
    /// A model with a field that is called as messages are.
    private final class Letter: Model {
        let id = Field<String>()
        let message = Field<String>()
    }

    func error(_ body: String, of model: some Model) async -> StoreError? {
        let transport = ClosureTransport { _, _ in .value(.json(body, 400)) }
        let snake = ValueTransformerContext(name: "api", keyCase: .snake)
        return await TestAPI(transport, .djangoREST, context: snake).create(model).storeError
    }

    @Test(arguments: [
        // Spring
        (
            #"{"timestamp":"2026-01-02","status":400,"error":"Bad Request","path":"/people"}"#,
            "Bad Request"
        ),
        // ASP.NET
        (#"{"type":"about:blank","title":"Not valid.","traceId":"00-1"}"#, "Not valid."),
        // GitHub
        (#"{"message":"Not valid.","documentation_url":"https://example.com"}"#, "Not valid."),
        // PostgREST
        (
            #"{"code":"23514","details":"Failing row contains (1).","hint":null,"message":"No."}"#,
            "No."
        ),
        // Feathers
        (
            #"{"name":"BadRequest","message":"No.","code":400,"className":"bad","errors":{}}"#,
            "No."
        ),
        // The message of an object inside counts, and none takes that of the whole away.
        (#"{"message":"No.","error":{"code":5}}"#, "No."),
    ])
    func `texts beside a message are no fields`(_ body: String, _ message: String) async throws {
        let error = await error(body, of: Customer("c1", "Ada"))
        expect(error, equals: .unsupported("the server answered 400: \(message)"))
    }

    @Test func `a list of messages is about the whole, unless a field has its name`() async throws {
        let body = #"{"statusCode":400,"message":["is too short"],"error":"Bad Request"}"#
        let whole = await error(body, of: Customer("c1", "Ada"))
        expect(whole?.code, equals: "validation")
        expect(whole?.issues.map(\.path), equals: [[]])
        expect(whole?.issues.map(\.message), equals: ["is too short"])
        let letter = Letter()
        letter.id.value = "l1"
        await expect(error(body, of: letter)?.issues.map(\.path), equals: [["message"]])
    }

    @Test func `a message beside fields stays`() async throws {
        let body = #"{"detail":"Look again.","first_name":["is too short"],"trace":"00-1"}"#
        let issues = await error(body, of: Customer("c1", "Ada"))?.issues
        expect(issues?.map(\.path), equals: [["firstName"], []])
        expect(issues?.map(\.message), equals: ["is too short", "Look again."])
        // Without one, texts are what is wrong.
        let texts = await error(#"{"first_name":"is too short"}"#, of: Customer("c1", "A"))?.issues
        expect(texts?.map(\.path), equals: [["firstName"]])
    }

    @Test func `where there is only a code, it is the message`() async throws {
        let body =
            #"{"message":"No.","errors":[{"resource":"T","field":"title","code":"missing_field"}]}"#
        let issues = await error(body, of: Ticket("a"))?.issues
        expect(issues?.map(\.path), equals: [["title"]])
        expect(issues?.map(\.message), equals: ["missing_field"])
        expect(issues?.map(\.code), equals: ["missing_field"])
    }

    @Test(arguments: [
        // Laravel, Rails
        #"{"message":"No.","errors":{"home_address.city_name":["no"],"tags.0.name":["no"]}}"#,
        #"{"home_address.city_name":["no"],"tags.0.name":["no"]}"#,
        // Spring
        #"{"errors":[{"field":"home_address.city_name","message":"no"},{"field":"tags[0].name","message":"no"}]}"#,
        #"{"errors":[{"field":"home_address.city_name","message":"no"},{"field":"tags.0.name","message":"no"}]}"#,
        // Django REST framework
        #"{"home_address":{"city_name":["no"]},"tags":{"0":{"name":["no"]}}}"#,
        // Zod
        #"{"issues":[{"path":["home_address","city_name"],"code":"x","message":"no"},{"path":["tags",0,"name"],"code":"x","message":"no"}]}"#,
    ])
    func `a name with dots is a path`(_ body: String) async throws {
        let issues = await error(body, of: Customer("c1", "Ada"))?.issues
        expect(issues?.map(\.path), equals: [["homeAddress", "cityName"], ["tags", 0, "name"]])
        expect(issues?.map(\.message), equals: ["no", "no"])
    }

    @Test func `a name that is no path is a key`() async throws {
        let issues = await error(#"{"errors":{"a..b":["no"],"":["yes"]}}"#, of: Ticket("a"))?.issues
        expect(issues?.map(\.path), equals: [[], ["a..b"]])
    }

    @Test func `what Google says stays beside links for help`() async throws {
        let help =
            #"{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"Docs","url":"https://example.com"}]}"#
        let field = #"{"fieldViolations":[{"field":"first_name","description":"is too short"}]}"#
        func messages(_ details: String) async -> [String]? {
            let body =
                #"{"error":{"code":400,"message":"No quota.","details":[\#(details)]}}"#
            return await error(body, of: Customer("c1", "Ada"))?.issues.map(\.message)
        }
        await expect(messages(help)?.last, equals: "No quota.")
        await expect(messages(field), equals: ["is too short"])
    }
}
