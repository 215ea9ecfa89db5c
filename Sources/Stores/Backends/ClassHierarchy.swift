import ModelKitFields
package import ModelKitModels
package import ModelKitPromises

/// A model type with the classes that inherit from it, whose records are asked for together.
///
/// Each class has records of its own. Without an order, those of several classes come by their places,
/// which give the order of creation among the records of one class alone.
struct ClassHierarchy: Sendable {
    let schemas: [ModelSchema]

    init(of schema: ModelSchema) { schemas = [schema] + schema.subclasses }

    init<M: Model>(of type: M.Type) { self.init(of: M.schema) }

    var isOne: Bool { schemas.count == 1 }

    /// Whether a query is one of the records of the type itself, and of nothing else.
    func isPlain(_ query: RecordQuery) -> Bool {
        isOne && query.after?.className(in: query) == nil
    }

    private var base: ModelSchema { schemas[0] }

    /// The query of one of the classes.
    func query(_ query: RecordQuery, of schema: ModelSchema) -> RecordQuery {
        var query = query
        if let after = query.after, !isOne || after.className(in: query) != nil {
            query.after = after.cursor(in: query, of: schema, below: base)
        }
        return query
    }

    /// The answer, of the answers of all classes in their order.
    func merge(_ lists: [[Record]], _ query: RecordQuery) -> [FoundRecord] {
        var found = zip(schemas, lists).flatMap { schema, records in
            records.map { FoundRecord(schema: schema, record: $0) }
        }
        if !isOne {
            let order = RowOrder(query, base)
            found.sort { order.precedes($0, $1) }
        }
        guard let limit = query.limit, limit < found.count else { return found }
        return Array(found.prefix(max(0, limit)))
    }
}

extension RecordChanges {
    /// The names of a type and those below it, where some of the changes say no more than a name.
    ///
    /// The types may have to be made: not to be called under a lock.
    func names(below base: ModelSchema) -> Set<String> {
        if changes.allSatisfy(\.isWritten) { return [] }
        return Set(ClassHierarchy(of: base).schemas.map(\.name))
    }
}

/// The order in which the records of a type, and of those below it, come in the answer to a query.
struct RowOrder: Sendable {
    private let terms: [SortTerm]
    private let schema: ModelSchema

    init(_ query: RecordQuery, _ schema: ModelSchema) {
        (terms, self.schema) = (query.sortTerms(of: schema), schema)
    }

    func precedes(_ left: FoundRecord, _ right: FoundRecord) -> Bool {
        let (first, second) = (left.record, right.record)
        if terms.isEmpty {
            if first.place != second.place { return first.place < second.place }
        } else {
            for term in terms {
                let isFirst = term.precedes(
                    first[term.slot, schema] ?? .null,
                    second[term.slot, schema] ?? .null
                )
                if let isFirst { return isFirst }
            }
            if first.identifier.precedes(second.identifier) { return true }
            if second.identifier.precedes(first.identifier) { return false }
        }
        return left.schema !== right.schema
            && left.schema.name.utf8.lexicographicallyPrecedes(right.schema.name.utf8)
    }
}

extension RecordStore {
    /// The records of a type and its subclasses that a query asks for.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - base: The type.
    ///   - filters: What the records of some of the classes have to fulfil, too.
    /// - Returns: The records.
    package func find(
        _ query: RecordQuery,
        below base: ModelSchema,
        _ filters: [ObjectIdentifier: RecordFilter] = [:]
    ) -> Promise<[FoundRecord]> {
        let hierarchy = ClassHierarchy(of: base)
        if hierarchy.isPlain(query) {
            return fetch(query, of: base).map { hierarchy.merge([$0], query) }
        }
        return .trying {
            try query.check(of: base)
            let lists = hierarchy.schemas.map { schema in
                let filter = filters[schema.type]
                let own = hierarchy.query(query, of: schema).adding(filter, of: schema)
                let rest = fetch(own, of: schema)
                guard let last = query.after, let twin = last.twin(in: query, of: schema)
                else { return rest }
                return zip(fetch(twin.adding(filter, of: schema), of: schema), rest).map {
                    last.joining($0, $1, in: query, of: schema)
                }
            }
            return Promise<[Record]>.all(lists).map { hierarchy.merge($0, query) }
        }
    }

    /// What the records of a type and its subclasses make together.
    ///
    /// - Parameters:
    ///   - aggregate: What is asked for.
    ///   - base: The type.
    ///   - filters: What the records of some of the classes have to fulfil, too.
    /// - Returns: What they make.
    package func totals(
        _ aggregate: RecordAggregate,
        below base: ModelSchema,
        _ filters: [ObjectIdentifier: RecordFilter] = [:]
    ) -> Promise<RecordTotals> {
        let parts = ClassHierarchy(of: base).schemas.map { schema in
            var own = aggregate
            if let more = filters[schema.type] {
                own.filter = own.filter.map { .and([$0, more]) } ?? more
            }
            return totals(own, of: schema)
        }
        if parts.count == 1 { return parts[0] }
        return Promise<RecordTotals>.all(parts).map { parts in
            parts.dropFirst().reduce(into: parts[0]) { $0.add($1) }
        }
    }

    /// The record of a type, or of one of its subclasses, with an identifier; nil when there is none.
    package func find(
        _ identifier: Identifier,
        below base: ModelSchema
    ) -> Promise<FoundRecord?> {
        let own = record(identifier, of: base)
            .map { $0.map { FoundRecord(schema: base, record: $0) } }
        let others = base.subclasses
        if others.isEmpty { return own }
        return own.then { own in
            if own != nil { return .value(own) }
            return Promise<Record?>.all(others.map { record(identifier, of: $0) }).map { records in
                for case (let schema, let record?) in zip(others, records) {
                    return FoundRecord(schema: schema, record: record)
                }
                return nil
            }
        }
    }
}

extension RecordQuery {
    /// The same query with one more condition, and the same place in its answer.
    fileprivate func adding(_ more: RecordFilter?, of schema: ModelSchema) -> RecordQuery {
        guard let more else { return self }
        var query = self
        query.filter = filter.map { .and([$0, more]) } ?? more
        // One of another query stays so.
        query.after = after.map { $0.moved(from: self, to: query, of: schema) ?? $0 }
        return query
    }
}

extension PageCursor {
    /// The records of a class that come next: those beside this place, and then the rest.
    func joining(
        _ twins: [Record],
        _ rest: [Record],
        in query: RecordQuery,
        of schema: ModelSchema
    ) -> [Record] {
        // What was found beside it may have come to stand after it meanwhile.
        let twins = twins.filter { isBeside($0, in: query, of: schema) }
        return twins + rest.filter { $0.identifier != twins.first?.identifier }
    }
}
