public import ModelKitModels

/// What the paths of a router lead to: its other direction, for a server.
///
/// ```swift
/// let table = RouteTable(router, [Company.self, Employee.self])
/// table.match("/companies/10/employees/45?fields=name")
/// // Route(Employee.schema, 45, of: [Route.Owner(Company.schema, 10, field: "employees")])
/// table.match("/nowhere")   // nil
/// ```
///
/// Below a model are the types that have it as their owner (see ``ModelKit/HasOwnerField``) and those in its
/// fields for several models, if they are in the table, up to the router's `maxPathDepth` owners. Where a
/// type was routed to a path that another one could have by an identifier, the type comes first; of two
/// types with the same path the first one has it. A slash at the end is taken whether the
/// router makes one or not; its `suffix` has to be there.
///
/// To look one path up takes time that grows with its length alone.
public struct RouteTable: Sendable {
    /// A place in paths: what may follow, by the decoded segment, and what is here.
    struct Node: Sendable {
        var next: [[UInt8]: Int] = [:]
        var target: Target?
    }

    /// The models of a type, in a field of the owner.
    struct Target: Sendable {
        let place: Int
        let field: FieldKey?
    }

    /// A type, and the node below its models.
    struct Place: Sendable {
        let schema: ModelSchema
        let isSingleton: Bool
        /// What kind the identifiers in paths are.
        let kind: AttributeKind
        let below: Int
    }

    var nodes: [Node] = [Node()]
    var places: [Place] = []
    let maxDepth: Int
    /// What the last segment ends with.
    let suffix: [UInt8]

    /// The table of some types.
    ///
    /// - Parameters:
    ///   - router: Says where the types are; later changes of it do not count.
    ///   - types: The types.
    public init(_ router: RESTRouter, _ types: [any Model.Type]) {
        maxDepth = router.maxPathDepth
        suffix = Array(router.suffix.utf8)
        var known: [ModelSchema: Int] = [:]
        for schema in types.map({ $0.schema }) where known[schema] == nil {
            known[schema] = places.count
            let key = router.identifierKey(of: schema)
            let field = key.flatMap { key in schema.fields.first { $0.key == key } }
            places.append(
                Place(
                    schema: schema,
                    isSingleton: router.isSingleton(schema),
                    kind: (field ?? schema.identifier)?.kind ?? .any,
                    below: nodes.count
                )
            )
            nodes.append(Node())
        }
        for place in places.indices {
            let schema = places[place].schema
            add(router.plan(of: schema).path, Target(place: place, field: nil), at: 0)
            for entry in schema.fields + schema.derivedFields {
                guard let element = entry.elementSchema.flatMap({ known[$0] }) else { continue }
                let target = Target(place: element, field: entry.key)
                add(router.segments(of: entry.key), target, at: places[place].below)
            }
        }
        // After all fields, which have their keys in any case.
        for place in places.indices {
            let plan = router.plan(of: places[place].schema)
            guard let ownership = plan.ownership, let owner = known[ownership.schema] else {
                continue
            }
            let key = ownership.inverse?.key
            let path = key.map(router.segments) ?? plan.segments
            add(path, Target(place: place, field: key), at: places[owner].below)
        }
    }

    /// Lets encoded segments, each after a slash, lead from a node to a target.
    private mutating func add(_ path: [UInt8], _ target: Target, at start: Int) {
        var node = start
        for segment in path.split(separator: UInt8(ascii: "/")) {
            guard let name = PercentEncoding.decode(segment, where: \.isOfPath) else { return }
            if let next = nodes[node].next[name] {
                node = next
            } else {
                nodes[node].next[name] = nodes.count
                node = nodes.count
                nodes.append(Node())
            }
        }
        // Without a segment of its own nothing differs from the models of the type above.
        if node == start, start != 0 { return }
        if nodes[node].target == nil { nodes[node].target = target }
    }
}
