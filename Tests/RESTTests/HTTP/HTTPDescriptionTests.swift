import Foundation
import ModelKitREST
import TestSupport
import Testing

@Suite struct HTTPDescriptionTests {
    private let secret = "s3cret"

    private func texts(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), "\([value])", dumped]
    }

    @Test(arguments: [
        "Authorization", "cookie", "Set-Cookie", "PROXY-Authorization", "Idempotency-Key",
        "X-API-Key",
        "X-Auth-Token", "X-Amz-Signature",
    ])
    func `a field that may be secret is shown without its value`(name: String) {
        let headers = HTTPHeaders(dictionaryLiteral: ("Accept", "text/plain"), (name, secret))
        let request = HTTPRequest(.post, "https://a.example", "/", headers: headers)
        for text in texts(of: headers) + texts(of: request)
            + texts(of: HTTPResponse(status: 200, headers: headers))
        {
            expect(!text.contains(secret))
        }
        expect("\(headers)", equals: "[Accept: text/plain, \(name): (hidden)]")
    }

    @Test func `an address is shown without the values of its query`() {
        let target = "/people/7?token=\(secret)&page=\(secret)"
        let request = HTTPRequest(
            .get,
            "https://me:\(secret)@a.example",
            target,
            headers: ["Link": "<https://a.example\(target)>; rel=\"next\", <\(target)>"],
            body: Data(secret.utf8)
        )
        for text in texts(of: request) { expect(!text.contains(secret)) }
        expect(
            "\(request)",
            equals: """
                GET a.example/people/7?token=…&page=… \
                [Link: <https://a.example/people/7?token=…&page=…>; rel="next", \
                </people/7?token=…&page=…>], 6 bytes
                """
        )
        let response = HTTPResponse(status: 200, body: Data(secret.utf8))
        for text in texts(of: response) { expect(!text.contains(secret)) }
        expect("\(response)", equals: "200 [], 6 bytes")
    }

    @Test func `progress is a fraction that never shrinks and never passes one`() {
        let steps = [
            HTTPProgress(toSend: 10), HTTPProgress(sent: 4, toSend: 10),
            HTTPProgress(sent: 12, toSend: 10), HTTPProgress(sent: 10, toSend: 10, received: 3),
            HTTPProgress(sent: 10, toSend: 10, received: 3, toReceive: 6),
            HTTPProgress(sent: 10, toSend: 10, received: 9, toReceive: 6),
        ]
        expect(steps.map(\.fraction), equals: [0, 0.2, 0.5, 0.5, 0.75, 1])
        expect(HTTPProgress().fraction, equals: 0)
        expect(HTTPProgress(toReceive: 0).fraction, equals: 1)
    }
}
