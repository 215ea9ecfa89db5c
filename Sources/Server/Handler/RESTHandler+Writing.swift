import ModelKitModels
import ModelKitREST
import ModelKitStores
import ModelKitEssentials

/// A write that a request asks for.
struct AskedWrite: Sendable {
    let ask: Ask
    /// What is to be set; empty for a deletion.
    let object: AttributeDictionary
    let ifMatch: EntityTags?
    let ifNoneMatch: EntityTags?
    let onConflict: OnConflict
    /// Its place in a batch; nil if it is none of one.
    var index: AttributeValue?
    /// What may be done, or why not.
    var permits: [RESTAction: Result<Permit, Problem>] = [:]
    /// What nobody else has of the models of it.
    let models = ScratchModels()

    init(_ ask: Ask, _ object: AttributeDictionary, onConflict name: String?) throws {
        self.ask = ask
        self.object = object
        ifMatch = try ask.request.tags("If-Match")
        ifNoneMatch = try ask.request.tags("If-None-Match")
        onConflict = try name.map(OnConflict.init(wire:)) ?? .replace
    }

    var method: HTTPMethod { ask.request.method }

    /// What it may come to, of which a PUT needs one of two.
    var actions: [RESTAction] {
        switch method {
        case .post: [.create]
        case .patch: [.update]
        case .delete: [.delete]
        default: [.update, .create]
        }
    }

    func permit(_ action: RESTAction) throws -> Permit { try permits[action]?.get() ?? Permit() }
}

extension RESTHandler {
    /// Answers a write of one model.
    func answerWrite(_ ask: Ask) async throws -> HTTPResponse {
        let request = ask.request
        let parameters = try parameters(of: request)
        try parameters.check(only: request.method == .put ? ["on-conflict"] : [])
        let object = request.method == .delete ? [:] : try object(of: request)
        var write = try AskedWrite(ask, object, onConflict: parameters["on-conflict"])
        try await authorize(&write)
        return try await once(request) { [write] in try await make([write])[0] }
    }

    /// Asks what a write may do.
    func authorize(_ write: inout AskedWrite) async throws {
        for action in write.actions {
            do {
                write.permits[action] = .success(try await permit(action, write.ask))
            } catch let problem as Problem {
                write.permits[action] = .failure(problem)
            }
        }
        for action in write.actions where (try? write.permit(action)) != nil { return }
        _ = try write.permit(write.actions[0])
    }

    /// Makes writes, all or none; where somebody else's comes between, of whom nothing was said, again.
    func make(_ writes: [AskedWrite]) async throws -> [HTTPResponse] {
        // Which no store keeps from being made twice, if there is none yet.
        let hasUnnamed = writes.contains {
            $0.method == .put && ($0.ask.route.identifier == nil || $0.ask.type.pathKey != nil)
        }
        guard hasUnnamed else { return try await repeating(writes) }
        return try await unnamed.pass { try await repeating(writes) }
    }

    private func repeating(_ writes: [AskedWrite]) async throws -> [HTTPResponse] {
        for _ in 0..<100 {
            do {
                return try await attempt(writes)
            } catch is Superseded {
                continue
            }
        }
        throw StoreError.unavailable("others write the same all the time", .notApplied)
    }

    /// That another write came between.
    private struct Superseded: Error {}

    private func attempt(_ writes: [AskedWrite]) async throws -> [HTTPResponse] {
        var prepared: [PreparedAnswer] = []
        var issues: [AttributeValue] = []
        for write in writes {
            do {
                prepared.append(try await prepare(write))
            } catch let error as ImportError {
                issues += error.issues.prefix(Problem.mostIssues - issues.count).map { issue in
                    var members = ProblemCoder.object(of: issue, at: issue.path)
                    members["index"] = write.index
                    return .dictionary(members)
                }
            } catch {
                throw write.index.map { failure(error, at: $0) } ?? error
            }
        }
        let isBatch = writes[0].index != nil
        if !issues.isEmpty {
            var problem = Problem(422, code: "validation")
            if !isBatch { problem.members["model"] = .string(writes[0].ask.route.schema.name) }
            problem.members["issues"] = .array(issues)
            throw problem
        }
        let records: [Record?]
        do {
            try checkOnce(prepared)
            let writes = prepared.map { ($0.write, $0.session) }
            records = try await self.records.perform(writes, isBatch: isBatch)
        } catch let error as StoreError {
            throw try await self.error(error, prepared, writes, isBatch: isBatch)
        }
        var answers: [HTTPResponse] = []
        for index in writes.indices {
            answers.append(await answer(prepared[index], records[index], writes[index].ask))
        }
        return answers
    }

    /// Throws where a record is to be written twice.
    private func checkOnce(_ prepared: [PreparedAnswer]) throws(StoreError) {
        var seen: [ObjectIdentifier: Set<Identifier>] = [:]
        for prepared in prepared where prepared.status != 201 {
            let schema = type(of: prepared.model).schema
            guard let identifier = prepared.model.identifier else { continue }
            if !seen[schema.type, default: []].insert(identifier).inserted {
                throw .unsupported("the same \(schema.name) is to be written twice at once")
            }
        }
    }

    /// The answer to a prepared write that was made: whatever fails now takes away its representation alone.
    private func answer(
        _ prepared: PreparedAnswer,
        _ record: Record?,
        _ ask: Ask
    ) async -> HTTPResponse {
        var response = HTTPResponse(status: prepared.status)
        guard response.status != 204, let record else { return HTTPResponse(status: 204) }
        let found = FoundRecord(schema: type(of: prepared.model).schema, record: record)
        // What is new is what was sent, with what the rules of its type have made of that.
        var isSeen = response.status == 201
        if isSeen {
            var route = ask.route
            route.identifier = ask.type.pathIdentifier(of: record)
            if ask.type.isSingleton || route.identifier != nil {
                response.headers["Location"] = try? router.path(of: route)
            }
        }
        do {
            if !isSeen { isSeen = try await maySee(found, ask, in: prepared.owner) }
            if isSeen {
                response.body = try json(of: found, below: ask.route.schema)
                response.headers["Content-Type"] = "application/json"
                response.headers["ETag"] = EntityTag(revision: record.revision).description
            }
        } catch {
            failed?(RESTFailure(request: ask.request, status: prepared.status, error: error))
        }
        if response.status == 200, response.body.isEmpty { response.status = 204 }
        return response
    }

    /// The error of a write, as far as whoever sent it may know it.
    private func error(
        _ error: StoreError,
        _ prepared: [PreparedAnswer],
        _ writes: [AskedWrite],
        isBatch: Bool
    ) async throws -> any Error {
        let schemas = prepared.map { type(of: $0.model).schema }
        func index(_ type: String, _ identifier: Identifier) -> Int? {
            prepared.indices.first {
                schemas[$0].name == type && prepared[$0].model.identifier == identifier
            }
        }
        var problem: Problem
        var place: Int?
        switch error {
        case .conflict: return Superseded()
        // What is only created is not found by a server elsewhere, and no more so the next time.
        case .notFound where prepared.contains { $0.status != 201 }: return Superseded()
        case .validation(let issues) where !isBatch:
            // All of them are of the only write.
            let own = issues.map { issue in
                var issue = issue
                // What a store of models adds; hooks and servers may not.
                if issue.path.components.first == .index(0) {
                    issue.path.components.removeFirst()
                }
                return issue
            }
            return types.problems.problem(of: .validation(own), of: schemas[0])
        case .validation: return types.problems.problem(of: error, batch: schemas)
        case .alreadyExists(let type, let identifier, let field):
            place = isBatch ? index(type, identifier) : 0
            if let place, writes[place].method == .put, writes[place].onConflict != .fail,
                field == nil
                    ? prepared[place].model.identifier == identifier
                    : field == writes[place].ask.type.pathKey,
                try await isThere(writes[place])
            {
                return Superseded()
            }
            problem = types.problems.problem(of: error)
            guard let field, let schema = schemas.first(where: { $0.name == type }) else { break }
            let other = try await records.record(identifier, of: schema).value
            if let value = other?[field] {
                // It is the identifier of the record that has the value.
                place = prepared.indices.first {
                    schemas[$0] === schema
                        && types.problems.coder(schema).values(of: prepared[$0].model)[field]
                            == value
                }
            }
            // Who has the value is nobody's business who may not see it.
            var isSeen = authorize == nil
            if !isSeen, let other {
                let found = FoundRecord(schema: schema, record: other)
                let ask = writes[place ?? 0].ask
                isSeen = try await maySee(found, ask, in: nil, isOther: true)
            }
            if !isSeen { problem.members["identifier"] = nil }
        default:
            problem = types.problems.problem(of: error)
            if problem.status >= 500 { return error }
        }
        if isBatch, let place { problem.members["index"] = .int(Int64(place)) }
        return problem
    }

    /// Whether there is by now what a PUT was to create, and not somebody else's.
    private func isThere(_ write: AskedWrite) async throws -> Bool {
        let owner = try await owner(write.ask)
        let permit = (try? write.permit(.update)) ?? Permit()
        return try await find(write.ask.route, in: owner, permit) != nil
    }

    /// What the body of a PATCH may be: as most clients call it, or as RFC 7396 does.
    static let patchTypes = ["application/json", "application/merge-patch+json"]

    /// The JSON object of a body.
    func object(of request: HTTPRequest) throws -> AttributeDictionary {
        if let type = request.headers["Content-Type"] {
            let parts = type.lowercased().split(separator: ";").map { part in
                String(part.filter { $0 != " " && $0 != "\t" && $0 != "\"" })
            }
            let isText = parts.dropFirst().allSatisfy {
                !$0.hasPrefix("charset=") || $0 == "charset=utf-8"
            }
            let isPatch = request.method == .patch
            let types = isPatch ? Self.patchTypes : ["application/json"]
            guard isText, let type = parts.first, types.contains(type) else {
                let header = isPatch ? "Accept-Patch" : "Accept-Post"
                throw Problem(
                    415,
                    code: "mediaType",
                    detail: "the body must be \(types.joined(separator: " or ")) in UTF-8",
                    headers: [header: types.joined(separator: ", ")]
                )
            }
        }
        if let coding = request.headers["Content-Encoding"], coding.lowercased() != "identity" {
            throw Problem(415, code: "mediaType", detail: "the body must not be compressed")
        }
        let options = JSONOptions(maximumDepth: limits.depth, duplicateKeys: .refused)
        if let body = request.body, body.hasMoreValues(than: limits.values) {
            throw Problem.tooLong("a body may have \(limits.values) values")
        }
        do {
            let json = try AttributeValue(json: request.body ?? Data(), options: options)
            guard case .dictionary(let object) = json else {
                throw WireFailure("body", "must be an object, not \(json.kind)")
            }
            return object
        } catch let error as ImportError {
            throw WireFailure("body", error.issues.map(\.description).joined(separator: "; "))
        }
    }
}

extension Data {
    /// Whether a JSON text has more values than so many: roughly, as it is not looked at as JSON.
    fileprivate func hasMoreValues(than limit: Int) -> Bool {
        // Each has a byte.
        guard count > limit else { return false }
        return withUnsafeBytes { bytes in
            var (found, isInText, isEscaped) = (1, false, false)
            for byte in bytes {
                switch byte {
                case _ where isEscaped: isEscaped = false
                case UInt8(ascii: "\\"): isEscaped = isInText
                case UInt8(ascii: "\""): isInText.toggle()
                case _ where isInText: break
                case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): found += 1
                default: break
                }
            }
            return found > limit
        }
    }
}
