import ModelKitREST

extension RESTHandler {
    /// Answers a batch of writes, which are all made, or none.
    func answerBatch(_ request: HTTPRequest) async throws -> HTTPResponse {
        if request.method == .options {
            return HTTPResponse(status: 204, headers: ["Allow": "POST, OPTIONS"])
        }
        guard request.method == .post else { throw Problem.notAllowed("POST, OPTIONS") }
        try parameters(of: request).check(only: [])
        let object = try object(of: request)
        guard case .array(let elements)? = object["writes"], object.count == 1 else {
            throw WireFailure("body", "must have an array writes, and nothing else")
        }
        guard elements.count <= limits.batch else {
            throw Problem.tooLong("a batch may have \(limits.batch) writes")
        }
        var writes: [AskedWrite] = []
        for (index, element) in elements.enumerated() {
            do {
                var write = try write(element, request, "writes[\(index)]")
                write.index = .int(Int64(index))
                try await authorize(&write)
                writes.append(write)
            } catch {
                throw failure(error, at: .int(Int64(index)))
            }
        }
        // Nobody has permitted it, so that it takes no place among the answers that are kept.
        if writes.isEmpty, authorize != nil { return HTTPResponse(results: []) }
        return try await once(request) { [writes] in
            let made = writes.isEmpty ? [] : try await make(writes)
            return HTTPResponse(results: made)
        }
    }

    /// What a batch fails with, for an error that is about one of its writes.
    func failure(_ error: any Error, at index: AttributeValue) -> any Error {
        var problem = problem(of: error)
        if problem.status >= 500 { return error }
        problem.members["index"] = index
        return problem
    }

    private func write(
        _ element: AttributeValue,
        _ request: HTTPRequest,
        _ place: String
    ) throws -> AskedWrite {
        guard case .dictionary(var members) = element else {
            throw WireFailure(place, "must be an object")
        }
        func text(_ name: String) throws(WireFailure) -> String? {
            switch members.removeValue(forKey: name) {
            case nil: return nil
            case .string(let text)?: return text
            default: throw WireFailure("\(place).\(name)", "must be a text")
            }
        }
        guard let name = try text("method"), ["POST", "PATCH", "PUT", "DELETE"].contains(name)
        else { throw WireFailure("\(place).method", "must be POST, PATCH, PUT or DELETE") }
        let method = HTTPMethod(rawValue: name)
        guard let path = try text("path"), !path.utf8.contains(UInt8(ascii: "?")) else {
            throw WireFailure("\(place).path", "must be a path without a query")
        }
        guard var ask = ask(HTTPRequest(method, path, headers: request.headers)) else {
            throw Problem.noRoute
        }
        if ask.isInstance == (method == .post) {
            throw Problem(405, code: "method", detail: "there is no \(method) at this path")
        }
        ask.request.headers["If-Match"] = try text("if-match")
        ask.request.headers["If-None-Match"] = try text("if-none-match")
        var object: AttributeDictionary = [:]
        switch members.removeValue(forKey: "body") {
        case .dictionary(let found)? where method != .delete: object = found
        case nil where method == .delete: break
        default: throw WireFailure("\(place).body", "must be an object, and not of a DELETE")
        }
        let onConflict = method == .put ? try text("on-conflict") : nil
        if let unknown = members.keys.min() {
            throw WireFailure("\(place).\(unknown)", "is no member of a write")
        }
        return try AskedWrite(ask, object, onConflict: onConflict)
    }
}
