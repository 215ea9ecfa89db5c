import ModelKitModels

/// The names of types and fields as paths have them, each made once.
final class RoutePlans: Sendable {
    private let types = Guarded<[ModelSchema: RoutePlan]>([:])
    private let fields = Guarded<[FieldKey: [UInt8]]>([:])

    func plan(of schema: ModelSchema, _ make: () -> RoutePlan) -> RoutePlan {
        if let plan = types.withLock({ $0[schema] }) { return plan }
        let plan = make()
        types.withLock { $0[schema] = plan }
        return plan
    }

    func segments(of key: FieldKey, _ make: () -> [UInt8]) -> [UInt8] {
        if let segments = fields.withLock({ $0[key] }) { return segments }
        let segments = make()
        fields.withLock { $0[key] = segments }
        return segments
    }
}

/// What paths have to know of a type.
struct RoutePlan: Sendable {
    /// The path of the collection without the prefix, with a slash before each segment.
    let segments: [UInt8]
    /// The same with the prefix.
    let path: [UInt8]
    let isSingleton: Bool
    let ownership: Ownership?
}

extension RESTRouter {
    func plan(of schema: ModelSchema) -> RoutePlan {
        plans.plan(of: schema) {
            let rule = rules[schema]
            let given = rule?.path
            let segments = Self.segments(of: given ?? name(of: schema), isPath: given != nil)
            return RoutePlan(
                segments: segments,
                path: Self.segments(of: prefix, isPath: true) + segments,
                isSingleton: rule?.isSingleton ?? false,
                ownership: schema.ownership
            )
        }
    }

    /// A field's key, each of its names as a segment with a slash before it.
    func segments(of key: FieldKey) -> [UInt8] {
        plans.segments(of: key) {
            key.names.flatMap { Self.segments(of: nameCase.key(for: $0), isPath: false) }
        }
    }

    /// What the type is called in paths, unless it was given one.
    private func name(of schema: ModelSchema) -> String {
        pluralizesCollections ? nameCase.plural(of: schema.name) : nameCase.key(for: schema.name)
    }

    /// A text as segments of a path: the parts between its slashes, if it is one.
    static func segments(of text: String, isPath: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in isPath ? text.split(separator: "/") : [text[...]] {
            bytes.append(UInt8(ascii: "/"))
            PercentEncoding.append(segment: String(part), to: &bytes)
        }
        return bytes
    }
}
