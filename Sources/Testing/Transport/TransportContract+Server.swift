public import ModelKitREST
import ModelKitEssentials

extension TransportContract {
    /// What the server of the cases answers.
    ///
    /// - Returns: The answer; for the target `/slow` after half a minute.
    public static func answer(_ request: HTTPRequest) -> Promise<HTTPResponse> {
        let path = request.target.prefix { $0 != "?" }.split(separator: "/")
        switch (path.first, path.last.flatMap { Int($0) }) {
        case ("status", let status?): return .value(answer(status))
        case ("size", let count?):
            return .value(HTTPResponse(status: 200, body: Data(count: count)))
        case ("slow", _):
            return Promise.value(HTTPResponse.text(200, "slow")).delay(.seconds(30))
        default: return .value(echo(request))
        }
    }

    /// With what the fields of a response of this status mostly are, which a transport could act upon.
    private static func answer(_ status: Int) -> HTTPResponse {
        var answer = HTTPResponse.text(status, status == 204 || status == 304 ? "" : "\(status)")
        answer.headers["ETag"] = "\"1\""
        switch status {
        case 300..<400: answer.headers["Location"] = "/echo"
        case 401: answer.headers["WWW-Authenticate"] = "Basic realm=\"a\""
        case 503: answer.headers["Retry-After"] = "0"
        default: answer.headers["Set-Cookie"] = "a=b"
        }
        return answer
    }

    private static func echo(_ request: HTTPRequest) -> HTTPResponse {
        var answer = HTTPResponse(status: 200, body: request.body ?? Data())
        answer.headers["X-Method"] = "\(request.method)"
        answer.headers["X-Target"] = request.target
        answer.headers["Cache-Control"] = "max-age=100"
        answer.headers["ETag"] = "\"1\""
        for name in ["If-Match", "X-Value", "Cookie", "If-None-Match"] {
            answer.headers["X-Got-\(name)"] = request.headers[name]
        }
        return answer
    }
}

extension HTTPResponse {
    static func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, body: Data(text.utf8))
    }
}
