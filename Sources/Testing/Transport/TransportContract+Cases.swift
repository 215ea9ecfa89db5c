import ModelKitREST
import ModelKitEssentials

extension TransportContract {
    /// All cases.
    public static let cases: [Case] = exchanges + ends

    private static let exchanges = [
        Case("a request arrives as it was asked for") { run in
            let target = "/echo/a%2Fb?q=%C3%A9&r=a+b"
            let headers: HTTPHeaders = ["If-Match": "\"0\"", "X-Value": "a, b"]
            let answer = try await run.send(.patch, target, headers: headers, body: "{}").value
            try run.expect(answer.status, 200, "the status")
            try run.expect(answer.headers["X-Method"], "PATCH", "the method")
            try run.expect(answer.headers["X-Target"], target, "the target")
            try run.expect(answer.headers["X-Got-If-Match"], "\"0\"", "If-Match")
            try run.expect(answer.headers["X-Got-X-Value"], "a, b", "X-Value")
            try run.expect(answer.body, Data("{}".utf8), "the body")
        },
        Case("every method is sent, without a body and with one") { run in
            let methods: [HTTPMethod] = [.get, .post, .put, .patch, .delete, .options]
            for method in methods {
                for body in method == .get ? [nil] : [nil, "", "a"] {
                    let answer = try await run.send(method, "/echo", body: body).value
                    try run.expect(answer.headers["X-Method"], "\(method)", "the method")
                    try run.expect(answer.body, Data((body ?? "").utf8), "the body of \(method)")
                }
            }
        },
        Case("an answer to HEAD has the fields alone") { run in
            let answer = try await run.send(.head, "/echo").value
            try run.expect(answer.headers["X-Method"], "HEAD", "the method")
            try run.expect(answer.body, Data(), "the body")
        },
        Case("an answer comes as it is, whatever its status, and no redirect is followed") { run in
            let statuses = [
                200, 201, 202, 204, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 409,
                412, 422, 429, 500, 502, 503,
            ]
            for status in statuses {
                let answer = try await run.send(.get, "/status/\(status)").value
                let body = status == 204 || status == 304 ? "" : "\(status)"
                try run.expect(answer.status, status, "the status")
                try run.expect(answer.headers["etag"], "\"1\"", "ETag of \(status)")
                try run.expect(answer.body, Data(body.utf8), "the body of \(status)")
            }
        },
        Case("nothing is kept from one request to the next") { run in
            _ = try await run.send(.get, "/status/200").value
            for value in ["1", "2"] {
                let answer = try await run.send(.get, "/echo", headers: ["X-Value": value]).value
                try run.expect(answer.headers["X-Got-X-Value"], value, "a second answer")
                try run.expect(answer.headers["X-Got-Cookie"], nil, "a cookie")
                try run.expect(answer.headers["X-Got-If-None-Match"], nil, "a validator")
            }
        },
        Case("requests that are under way at once get each its own answer") { run in
            let promises = (0..<40).map { number in
                (number, run.send(.post, "/echo/\(number)", body: "\(number)"))
            }
            for (number, promise) in promises {
                let answer = try await promise.value
                try run.expect(answer.body, Data("\(number)".utf8), "the body of \(number)")
                try run.expect(answer.headers["X-Target"], "/echo/\(number)", "the target")
            }
        },
    ]

    private static let ends = [
        Case("what cannot be sent is refused as not sent") { run in
            for target in ["", "people", "/a b", "/a/../b", "/%zz", "/a#b"] {
                let failure = try await run.failure(of: run.send(.get, target), "\(target)")
                try run.expect(failure.mayBeSent, false, "mayBeSent of \(target)")
                var isInvalid = false
                if case .invalidRequest = failure.reason { isInvalid = true }
                try run.expect(isInvalid, "\(target) is \(failure.reason), not .invalidRequest")
            }
        },
        Case("as many bytes as are allowed are received, and not one more") { run in
            let limits = HTTPLimits(deadline: nil, responseSize: 100_000)
            let answer = try await run.send(.get, "/size/100000", limits).value
            try run.expect(answer.body.count, 100_000, "the length")
            try await run.expect(
                .tooLarge(limit: 100_000),
                mayBeSent: true,
                from: run.send(.get, "/size/100001", limits)
            )
        },
        Case("the deadline is that of the whole exchange") { run in
            let limits = HTTPLimits(deadline: .milliseconds(200))
            // Without one it is answered, later. How long it takes is not measured: among thousands of tests this
            // task may go on only after a minute.
            let promise = run.send(.get, "/slow", limits)
            try await run.expect(.timedOut, mayBeSent: nil, from: promise)
        },
        Case("to cancel it ends it") { run in
            let promise = run.send(.post, "/slow", body: "a")
            promise.cancel()
            try await run.expect(.cancelled, mayBeSent: nil, from: promise)
        },
        Case("progress never goes back, and where it is reported, it ends with the end") { run in
            let seen = Guarded<[Int]>([])
            let limits = HTTPLimits(deadline: nil) { progress in
                seen.withLock { $0.append(progress.received) }
            }
            let answer = try await run.send(.get, "/size/300000", limits).value
            try run.expect(answer.body.count, 300_000, "the length")
            let received = seen.withLock { $0 }
            try run.expect(received, received.sorted(), "the progress")
            try run.expect(received.last ?? 300_000, 300_000, "the bytes at the end")
        },
    ]
}
