import ModelKitREST
import TestSupport
import Testing

@Suite struct HTTPHeadersTests {
    @Test func `names are equal in any case`() {
        var headers: HTTPHeaders = ["Accept": "text/plain"]
        headers["accept"] = "application/json"
        expect(headers["ACCEPT"], equals: "application/json")
        expect(headers.map(\.name), equals: ["accept"])
        expect(headers["Accep"], equals: nil)
        // Letters alone have a case: these two differ by the same bit.
        expect(HTTPHeaders(dictionaryLiteral: ("a^", "1"))["a~"], equals: nil)
    }

    @Test func `several values of one name stand in their order`() {
        var headers = HTTPHeaders()
        headers.add("Link", "a")
        headers.add("Accept", "b")
        headers.add("link", "c")
        expect(headers["LINK"], equals: "a, c")
        expect(headers.values(of: "Link"), equals: ["a", "c"])
        headers["Link"] = "d"
        expect(headers.map(\.name), equals: ["Link", "Accept"])
        headers["Link"] = nil
        expect(headers.map(\.name), equals: ["Accept"])
    }

    @Test func `others take the place of those of their names, all of them`() {
        var headers: HTTPHeaders = ["Link": "a", "Accept": "b", "link": "c"]
        var others: HTTPHeaders = ["LINK": "d"]
        others.add("LINK", "e")
        headers.merge(others)
        expect(headers, equals: ["Accept": "b", "Link": "d", "Link": "e"])
    }

    @Test func `they are equal whatever the case and the order of names, but not of values`() {
        let one: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        let same: HTTPHeaders = ["b": "2", "a": "1", "A": "3"]
        expect(one, equals: same)
        expect(one.hashValue, equals: same.hashValue)
        expect(one != ["b": "2", "a": "3", "A": "1"])
        expect(one != ["A": "1", "B": "2"])
        expect(one != ["A": "1", "B": "2", "C": "3"])
        expect(HTTPHeaders(dictionaryLiteral: ("A", "x")) != ["A": "X"])
    }

    @Test func `those of another library are taken in their order`() {
        let headers = HTTPHeaders([
            (name: "Link", value: "a"), (name: "Accept", value: "b"), (name: "link", value: "c"),
        ])
        expect(headers.map(\.name), equals: ["Link", "Accept", "link"])
        expect(headers["Link"], equals: "a, c")
    }
}
