import ModelKitFields
import ModelKitModels
import ModelKitStores

extension RemoteOperation {
    /// The records of a collection that a query asks for.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - schema: The type of the records.
    ///   - path: The path of the collection.
    ///   - others: Values of fields that the server does not send, as the path says them.
    /// - Returns: The records.
    /// - Throws: What cannot be asked for.
    func fetch(
        _ query: RecordQuery,
        of schema: ModelSchema,
        at path: String,
        others: [FieldKey: AttributeValue] = [:]
    ) throws -> Promise<[Record]> {
        _ = try schema.identity()
        try query.check(of: schema)
        if let limit = query.limit, limit < 1 { return .value([]) }
        let listing = listing(query, schema)
        var request = try self.request(listing, at: path)
        var skipped = 0
        if !dialect.tellsCursors {
            request.parameters += dialect.pagination.first(query.limit)
            if let after = query.after {
                guard let skipping = dialect.pagination.skipping,
                    let count = Int(exactly: after.place), count > 0
                else { throw listing.refusal(of: "what comes after a page") }
                skipped = count
                request.parameters.replace(with: skipping(count))
            }
        }
        let list = RemoteList(schema: schema, limit: query.limit, others: others, skipped: skipped)
        return part(request, of: list)
    }

    /// A part of a list that a server goes on with in its own way, and where it does.
    func page(
        _ query: RecordQuery,
        of schema: ModelSchema,
        at path: String
    ) throws -> Promise<RecordPage> {
        _ = try schema.identity()
        try query.check(of: schema)
        let listing = listing(query, schema)
        guard schema.subclasses.isEmpty else {
            throw listing.refusal(of: "pages of \(schema.name), which has subclasses")
        }
        var request = try self.request(listing, at: path)
        let own = request.parameters
        let list = RemoteList(schema: schema, limit: query.limit, others: [:], skipped: 0)
        list.isPage = true
        if let after = query.after {
            let mark = try RemoteMark(after, at: RemotePlace(store.origin).origin)
            if let target = mark.target {
                (request.path, request.isFromRoot, request.parameters) = (target, true, [])
            }
            request.parameters.replace(with: mark.parameters)
            (list.received, list.parts, list.dropped) = (mark.before, mark.number, mark.dropped)
        } else {
            request.parameters += dialect.pagination.first(query.limit)
        }
        list.asked.insert(request.target(request.parameters))
        return part(request, of: list).map { records in
            let next = list.rest.map { $0.cursor(in: query, of: schema, without: own) }
            return RecordPage(records: records, next: next)
        }
    }

    private func listing(_ query: RecordQuery, _ schema: ModelSchema) -> RESTListing {
        RESTListing(schema: schema, query: query, context: context, dialect: dialect.name)
    }

    /// The request for a list, but for how it is paged.
    private func request(_ listing: RESTListing, at path: String) throws -> RemoteRequest {
        var request = RemoteRequest(.get, path)
        request.parameters = try dialect.query(listing)
        request.parameters += dialect.readParameters(type(of: listing.schema.prototype))
        if isExact(listing.schema) { request.parameters.append(.exact) }
        return request
    }

    /// Whether the server has to be told that those of subclasses are asked for by themselves.
    func isExact(_ schema: ModelSchema) -> Bool { dialect.isPlain && !schema.subclasses.isEmpty }

    /// Asks for a part of a list, and then for the next one.
    private func part(_ request: RemoteRequest, of list: RemoteList) -> Promise<[Record]> {
        let asked = state.next()
        return exchange(request).then { [self] answer in
            // Some servers say so where the numbers of their pages end.
            if answer.status == 404, list.parts > 0, dialect.pagination.endsWithNotFound {
                return .value(list.records)
            }
            guard answer.isSuccess else { throw error(of: answer, list.schema, nil) }
            let count = try add(answer, to: list, asked: asked)
            let page = RESTPage(
                response: answer.response,
                count: count,
                before: list.skipped + list.received,
                number: list.parts + 1
            )
            if list.isFull {
                if list.isPage { list.rest = try rest(of: page, request, answer, list) }
                return .value(list.records)
            }
            list.received += count
            list.parts += 1
            guard let next = try dialect.pagination.next(page) else { return .value(list.records) }
            return part(try following(next, request, answer, list), of: list)
        }
    }

    /// Where a list goes on after what was taken of a part; nil at its end.
    private func rest(
        of page: RESTPage,
        _ request: RemoteRequest,
        _ answer: RemoteAnswer,
        _ list: RemoteList
    ) throws -> RemoteMark? {
        if list.taken < page.count {
            return RemoteMark(request, before: page.before, number: list.parts, dropped: list.taken)
        }
        guard let next = try dialect.pagination.next(page) else { return nil }
        return RemoteMark(
            try following(next, request, answer, list),
            before: page.before + page.count,
            number: page.number
        )
    }

    /// Adds the records of an answer to a list up to its limit; returns how many the answer has.
    private func add(
        _ answer: RemoteAnswer,
        to list: RemoteList,
        asked: Int64
    ) throws -> Int {
        let listed = answer.response.value.map { value in
            dialect.envelope.items(of: value, list.schema, context, status: answer.status)
        }
        // Without content, there are none.
        guard let items = listed ?? (answer.status == 204 ? [] : nil) else {
            throw rubbish(answer, "no list of \(list.schema.name)")
        }
        let before = list.records.count
        var identifiers: [Identifier] = []
        let dropped = min(list.dropped, items.count)
        (list.dropped, list.taken) = (0, dropped)
        for (index, item) in items.enumerated().dropFirst(dropped) {
            if list.isFull { break }
            list.taken = index + 1
            let place = list.skipped + list.received + index
            guard case .dictionary(let object) = item else {
                throw rubbish(answer, "something else than a \(list.schema.name) at \(place)")
            }
            guard
                var record = try record(
                    of: object,
                    list.schema,
                    nil,
                    revision: asked,
                    others: list.others
                )
            else { continue }
            if !dialect.isPlain, dialect.pagination.skipping != nil {
                record.place = Int64(place) + 1
            }
            identifiers.append(record.identifier)
            // What moved on while the parts were asked for may come twice.
            if list.seen.insert(record.identifier).inserted { list.records.append(record) }
        }
        if list.records.count > store.maximumCount {
            throw StoreError.unavailable(
                "the list is longer than \(store.maximumCount) models",
                .notApplied
            )
        }
        // One model may come on and on, where a server joins tables.
        if !identifiers.isEmpty, identifiers == list.last,
            Set(identifiers).count == identifiers.count
        {
            throw StoreError.unavailable("the server gives the same models again", .notApplied)
        }
        list.last = identifiers
        list.idle = list.records.count == before ? list.idle + 1 : 0
        if list.idle > 99 {
            throw StoreError.unavailable(
                "the server gives \(list.idle) parts without new models",
                .notApplied
            )
        }
        return items.count
    }

    /// The request for the next part.
    private func following(
        _ next: RESTPagination.Next,
        _ request: RemoteRequest,
        _ answer: RemoteAnswer,
        _ list: RemoteList
    ) throws -> RemoteRequest {
        var request = request
        switch next {
        case .parameters(let parameters): request.parameters.replace(with: parameters)
        case .address(let address):
            guard
                let place = URLReference(address)?
                    .resolved(against: answer.request.origin, answer.request.target)
            else {
                throw StoreError.unavailable("the next part is at no address", .notApplied)
            }
            guard
                dialect.pagination.usesOwnOrigin
                    || HTTPOrigin.areEqual(place.origin, answer.request.origin)
            else {
                throw StoreError.unavailable(
                    "the next part is at another server, \(place.origin), and not asked for",
                    .notApplied
                )
            }
            request.path = place.target
            request.isFromRoot = true
            request.parameters = []
        }
        guard list.asked.insert(request.target(request.parameters)).inserted else {
            throw StoreError.unavailable("the parts of the list go in a circle", .notApplied)
        }
        return request
    }
}

/// A list as far as it is here.
///
/// A class, as each part of it would copy it otherwise.
// Safe: a part has it alone, from its answer until it asks for the next one.
private final class RemoteList: @unchecked Sendable {
    let schema: ModelSchema
    let limit: Int?
    let others: [FieldKey: AttributeValue]
    /// How many models were left out.
    let skipped: Int
    var records: [Record] = []
    /// How many models have come, those that came twice included.
    var received = 0
    var parts = 0
    /// What the last part had.
    var last: [Identifier] = []
    /// How many of the last parts had nothing new.
    var idle = 0
    var seen: Set<Identifier> = []
    /// Where the parts after the first were asked for.
    var asked: Set<String> = []
    /// Whether `rest` is asked for.
    var isPage = false
    /// Where it does, if it was full before its end.
    var rest: RemoteMark?
    /// How many models of the next part belong to the page before.
    var dropped = 0
    /// How many models of the last part are in the list, or were before.
    var taken = 0

    var isFull: Bool { limit.map { records.count >= $0 } ?? false }

    init(
        schema: ModelSchema,
        limit: Int?,
        others: [FieldKey: AttributeValue],
        skipped: Int
    ) {
        self.schema = schema
        self.limit = limit
        self.others = others
        self.skipped = skipped
    }
}

extension QueryParameters.Parameter {
    /// That models of subclasses are left out.
    static let exact = QueryParameters.Parameter(name: "subclasses", value: "false")
}

extension [QueryParameters.Parameter] {
    /// Sets parameters in the place of those of the same names.
    mutating func replace(with others: [QueryParameters.Parameter]) {
        removeAll { parameter in others.contains { $0.name == parameter.name } }
        self += others
    }
}
