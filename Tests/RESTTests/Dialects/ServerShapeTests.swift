import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

/// What servers say is wrong, each in its own shape: every message once, at its field or at the whole.
@Suite struct ServerShapeTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        let server: String
        let body: String
        /// The paths and the messages; none where there is a message of the whole alone.
        let issues: [String]

        init(_ server: String, _ body: String, _ issues: String...) {
            (self.server, self.body, self.issues) = (server, body, issues)
        }

        var testDescription: String { server }
    }

    private static let field = "firstName: no"

    static let shapes = [
        Shape(
            "Strapi",
            #"{"data":null,"error":{"status":400,"name":"ValidationError","message":"2 errors occurred","details":{"errors":[{"path":["first_name"],"message":"no","name":"ValidationError"},{"path":["age"],"message":"nor that","name":"ValidationError"}]}}}"#,
            field,
            "age: nor that"
        ),
        Shape(
            "Strapi, of the whole",
            #"{"data":null,"error":{"message":"no","details":{"errors":[{"path":[],"message":"no","name":"ValidationError"}]}}}"#,
            ": no"
        ),
        Shape(
            "Strapi, in a list",
            #"{"error":{"message":"no","details":{"errors":[{"path":["tags","0","name"],"message":"no","name":"ValidationError"}]}}}"#,
            "tags[0].name: no"
        ),
        Shape(
            "Strapi 3",
            #"{"statusCode":400,"error":"Bad Request","message":"ValidationError","data":{"errors":{"first_name":["no"]}}}"#,
            field
        ),
        Shape(
            "Litestar",
            #"{"status_code":400,"detail":"Validation failed for POST /customers","extra":[{"message":"no","key":"first_name"},{"message":"nor that","key":"home_address.city_name"}]}"#,
            field,
            "homeAddress.cityName: nor that"
        ),
        Shape(
            "Litestar, of fields that are missing",
            #"{"status_code":400,"detail":"Validation failed for POST /customers","extra":[{"message":"Object missing required field `age`","key":"data"},{"message":"Object missing required field `city_name`","key":"data.home_address"},{"message":"Expected `object`, got `array`","key":"data"}]}"#,
            "age: Object missing required field `age`",
            "homeAddress.cityName: Object missing required field `city_name`",
            ": Expected `object`, got `array`"
        ),
        Shape(
            "LoopBack 4",
            #"{"error":{"statusCode":422,"name":"UnprocessableEntityError","message":"The request body is invalid.","code":"VALIDATION_FAILED","details":[{"path":"/first_name","code":"maxLength","message":"no","info":{"limit":1}}]}}"#,
            field
        ),
        Shape(
            "LoopBack 3",
            #"{"error":{"statusCode":422,"name":"ValidationError","message":"It is not valid.","details":{"context":"Customer","codes":{"first_name":["presence"]},"messages":{"first_name":["no"]}}}}"#,
            field
        ),
        Shape(
            "Joi",
            #"{"_original":{"first_name":""},"details":[{"message":"no","path":["first_name"],"type":"any.required","context":{"label":"first_name","key":"first_name"}}]}"#,
            field
        ),
        Shape(
            "celebrate",
            #"{"statusCode":400,"error":"Bad Request","message":"Validation failed","validation":{"body":{"source":"body","keys":["first_name"],"message":"no"},"query":{"source":"query","keys":["age"],"message":"nor that"}}}"#,
            field,
            ": nor that"
        ),
        Shape(
            "hapi",
            #"{"statusCode":400,"error":"Bad Request","message":"no","validation":{"source":"payload","keys":["first_name"]}}"#,
            field
        ),
        Shape(
            "Spring",
            #"{"timestamp":"2026-01-02","status":400,"error":"Bad Request","message":"Validation failed","errors":[{"codes":["NotBlank.customer.firstName"],"arguments":[{"codes":["firstName"],"arguments":null,"defaultMessage":"firstName","code":"firstName"}],"defaultMessage":"no","objectName":"customer","field":"firstName","rejectedValue":"","bindingFailure":false,"code":"NotBlank"}],"path":"/customers"}"#,
            field
        ),
        Shape(
            "Spring, a nested field",
            #"{"errors":[{"field":"homeAddress.cityName","defaultMessage":"no","code":"NotBlank"}]}"#,
            "homeAddress.cityName: no"
        ),
        Shape(
            "Symfony",
            #"{"type":"https://symfony.com/errors/validation","title":"Validation Failed","detail":"firstName: no","violations":[{"propertyPath":"firstName","title":"no","template":"no","parameters":{"{{ value }}":"\"\""},"type":"urn:uuid:c1051bb4"},{"propertyPath":"","title":"nor that","parameters":{}}]}"#,
            field,
            ": nor that"
        ),
        Shape(
            "Symfony, of a dictionary",
            #"{"violations":[{"propertyPath":"[home_address][city_name]","title":"no"}]}"#,
            "homeAddress.cityName: no"
        ),
        Shape(
            "API Platform",
            #"{"@context":"/contexts/ConstraintViolationList","@type":"ConstraintViolationList","hydra:title":"An error occurred","hydra:description":"firstName: no","violations":[{"propertyPath":"firstName","message":"no","code":"c1051bb4"}]}"#,
            field
        ),
        Shape(
            "Quarkus",
            #"{"title":"Constraint Violation","status":400,"violations":[{"field":"firstName","message":"no"}]}"#,
            field
        ),
        Shape(
            "Quarkus, of a method",
            #"{"violations":[{"field":"create.customer.firstName","message":"no"},{"field":"create.customer.homeAddress.cityName","message":"nor that"}]}"#,
            field,
            "homeAddress.cityName: nor that"
        ),
        Shape("any, below the model", #"{"errors":{"customer.first_name":["no"]}}"#, field),
        Shape(
            "Mongoose",
            #"{"errors":{"firstName":{"name":"ValidatorError","message":"no","properties":{"message":"no","type":"required","path":"firstName"},"kind":"required","path":"firstName"}},"_message":"Customer validation failed","name":"ValidationError","message":"Customer validation failed: firstName: no"}"#,
            field
        ),
        Shape(
            "Mongoose, of a model in another one",
            #"{"errors":{"homeAddress.cityName":{"name":"ValidatorError","message":"no","properties":{},"kind":"required","path":"cityName"},"homeAddress":{"errors":{"cityName":{"name":"ValidatorError","message":"no","properties":{},"kind":"required","path":"cityName"}},"_message":"Validation failed","name":"ValidationError","message":"Validation failed: cityName: no"}},"name":"ValidationError","message":"Customer validation failed"}"#,
            "homeAddress.cityName: no"
        ),
        Shape(
            "NestJS",
            #"{"statusCode":400,"message":["first_name should not be empty","age must be a number"],"error":"Bad Request"}"#,
            ": first_name should not be empty",
            ": age must be a number"
        ),
        Shape(
            "NestJS with errors as they are",
            #"{"statusCode":400,"message":[{"target":{"first_name":"x"},"value":"x","property":"first_name","children":[],"constraints":{"minLength":"no"}}],"error":"Bad Request"}"#,
            field
        ),
        Shape(
            "class-validator",
            #"{"name":"BadRequestError","message":"Invalid body","errors":[{"target":{},"property":"homeAddress","children":[{"value":"","property":"cityName","children":[],"constraints":{"isNotEmpty":"no"}}]}]}"#,
            "homeAddress.cityName: no"
        ),
        Shape(
            "express-validator",
            #"{"errors":[{"value":"","msg":"no","param":"first_name","location":"body"}]}"#,
            field
        ),
        Shape(
            "express-validator, by field",
            #"{"errors":{"first_name":{"type":"field","value":"","msg":"no","path":"first_name","location":"body"}}}"#,
            field
        ),
        Shape(
            "FastAPI",
            #"{"detail":[{"loc":["body","first_name"],"msg":"no","type":"missing","input":{},"url":"https://errors.pydantic.dev"}]}"#,
            field
        ),
        Shape(
            "any, with the class of its errors",
            #"{"errors":[{"name":"ValidationError","message":"no"}]}"#,
            ": no"
        ),
        Shape("Flask-RESTful", #"{"message":{"first_name":"no"}}"#, field),
        Shape(
            "GraphQL",
            #"{"errors":[{"message":"no","path":["first_name"],"locations":[{"line":1,"column":2}],"extensions":{}}]}"#,
            field
        ),
        Shape(
            "JSON:API",
            #"{"errors":[{"status":"422","source":{"pointer":"/data/attributes/first_name"},"detail":"no","title":"Invalid"},{"status":"422","source":{"pointer":"/data"},"detail":"nor that"}]}"#,
            field,
            ": nor that"
        ),
        Shape(
            "Google",
            #"{"error":{"code":400,"message":"Invalid value","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"first_name","description":"no"}]}]}}"#,
            field
        ),
        Shape(
            "Google, of the whole",
            #"{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}"#,
            ": API_KEY_INVALID",
            ": no"
        ),
        Shape(
            "Zod, flattened",
            #"{"success":false,"error":{"formErrors":["nor that"],"fieldErrors":{"first_name":["no"]}}}"#,
            field,
            ": nor that"
        ),
        Shape(
            "Django, with codes",
            #"{"first_name":[{"message":"no","code":"required"},{"message":"nor that","code":"max"}]}"#,
            field,
            "firstName: nor that"
        ),
        Shape(
            "any, with details",
            #"{"message":"Invalid","details":{"first_name":["no"]}}"#,
            field
        ),
        Shape(
            "any, with details that may be others",
            #"{"message":"Invalid","details":{"first_name":"no"}}"#,
            field,
            ": Invalid"
        ),
        Shape(
            "any, with a reason for each field",
            #"{"errors":{"first_name":{"reason":"no","code":"x"}}}"#,
            field
        ),
        Shape(
            "any, with fields that are named as reasons are",
            #"{"errors":{"home":{"title":"no","description":"nor that"}}}"#,
            "home.title: no",
            "home.description: nor that"
        ),
        Shape("any, with fields as its error", #"{"error":{"first_name":"no"}}"#, field),
        Shape(
            "PostgREST",
            #"{"code":"23502","details":"Failing row contains (1).","hint":null,"message":"null value in column \"first_name\""}"#
        ),
        Shape(
            "OData 3",
            #"{"error":{"code":"","message":{"lang":"en-US","value":"null value in column \"first_name\""},"innererror":{"type":"x"}}}"#
        ),
    ]

    @Test(arguments: shapes, [400, 422])
    func `every message is there once, at its field or at the whole`(
        _ shape: Shape,
        _ status: Int
    ) async throws {
        for context in [ValueTransformerContext(name: "api", keyCase: .snake), .default] {
            let transport = ClosureTransport { _, _ in .value(.json(shape.body, status)) }
            let error = await TestAPI(transport, .djangoREST, context: context)
                .create(Customer("c1", "Ada")).storeError
            if shape.issues.isEmpty {
                let text = #"null value in column "first_name""#
                expect(error, equals: .unsupported("the server answered \(status): \(text)"))
                continue
            }
            expect(error?.code, equals: "validation", "\(String(describing: error))")
            let issues = error?.issues.map { "\($0.path): \($0.message)" } ?? []
            expect(issues.sorted(), equals: shape.issues.sorted())
        }
    }

    @Test(arguments: [
        "FirstName", "firstName", "first_name", "first-name", "FIRST_NAME", "$.FirstName",
        "$['First Name']", "[first_name]",
    ])
    func `a key in another case is that of its field`(_ name: String) async throws {
        let body = AttributeValue.dictionary(["errors": [.init(name): ["no"]]])
        let text = String(decoding: try body.jsonData(), as: UTF8.self)
        for context in [ValueTransformerContext(name: "api", keyCase: .snake), .default] {
            let transport = ClosureTransport { _, _ in .value(.json(text, 400)) }
            let issues = await TestAPI(transport, .djangoREST, context: context)
                .create(Customer("c1", "Ada")).storeError?.issues
            expect(issues?.map(\.path), equals: [["firstName"]])
        }
    }

    @Test func `paths in another case lead through models`() async throws {
        let body =
            #"{"title":"One or more validation errors occurred.","status":400,"errors":{"#
            + #""Floors[0].Desks[1].Label":["no"],"$.floors[1].id":["no"],"$":["all"]},"traceId":"0"}"#
        let transport = ClosureTransport { _, _ in .value(.json(body, 400)) }
        let issues = await TestAPI(transport, .djangoREST).create(Building("b")).storeError?.issues
        expect(
            issues?.map(\.path),
            equals: [
                [], ["floors", 1, "id"], ["floors", 0, "desks", 1, "label"],
            ]
        )
    }

    /// A model with fields that differ by their case alone.
    private final class Twins: Model {
        let id = Field<String>()
        let userID = Field<String>(key: "userid")
        let userName = Field<String>(key: "userID")
    }

    @Test func `a key that fits as it is comes before one in another case`() async throws {
        let body = #"{"errors":{"userID":["no"],"UserId":["nor that"]}}"#
        let transport = ClosureTransport { _, _ in .value(.json(body, 400)) }
        let twins = Twins()
        twins.id.value = "t"
        let issues = await TestAPI(transport, .djangoREST).create(twins).storeError?.issues
        expect(issues?.map(\.path), equals: [["userid"], ["userID"]])
    }
}
