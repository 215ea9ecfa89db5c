import ModelKitFields

/// Finds relations whose models do not link their fields, when the side is set that says nothing of the inverse.
final class RelationCheck: Sendable {
    /// The types whose relations were looked at.
    private static let checked = TypeTable<RelationCheck>()

    /// Whether the relations of a type were looked at.
    static func isDone<M: Model>(for type: M.Type) -> Bool {
        checked[ObjectIdentifier(type)] != nil
    }

    /// Looks at the relations of a type, which reports what is wrong with them.
    static func run<M: Model>(_ type: M.Type) {
        if isDone(for: type) { return }
        let relations = type.schema.relations
        if !relations.isProvisional {
            _ = checked.keep(RelationCheck(), for: ObjectIdentifier(type))
        }
    }
}
