import ModelKitREST
import TestSupport
import Testing

@Suite struct RedirectPolicyTests {
    private func next(
        _ request: HTTPRequest,
        _ status: Int,
        _ location: String?,
        _ policy: RedirectPolicy = RedirectPolicy()
    ) throws(RedirectRefusal) -> HTTPRequest? {
        var response = HTTPResponse(status: status)
        response.headers["Location"] = location
        return try policy.next(after: request, response)
    }

    /// RFC 3986, 5.4, and what Location adds; from `http://a/b/c/d;p?q`.
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"),
        ("g?y", "/b/c/g?y"), ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), ("g?y#s", "/b/c/g?y"),
        (";x", "/b/c/;x"), ("g;x", "/b/c/g;x"), ("g;x?y#s", "/b/c/g;x?y"), ("", "/b/c/d;p?q"),
        (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"),
        ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"),
        ("../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."),
        (".g", "/b/c/.g"), ("g..", "/b/c/g.."), ("..g", "/b/c/..g"), ("./../g", "/b/g"),
        ("./g/.", "/b/c/g/"), ("g/./h", "/b/c/g/h"), ("g/../h", "/b/c/h"),
        ("g;x=1/./y", "/b/c/g;x=1/y"), ("g;x=1/../y", "/b/c/y"), ("g?y/./x", "/b/c/g?y/./x"),
        ("g?y/../x", "/b/c/g?y/../x"), ("g#s/../x", "/b/c/g"), ("g#?x", "/b/c/g"),
        ("http://a/g", "/g"), ("HTTP://A:80", "/"), ("//a?x", "/?x"), ("http://a/../g/..", "/"),
        ("/a%2Fb/%2e%2E/%c3%A9?x=%20", "/a%2Fb/%2e%2E/%c3%A9?x=%20"), ("g?", "/b/c/g?"),
        ("/x:y", "/x:y"), ("./x:y", "/b/c/x:y"), ("/a//b", "/a//b"),
    ])
    func `a location is resolved, and its encoding left as it is`(
        location: String,
        target: String
    ) throws {
        let request = HTTPRequest(.get, "http://a", "/b/c/d;p?q", headers: ["Authorization": "x"])
        let moved = try #require(try next(request, 302, location))
        expect(moved.target, equals: target)
        // The origin is the same, however it is written, so the credentials stay.
        expect(moved.headers, equals: request.headers)
    }

    @Test(arguments: [
        "mailto:a@b", "g:h", "http:g", "http://", "http:///g", "https://a@example.com/", "/a b",
        "/é",
        "https://example.com:x/", "https://example.com:99999/", "ftp://example.com/",
        "https://exam\\ple.com/", "/a\u{0}", "/a\r\nb", "https://good.com\\@evil.com/",
        "javascript:x",
    ])
    func `a location that is no address of a server is refused`(location: String) {
        #expect(throws: RedirectRefusal.invalidLocation) {
            try next(HTTPRequest(.get, example, "/"), 302, location)
        }
    }

    @Test(arguments: [HTTPMethod.get, .head, .options, .put, .delete, .post, .patch])
    func `the method stays, but for what a 303 has one read`(method: HTTPMethod) throws {
        let request = HTTPRequest(
            method,
            example,
            "/a",
            headers: [
                "Content-Type": "a/b", "Content-Length": "0", "If-Match": "*", "If-None-Match": "*",
                "If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT", "X": "y",
            ],
            body: method.isSafe ? nil : .init([1, 2])
        )
        for status in [301, 302, 307, 308] {
            let isFollowed = method.isSafe || status > 306
            let result = Result { try next(request, status, "/b") }
            guard isFollowed else {
                #expect(throws: RedirectRefusal.unsafeMethod(method, status: status)) {
                    try result.get()
                }
                continue
            }
            var moved = request
            moved.target = "/b"
            try expect(result.get(), equals: moved)
        }
        let other = try #require(try next(request, 303, "/b"))
        expect(other.method, equals: (method == .head ? .head : .get))
        expect(other.body, equals: nil)
        expect(other.headers["X"], equals: "y")
        if method != .head { expect(other.headers["Content-Type"], equals: nil) }
        let conditions = other.headers.map(\.name).filter { $0.hasPrefix("If-") }
        expect(conditions.count, equals: (method.isSafe ? 3 : 0))
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 400])
    func `other answers are no redirects`(status: Int) throws {
        try expect(next(HTTPRequest(.get, example, "/"), status, "/b"), equals: nil)
        try expect(next(HTTPRequest(.get, example, "/"), 302, nil), equals: nil)
    }

    @Test(arguments: [
        "https://evil.com/", "https://example.com:8443/", "//evil.com/",
        "https://example.com.evil.com/",
        "https://sub.example.com/",
    ])
    func `what may be secret does not go to another origin`(location: String) throws {
        let secret: HTTPHeaders = [
            "Authorization": "a", "cookie": "b", "Proxy-Authorization": "c", "X-API-Key": "d",
            "Host": "example.com", "Accept": "e/f", "User-Agent": "g",
        ]
        let request = HTTPRequest(.get, example, "/", headers: secret)
        let moved = try #require(try next(request, 302, location))
        expect(moved.headers, equals: ["Accept": "e/f", "User-Agent": "g"])
        expect(moved.origin != example)
    }

    @Test func `another origin is one of scheme, host and port`() throws {
        let signed: HTTPHeaders = ["Authorization": "a"]
        func kept(_ origin: String, _ location: String) throws -> Bool {
            try next(HTTPRequest(.get, origin, "/", headers: signed), 302, location)?.headers
                == signed
        }
        try expect(kept("https://example.com", "HTTPS://EXAMPLE.com:443/x"))
        try expect(kept("https://example.com:443", "https://example.com/x"))
        try expect(kept("https://[::1]:80", "https://[::1]:80/x"))
        try expect(!kept("https://[::1]:80", "https://[::1]:81/x"))
        try expect(!kept("http://example.com", "https://example.com/x"))
    }

    @Test func `https is not left`() {
        #expect(throws: RedirectRefusal.insecure) {
            try next(HTTPRequest(.get, example, "/"), 302, "http://example.com/")
        }
    }

    @Test func `what has an effect stays at its origin unless it is allowed to leave`() throws {
        let post = HTTPRequest(.post, example, "/", headers: ["Cookie": "a"], body: .init([1]))
        let policy = RedirectPolicy(followsToOtherOrigins: false)
        #expect(throws: RedirectRefusal.otherOrigin) { try next(post, 307, "https://b.com/") }
        #expect(throws: RedirectRefusal.otherOrigin) {
            try next(HTTPRequest(.get, example, "/"), 307, "https://b.com/", policy)
        }
        let allowed = RedirectPolicy(sendsToOtherOrigins: true)
        let moved = try next(post, 308, "https://b.com/c", allowed)
        expect(moved, equals: HTTPRequest(.post, "https://b.com", "/c", body: .init([1])))
    }
}
