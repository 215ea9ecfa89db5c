import ModelKitModels
import ModelKitREST
import ModelKitStores
import ModelKitEssentials

extension RESTHandler {
    /// Answers GET and HEAD of one model.
    func answerInstance(_ ask: Ask) async throws -> HTTPResponse {
        let parameters = try parameters(of: ask.request)
        let isExact = try parameters.flag("subclasses") == false
        try parameters.check(only: ["subclasses"])
        let permit = try await permit(.lookup, ask)
        let owner = try await owner(ask)
        guard let found = try await find(ask.route, in: owner, permit, isExact: isExact),
            try await mayRead(found, ask, at: ask.route, in: owner)
        else { throw Problem.notFound(ask) }
        let tag = EntityTag(revision: found.record.revision)
        if let wanted = try ask.request.tags("If-Match"),
            !wanted.contains(tag, weakly: false)
        {
            throw Problem(412, code: "changed")
        }
        if let known = try ask.request.tags("If-None-Match"),
            known.contains(tag, weakly: true)
        {
            return HTTPResponse(status: 304, headers: ["ETag": tag.description])
        }
        return HTTPResponse(json: try json(of: found, below: ask.route.schema), tag: tag)
    }

    /// Answers GET and HEAD of a collection.
    func answerList(_ ask: Ask) async throws -> HTTPResponse {
        let schema = ask.route.schema
        let parameters = try parameters(of: ask.request)
        let isExact = try parameters.flag("subclasses") == false
        let isCounted = try parameters.flag("_count") == true
        let asked = try query(parameters, of: ask.type)
        let permit = try await permit(.list, ask)
        let owner = try await owner(ask)
        guard try await fulfils(owner, permit) else { throw Problem.notFound(ask) }
        // What is asked for, and only what may be seen.
        var filters: [RecordFilter] = []
        if let filter = asked.filter { filters.append(try await permitted(filter, ask)) }
        if let filter = permit.filter { filters.append(filter) }
        if let owner { filters.append(try owner.filter(of: schema)) }
        let limit = min(asked.limit ?? limits.page, limits.maximumPage, .max - 1)
        var query = asked
        if filters.count != 1 || filters[0] != asked.filter {
            query.filter = filters.isEmpty ? nil : .and(filters)
        }
        let classFilters = isExact ? [:] : try await classFilters(ask, in: owner)
        let count =
            isCounted
            ? try await count(query.filter, schema, isExact: isExact, classFilters) : nil
        if limit <= 0 { return try page([], count, next: nil, for: ask.request) }
        query.limit = limit + 1
        if let after = asked.after {
            guard let moved = after.moved(from: asked, to: query, of: schema) else {
                throw WireFailure("after", "is no cursor of this query")
            }
            query.after = moved
        }
        let found = try await find(query, schema, isExact: isExact, classFilters)
        var next: String?
        if found.count > limit {
            let last = found[limit - 1]
            // A mark of another server is nothing that whoever sends it back might not have changed.
            let isForeign = records.foreign?.makesPages ?? false
            if isForeign || query.order.isEmpty && last.record.place == 0 {
                throw StoreError.unsupported("pages, as the store gives no places of its records")
            }
            let cursor = PageCursor(
                after: last,
                in: asked,
                below: schema,
                mayBeSubclass: !isExact
            )
            let target = try target(ask, after: cursor)
            if target.utf8.count > limits.target {
                throw WireFailure("sort", "has values that are too long for a page to begin after")
            }
            next = target
        }
        var items: [Data] = []
        items.reserveCapacity(min(found.count, limit))
        for found in found.prefix(limit) { items.append(try json(of: found, below: schema)) }
        return try page(items, count, next: next, for: ask.request)
    }

    /// How many records of a type fulfil a filter, with those of its subclasses unless it has to be the very class.
    private func count(
        _ filter: RecordFilter?,
        _ schema: ModelSchema,
        isExact: Bool,
        _ filters: [ObjectIdentifier: RecordFilter]
    ) async throws -> String {
        let aggregate = RecordAggregate(.count, filter: filter)
        let totals =
            isExact
            ? records.totals(aggregate, of: schema)
            : records.totals(aggregate, below: schema, filters)
        return "\(try await totals.value.value())"
    }

    /// A part of a list, with a tag made of its bytes; 304 where the request has them already.
    private func page(
        _ items: [Data],
        _ count: String?,
        next: String?,
        for request: HTTPRequest
    ) throws -> HTTPResponse {
        // Of a target nothing has to be escaped: it is percent-encoded.
        let more =
            (count.map { #","count":\#($0)"# } ?? "") + (next.map { #","next":"\#($0)""# } ?? "")
        let body = Data(listing: items, as: "items", more)
        let tag = EntityTag(body.fingerprint, isWeak: true)
        if let known = try request.tags("If-None-Match"), known.contains(tag, weakly: true) {
            return HTTPResponse(status: 304, headers: ["ETag": tag.description])
        }
        var response = HTTPResponse(json: body, tag: tag)
        if let next { response.headers["Link"] = "<\(next)>; rel=\"next\"" }
        return response
    }

    /// The same target with another cursor.
    private func target(_ ask: Ask, after cursor: PageCursor) throws -> String {
        var query: [UInt8] = []
        for part in ask.request.query.split(separator: "&") {
            let name = try parameters(of: String(part)).first?.name
            guard name != nil, name != "after" else { continue }
            PercentEncoding.append(String(part), to: &query, where: \.isOfLink)
            query.append(UInt8(ascii: "&"))
        }
        return ask.request.path + "?" + String(decoding: query, as: UTF8.self)
            + "after=\(cursor)"
    }

    /// The JSON of a record.
    func json(of found: FoundRecord, below schema: ModelSchema) throws -> Data {
        let isOther = found.schema !== schema
        let coder = try types.type(of: found.schema).coder
        return try coder.json(of: found.record, type: isOther ? found.schema.name : nil)
    }
}

extension Data {
    /// A text that differs between contents that are not the same, but for a chance of one in 2⁶⁴.
    fileprivate var fingerprint: String {
        var hash = 0xcbf2_9ce4_8422_2325 ^ UInt64(count)
        func add(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
            hash ^= hash >> 32
        }
        withUnsafeBytes { bytes in
            var place = 0
            while place + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                add(UInt64(littleEndian: word))
                place += 8
            }
            for byte in bytes[place...] { add(UInt64(byte)) }
        }
        return String(hash, radix: 16)
    }
}

extension UInt8 {
    /// Whether it can stand in a header and in JSON as it is, if it is of a query.
    fileprivate var isOfLink: Bool { 0x21...0x7E ~= self && !#""\<>"#.utf8.contains(self) }
}

extension HTTPRequest {
    /// The tags of a header; nil without it.
    func tags(_ header: String) throws -> EntityTags? {
        guard let text = headers[header] else { return nil }
        guard let tags = EntityTags(text) else {
            throw WireFailure(header, "must be * or a list of entity tags, such as \"3\"")
        }
        return tags
    }
}
