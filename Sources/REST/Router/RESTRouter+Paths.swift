public import ModelKitFields
public import ModelKitModels

extension RESTRouter {
    /// The path of a route, percent-encoded.
    ///
    /// It has all owners of the route, however many there are.
    public func path(of route: Route) throws(RouteError) -> String {
        var path: [UInt8] = []
        var field: FieldKey?
        for (index, owner) in route.owners.enumerated() {
            try append(owner.schema, owner.identifier, in: field, isFirst: index == 0, to: &path)
            if owner.identifier == nil, !plan(of: owner.schema).isSingleton {
                throw .noIdentifier(type: owner.schema.name)
            }
            field = owner.field
        }
        let isFirst = route.owners.isEmpty
        try append(route.schema, route.identifier, in: field, isFirst: isFirst, to: &path)
        return text(of: path)
    }

    /// The route of a record, with the owners that its values have.
    ///
    /// An owner is a foreign key, or a dictionary with an identifier and maybe an owner of its own. Where a
    /// field stands for the owner's identifier, only a dictionary has it.
    ///
    /// - Parameters:
    ///   - schema: The type of the record.
    ///   - identifier: The identifier in its path; nil for the collection.
    ///   - values: The values of the record, as far as they are known.
    ///   - maxDepth: How many owners there may be; `maxPathDepth`, if it is not said.
    /// - Returns: The route, with all owners that are known.
    public func route(
        to schema: ModelSchema,
        _ identifier: Identifier?,
        values: [FieldKey: AttributeValue],
        maxDepth: Int? = nil
    ) -> Route {
        var route = Route(schema, identifier)
        guard var ownership = plan(of: schema).ownership,
            var value = values[ownership.entry.key]
        else { return route }
        for _ in 0..<max(0, maxDepth ?? maxPathDepth) {
            let plan = plan(of: ownership.schema)
            let key = identifierKey(of: ownership.schema)
            let found = key == nil ? try? Identifier(attributeValue: value) : nil
            let identifier = found ?? value.identifier(key ?? ownership.schema.identifier?.key)
            guard identifier != nil || plan.isSingleton && !value.isNull else { break }
            route.owners.insert(
                Route.Owner(
                    ownership.schema,
                    plan.isSingleton ? nil : identifier,
                    field: ownership.inverse?.key
                ),
                at: 0
            )
            guard let next = plan.ownership, let further = value.value(at: next.entry.key) else {
                break
            }
            (ownership, value) = (next, further)
        }
        return route
    }

    /// Appends what a type, and one of its models, adds to a path.
    private func append(
        _ schema: ModelSchema,
        _ identifier: Identifier?,
        in field: FieldKey?,
        isFirst: Bool,
        to path: inout [UInt8]
    ) throws(RouteError) {
        let plan = plan(of: schema)
        if isFirst {
            path += plan.path
        } else {
            path += field.map(segments) ?? plan.segments
        }
        guard let identifier, !plan.isSingleton else { return }
        path.append(UInt8(ascii: "/"))
        switch identifier {
        case .int(let number): path += String(number).utf8
        case .string(let text):
            guard !text.isEmpty else { throw .emptyIdentifier(type: schema.name) }
            PercentEncoding.append(segment: text, to: &path)
        }
    }

    /// The text of a path that is complete but for its end.
    func text(of path: [UInt8]) -> String {
        let slash = UInt8(ascii: "/")
        var path = path.isEmpty ? [slash] : path
        PercentEncoding.append(suffix, to: &path)
        if hasTrailingSlash, path.last != slash { path.append(slash) }
        return String(decoding: path, as: UTF8.self)
    }

    /// The segments of a path, whether it ends with the suffix or not.
    func segmentsWithoutSuffix(of path: some StringProtocol) -> [Substring.UTF8View] {
        var segments = Substring(path).utf8.split(separator: UInt8(ascii: "/"))
        var end: [UInt8] = []
        PercentEncoding.append(suffix, to: &end)
        if let last = segments.last, last.count > end.count,
            last.suffix(end.count).elementsEqual(end)
        {
            segments[segments.count - 1] = last.dropLast(end.count)
        }
        return segments
    }
}

extension AttributeValue {
    /// The value that a dictionary has at a key, which may be nested.
    fileprivate func value(at key: FieldKey) -> AttributeValue? {
        var value = self
        for name in key.names {
            guard case .dictionary(let values) = value, let next = values[name] else { return nil }
            value = next
        }
        return value
    }

    /// The identifier that a dictionary has at a key.
    fileprivate func identifier(_ key: FieldKey?) -> Identifier? {
        key.flatMap(value(at:)).flatMap { try? Identifier(attributeValue: $0) }
    }
}

extension RESTRouter {
    /// The path of batches of writes.
    package var batchPath: String {
        var path: [UInt8] = []
        for part in prefix.split(separator: "/").map(String.init) + ["batch"] {
            path.append(UInt8(ascii: "/"))
            PercentEncoding.append(segment: part, to: &path)
        }
        return String(decoding: path, as: UTF8.self)
    }
}
