package import ModelKitModels
import ModelKitEssentials

/// The place in the answer to a query at which a page ends and the next one begins.
///
/// ```swift
/// let first = try await store.page(Person.self, orderBy: .ascending(\.name), limit: 50).value
/// let token = first.next?.description
/// ```
///
/// It is not a number of models to skip: what is created or deleted between two pages makes no model
/// come twice, and none be left out, but for a query without an order of a class with subclasses, each of
/// which has an order of creation of its own. It belongs to one query of one type; with another it is an
/// error.
/// Its description is a text of letters, digits, `-` and `_`, from which it is made again, also in
/// another process; it holds the values by which the last model is sorted, so it is no secret. That of a
/// `RemoteModelStore` may hold where its server goes on, which is asked for at that server alone, and is not
/// protected against changes: take it back from nobody who may not ask that server for everything.
public struct PageCursor: Sendable, Hashable {
    /// The values by which the last record is sorted, and then the name of its class where the answer has
    /// those of several; or the mark of a store with cursors of its own.
    package private(set) var values: [AttributeValue]
    package let identifier: Identifier
    /// The place of the last record in the order of creation.
    package private(set) var place: Int64
    /// What identifies the query.
    package private(set) var query: Int64
}

extension PageCursor {
    /// The same place for the records of one class, where the answer has those of several: of a class and
    /// those below it.
    func cursor(
        in query: RecordQuery,
        of schema: ModelSchema,
        below base: ModelSchema
    ) -> PageCursor {
        var cursor = self
        cursor.values = Array(values.prefix(query.order.count))
        // Of one place there may be several, in the order of their classes. The least comes from no store.
        if query.order.isEmpty, precedes(schema, in: query), place > .min { cursor.place -= 1 }
        // One of another query stays so.
        if self.query == query.fingerprint(of: base) {
            cursor.query = query.fingerprint(of: schema)
        }
        return cursor
    }

    /// A query for the record of a class that stands beside the last one of the page, as it has the same
    /// identifier and maybe the same values; nil if it would be in that page.
    func twin(in query: RecordQuery, of schema: ModelSchema) -> RecordQuery? {
        guard !query.order.isEmpty, precedes(schema, in: query), let key = schema.identifier?.key
        else { return nil }
        let isTwin = RecordFilter.compare(key, .equal, identifier.attributeValue)
        let filters = query.filter?.conjuncts ?? []
        return RecordQuery(filter: .and([isTwin] + filters), order: query.order, limit: 1)
    }

    /// The class of the last record, where the answer has those of several; nil where it has not.
    func className(in query: RecordQuery) -> String? {
        guard values.count > query.order.count, case .string(let name)? = values.last else {
            return nil
        }
        return name
    }

    /// Whether a record has the identifier and the values of the last one of the page.
    func isBeside(_ other: Record, in query: RecordQuery, of schema: ModelSchema) -> Bool {
        let (last, terms) = (record(in: query), query.sortTerms(of: schema))
        return !last.precedes(other, terms) && !other.precedes(last, terms)
    }

    private func precedes(_ schema: ModelSchema, in query: RecordQuery) -> Bool {
        className(in: query)?.utf8.lexicographicallyPrecedes(schema.name.utf8) ?? false
    }

    /// The same place in the answer to a query with another filter; nil if this is not one of the first.
    package func moved(
        from query: RecordQuery,
        to other: RecordQuery,
        of schema: ModelSchema
    ) -> PageCursor? {
        guard self.query == query.fingerprint(of: schema) else { return nil }
        var cursor = self
        cursor.query = other.fingerprint(of: schema)
        return cursor
    }

    /// The place of a record in the answer to a query of a type, and of its subclasses if it may be of one.
    package init(
        after found: FoundRecord,
        in query: RecordQuery,
        below schema: ModelSchema,
        mayBeSubclass: Bool = true
    ) {
        let isNamed = mayBeSubclass && !schema.subclasses.isEmpty
        let name = isNamed ? found.schema.name : nil
        self.init(after: found.record, named: name, in: query, of: schema)
    }

    /// The place of a record; with the name of its class where the answer has those of several.
    package init(
        after record: Record,
        named name: String? = nil,
        in query: RecordQuery,
        of schema: ModelSchema
    ) {
        let name = name.map { [AttributeValue.string($0)] } ?? []
        self.init(
            values: query.order.map { record[$0.key] ?? .null } + name,
            identifier: record.identifier,
            place: record.place,
            query: query.fingerprint(of: schema)
        )
    }

    /// The place that a store gives a mark of its own, after so many records.
    package init(
        mark: [AttributeValue],
        after count: Int64,
        in query: RecordQuery,
        of schema: ModelSchema
    ) {
        self.init(
            values: mark,
            identifier: "",
            place: count,
            query: query.fingerprint(of: schema)
        )
    }

    /// The last record of the page, as far as the order needs it.
    func record(in query: RecordQuery) -> Record {
        Record(
            identifier: identifier,
            revision: 0,
            values: Dictionary(zip(query.order.map(\.key), values)) { first, _ in first },
            place: place
        )
    }
}

extension PageCursor: LosslessStringConvertible {
    public var description: String {
        let content: AttributeValue = [
            .array(values), identifier.attributeValue, .int(place), .int(query),
        ]
        // Of values that are stored, each of which JSON can say.
        let text = (try? StoredJSON.text(of: content)) ?? ""
        return Data(text.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The cursor of a description; nil for any other text.
    public init?(_ description: String) {
        let text = description.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text + padding),
            case .array(let parts)? = try? StoredJSON.value(
                of: String(decoding: data, as: UTF8.self)
            ),
            parts.count == 4, case .array(let values) = parts[0],
            let identifier = try? Identifier(attributeValue: parts[1]),
            case .int(let place) = parts[2],
            case .int(let query) = parts[3]
        else { return nil }
        self.init(values: values, identifier: identifier, place: place, query: query)
    }
}

extension PageCursor: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cursor = PageCursor(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "the text is no cursor of a page"
            )
        }
        self = cursor
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension RecordQuery {
    /// A number that differs between queries that give different answers, but for their pages.
    ///
    /// - Parameters:
    ///   - schema: The type.
    ///   - sortsNumbers: Whether numbers that are texts are sorted as numbers.
    /// - Returns: The number.
    func fingerprint(of schema: ModelSchema, sortsNumbers: Bool = true) -> Int64 {
        let order = sortTerms(of: schema).map { term in
            let parts = [term.key.value, .bool(term.isDescending)]
            let isNumber = sortsNumbers && term.areNumbers
            return AttributeValue.array(isNumber ? parts + ["number"] : parts)
        }
        let content: AttributeValue = [
            .string(schema.name), filter.map(\.content) ?? .null, .array(order),
        ]
        let text = (try? StoredJSON.text(of: content)) ?? ""
        // FNV-1a of 64 bits, the same in every process.
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return Int64(bitPattern: hash)
    }
}

extension FieldKey {
    /// The list of its names.
    var value: AttributeValue { .array(names.map { .string($0) }) }
}

extension AttributeValue {
    /// The value with dictionaries as sorted pairs, so that equal ones give equal texts.
    fileprivate var ordered: AttributeValue {
        switch self {
        case .array(let values): .array(values.map(\.ordered))
        case .dictionary(let values):
            .array(
                // By bytes: of `e` with an accent of its own and `é` with U+0000 neither is less.
                values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                    .map { [.string($0.key), $0.value.ordered] }
            )
        case .double(let number) where !number.isFinite: .string("\(number)")
        default: self
        }
    }
}

extension RecordFilter {
    fileprivate var content: AttributeValue {
        switch self {
        case .compare(let key, let comparison, let value):
            ["compare", key.value, .string("\(comparison)"), value.ordered]
        case .isNull(let key): ["isNull", key.value]
        case .isIn(let key, let values): ["isIn", key.value, .array(values.map(\.ordered))]
        case .contains(let key, let value): ["contains", key.value, value.ordered]
        case .hasPrefix(let key, let prefix): ["hasPrefix", key.value, .string(prefix)]
        case .hasSuffix(let key, let suffix): ["hasSuffix", key.value, .string(suffix)]
        case .hasSubstring(let key, let part): ["hasSubstring", key.value, .string(part)]
        case .has(let key, let partner, let filter):
            ["has", key.value, .string(partner.name), filter.content]
        case .hasAny(let key, let partner, let filter):
            ["hasAny", key.value, .string(partner.name), filter.content]
        case .and(let filters): ["and", .array(filters.map(\.content))]
        case .or(let filters): ["or", .array(filters.map(\.content))]
        case .not(let filter): ["not", filter.content]
        }
    }
}
