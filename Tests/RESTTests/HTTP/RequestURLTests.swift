import Foundation
import ModelKitREST
import TestSupport
import Testing

@Suite struct RequestURLTests {
    @Test(arguments: [
        ("/people/a%2Fb/%2E%2E//?q=%C3%A9&r=a+b", "/people/a%2Fb/%2E%2E//?q=%C3%A9&r=a+b"),
        ("/a%2Fb?c[d]=%5B&e={f}|%C3%A9", "/a%2Fb?c%5Bd%5D=%5B&e=%7Bf%7D%7C%C3%A9"), ("/", "/"),
    ])
    func `nothing is encoded twice in an address`(_ target: String, _ encoded: String) {
        for origin in ["https://example.com", "HTTP://[::1]:8080"] {
            let url = HTTPRequest(.get, origin, target).url
            expect(url?.absoluteString, equals: origin + encoded)
        }
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com", "https://", "https://user@example.com",
        "https://example.com/v1", "https://example.com#a", "https://exa mple.com",
    ])
    func `what is no origin of HTTP has no address`(_ origin: String) {
        expect(HTTPRequest(.get, origin, "/").url, equals: nil)
    }
}
