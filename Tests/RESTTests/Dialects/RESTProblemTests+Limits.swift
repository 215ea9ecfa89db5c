import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// Names that are too long for those of fields, and bodies that ask for much work.
extension RESTProblemTests {
    /// A model in which there may be others of its kind, as deep as one likes.
    private final class Folder: Model {
        let id = Field<String>()
        let name = Field<String>()
        let inner = ModelField<Folder>()
    }

    @Test(arguments: [
        (#"{"errors":{"NAME":["no"]}}"#, false),
        (#"{"errors":[{"source":{"pointer":"/data/attributes/NAME"},"detail":"no"}]}"#, true),
        (##"{"errors":[{"pointer":"#/NAME","detail":"no"}]}"##, true),
        (#"{"errors":[{"source":{"parameter":"NAME"},"detail":"no"}]}"#, true),
        (#"{"violations":[{"propertyPath":"NAME","message":"no"}]}"#, false),
        (#"{"validation":{"body":{"source":"body","keys":["NAME"],"message":"no"}}}"#, false),
        (#"{"detail":[{"loc":["NAME"],"msg":"no"}]}"#, true),
        (#"{"issues":[{"path":["NAME"],"message":"no"}]}"#, true),
    ])
    func `a name that is too long for one is about the whole`(
        _ body: String,
        _ isPointer: Bool
    ) async throws {
        let folder = Folder()
        folder.id.value = "f"
        let isList = body.contains("[\"NAME")
        let separator = isList && isPointer ? "\",\"" : isPointer ? "/" : "."
        func paths(_ count: Int, _ last: String = "name") async -> [FieldPath]? {
            let name = [String](repeating: "inner", count: count - 1) + [last]
            let text = body.replacing("NAME", with: name.joined(separator: separator))
            return await error(text, of: folder)?.issues.map(\.path)
        }
        let name = [FieldPath.Component](repeating: "inner", count: 63) + ["name"]
        if body.contains("parameter") {
            await expect(paths(1), equals: [["name"]])
        } else {
            await expect(paths(64), equals: [FieldPath(name)])
            await expect(paths(65), equals: [[]])
        }
        await expect(paths(20_000), equals: [[]])
        await expect(paths(1, String(repeating: "_", count: 1_001)), equals: [[]])
    }

    @Test func `so are names inside of each other, and those of a server of our own`()
        async throws
    {
        let folder = Folder()
        folder.id.value = "f"
        let name = [String](repeating: "inner", count: 40).joined(separator: ".")
        let nested = "{\"errors\":{\"\(name)\":{\"\(name)\":[\"no\"]}}}"
        await expect(error(nested, of: folder)?.issues.map(\.path), equals: [[]])
        let parts = [String](repeating: "inner", count: 20_000)
        for place in [
            "\"pointer\":\"/\(parts.joined(separator: "/"))\"",
            "\"path\":[\"\(parts.joined(separator: "\",\""))\"]",
        ] {
            let body = "{\"code\":\"validation\",\"issues\":[{\(place),\"message\":\"no\"}]}"
            let transport = ClosureTransport { _, _ in .value(.json(body, 422)) }
            let error = await TestAPI(transport).create(folder).storeError
            expect(error?.issues.map(\.path), equals: [[]])
            expect(error?.issues.map(\.message), equals: ["no"])
        }
    }

    @Test(arguments: [
        #"{"errors":{"NAME":{"name":["no"]}}}"#,
        #"{"errors":{"NAME":[{"name":["no"]}]}}"#,
        #"{"errors":[{"property":"NAME","children":[{"property":"name","constraints":{"a":"no"}}]}]}"#,
    ])
    func `what is inside a name that is too long is about the whole, too`(
        _ body: String
    ) async throws {
        let folder = Folder()
        folder.id.value = "f"
        let parts = [String](repeating: "inner", count: 65).joined(separator: ".")
        for name in [parts, String(repeating: "_", count: 1_001)] {
            let issues = await error(body.replacing("NAME", with: name), of: folder)?.issues
            expect(issues?.map(\.path), equals: [[]])
            expect(issues?.map(\.message), equals: ["no"])
        }
    }

    /// What is read of a body.
    private func issues(_ body: String) throws -> [ModelKitFields.Issue] {
        let response = RESTResponse(.json(body, 400))
        return try #require(RESTProblem.usual(response)).issues
    }

    private static let name = String(repeating: "_", count: 1_000)

    @Test func `however often a text is said, it is one issue`() throws {
        let texts = [String](repeating: "\"\"", count: 100_000).joined(separator: ",")
        let start = String(repeating: "{\"\(Self.name)\":", count: 14)
        let end = String(repeating: "}", count: 14)
        // What comes after that many nobody reads.
        let issues = try issues("{\"errors\":\(start)[\(texts),\"no\"]\(end)}")
        expect(issues.map(\.message), equals: [""])
        expect(issues.map(\.path), equals: [[]])
    }

    @Test func `no issue has a path longer than that of a field`() throws {
        let constraints = (0..<1_000).map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",")
        let start = String(repeating: "{\"property\":\"\(Self.name)\",\"children\":[", count: 200)
        let end = String(repeating: "]}", count: 200)
        let inner = "{\"property\":\"name\",\"constraints\":{\(constraints)}}"
        let issues = try issues("{\"errors\":[\(start)\(inner)\(end)]}")
        expect(issues.count, equals: 1_000)
        expect(Set(issues.map(\.path)), equals: [[]])
    }

    @Test func `a message of the whole is not said of each of many parts`() throws {
        let parts = (0..<900).map { #""\#($0)":{"source":"body","keys":["\#($0)"]}"# }
        let body = #"{"message":"no","validation":{\#(parts.joined(separator: ","))}}"#
        try expect(issues(body).count, equals: 16)
    }

    @Test func `what is said twice of one element has no other fields`() async throws {
        let element = #"{"property":"name","constraints":{"isShort":"no"}}"#
        let folder = Folder()
        folder.id.value = "f"
        let issues = await error("{\"errors\":[\(element),\(element)]}", of: folder)?.issues
        expect(issues?.map(\.path), equals: [["name"]])
    }
}
