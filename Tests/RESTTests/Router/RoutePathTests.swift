import Foundation
import ModelKitModels
import ModelKitREST
import Testing

/// What Foundation makes of the paths of a router.
@Suite struct RoutePathTests {
    @Test(arguments: ["a/b", "..", ".", "é", "a?b#c", "%2F", "a;b", "a+b", "\\", "[", "|"])
    func `Foundation leaves a path as it is`(identifier: String) throws {
        let path = try RESTRouter().instancePath(for: person(identifier))
        let url = try #require(URL(string: "http://127.0.0.1\(path)"))
        #expect(url.absoluteString == "http://127.0.0.1\(path)")
    }

    @Test func `the reason why dots and brackets are encoded`() {
        let url = URL(string: "http://127.0.0.1/people/..?a[b]=1%202")
        #expect(url?.standardized.path == "/")
        #expect(url?.absoluteString.contains("%2520") ?? true)
    }
}
