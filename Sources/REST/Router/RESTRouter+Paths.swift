import ModelKitModels

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
        if !suffix.isEmpty { PercentEncoding.append(suffix, to: &path) }
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

    /// The path of batches of writes.
    package var batchPath: String {
        String(decoding: Self.segments(of: "\(prefix)/batch", isPath: true), as: UTF8.self)
    }
}
