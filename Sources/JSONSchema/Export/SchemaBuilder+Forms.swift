import ModelKitForms

extension SchemaBuilder {
    /// The schema of an object whose properties satisfy what checks of a form demand.
    mutating func schema(of demands: [CheckDemand]) -> SchemaNode {
        var object = SchemaNode(["type": "object"])
        var names: [String] = []
        for demand in demands {
            guard let name = demand.name else {
                report([], "has a check without a name")
                continue
            }
            if !names.contains(name) { names.append(name) }
        }
        for name in names {
            let same = demands.filter { $0.name == name }
            let constraint = Constraint(all: same.map(\.constraint))
            let shape = same.compactMap(\.type).first.map { JSONType($0).plain } ?? .any
            let value = schema(
                of: .optional(shape.wrapped),
                demanding: constraint,
                at: FieldPath(key: name)
            )
            var property = SchemaNode(["properties": [name: value.value]])
            if constraint.refusesNil { property.keywords["required"] = [.string(name)] }
            object.formIntersection(property)
        }
        return object
    }
}
