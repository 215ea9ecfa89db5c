import ModelKitStores

extension RemoteOperation {
    /// Makes several writes, or none of them.
    func perform(batch writes: [RecordWrite]) throws -> Promise<[RecordReceipt]> {
        guard dialect.isPlain else {
            throw StoreError.unsupported(
                "\(dialect.name) cannot be asked for \(writes.count) writes at once, all or none"
            )
        }
        let parts = try writes.map { try prepare($0) }
        var request = RemoteRequest(.post, router.batchPath, of: parts[0].schema)
        let prefix = RemotePlace(store.origin).path
        request.payload = ["writes": .array(parts.map { .dictionary($0.member(below: prefix)) })]
        return exchange(request).map { [self] answer in
            guard answer.isSuccess else { throw error(of: answer, in: parts) }
            guard case .array(let results)? = answer.response.value?.member(at: ["results"]),
                results.count == parts.count
            else { throw rubbish(answer, "no results of \(parts.count) writes") }
            return try zip(parts, results).map { part, result in
                try receipt(of: RemoteAnswer(to: part, result, answer), for: part)
            }
        }
    }

    /// Why a batch was refused, of which one write is the reason.
    private func error(of answer: RemoteAnswer, in parts: [RemoteWrite]) -> StoreError {
        var failed = parts[0]
        if case .int(let index)? = answer.response.value?.member(at: ["index"]),
            let number = Int(exactly: index), parts.indices.contains(number)
        {
            failed = parts[number]
        }
        return error(of: answer, to: failed, batch: parts.map(\.schema))
    }
}

extension RemoteWrite {
    /// The write as a batch has it.
    fileprivate func member(below prefix: String) -> AttributeDictionary {
        var member: AttributeDictionary = [
            "method": .string(request.method.rawValue), "path": .string(prefix + request.path),
        ]
        for parameter in request.parameters { member[parameter.name] = .string(parameter.value) }
        if let payload = request.payload { member["body"] = .dictionary(payload) }
        if let tag = request.ifMatch { member["if-match"] = .string(tag.description) }
        return member
    }
}

extension RemoteAnswer {
    /// The answer to one write of a batch.
    fileprivate init(to write: RemoteWrite, _ result: AttributeValue, _ answer: RemoteAnswer) {
        self = answer
        asked = write.request
        var http = HTTPResponse(status: 200)
        if case .dictionary(let members) = result {
            if case .int(let status)? = members["status"] { http.status = Int(status) }
            if let tag = members.text("etag") { http.headers["ETag"] = tag }
            if let location = members.text("location") { http.headers["Location"] = location }
            response.value = members["body"]
        }
        response.http = http
    }
}
