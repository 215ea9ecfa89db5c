import ModelKitModels
import ModelKitStores
import ModelKitEssentials

extension RemoteOperation {
    /// Where a request is sent.
    func place(of draft: RemoteRequest) -> (origin: String, target: String) {
        let (place, target) = (RemotePlace(store.origin), draft.target)
        let isWhole = draft.isFromRoot || place.path.isEmpty
        return (place.origin, isWhole ? target : place.path + target)
    }

    /// The request as it is sent.
    func request(_ draft: RemoteRequest) throws -> HTTPRequest {
        let (origin, target) = place(of: draft)
        let headers = store.defaultHeaders
        var request = HTTPRequest(draft.method, origin, target, headers: headers)
        request.headers.setDefault("Accept", "application/json, application/problem+json")
        if !draft.method.isSafe {
            request.headers.setDefault("Idempotency-Key", UUIDv7.make().quoted)
        }
        if let tag = draft.ifMatch { request.headers["If-Match"] = tag.description }
        if let payload = draft.payload { try add(payload, to: &request) }
        // Some servers refuse the type of what is not there.
        if request.body == nil { request.headers["Content-Type"] = nil }
        return request
    }

    private func add(_ payload: AttributeDictionary, to request: inout HTTPRequest) throws {
        switch store.encodingForMethod(request.method) {
        case .json:
            do {
                request.body = try AttributeValue.dictionary(payload).jsonData()
            } catch {
                throw StoreError.unsupported("what is to be sent is no JSON: \(error)")
            }
            let type = request.method == .patch ? dialect.patchContentType : "application/json"
            request.headers.setDefault("Content-Type", type)
        case .form:
            request.body = Data(try parameters(payload, of: request.method).utf8)
            request.headers.setDefault("Content-Type", "application/x-www-form-urlencoded")
        case .query:
            let query = try parameters(payload, of: request.method)
            request.target = RemoteRequest.join(request.target, query)
        }
    }

    private func parameters(_ payload: AttributeDictionary, of method: HTTPMethod) throws -> String
    {
        let encoder = store.parameterEncoder
        let text = try encoder.encodeParameters(payload)
        // A new model need not say what it has none of; one that is there would keep what it had.
        if method != .post, let path = encoder.unsaidPath(in: payload) {
            throw StoreError.unsupported("\(path) is empty, of which parameters say nothing")
        }
        return text
    }
}

extension ParameterEncoder {
    /// Where there is something that leaves nothing behind; nil if there is nothing of the kind.
    fileprivate func unsaidPath(in members: AttributeDictionary) -> String? {
        for (name, value) in members {
            if let path = unsaidPath(in: value) { return path.isEmpty ? name : "\(name).\(path)" }
        }
        return nil
    }

    // A lazy collection would ask what it finds twice, at each depth.
    private func unsaidPath(in elements: [AttributeValue]) -> String? {
        for value in elements {
            if let path = unsaidPath(in: value) { return path }
        }
        return nil
    }

    private func unsaidPath(in value: AttributeValue) -> String? {
        switch value {
        case .null: includeNullValues ? nil : ""
        case .array(let elements):
            elements.isEmpty ? "" : unsaidPath(in: elements)
        case .dictionary(let members): members.isEmpty ? "" : unsaidPath(in: members)
        default: nil
        }
    }
}

extension UUID {
    /// The text in small letters, between quotation marks.
    fileprivate var quoted: String {
        String(unsafeUninitializedCapacity: 38) { buffer in
            var count = 0
            func add(_ byte: UInt8) {
                buffer[count] = byte
                count += 1
            }
            func addDigit(_ value: UInt8) {
                add(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value)
            }
            add(UInt8(ascii: "\""))
            withUnsafeBytes(of: uuid) { bytes in
                for (index, byte) in bytes.enumerated() {
                    if [4, 6, 8, 10].contains(index) { add(UInt8(ascii: "-")) }
                    addDigit(byte >> 4)
                    addDigit(byte & 15)
                }
            }
            add(UInt8(ascii: "\""))
            return count
        }
    }
}
