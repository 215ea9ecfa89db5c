import ModelKitModels

extension RouteTable {
    /// What a request's target leads to; nil for nothing.
    ///
    /// Nothing is where a path is not as RFC 3986 has it: with an escape that is none or is no UTF-8, a
    /// character that would have to be encoded, an empty segment, or `.` and `..` as they are, which whoever
    /// made the path had to take away. Of a type with numbers for identifiers, only a number in
    /// its shortest form is one; where the kind is not known, such a number is one and not a text.
    ///
    /// - Parameter target: A path, percent-encoded, from its first slash on; a query after it does not count.
    /// - Returns: The route, whether there is such a model or not.
    public func match(_ target: String) -> Route? {
        var target = target
        return target.withUTF8 { bytes in
            match(bytes[..<(bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex)])
        }
    }

    private func match(_ path: Slice<UnsafeBufferPointer<UInt8>>) -> Route? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        var search = Search(table: self)
        var rest = path.dropFirst()
        if rest.isEmpty, !suffix.isEmpty { return nil }
        while !rest.isEmpty {
            let isFirst = rest.count == path.count - 1
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard var segment = Self.segment(rest[..<end]) else { return nil }
            rest = rest[end...].dropFirst()
            if rest.isEmpty, !suffix.isEmpty {
                guard segment.suffix(suffix.count).elementsEqual(suffix) else { return nil }
                segment.removeLast(suffix.count)
                // Where the collection itself has no segment.
                if segment.isEmpty, isFirst { break }
            }
            guard search.enter(segment) else { return nil }
        }
        return search.end()
    }

    private static func segment(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8]? {
        let isDots = bytes.count <= 2 && bytes.allSatisfy { $0 == UInt8(ascii: ".") }
        return isDots ? nil : PercentEncoding.decode(bytes, where: \.isOfPath)
    }
}

/// A way along a path, segment by segment.
private struct Search {
    private let table: RouteTable
    private var node = 0
    /// The model that the last segment has identified; the node is the one below its type then.
    private var model: (schema: ModelSchema, identifier: Identifier)?
    private var owners: [Route.Owner] = []

    init(table: RouteTable) { self.table = table }

    /// Follows a segment.
    ///
    /// - Returns: Whether there is something.
    mutating func enter(_ segment: [UInt8]) -> Bool {
        if let next = table.nodes[node].next[segment] {
            if let model {
                guard push(model.schema, model.identifier) else { return false }
                self.model = nil
            }
            node = next
            return true
        }
        guard model == nil, let place = arrive() else { return false }
        if place.isSingleton {
            guard let next = table.nodes[place.below].next[segment], push(place.schema, nil) else {
                return false
            }
            node = next
        } else {
            guard let identifier = Self.identifier(segment, place.kind) else { return false }
            model = (place.schema, identifier)
            node = place.below
        }
        return true
    }

    /// Where the path has led to.
    mutating func end() -> Route? {
        if let model { return Route(model.schema, model.identifier, of: owners) }
        return arrive().map { Route($0.schema, of: owners) }
    }

    private mutating func push(_ schema: ModelSchema, _ identifier: Identifier?) -> Bool {
        guard owners.count < table.maxDepth else { return false }
        owners.append(Route.Owner(schema, identifier))
        return true
    }

    /// The type that is here, in a field of the last owner.
    private mutating func arrive() -> RouteTable.Place? {
        guard let target = table.nodes[node].target else { return nil }
        if !owners.isEmpty { owners[owners.count - 1].field = target.field }
        return table.places[target.place]
    }

    private static func identifier(_ segment: [UInt8], _ kind: AttributeKind) -> Identifier? {
        guard !segment.isEmpty, let text = String(validating: segment, as: UTF8.self) else {
            return nil
        }
        if [.int, .unsigned, .any].contains(kind), let number = Int64(text), String(number) == text
        {
            return .int(number)
        }
        return kind == .int ? nil : .string(text)
    }
}
