import ModelKitREST
import Testing

@Suite struct HTTPHeadersTests {
    @Test func `names are equal in any case`() {
        var headers: HTTPHeaders = ["Accept": "text/plain"]
        headers["accept"] = "application/json"
        #expect(headers["ACCEPT"] == "application/json")
        #expect(headers.map(\.name) == ["accept"])
    }

    @Test func `several values of one name stand in their order`() {
        var headers = HTTPHeaders()
        headers.add("Link", "a")
        headers.add("link", "b")
        #expect(headers["LINK"] == "a, b")
    }
}
