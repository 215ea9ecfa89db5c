public import ModelKitFields
public import ModelKitModels
public import ModelKitREST
public import ModelKitStores
import ModelKitEssentials

/// The server half of REST: answers requests with the models of a store, and knows nothing of sockets.
///
/// ```swift
/// let store = try SQLiteModelStore(path: "contacts.db")
/// let handler = try RESTHandler(store, [Company.self, Employee.self])
/// let response = await handler.handle(HTTPRequest(.get, "/companies/10/employees?age[ge]=18"))
/// ```
///
/// Where models are is the router's business, and how they are written that of the context; the rules of
/// the models hold, and what breaks them is answered by field:
///
/// | request | answer |
/// |---|---|
/// | `POST /people` | 201 with `Location`, `ETag` and the model |
/// | `GET /people/7` | 200; 304 for an `If-None-Match` that holds; 404 |
/// | `GET /people?city=Rome&age[ge]=18&sort=name,-age&limit=50` | 200 with `items`, and `next` and `Link` where there are more; 304 for an `If-None-Match` that holds |
/// | `PATCH /people/7` | 200: members that are there set fields, null sets nil; 412 for an `If-Match` that does not hold |
/// | `PUT /people/7?on-conflict=fail` | 200 or 201: replaces or creates; 409 if there is one, `replace` by default, `merge` sets what is there |
/// | `DELETE /people/7` | 204: fields with `cascadeDelete: true` have theirs deleted with it |
/// | `POST /batch` | 200: all of its writes are made, or none |
///
/// The body of a PATCH is `application/json` or `application/merge-patch+json`; the value of a field is set as a
/// whole, also where it is an object.
///
/// A condition is `name=Ada`, or has a test in brackets: `eq`, `ne`, `lt`, `le`, `gt`, `ge`, `in` (with commas),
/// `null`, `contains` (of arrays), `prefix`, `suffix`, `substring`. Whatever else there is to ask can be said by
/// `filter`, as JSON: `filter={"or":[{"null":["age"]},{"has":["company",{"eq":["name","Acme"]}]}]}`. The names
/// `filter`, `sort`, `limit`, `after`, `subclasses` and `_count` are none of fields there.
///
/// Whatever goes wrong is a problem of RFC 9457; rules that are broken are its `issues`, by JSON Pointer, up to
/// a hundred of them. A write of somebody else that comes between is a 412 with what is `current` if the request has an
/// `If-Match`, and is none of its business otherwise: the write is tried again.
///
/// A request with an `Idempotency-Key` that is made twice is carried out once, as long as ``idempotency`` keeps its
/// key; by default that is a day at most, and until the process ends. What somebody may not see is in no answer: not
/// in lists, not in conflicts, and not by conditions on models of other types.
///
/// It is a value; to change a copy changes no other. Each request reads and writes records with models of its
/// own, so what it does to them, also in vain, is not seen in models that the app has of the same store.
public struct RESTHandler: Sendable {
    let records: any RecordStore
    let router: RESTRouter
    let types: ServedTypes
    /// Where the PUTs pass of what has no identifier in its path.
    let unnamed = AsyncSemaphore()
    /// What is taken at most.
    public var limits = RESTLimits()
    /// Is asked what a request may, before anything is done or read for it; all may everything by default.
    ///
    /// What it throws is answered by 500.
    public var authorize: (@Sendable (RESTAccess) async throws -> RESTPermission)?
    /// Whether a new model may have an identifier that its sender has made, in the body or in the path of a PUT;
    /// nil where all may.
    ///
    /// What may not is answered by 422, with an issue at the identifier. It is asked of requests that have one,
    /// once they are permitted. A given number may be any that is free, also in the place of one that the store
    /// would have made next; where identifiers are the server's alone to make, refuse them:
    ///
    /// ```swift
    /// handler.acceptsIdentifiers = { access in access.type != Company.self }
    /// ```
    public var acceptsIdentifiers: (@Sendable (RESTAccess) async throws -> Bool)?
    /// Returns whose request it is, as keys of repeated requests belong to somebody; by default its
    /// `Authorization` as it is.
    ///
    /// That is right only while somebody's `Authorization` stays the same, and is no secret to the store of
    /// the keys. Where tokens are renewed, a repetition with a new one is carried out anew; where users come
    /// by cookies, all of them are one, and share their keys. In both cases, give the name of the account
    /// that `authorize` knows:
    ///
    /// ```swift
    /// handler.principal = { request in try await users.user(of: request)?.id ?? "" }
    /// ```
    public var principal: @Sendable (HTTPRequest) async throws -> String = {
        $0.headers["Authorization"] ?? ""
    }
    /// Where the answers to requests with an `Idempotency-Key` are kept; nil to ignore such keys.
    ///
    /// The default forgets with the process, after a day, and the oldest ones where there are more than 10 000. Where
    /// nothing may be carried out twice all the same, give it a store of your own that keeps them as long as clients
    /// may repeat.
    public var idempotency: (any IdempotencyStore)? = MemoryIdempotencyStore()
    /// Called with each failure whose reason the answer does not have.
    public var failed: (@Sendable (RESTFailure) -> Void)?

    /// - Parameters:
    ///   - store: Where the models are. One that is no `RecordModelStore` has no revisions: these are made of
    ///     the values, and only lists with a `sort` have pages. What it gives is answered as it is: if that is a
    ///     model of the app, so are edits that were never written. Give the handler one that nothing else uses.
    ///   - types: The types of models that there are to the outside.
    ///   - router: Where they are; later changes of it do not count.
    ///   - context: How they are written.
    /// - Throws: `.schema` for a type without an identifier, and for one with a field that is called `_meta`,
    ///   which is where answers have the revision.
    public init(
        _ store: any ModelStore,
        _ types: [any Model.Type],
        router: RESTRouter = RESTRouter(),
        context: ValueTransformerContext = .default
    ) throws(StoreError) {
        records = (store as? any RecordModelStore)?.records ?? ModelRecords(store: store)
        self.router = router
        self.types = try ServedTypes(types, router, context)
    }

    /// Answers a request: always, and by a problem if anything is wrong.
    ///
    /// If the task is cancelled, what has not begun is not done.
    public func handle(_ request: HTTPRequest) async -> HTTPResponse {
        var response: HTTPResponse
        do {
            response = try await answer(request)
        } catch {
            let problem = problem(of: error)
            response = HTTPResponse(problem)
            if problem.status >= 500, let failed {
                failed(RESTFailure(request: request, status: problem.status, error: error))
            }
        }
        if request.method == .head { response.body = Data() }
        return response
    }

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        try check(request)
        guard let ask = ask(request) else {
            if types.isBatch(request.path) { return try await answerBatch(request) }
            throw Problem.noRoute
        }
        let isInstance = ask.isInstance
        switch request.method {
        case .get, .head:
            return isInstance ? try await answerInstance(ask) : try await answerList(ask)
        case .post where !isInstance, .patch where isInstance, .put where isInstance,
            .delete where isInstance:
            return try await answerWrite(ask)
        case .options:
            let patch = isInstance ? Self.patchTypes.joined(separator: ", ") : nil
            var response = HTTPResponse(status: 204, headers: ["Allow": allow(isInstance)])
            response.headers["Accept-Patch"] = patch
            return response
        default: throw Problem.notAllowed(allow(isInstance))
        }
    }

    /// What the path of a request leads to; nil for nothing.
    func ask(_ request: HTTPRequest) -> Ask? {
        guard let route = types.table.match(request.target), let type = types[route.schema] else {
            return nil
        }
        return Ask(request: request, route: route, type: type)
    }

    private func allow(_ isInstance: Bool) -> String {
        isInstance ? "GET, HEAD, PATCH, PUT, DELETE, OPTIONS" : "GET, HEAD, POST, OPTIONS"
    }

    private func check(_ request: HTTPRequest) throws {
        if request.target.utf8.count > limits.target {
            throw Problem.tooLong("the target may have \(limits.target) bytes", status: 414)
        }
        let size = request.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        if size > limits.headers {
            throw Problem.tooLong("the head may have \(limits.headers) bytes", status: 431)
        }
        if request.body?.count ?? 0 > limits.body {
            throw Problem.tooLong("the body may have \(limits.body) bytes")
        }
    }

    func problem(of error: any Error) -> Problem {
        switch error {
        case let problem as Problem: problem
        case let failure as WireFailure:
            Problem(400, code: "request", detail: "\(failure.place): \(failure.message)")
        case let error as ParameterError:
            Problem(400, code: "request", detail: error.description)
        case let error as StoreError: types.problems.problem(of: error)
        case is CancellationError: types.problems.problem(of: .cancelled(.unknown))
        default: Problem(500, code: "internal")
        }
    }
}

extension RESTHandler: HTTPTransport {
    /// Answers a request in memory, so that a client needs no socket.
    public func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
        MemoryTransport { request in Promise { await self.handle(request) } }.send(request, limits)
    }
}

/// A request, and what its path leads to.
struct Ask: Sendable {
    var request: HTTPRequest
    let route: Route
    let type: ServedType

    var isInstance: Bool { route.identifier != nil || type.isSingleton }

    /// What somebody wants, of what the path leads to or of something else on its way.
    func access(_ action: RESTAction, at other: Route? = nil) -> RESTAccess {
        let route = other ?? route
        return RESTAccess(
            request: request,
            action: action,
            type: Swift.type(of: route.schema.prototype),
            identifier: route.identifier,
            owners: route.owners
        )
    }
}

extension HTTPRequest {
    /// The target without its query.
    var path: String { String(target.unicodeScalars.prefix { $0 != "?" }) }
}

extension Problem {
    static let noRoute = Problem(404, code: "noRoute", detail: "there is nothing at this path")

    static let forbidden = Problem(403, code: "forbidden")

    static func notAllowed(_ methods: String) -> Problem {
        let detail = "there is only \(methods) here"
        return Problem(405, code: "method", detail: detail, headers: ["Allow": methods])
    }

    static func tooLong(_ detail: String, status: Int = 413) -> Problem {
        Problem(status, code: "tooLong", detail: detail)
    }
}

extension HTTPResponse {
    /// What was asked for, as JSON.
    init(json: Data, tag: EntityTag? = nil) {
        self.init(status: 200, headers: ["Content-Type": "application/json"], body: json)
        if let tag { headers.add("ETag", tag.description) }
    }

    /// The answer to a batch, of those to its writes.
    init(results: [HTTPResponse]) {
        self.init(json: Data(listing: results.map(\.asMember), as: "results"))
    }

    init(_ problem: Problem) {
        // The members are values that JSON can say.
        let body = (try? AttributeValue.dictionary(problem.object).jsonData()) ?? Data()
        self.init(status: problem.status, headers: problem.headers, body: body)
        headers["Content-Type"] = Problem.mediaType
        headers["Cache-Control"] = "no-store"
    }

    /// The answer to one write of a batch, as JSON.
    fileprivate var asMember: Data {
        var json = Data("{\"status\":\(status)".utf8)
        if let location = headers["Location"].flatMap({ try? AttributeValue.string($0).jsonData() })
        {
            json.append(contentsOf: ",\"location\":".utf8)
            json.append(location)
        }
        if !body.isEmpty {
            json.append(contentsOf: ",\"body\":".utf8)
            json.append(body)
        }
        json.append(UInt8(ascii: "}"))
        return json
    }
}

extension Data {
    /// The JSON of an object with a list, and with more members after it.
    init(listing items: [Data], as name: String, _ more: String = "") {
        self.init("{\"\(name)\":[".utf8)
        for (index, item) in items.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(item)
        }
        append(contentsOf: "]\(more)}".utf8)
    }
}
