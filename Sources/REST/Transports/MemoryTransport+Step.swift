public import ModelKitStores

extension MemoryTransport {
    /// Something that happens to one request.
    ///
    /// ```swift
    /// transport.script = [
    ///     .answer(HTTPResponse(status: 503, headers: ["Retry-After": "1"])),
    ///     .delay(.seconds(1), on: .get, at: "/people"),
    ///     .loseAnswer(.truncated),
    /// ]
    /// ```
    public struct Step: Sendable {
        enum Effect: Sendable {
            case fail(HTTPFailure)
            case answer(HTTPResponse)
            case loseAnswer(HTTPFailure.Reason)
            case duplicate
            case delay(Duration)
            case hold(Promise<Void>)
            case pass
        }

        let effect: Effect
        let method: HTTPMethod?
        let path: String?

        func fits(_ request: HTTPRequest) -> Bool {
            (method ?? request.method) == request.method
                && path.map { request.target.prefix { $0 != "?" } == $0 } ?? true
        }

        /// It fails, and the server gets nothing.
        ///
        /// - Parameters:
        ///   - reason: The reason.
        ///   - mayBeSent: Whether the one who sent it has to fear that it was got.
        ///   - method: What method it is for; nil for any.
        ///   - path: What path it is for, without the query; nil for any.
        /// - Returns: The step.
        public static func fail(
            _ reason: HTTPFailure.Reason,
            mayBeSent: Bool = false,
            on method: HTTPMethod? = nil,
            at path: String? = nil
        ) -> Step {
            let failure = HTTPFailure(reason, mayBeSent: mayBeSent)
            return Step(effect: .fail(failure), method: method, path: path)
        }

        /// It is answered by somebody on the way, and the server gets nothing.
        public static func answer(
            _ response: HTTPResponse,
            on method: HTTPMethod? = nil,
            at path: String? = nil
        ) -> Step {
            Step(effect: .answer(response), method: method, path: path)
        }

        /// The server does it, and it fails all the same: the answer does not come, or not as a whole.
        public static func loseAnswer(
            _ reason: HTTPFailure.Reason = .connectionLost,
            on method: HTTPMethod? = nil,
            at path: String? = nil
        ) -> Step {
            Step(effect: .loseAnswer(reason), method: method, path: path)
        }

        /// The server gets it twice, the second time when it has answered the first; the second answer
        /// counts.
        public static func duplicate(
            on method: HTTPMethod? = nil,
            at path: String? = nil
        ) -> Step {
            Step(effect: .duplicate, method: method, path: path)
        }

        /// The server gets it later.
        public static func delay(
            _ duration: Duration,
            on method: HTTPMethod? = nil,
            at path: String? = nil
        ) -> Step {
            Step(effect: .delay(duration), method: method, path: path)
        }

        /// The server gets it once a promise is fulfilled; if the promise fails, nothing arrives, and the
        /// connection is lost.
        public static func hold(
            until promise: Promise<Void>,
            on method: HTTPMethod? = nil,
            at path: String? = nil
        ) -> Step {
            Step(effect: .hold(promise), method: method, path: path)
        }

        /// It is done as if there were no script, so that a later step is for a later request.
        public static func pass(on method: HTTPMethod? = nil, at path: String? = nil) -> Step {
            Step(effect: .pass, method: method, path: path)
        }
    }
}
