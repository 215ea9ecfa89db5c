package import ModelKitFields
package import ModelKitModels

extension ModelSchema {
    /// The path of a value in the JSON of a context, of its path in a model.
    package func wirePath(
        of path: FieldPath,
        in context: ValueTransformerContext
    ) -> FieldPath {
        FieldPath(
            renamed(path.components[...], fields.map(\.key), keys(in: context)) {
                $0.wirePath(of: $1, in: context)
            }
        )
    }

    /// The path of a value in a model, of its path in the JSON of a context.
    package func declaredPath(
        of path: FieldPath,
        in context: ValueTransformerContext
    ) -> FieldPath {
        FieldPath(
            renamed(path.components[...], keys(in: context), fields.map(\.key)) {
                $0.declaredPath(of: $1, in: context)
            }
        )
    }

    private func renamed(
        _ components: ArraySlice<FieldPath.Component>,
        _ old: [FieldKey],
        _ new: [FieldKey],
        _ inner: (ModelSchema, FieldPath) -> FieldPath
    ) -> [FieldPath.Component] {
        let found = old.firstIndex { key in
            components.count >= key.names.count
                && zip(components, key.names).allSatisfy { $0 == .key($1) }
        }
        guard let found else { return Array(components) }
        var start = new[found].names.map { FieldPath.Component.key($0) }
        var rest = components.dropFirst(old[found].names.count)
        guard let partner = fields[found].partnerSchema else { return start + rest }
        if case .index? = rest.first { start.append(rest.removeFirst()) }
        return start + inner(partner, FieldPath(Array(rest))).components
    }
}
