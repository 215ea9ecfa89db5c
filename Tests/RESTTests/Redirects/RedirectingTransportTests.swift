import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct RedirectingTransportTests {
    private let get = HTTPRequest(.get, example, "/0")

    /// Leads from `/0` to `/1`, and so on, to the last, which is answered.
    private func chain(_ length: Int) -> ClosureTransport {
        ClosureTransport { request, number in
            number > length
                ? Outcome.status(200).promise
                : Outcome.status(302, ["Location": "/\(number)"]).promise
        }
    }

    @Test func `redirects are followed to the answer, and counted`() async throws {
        let base = chain(5)
        let reply = try await RedirectingTransport(base).reply(to: get, .patient).value
        expect(reply, equals: HTTPReply(HTTPResponse(status: 200), attempts: 6))
        expect(base.sent.all.map(\.target), equals: ["/0", "/1", "/2", "/3", "/4", "/5"])
    }

    @Test func `more than allowed are refused, and the failure says why`() async {
        let base = chain(6)
        let failure = await RedirectingTransport(base).send(get, .patient).httpFailure
        let why = RedirectRefusal.tooMany(limit: 5).description
        expect(failure, equals: HTTPFailure(.other(why), mayBeSent: false))
        expect(base.sent.count, equals: 6)
    }

    @Test func `a loop is refused when it closes`() async {
        let base = ClosureTransport { request, _ in
            Outcome.status(
                307,
                ["Location": request.target == "/0" ? "/1" : "HTTPS://Example.com/0"]
            )
            .promise
        }
        let failure = await RedirectingTransport(base).send(get, .patient).httpFailure
        expect(failure?.reason, equals: .other(RedirectRefusal.loop.description))
        expect(base.sent.count, equals: 2)
    }

    @Test func `a refusal says whether the request may have had its effect`() async {
        let post = HTTPRequest(.post, example, "/")
        func failure(_ status: Int) async -> HTTPFailure? {
            let base = ClosureTransport(.status(status, ["Location": "https://b.com"]))
            return await RedirectingTransport(base).send(post, .patient).httpFailure
        }
        let moved = RedirectRefusal.unsafeMethod(.post, status: 301).description
        await expect(failure(301), equals: HTTPFailure(.other(moved), mayBeSent: true))
        let elsewhere = RedirectRefusal.otherOrigin.description
        await expect(failure(307), equals: HTTPFailure(.other(elsewhere), mayBeSent: false))
    }

    @Test func `behind a 303 the request has had its effect, behind a 307 not`() async {
        func failure(_ status: Int) async -> HTTPFailure? {
            let base = ClosureTransport(
                .status(status, ["Location": "/1"]),
                .failed(.refused, mayBeSent: false)
            )
            let post = HTTPRequest(.post, example, "/")
            return await RedirectingTransport(base).send(post, .patient).httpFailure
        }
        await expect(failure(303), equals: HTTPFailure(.refused, mayBeSent: true))
        await expect(failure(307), equals: HTTPFailure(.refused, mayBeSent: false))
    }

    @Test func `credentials that were left behind do not come back`() async throws {
        let base = ClosureTransport(
            .status(302, ["Location": "https://b.com/"]),
            .status(302, ["Location": "\(example)/1"]),
            .status(200)
        )
        var signed = get
        signed.headers = ["Authorization": "a", "Accept": "b"]
        _ = try await RedirectingTransport(base).send(signed, .patient).value
        expect(base.sent.all.map { $0.headers["Authorization"] }, equals: ["a", nil, nil])
        expect(base.sent.all.map { $0.headers["Accept"] }, equals: ["b", "b", "b"])
    }

    @Test func `the deadline is that of all requests`() async throws {
        let clock = ManualClock()
        let base = ClosureTransport { _, number in
            clock.advance(by: .seconds(3))
            return Outcome.status(number < 3 ? 302 : 200, ["Location": "/\(number)"]).promise
        }
        let transport = RedirectingTransport(base, clock: clock)
        _ = try await transport.send(get, HTTPLimits(deadline: .seconds(5))).value
        expect(base.deadlines.all, equals: [.seconds(5), .seconds(2), .zero])
    }

    @Test func `cancelling stops the request that is under way`() {
        let stopped = Noted<Int>()
        let base = ClosureTransport { _, number in
            if number == 1 { return Outcome.status(302, ["Location": "/1"]).promise }
            let (promise, resolver) = Promise<HTTPResponse>.withResolvers()
            resolver.onCancel { [resolver] in
                stopped.note(number)
                _ = resolver
            }
            return promise
        }
        RedirectingTransport(base).send(get, .patient).cancel()
        expect(stopped.all, equals: [2])
    }
}
