import ModelKitREST
import Testing

@Suite struct HTTPHeadersTests {
    @Test func `names are equal in any case`() {
        var headers: HTTPHeaders = ["Accept": "text/plain"]
        headers["accept"] = "application/json"
        #expect(headers["ACCEPT"] == "application/json")
        #expect(headers.map(\.name) == ["accept"])
        #expect(headers["Accep"] == nil)
        // Letters alone have a case: these two differ by the same bit.
        #expect(HTTPHeaders(dictionaryLiteral: ("a^", "1"))["a~"] == nil)
    }

    @Test func `several values of one name stand in their order`() {
        var headers = HTTPHeaders()
        headers.add("Link", "a")
        headers.add("Accept", "b")
        headers.add("link", "c")
        #expect(headers["LINK"] == "a, c")
        #expect(headers.values(of: "Link") == ["a", "c"])
        headers["Link"] = "d"
        #expect(headers.map(\.name) == ["Link", "Accept"])
        headers["Link"] = nil
        #expect(headers.map(\.name) == ["Accept"])
    }

    @Test func `others take the place of those of their names, all of them`() {
        var headers: HTTPHeaders = ["Link": "a", "Accept": "b", "link": "c"]
        var others: HTTPHeaders = ["LINK": "d"]
        others.add("LINK", "e")
        headers.merge(others)
        #expect(headers == ["Accept": "b", "Link": "d", "Link": "e"])
    }

    @Test func `they are equal whatever the case and the order of names, but not of values`() {
        let one: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        let same: HTTPHeaders = ["b": "2", "a": "1", "A": "3"]
        #expect(one == same)
        #expect(one.hashValue == same.hashValue)
        #expect(one != ["b": "2", "a": "3", "A": "1"])
        #expect(one != ["A": "1", "B": "2"])
        #expect(one != ["A": "1", "B": "2", "C": "3"])
        #expect(HTTPHeaders(dictionaryLiteral: ("A", "x")) != ["A": "X"])
    }

    @Test func `those of another library are taken in their order`() {
        let headers = HTTPHeaders([
            (name: "Link", value: "a"), (name: "Accept", value: "b"), (name: "link", value: "c"),
        ])
        #expect(headers.map(\.name) == ["Link", "Accept", "link"])
        #expect(headers["Link"] == "a, c")
    }
}
