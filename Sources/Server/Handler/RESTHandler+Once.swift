import ModelKitREST
import ModelKitStores

extension RESTHandler {
    /// Carries a request out, or gives the answer that it had before if it is a repetition.
    func once(
        _ request: HTTPRequest,
        _ body: @escaping @Sendable () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard let idempotency, let header = request.headers["Idempotency-Key"] else {
            return try await body()
        }
        guard let value = Self.key(header) else {
            throw WireFailure("Idempotency-Key", "must be a text of at most 255 characters")
        }
        let key = IdempotencyKey(principal: try await principal(request), value: value)
        switch try await idempotency.begin(key, fingerprint: request.fingerprint) {
        case .new: break
        case .underWay:
            let text = "the first request is under way"
            throw Problem(409, code: "idempotency", detail: text, headers: ["Retry-After": "1"])
        case .mismatch:
            throw Problem(422, code: "idempotency", detail: "the key was another request's")
        case .full:
            var problem = Problem(503, code: "unavailable", headers: ["Retry-After": "1"])
            problem.members["outcome"] = .string(Outcome.notApplied.name)
            throw problem
        case .answered(var response):
            response.headers["Idempotent-Replayed"] = "true"
            return response
        }
        // Whether anybody waits for it or not: a repetition has to know how it ended.
        let work = Task {
            let result: Result<HTTPResponse, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            do {
                try await idempotency.end(key, with: kept(result))
            } catch {
                // The request stays one that is under way, which nobody makes anew.
                let status =
                    switch result {
                    case .success(let response): response.status
                    case .failure(let error): problem(of: error).status
                    }
                failed?(RESTFailure(request: request, status: status, error: error))
            }
            return try result.get()
        }
        return try await work.value
    }

    /// The answer that repetitions get; nil if nothing was done, so that it may be tried anew.
    private func kept(_ result: Result<HTTPResponse, any Error>) -> HTTPResponse? {
        switch result {
        case .success(let response): return response
        case .failure(let error):
            let problem = problem(of: error)
            // Whatever else is thrown comes from before the write, as stores fail with their own errors.
            let mayBeDone =
                error is CancellationError
                || (error as? StoreError).map { $0.outcome != .notApplied } ?? false
            return problem.status < 500 || mayBeDone ? HTTPResponse(problem) : nil
        }
    }

    /// The key of a header: a string of structured fields (RFC 9651), or the same without quotes.
    private static func key(_ header: String) -> String? {
        var bytes = Array(header.utf8)
        if bytes.first == UInt8(ascii: "\"") {
            guard bytes.count > 1, bytes.last == UInt8(ascii: "\"") else { return nil }
            bytes = Array(bytes.dropFirst().dropLast())
        }
        guard 1...255 ~= bytes.count,
            bytes.allSatisfy({ 0x20...0x7E ~= $0 && $0 != UInt8(ascii: "\"") })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension HTTPRequest {
    /// A number that other requests hardly have: FNV-1a of 64 bits, the same in every process.
    fileprivate var fingerprint: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            // An end that no UTF-8 has.
            hash = (hash ^ 0xFF) &* 0x100_0000_01b3
        }
        add(method.rawValue.utf8)
        add(target.utf8)
        add((headers["If-Match"] ?? "").utf8)
        add((headers["If-None-Match"] ?? "").utf8)
        if let body { add(body) } else { add([]) }
        return hash
    }
}
