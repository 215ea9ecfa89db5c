import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

@Suite struct ProblemCoderTests {
    let snake = ValueTransformerContext(name: "api", keyCase: .snake)
    var coder: ProblemCoder { ProblemCoder(in: snake, types: [Parcel.schema, Depot.schema]) }

    /// A problem as it is when it was sent.
    func sent(_ problem: Problem) throws -> AttributeDictionary {
        let json = try AttributeValue.dictionary(problem.object).jsonData()
        guard case .dictionary(let object) = try AttributeValue(json: json) else { return [:] }
        return object
    }

    static var errors: [(StoreError, Int)] {
        var values = Dictionary(
            uniqueKeysWithValues: Parcel.schema.fields.map { ($0.key, AttributeValue.null) }
        )
        values.merge(["firstName": "Ada", "anything": .data(.init([1]))]) { $1 }
        let theirs = Record(identifier: "p", revision: 8, values: values, place: 4)
        let mine: [FieldKey: AttributeValue] = ["firstName": "Bob"]
        return [
            (.notFound(type: "Depot", identifier: 3), 404),
            (.alreadyExists(type: "Parcel", identifier: "p"), 409),
            (
                .alreadyExists(
                    type: "Parcel",
                    identifier: "p",
                    field: ["homeAddress", "cityName"]
                ), 409
            ),
            (
                .conflict(
                    StoreError.Conflict(
                        type: "Parcel",
                        identifier: "p",
                        base: 2,
                        mine: mine,
                        theirs: theirs
                    )
                ), 412
            ),
            (
                .validation([
                    ModelKitFields.Issue(
                        code: "minLength",
                        path: ["oldLabels", 1, "lineOne"],
                        message: "is too short",
                        parameters: ["min": 2, "at": .data(.init([1]))]
                    ),
                    ModelKitFields.Issue(
                        path: ["homeAddress", "cityName"],
                        message: "is odd",
                        severity: .warning
                    ),
                    ModelKitFields.Issue(path: ["things", "0", 0], message: "x", severity: .info),
                    ModelKitFields.Issue(path: ["things", "a/b~c"], message: "x"),
                    ModelKitFields.Issue(message: "all of it"),
                ]), 422
            ),
            (.noIdentifier(type: "Parcel"), 400), (.unsupported("no such order"), 400),
            (.cancelled(.notApplied), 503), (.timedOut(.unknown), 504),
        ]
    }

    @Test(arguments: errors.indices)
    func `errors come out of their problems as they went in`(index: Int) throws {
        let (error, status) = Self.errors[index]
        let problem = coder.problem(of: error, of: Parcel.schema)
        expect(problem.status, equals: status)
        let object = try sent(problem)
        expect(object["code"], equals: .string(error.code))
        expect(
            coder.error(of: object, of: Parcel.schema, mine: ["firstName": "Bob"]),
            equals: error
        )
    }

    @Test func `issues are reported by the names in JSON`() throws {
        let error = StoreError.validation([
            ModelKitFields.Issue(
                code: "minLength",
                path: ["oldLabels", 1, "lineOne"],
                message: "is too short"
            )
        ])
        let problem = coder.problem(of: error, of: Parcel.schema)
        expect(
            problem.members["issues"],
            equals: [
                [
                    "pointer": "/old_labels/1/line_one", "code": "minLength",
                    "message": "is too short",
                ]
            ]
        )
        expect(problem.members["model"], equals: "Parcel")
    }

    @Test func `issues of a batch give the index of their write`() throws {
        let batch = [Depot.schema, Parcel.schema]
        let error = StoreError.validation([
            ModelKitFields.Issue(path: [1, "firstName"], message: "is odd"),
            ModelKitFields.Issue(path: [0, "streetName"], message: "is odd"),
        ])
        let problem = coder.problem(of: error, batch: batch)
        expect(
            problem.members["issues"],
            equals: [
                ["pointer": "/first_name", "index": 1, "code": "custom", "message": "is odd"],
                ["pointer": "/street_name", "index": 0, "code": "custom", "message": "is odd"],
            ]
        )
        expect(coder.error(of: try sent(problem), of: Depot.schema, batch: batch), equals: error)
    }

    @Test func `what is about the server itself keeps its text to itself`() throws {
        for error in [
            StoreError.unavailable("/var/db is full", .notApplied), .corrupt("/var/db"),
            .schema("table"), .decoding(type: "Parcel", identifier: "p", []),
        ] {
            let problem = coder.problem(of: error, of: Parcel.schema)
            expect(problem.status >= 500)
            expect(!problem.object.description.contains("var"))
            let back = coder.error(of: try sent(problem), of: Parcel.schema, identifier: "p")
            expect(back?.code == error.code && back?.outcome == error.outcome)
        }
    }

    @Test func `problems of who asks are errors of stores`() throws {
        expect(
            coder.error(of: try sent(Problem(401, code: "unauthorized")), of: Parcel.schema),
            equals: .unauthorized("Unauthorized")
        )
        let forbidden = try sent(Problem(403, code: "forbidden", detail: "not you"))
        expect(coder.error(of: forbidden, of: Parcel.schema), equals: .forbidden("not you"))
    }

    @Test func `what is no problem of a store is none`() {
        for object: AttributeDictionary in [
            [:], ["code": "teapot"], ["code": "internal"], ["code": 3], ["code": "conflict"],
            ["code": "conflict", "current": ["first_name": 3, "_meta": ["revision": 1]]],
            ["code": "validation"],
        ] {
            expect(coder.error(of: object, of: Parcel.schema), equals: nil)
        }
    }
}
