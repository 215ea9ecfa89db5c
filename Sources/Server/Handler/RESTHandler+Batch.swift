import ModelKitModels
import ModelKitREST
import ModelKitStores
import ModelKitValues

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
            throw Problem(413, code: "tooLong", detail: "a batch may have \(limits.batch) writes")
        }
        var writes: [AskedWrite] = []
        for (index, element) in elements.enumerated() {
            do {
                var write = try write(element, request, "writes[\(index)]")
                try await authorize(&write)
                writes.append(write)
            } catch {
                var problem = problem(of: error)
                if problem.status >= 500 { throw error }
                problem.members["index"] = .int(Int64(index))
                throw problem
            }
        }
        return try await once(request) { [writes] in
            let made = writes.isEmpty ? [] : try await make(writes, isBatch: true)
            var body = Data(#"{"results":["#.utf8)
            for (index, made) in made.enumerated() {
                if index > 0 { body.append(UInt8(ascii: ",")) }
                append(made, to: &body)
            }
            body.append(contentsOf: "]}".utf8)
            return HTTPResponse(
                status: 200,
                headers: ["Content-Type": "application/json"],
                body: body
            )
        }
    }

    private func append(_ made: MadeAnswer, to body: inout Data) {
        let hidesAll = made.status == 200 && made.representation == nil
        body.append(contentsOf: "{\"status\":\(hidesAll ? 204 : made.status)".utf8)
        if let location = made.location.flatMap({ try? AttributeValue.string($0).jsonData() }) {
            body.append(contentsOf: ",\"location\":".utf8)
            body.append(location)
        }
        if let representation = made.representation {
            body.append(contentsOf: ",\"body\":".utf8)
            body.append(representation.json)
        }
        body.append(UInt8(ascii: "}"))
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
        guard let route = types.table.match(path), let type = types[route.schema] else {
            throw Problem(404, code: "noRoute", detail: "there is nothing at this path")
        }
        let isInstance = route.identifier != nil || type.isSingleton
        if isInstance == (method == .post) {
            throw Problem(405, code: "method", detail: "there is no \(method) at this path")
        }
        var object: AttributeDictionary = [:]
        switch members.removeValue(forKey: "body") {
        case .dictionary(let found)? where method != .delete: object = found
        case nil where method == .delete: break
        default: throw WireFailure("\(place).body", "must be an object, and not of a DELETE")
        }
        var single = HTTPRequest(method, path, headers: request.headers)
        single.headers["If-Match"] = try text("if-match")
        single.headers["If-None-Match"] = try text("if-none-match")
        var write = AskedWrite(
            ask: Ask(request: single, path: path, route: route, type: type),
            method: method,
            object: object,
            ifMatch: try single.tags("If-Match"),
            ifNoneMatch: try single.tags("If-None-Match")
        )
        if method == .put, let name = try text("on-conflict") {
            write.onConflict = try OnConflict(wire: name)
        }
        if let unknown = members.keys.min() {
            throw WireFailure("\(place).\(unknown)", "is no member of a write")
        }
        return write
    }
}
