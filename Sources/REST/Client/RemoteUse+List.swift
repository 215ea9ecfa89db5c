import ModelKitFields
import ModelKitModels
import ModelKitStores

extension RemoteUse {
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
        let listing = RESTListing(
            schema: schema,
            query: query,
            context: context,
            dialect: dialect.name
        )
        var request = RemoteRequest(.get, path)
        request.parameters = try dialect.query(listing)
        if isExact(schema) { request.parameters.append(.exact) }
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
            if let limit = list.limit, list.records.count >= limit {
                return .value(Array(list.records.prefix(limit)))
            }
            let page = RESTPage(
                response: answer.response,
                count: count,
                before: list.skipped + list.received,
                number: list.parts + 1
            )
            list.received += count
            list.parts += 1
            guard let next = try dialect.pagination.next(page) else { return .value(list.records) }
            return part(try following(next, request, answer, list), of: list)
        }
    }

    /// Adds the records of an answer to a list, and tells how many it has.
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
        for (index, item) in items.enumerated() {
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
    fileprivate mutating func replace(with others: [QueryParameters.Parameter]) {
        removeAll { parameter in others.contains { $0.name == parameter.name } }
        self += others
    }
}
