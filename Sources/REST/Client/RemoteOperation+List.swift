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
        let listing = try listing(query, schema)
        if let limit = query.limit, limit < 1 { return .value([]) }
        var request = try self.request(listing, at: path)
        var parts = RemoteParts(limit: query.limit, others: others)
        if !dialect.isPlain {
            request.parameters += dialect.pagination.first(query.limit)
            if let after = query.after {
                guard let skipping = dialect.pagination.skipping,
                    let count = Int(exactly: after.place), 1..<Int(Int32.max) ~= count
                else { throw listing.refusal(of: "what comes after a page") }
                parts.skipped = count
                request.parameters.replace(with: skipping(count))
            }
        }
        return part(request, parts).map(\.records)
    }

    /// A part of a list that a server goes on with in its own way, and where it does.
    func page(
        _ query: RecordQuery,
        of schema: ModelSchema,
        at path: String
    ) throws -> Promise<Page<Record>> {
        let listing = try listing(query, schema)
        guard schema.subclasses.isEmpty else {
            throw listing.refusal(of: "pages of \(schema.name), which has subclasses")
        }
        var request = try self.request(listing, at: path)
        let own = request.parameters
        var parts = RemoteParts(limit: query.limit, isPage: true)
        if let after = query.after {
            let mark = try RemoteMark(after, at: RemotePlace(store.origin).origin)
            if let target = mark.target {
                (request.path, request.isFromRoot, request.parameters) = (target, true, [])
            }
            request.parameters.replace(with: mark.parameters)
            (parts.received, parts.count, parts.dropped) = (mark.before, mark.number, mark.dropped)
        } else {
            request.parameters += dialect.pagination.first(query.limit)
        }
        parts.asked.insert(request.target)
        return part(request, parts).map { parts in
            let next = parts.rest.map { $0.cursor(in: query, of: schema, without: own) }
            return Page(items: parts.records, next: next)
        }
    }

    /// How many records of a collection fulfil an aggregate's filter; nothing else can be asked for.
    func totals(
        _ aggregate: RecordAggregate,
        of schema: ModelSchema,
        at path: String
    ) throws -> Promise<RecordTotals> {
        try aggregate.check(of: schema)
        // As few models as it can be asked for come with the number.
        let query = RecordQuery(filter: aggregate.filter, limit: dialect.isPlain ? 0 : 1)
        let listing = try listing(query, schema)
        guard aggregate.function == .count, aggregate.groupKey == nil,
            let place = dialect.countPath
        else { throw listing.refusal(of: "\(aggregate) of \(schema.name)") }
        var request = try self.request(listing, at: path)
        request.parameters +=
            dialect.isPlain ? [.counted] : dialect.pagination.first(query.limit)
        return exchange(request).map { [self] answer in
            guard answer.isSuccess else { throw error(of: answer) }
            // No server has more than a JSON number says exactly.
            guard case .int(let number)? = answer.response.value?.member(at: place),
                0...(1 << 53) ~= number, let count = Int(exactly: number)
            else { throw rubbish(answer, "no number of models at \(place.joined(separator: "."))") }
            var totals = RecordTotals(aggregate, of: schema)
            totals.add(.null, of: count, to: nil)
            return totals
        }
    }

    private func listing(
        _ query: RecordQuery,
        _ schema: ModelSchema
    ) throws(StoreError) -> RESTListing {
        _ = try schema.identity()
        try query.check(of: schema)
        return RESTListing(schema: schema, query: query, context: context, dialect: dialect.name)
    }

    /// The request for a list, but for how it is paged.
    private func request(_ listing: RESTListing, at path: String) throws -> RemoteRequest {
        var request = RemoteRequest(.get, path, of: listing.schema)
        request.parameters = try dialect.query(listing)
        request.parameters += dialect.readParameters(type(of: listing.schema.prototype))
        if isExact(listing.schema) { request.parameters.append(.exact) }
        return request
    }

    /// Whether the server has to know that those of subclasses are asked for by themselves.
    func isExact(_ schema: ModelSchema) -> Bool { dialect.isPlain && !schema.subclasses.isEmpty }

    /// Asks for a part of a list, and then for the next one.
    private func part(
        _ request: RemoteRequest,
        _ parts: consuming RemoteParts
    ) -> Promise<RemoteParts> {
        let asked = state.next()
        // Taken out when the answer is here, as a copy would be made otherwise of what is added to.
        let waiting = Guarded(parts)
        return exchange(request).then { [self] answer in
            var parts = waiting.withLock { $0.takeAll() }
            guard let next = try take(answer, asked: asked, &parts) else { return .value(parts) }
            return part(next, parts)
        }
    }

    /// Takes in an answer.
    ///
    /// - Returns: The request for the next part; nil at the end.
    private func take(
        _ answer: RemoteAnswer,
        asked: Int64,
        _ parts: inout RemoteParts
    ) throws -> RemoteRequest? {
        // Some servers say so where the numbers of their pages end.
        if answer.status == 404, parts.count > 0, dialect.pagination.endsWithNotFound { return nil }
        guard answer.isSuccess else { throw error(of: answer) }
        let count = try add(answer, to: &parts, asked: asked)
        let page = RESTPage(
            response: answer.response,
            count: count,
            before: parts.skipped + parts.received,
            number: parts.count + 1
        )
        if parts.isFull {
            if parts.isPage { parts.rest = try rest(of: page, answer, &parts) }
            return nil
        }
        parts.received += count
        parts.count += 1
        guard let next = try dialect.pagination.next(page) else { return nil }
        return try following(next, answer, &parts)
    }

    /// Where a list goes on after what was taken of a part; nil at its end.
    private func rest(
        of page: RESTPage,
        _ answer: RemoteAnswer,
        _ parts: inout RemoteParts
    ) throws -> RemoteMark? {
        if parts.taken < page.count {
            let (number, dropped) = (parts.count, parts.taken)
            return RemoteMark(answer.asked, before: page.before, number: number, dropped: dropped)
        }
        guard let next = try dialect.pagination.next(page) else { return nil }
        return RemoteMark(
            try following(next, answer, &parts),
            before: page.before + page.count,
            number: page.number
        )
    }

    /// Adds the records of an answer to a list up to its limit; returns how many the answer has.
    private func add(
        _ answer: RemoteAnswer,
        to parts: inout RemoteParts,
        asked: Int64
    ) throws -> Int {
        let schema = answer.schema
        let listed = answer.response.value.map { value in
            dialect.envelope.items(of: value, schema, context, status: answer.status)
        }
        // Without content, there are none.
        guard let items = listed ?? (answer.status == 204 ? [] : nil) else {
            throw rubbish(answer, "no list of \(schema.name)")
        }
        let before = parts.records.count
        var identifiers: [Identifier] = []
        let dropped = min(parts.dropped, items.count)
        (parts.dropped, parts.taken) = (0, dropped)
        for (index, item) in items.enumerated().dropFirst(dropped) {
            if parts.isFull { break }
            parts.taken = index + 1
            let place = parts.skipped + parts.received + index
            guard case .dictionary(let object) = item else {
                throw rubbish(answer, "something else than a \(schema.name) at \(place)")
            }
            let others = parts.others
            guard var record = try record(of: object, schema, nil, revision: asked, others: others)
            else { continue }
            if !dialect.isPlain, dialect.pagination.skipping != nil {
                record.place = Int64(place) + 1
            }
            identifiers.append(record.identifier)
            // What moved on while the parts were asked for may come twice.
            if parts.seen.insert(record.identifier).inserted { parts.records.append(record) }
        }
        if parts.records.count > store.maximumCount {
            throw StoreError.endless("the list is longer than \(store.maximumCount) models")
        }
        // One model may come on and on, where a server joins tables.
        if !identifiers.isEmpty, identifiers == parts.last,
            Set(identifiers).count == identifiers.count
        {
            throw StoreError.endless("the server gives the same models again")
        }
        parts.last = identifiers
        parts.idle = parts.records.count == before ? parts.idle + 1 : 0
        if parts.idle > 99 {
            throw StoreError.endless("the server gives \(parts.idle) parts without new models")
        }
        return items.count
    }

    /// The request for the next part.
    private func following(
        _ next: RESTPagination.Next,
        _ answer: RemoteAnswer,
        _ parts: inout RemoteParts
    ) throws -> RemoteRequest {
        var request = answer.asked
        switch next {
        case .parameters(let parameters): request.parameters.replace(with: parameters)
        case .address(let address):
            let (origin, target) = self.place(of: request)
            guard let place = URLReference(address)?.resolved(against: origin, target)
            else { throw StoreError.endless("the next part is at no address") }
            guard
                dialect.pagination.usesOwnOrigin
                    || HTTPOrigin.areEqual(place.origin, origin)
            else {
                throw StoreError.endless(
                    "the next part is at another server, \(place.origin), and not asked for"
                )
            }
            request.path = place.target
            request.isFromRoot = true
            request.parameters = []
        }
        guard parts.asked.insert(request.target).inserted else {
            throw StoreError.endless("the parts of the list go in a circle")
        }
        return request
    }
}

/// A list as far as it is here.
private struct RemoteParts: Sendable {
    /// How many models are wanted; nil for all.
    var limit: Int?
    /// Values of fields that the server does not send.
    var others: [FieldKey: AttributeValue] = [:]
    /// How many models were left out.
    var skipped = 0
    var records: [Record] = []
    /// How many models have come, those that came twice included.
    var received = 0
    var count = 0
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

    /// All of it, of which nothing stays here.
    mutating func takeAll() -> RemoteParts {
        defer { self = RemoteParts() }
        return self
    }
}

extension QueryParameters.Parameter {
    /// That models of subclasses are left out.
    static let exact = QueryParameters.Parameter(name: "subclasses", value: "false")
    /// That the number of all models comes with a list.
    static let counted = QueryParameters.Parameter(name: "_count", value: "true")
}

extension [QueryParameters.Parameter] {
    /// Sets parameters in the place of those of the same names.
    mutating func replace(with others: [QueryParameters.Parameter]) {
        removeAll { parameter in others.contains { $0.name == parameter.name } }
        self += others
    }
}

extension StoreError {
    /// That a list does not come to its end.
    fileprivate static func endless(_ reason: String) -> StoreError {
        .unavailable(reason, .notApplied)
    }
}
