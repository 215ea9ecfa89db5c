import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import TestSupport
import Testing

/// What Foundation makes of the texts of a router and an encoder.
@Suite struct RoutePathTests {
    @Test(arguments: ["a/b", "..", ".", "é", "a?b#c", "%2F", "a;b", "a+b", "\\", "[", "|", "\""])
    func `Foundation leaves them as they are`(text: String) throws {
        let path = try RESTRouter().instancePath(for: person(text))
        let query = try ParameterEncoder().encodeParameters(["q": [.string(text)]])
        let address = "http://127.0.0.1\(path)?\(query)"
        expect(URL(string: address)?.absoluteString, equals: address)
    }
}
